const shown = new WeakSet()

/** For a failure that the page as a whole answers, such as an ended session: a form does not show it as well. */
export function markShownByShell(failure: unknown): void {
  if (typeof failure === 'object' && failure !== null) shown.add(failure)
}

export const isShownByShell = (failure: unknown): boolean =>
  typeof failure === 'object' && failure !== null && shown.has(failure)
