import { isOutOfTime, isStale } from './postgres-errors.ts'
import { createLane, type Lane, type LaneSettings } from './postgres-lane.ts'
import { PROGRAMS } from './postgres-programs.ts'

/** While the connection has not answered for this long, reads run alone. */
export const SLOW_MS = 10

/**
 * Reads without a transaction, on one connection that all requests share. One that fails fails alone, and one that waits for a
 * lock or takes long is run again alone.
 */
export const createReads = (shared: LaneSettings): Lane =>
  createLane({
    ...shared,
    program: PROGRAMS.sharedReads,
    slowMs: SLOW_MS,
    settle({ before, failed, after, outcome: { answers, error }, sendAgain, runAlone, runPatiently }) {
      before.forEach(({ resolve }, at) => resolve(answers[at]?.rows ?? []))
      if (failed && isOutOfTime(error)) {
        runPatiently(failed)
        // Others of them may wait too. In one batch each would hold up those after it.
        after.forEach(runAlone)
        return
      }
      if (failed && isStale(error)) runAlone(failed)
      else failed?.reject(error)
      sendAgain(after)
    },
  })
