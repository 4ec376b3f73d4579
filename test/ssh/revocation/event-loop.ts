/** Milliseconds of processor time of this thread, so that other processes do not matter. */
export function processorTime(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

/** Measures the longest tick of the event loop until the returned function is called, which returns it. */
export function watchEventLoop(): () => number {
  let latest = processorTime()
  let longest = 0
  const turn = (): void => {
    const now = processorTime()
    longest = Math.max(longest, now - latest)
    latest = now
    next = setImmediate(turn)
  }
  let next = setImmediate(turn)
  return () => {
    clearImmediate(next)
    return longest
  }
}
