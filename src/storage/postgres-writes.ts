import { createLane, type Lane, type LaneSettings } from './postgres-lane.ts'
import { JOINT_WRITES } from './postgres-session.ts'

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
    name: 'latchkey writes',
    limits: JOINT_WRITES,
    slowMs: SLOW_MS,
    failed(sent) {
      for (const { query, resolve, reject } of sent) void shared.alone(query).then(resolve, reject)
    },
  })
