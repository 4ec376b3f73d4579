import { isUnavailable } from './failure.ts'

interface Line {
  running: number
  waiting: { start(): void; fail(error: unknown): void }[]
}

/**
 * Runs at most `max` pieces of work with the same key at a time; the others wait here, in order.
 *
 * For transactions that lock the same row. In the database they would wait for each other as well, each with a connection
 * of the pool in hand, and a row that stays locked would take all connections from everybody else. When one of them fails
 * for want of the database, so do those behind it, instead of waiting as long again for the same answer.
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
      // Whoever is next takes over the place, so that nobody can come in between.
      const next = line.waiting.shift()
      if (next) next.start()
      else if (--line.running === 0) lines.delete(key)
    }
  }
}
