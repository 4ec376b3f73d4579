import { isOutOfTime } from './postgres-errors.ts'
import { createLane, type Lane, type LaneSettings } from './postgres-lane.ts'
import { PROGRAMS } from './postgres-programs.ts'

/** While a commit takes longer than this, writes run alone. */
const SLOW_MS = 50

/**
 * Writes that are one statement, on one connection that all requests share: those that arrive together are committed together,
 * so that the sync of the disk is paid once for all. When one of them fails, or waits for a row that somebody else holds, none
 * of them is done, and each runs alone: what happens to one does not concern the others.
 */
export const createWrites = (shared: LaneSettings): Lane =>
  createLane({
    ...shared,
    program: PROGRAMS.sharedWrites,
    slowMs: SLOW_MS,
    settle({ before, failed, after, outcome: { error }, runAlone, runPatiently }) {
      for (const statement of [...before, ...after]) runAlone(statement)
      if (failed && isOutOfTime(error)) runPatiently(failed)
      else if (failed) runAlone(failed)
    },
  })
