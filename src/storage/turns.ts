import { isUnavailable } from './failure.ts'

interface Queue {
  running: number
  waiting: { start(): void; fail(error: unknown): void }[]
}

/**
 * Runs at most `max` pieces of work with the same key at a time; the others wait here, in order.
 *
 * For transactions that lock the same row. In the database they would wait for each other too, but each would hold a
 * connection of the pool, and one row that stays locked would use up all connections. When one of them fails because the
 * database is unavailable, so do those behind it, instead of waiting as long again for the same failure.
 */
export function createTurns(max: number) {
  const queues = new Map<string, Queue>()

  return async <T>(key: string, work: () => Promise<T>): Promise<T> => {
    const queue = queues.get(key) ?? { running: 0, waiting: [] }
    queues.set(key, queue)
    if (queue.running < max) queue.running++
    else await new Promise<void>((start, fail) => queue.waiting.push({ start, fail }))
    try {
      return await work()
    } catch (error) {
      if (isUnavailable(error)) for (const { fail } of queue.waiting.splice(0)) fail(error)
      throw error
    } finally {
      // The next one takes over directly, so that no other can start in between.
      const next = queue.waiting.shift()
      if (next) next.start()
      else if (--queue.running === 0) queues.delete(key)
    }
  }
}
