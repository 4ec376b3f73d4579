/** Collects what comes in one turn of the event loop, and hands it over at the end of that turn (docs/decisions/0013). */
export function collect<T>(handOver: (collected: T[]) => void): (item: T) => void {
  let waiting: T[] = []
  const flush = () => {
    const collected = waiting
    waiting = []
    handOver(collected)
  }
  return (item) => {
    if (waiting.length === 0) setImmediate(flush)
    waiting.push(item)
  }
}
