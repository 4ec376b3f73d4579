import { setTimeout as sleep } from 'node:timers/promises'

/** Something that many requests compare with what they have. They share its reads, of which one runs at a time. */
export interface SharedRead<T> {
  /** As it was read last, unless that is too old or it was said to have changed since. */
  recent(): Promise<T>
  /** As it is: the read begins after the call. */
  fresh(): Promise<T>
  /** What was read last; undefined before the first read. */
  last(): T | undefined
  /** Says that it may have changed. */
  expire(): void
}

/** Reading again because something has changed takes at most this share of the time, until the pause is as long as it may be. */
const READING_SHARE = 0.1
/** After a change thousands of requests ask for what is there now, and one read after another would leave no time to answer them. */
const MAX_FRESH_PAUSE_MS = 100

interface Options {
  monotonicNow: () => number
  maxAgeMs: number
  /** How long a change may wait because the last read took long; as long as a lost signal, unless stated otherwise. */
  maxPauseMs?: number
  /** How a fresh read waits for its turn. */
  rest?: (milliseconds: number) => Promise<unknown>
}

export function shareRead<T>(
  read: () => Promise<T>,
  { monotonicNow, maxAgeMs, maxPauseMs = maxAgeMs, rest = sleep }: Options,
): SharedRead<T> {
  let changes = 0
  let kept: { value: T; readAt: number; changes: number; readAgainAt: number } | undefined
  let running: { value: Promise<T>; changes: number } | undefined
  let next: Promise<T> | undefined

  const start = (): Promise<T> => {
    const begun = { readAt: monotonicNow(), changes }
    const value = read()
      .then((found) => {
        const now = monotonicNow()
        const pause = Math.min((now - begun.readAt) / READING_SHARE, maxPauseMs)
        kept = { ...begun, value: found, readAgainAt: now + pause }
        return found
      })
      .finally(() => {
        running = undefined
      })
    running = { value, changes }
    return value
  }

  const pauseLeft = (): number => Math.min((kept?.readAgainAt ?? 0) - monotonicNow(), MAX_FRESH_PAUSE_MS)

  const fresh = (): Promise<T> => {
    // It has not begun yet.
    if (next) return next
    if (!running && pauseLeft() <= 0) return start()
    next = Promise.resolve(running?.value)
      .catch(() => {})
      .then(() => (pauseLeft() > 0 ? rest(pauseLeft()) : undefined))
      .then(() => {
        next = undefined
        return start()
      })
    return next
  }

  return {
    async recent() {
      const now = monotonicNow()
      const isCurrent = kept?.changes === changes && now - kept.readAt < maxAgeMs
      if (kept && (isCurrent || now < kept.readAgainAt)) return kept.value
      return running?.changes === changes ? running.value : fresh()
    },
    fresh,
    last: () => kept?.value,
    expire() {
      changes++
    },
  }
}
