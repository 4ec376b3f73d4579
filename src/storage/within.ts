/**
 * Waits for work on the database, but not for longer than `timeoutMs`. Resolves with undefined when that time is over; the
 * work goes on, and an error that comes later is ignored.
 */
export async function within<T>(timeoutMs: number, work: Promise<T>): Promise<T | undefined> {
  const { promise: late, resolve } = Promise.withResolvers<undefined>()
  const timer = setTimeout(() => resolve(undefined), timeoutMs)
  // Without this, an error after the timeout would be an unhandled rejection.
  work.catch(() => {})
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
