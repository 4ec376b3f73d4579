/** The others are handed over in the next ticks, so that other events of the process come between. */
const MAX_PER_TICK = 1000

/** Collects what comes in one tick of the event loop, and hands it over at the end of that tick (docs/decisions/0013). */
export function collectPerTick<T>(handOver: (collected: T[]) => void): (item: T) => void {
  let collected: T[] = []
  const flush = () => {
    const ready = collected
    collected = ready.length > MAX_PER_TICK ? ready.splice(MAX_PER_TICK) : []
    if (collected.length > 0) setImmediate(flush)
    handOver(ready)
  }
  return (item) => {
    if (collected.length === 0) setImmediate(flush)
    collected.push(item)
  }
}

export interface BatchQueue<T> {
  /** It is part of the next batch, which begins soon, or when the one that runs has ended. */
  add(item: T): void
  /** It is part of the next batch, but does not begin one. */
  addQuietly(item: T): void
  /** Runs alone between two batches. What is queued waits for it. */
  between(work: () => Promise<void>): void
  /** Removes and returns all that wait. */
  takeWaiting(): T[]
  waiting(): number
  /** Resolves when nothing runs, or is about to. */
  idle(): Promise<void>
}

/** Why something is not queued any longer: too many wait, or what runs takes too long. */
export type TurnedAway = 'too many' | 'too long'

interface BatchOptions<T> {
  /** Settles each of them, but those that it returns: they come first in the next batch. Never rejects. */
  run(batch: T[]): Promise<readonly T[] | void>
  /** Gets what can't wait any longer, instead of `run`. */
  turnAway(item: T, why: TurnedAway): void
  maxBatch: number
  maxWaiting: number
  /** When a batch has kept others waiting for this long, they are turned away, and until it ends no others wait for it. */
  maxWaitMs: number
  /** The same for work between two batches, which may be expected to take longer. */
  maxWaitBetweenMs?: number
  /** When a batch begins: at the end of the tick, unless stated otherwise. */
  soon?: (task: () => void) => void
}

/** Runs what comes together in one batch at a time, in order. */
export function createBatchQueue<T>(options: BatchOptions<T>): BatchQueue<T> {
  const { run, turnAway, maxBatch, maxWaiting, maxWaitMs, maxWaitBetweenMs = maxWaitMs, soon = setImmediate } = options
  let waiting: T[] = []
  /** How many of those that wait came quietly and after all others. */
  let quiet = 0
  const exclusive: (() => Promise<void>)[] = []
  const idle: (() => void)[] = []
  /** Something runs, or is about to. */
  let isBusy = false
  let isRunning = false
  /** What runs has kept others waiting for too long. */
  let isSlow = false
  let timer: NodeJS.Timeout | undefined
  /** For how long what runs may keep others waiting. */
  let limitMs = maxWaitMs

  const hasWork = () => exclusive.length > 0 || waiting.length > quiet
  const wake = () => {
    if (isBusy) return
    isBusy = true
    soon(runNext)
  }
  const rest = () => {
    isBusy = false
    for (const resolve of idle.splice(0)) resolve()
  }
  const takeBatch = (): T[] => {
    const batch = waiting
    waiting = batch.length > maxBatch ? batch.splice(maxBatch) : []
    quiet = Math.min(quiet, waiting.length)
    return batch
  }
  const takeWaiting = (): T[] => {
    quiet = 0
    return waiting.splice(0)
  }
  const runNext = () => {
    if (!hasWork()) return rest()
    isRunning = true
    const work = exclusive.shift()
    limitMs = work ? maxWaitBetweenMs : maxWaitMs
    const running = work ? work() : run(takeBatch())
    if (waiting.length > 0) watch()
    void running.then(ended)
  }
  const ended = (again: readonly T[] | void) => {
    isRunning = false
    isSlow = false
    clearTimeout(timer)
    timer = undefined
    if (again) waiting.unshift(...again)
    if (hasWork()) soon(runNext)
    else rest()
  }
  const watch = () => {
    timer ??= setTimeout(() => {
      const watched = timer
      // If this process was held up, what ends the batch may have come meanwhile: it is read first.
      soon(() => {
        if (timer !== watched) return
        isSlow = true
        for (const item of takeWaiting()) turnAway(item, 'too long')
      })
    }, limitMs).unref()
  }
  const queue = (item: T): boolean => {
    if (waiting.length >= maxWaiting || isSlow) {
      turnAway(item, isSlow ? 'too long' : 'too many')
      return false
    }
    waiting.push(item)
    if (isRunning) watch()
    return true
  }

  return {
    add(item) {
      // Also when it is turned away, because quiet ones fill the queue: otherwise they would fill it for ever.
      queue(item)
      quiet = 0
      wake()
    },
    addQuietly(item) {
      if (queue(item)) quiet++
    },
    between(work) {
      exclusive.push(work)
      wake()
    },
    takeWaiting,
    waiting: () => waiting.length,
    idle: () => (isBusy ? new Promise((resolve) => idle.push(resolve)) : Promise.resolve()),
  }
}
