import { isUnavailable } from './failure.ts'

interface Line {
  running: number
  waiting: { start(): void; fail(error: unknown): void }[]
}

/**
 * Runs at most `max` pieces of work with the same key at a time; the others wait here, in order.
 *
 * For transactions that lock the same row. In the database they would wait for each other too, but each would hold a
 * connection of the pool, and one row that stays locked would use up all connections. When one of them fails because the
 * database is away, so do those behind it, instead of waiting as long again for the same answer.
 */
export function createTurns(max: number) {
  const lines = new Map<string, Line>()

  return async <T>(key: string, work: () => Promise<T>): Promise<T> => {
    const line = lines.get(key) ?? { running: 0, waiting: [] }
    lines.set(key, line)
    if (line.running < max) line.running++
    else await new Promise<void>((start, fail) => line.waiting.push({ start, fail }))
    try {
      return await work()
    } catch (error) {
      if (isUnavailable(error)) for (const { fail } of line.waiting.splice(0)) fail(error)
      throw error
    } finally {
      // The next one takes over the place directly, so that no other can come in between.
      const next = line.waiting.shift()
      if (next) next.start()
      else if (--line.running === 0) lines.delete(key)
    }
  }
}
