import { setImmediate } from 'node:timers/promises'

/** Work that yields at least once for every SLICE serials it has gone through. */
export type Sliced<Result> = Generator<void, Result>

/** A few milliseconds of work on a slow core: long enough to be quick, too short for anyone to feel. */
export const SLICE = 1 << 14

/** Does the work to its end, and lets the event loop serve others between slices. */
export async function inSlices<Result>(work: Sliced<Result>): Promise<Result> {
  for (;;) {
    const step = work.next()
    if (step.done) return step.value
    await setImmediate()
  }
}
