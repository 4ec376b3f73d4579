/** What the tabs of one browser tell each other. None of it is secret. */
export type News = { kind: 'signed-in'; userId: string } | { kind: 'signed-out' }

const NAME = 'latchkey'
const channel = typeof BroadcastChannel === 'undefined' ? undefined : new BroadcastChannel(NAME)

/** Tells all other tabs, not this one. */
export function tellTabs(news: News): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- A channel has no target: it reaches our origin only.
  channel?.postMessage(news)
}

/** Calls the listener with what other tabs tell. Returns how to stop that. */
export function onNews(listener: (news: News) => void): () => void {
  const listening = (event: MessageEvent<News>) => listener(event.data)
  channel?.addEventListener('message', listening)
  return () => channel?.removeEventListener('message', listening)
}
