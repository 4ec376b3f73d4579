interface WorkQueueOptions {
  /** How many run at the same time, in total and of each key. */
  atOnce?: number
  atOncePerKey?: number
  /** How many wait at most, in total and of each key, and for how long. Those that run are not counted. */
  maxWaiting: number
  maxWaitingPerKey: number
  maxWaitMs: number
  /** What work fails with that is not started, because too many wait in total or of its key, or because it has waited for too long. */
  refusedFor(reason: 'too many' | 'too many of the key' | 'too long'): Error
  /** When work fails with an error that those behind it would fail with too, what they fail with. */
  failureBehind?: (error: unknown) => Error | undefined
}

export interface WorkQueue {
  /** `atOncePerKey` is read again whenever work of this key could start. */
  run<T>(key: string, work: () => Promise<T>, atOncePerKey?: () => number): Promise<T>
  /** Whether work of this key runs or waits. */
  isBusy(key: string): boolean
}

interface Waiting {
  start(): void
  fail(error: Error): void
}

/** The work of one key. */
interface Line {
  running: number
  waiting: Waiting[]
  atOnce(): number
}

/**
 * Limits how much of some work runs at the same time. What waits is started in the order in which it came, and keys alternate: one
 * with a hundred pieces of work waits for its own, and the only one of another key waits for at most one of those.
 */
export function createWorkQueue(options: WorkQueueOptions): WorkQueue {
  const { atOnce = Infinity, atOncePerKey = Infinity, maxWaiting, maxWaitingPerKey, maxWaitMs } = options
  const { refusedFor, failureBehind = () => undefined } = options
  /** Those of which something runs or waits, in the order in which they may start something. */
  const lines = new Map<string, Line>()
  let running = 0
  let waiting = 0

  const isFull = (line: Line): boolean => running >= atOnce || line.running >= line.atOnce()
  const occupy = (line: Line): void => {
    running++
    line.running++
  }
  const startWaiting = (): void => {
    if (waiting === 0) return
    for (const [key, line] of lines) {
      if (running >= atOnce) return
      if (line.waiting.length === 0 || isFull(line)) continue
      const next = line.waiting.shift()
      // Now it is the last one, and this loop comes to it again.
      lines.delete(key)
      lines.set(key, line)
      // Occupied in this step, so that no other takes the place.
      occupy(line)
      next?.start()
    }
  }
  /** When too many wait in total, the last one of the longest line fails, so that few keys can't keep others out. */
  const makeRoom = (newLength: number): void => {
    let longest: Line | undefined
    for (const line of lines.values()) if (line.waiting.length > (longest?.waiting.length ?? 0)) longest = line
    if (!longest || longest.waiting.length <= newLength) throw refusedFor('too many')
    longest.waiting.pop()?.fail(refusedFor('too many'))
  }
  const enter = (key: string, line: Line): Promise<void> | undefined => {
    if (line.waiting.length === 0 && !isFull(line)) {
      lines.set(key, line)
      occupy(line)
      return undefined
    }
    if (line.waiting.length >= maxWaitingPerKey) throw refusedFor('too many of the key')
    if (waiting >= maxWaiting) makeRoom(line.waiting.length + 1)
    lines.set(key, line)
    return wait(key, line)
  }
  const wait = (key: string, line: Line): Promise<void> =>
    new Promise((resolve, reject) => {
      const settle = () => {
        clearTimeout(timer)
        waiting--
      }
      const entry: Waiting = {
        start() {
          settle()
          resolve()
        },
        fail(error) {
          settle()
          reject(error)
        },
      }
      const timer = setTimeout(() => {
        line.waiting.splice(line.waiting.indexOf(entry), 1)
        entry.fail(refusedFor('too long'))
        forget(key, line)
      }, maxWaitMs)
      line.waiting.push(entry)
      waiting++
    })
  const forget = (key: string, line: Line): void => {
    if (line.running === 0 && line.waiting.length === 0) lines.delete(key)
  }

  return {
    async run(key, work, atOnceNow = () => atOncePerKey) {
      const line = lines.get(key) ?? { running: 0, waiting: [], atOnce: atOnceNow }
      // Work that need not wait starts in this step.
      const entering = enter(key, line)
      if (entering) await entering
      try {
        return await work()
      } catch (error) {
        const behind = failureBehind(error)
        if (behind) for (const { fail } of line.waiting.splice(0)) fail(behind)
        throw error
      } finally {
        running--
        line.running--
        startWaiting()
        forget(key, line)
      }
    },
    isBusy: (key) => lines.has(key),
  }
}
