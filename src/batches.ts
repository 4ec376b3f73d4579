/** More are not handed over together, so that other events of the process come between. */
const MAX_PER_TICK = 1000

/** Collects what comes in one tick of the event loop, and hands it over at the end of that tick (docs/decisions/0013). */
export function collectPerTick<T>(handOver: (collected: T[]) => void): (item: T) => void {
  let collected: T[] = []
  const flush = () => {
    const ready = collected
    collected = []
    if (ready.length > 0) handOver(ready)
  }
  return (item) => {
    if (collected.length === 0) setImmediate(flush)
    collected.push(item)
    if (collected.length === MAX_PER_TICK) flush()
  }
}

/** What waits to be part of a batch. */
export interface Queued {
  /** When it was queued, by the monotonic clock. */
  queuedAt: number
}

export interface BatchQueue<T extends Queued> {
  /** It is part of the next batch, which begins soon, or when the one that runs has ended. */
  add(item: T): void
  /** It is part of the next batch, but does not begin one. */
  addQuietly(item: T): void
  /** Runs alone between two batches. What is queued waits for it. */
  between(work: () => Promise<void>): void
  /** Removes and returns all that wait. */
  takeWaiting(): T[]
  waiting(): number
  /** Resolves when nothing runs or waits. */
  idle(): Promise<void>
}

/** Why something is not queued any longer: too many wait, or it has waited for too long. */
export type TurnedAway = 'too many' | 'too long'

interface BatchOptions<T extends Queued> {
  /** Settles each of them, but those that it returns: they come first in the next batch. Never rejects. */
  run(batch: T[]): Promise<readonly T[] | void>
  /** Gets what can't wait any longer, instead of `run`. */
  turnAway(item: T, why: TurnedAway): void
  maxBatch: number
  maxWaiting: number
  /** Nothing waits for longer while a batch runs. What comes when it has been running for so long does not wait at all. */
  maxWaitMs: number
  /** When a batch begins: at the end of the tick, unless stated otherwise. */
  soon?: (begin: () => void) => void
  now?: () => number
}

/** Runs what comes together in one batch at a time, in order. */
export function createBatchQueue<T extends Queued>(options: BatchOptions<T>): BatchQueue<T> {
  const { run, turnAway, maxBatch, maxWaiting, maxWaitMs, soon = setImmediate, now = () => performance.now() } = options
  let waiting: T[] = []
  const exclusive: (() => Promise<void>)[] = []
  const idle: (() => void)[] = []
  /** Something runs, or is about to. */
  let isBusy = false
  let runningSince: number | undefined
  let timer: NodeJS.Timeout | undefined

  const wake = () => {
    if (isBusy) return
    isBusy = true
    soon(runNext)
  }
  const takeBatch = (): T[] => {
    const batch = waiting
    waiting = batch.length > maxBatch ? batch.splice(maxBatch) : []
    return batch
  }
  const runNext = () => {
    runningSince = now()
    const work = exclusive.shift()
    void (work ? work() : run(takeBatch())).then(ended)
  }
  const ended = (again: readonly T[] | void) => {
    runningSince = undefined
    if (again !== undefined && again.length > 0) {
      waiting.unshift(...again)
      turnAwayLate()
    }
    if (exclusive.length > 0 || waiting.length > 0) return soon(runNext)
    isBusy = false
    for (const resolve of idle.splice(0)) resolve()
  }
  /** They are in the order in which they were queued. */
  const turnAwayLate = () => {
    const latest = now() - maxWaitMs
    const inTime = waiting.findIndex(({ queuedAt }) => queuedAt > latest)
    for (const late of waiting.splice(0, inTime === -1 ? waiting.length : inTime)) turnAway(late, 'too long')
  }
  const watch = () => {
    if (timer !== undefined) return
    const [first] = waiting
    if (!first || maxWaitMs === Infinity) return
    timer = setTimeout(
      () => {
        timer = undefined
        // Without a batch that runs, they are about to run: this process was held up, and not they.
        if (runningSince === undefined) return
        turnAwayLate()
        watch()
      },
      first.queuedAt + maxWaitMs - now(),
    ).unref()
  }

  return {
    add(item) {
      if (waiting.length >= maxWaiting) return turnAway(item, 'too many')
      if (runningSince !== undefined) {
        if (now() - runningSince > maxWaitMs) return turnAway(item, 'too long')
        waiting.push(item)
        return watch()
      }
      waiting.push(item)
      wake()
    },
    addQuietly(item) {
      if (waiting.length >= maxWaiting) return turnAway(item, 'too many')
      waiting.push(item)
    },
    between(work) {
      exclusive.push(work)
      wake()
    },
    takeWaiting: () => waiting.splice(0),
    waiting: () => waiting.length,
    idle: () => (isBusy ? new Promise((resolve) => idle.push(resolve)) : Promise.resolve()),
  }
}
