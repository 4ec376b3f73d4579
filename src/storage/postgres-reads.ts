import type pg from 'pg'
import type { Query } from './postgres-batch.ts'
import { createLane, type Lane } from './postgres-lane.ts'
import { SERVING } from './postgres-session.ts'

/** While the connection has not answered for this long, reads run alone. */
export const SLOW_MS = 10

/** Reads without a transaction, on one connection that all requests share. One that fails fails alone. */
export const createReads = (
  settings: pg.ClientConfig,
  timeoutFactor: number,
  alone: (query: Query) => Promise<object[]>,
): Lane =>
  createLane({
    settings,
    name: 'latchkey reads',
    limits: SERVING,
    timeoutFactor,
    slowMs: SLOW_MS,
    alone,
    failed(sent, { answers, error }, again) {
      answers.forEach(({ rows }, at) => sent[at]?.resolve(rows))
      sent[answers.length]?.reject(error)
      // The server has skipped these.
      again(sent.slice(answers.length + 1))
    },
  })
