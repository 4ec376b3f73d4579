import { createLane, type Lane, type LaneSettings } from './postgres-lane.ts'
import { SERVING } from './postgres-session.ts'

/** While the connection has not answered for this long, reads run alone. */
export const SLOW_MS = 10

/** Reads without a transaction, on one connection that all requests share. One that fails fails alone. */
export const createReads = (shared: LaneSettings): Lane =>
  createLane({
    ...shared,
    name: 'latchkey reads',
    limits: SERVING,
    slowMs: SLOW_MS,
    failed(sent, { answers, error }, again) {
      answers.forEach(({ rows }, at) => sent[at]?.resolve(rows))
      sent[answers.length]?.reject(error)
      // The server has skipped these.
      again(sent.slice(answers.length + 1))
    },
  })
