import { createWorkQueue, type WorkQueue } from '../work-queue.ts'
import { isUnavailable, StorageFailure } from './failure.ts'

/** A program that issues certificates for one account makes hundreds of changes at a time. */
const MAX_WAITING_PER_KEY = 1000
const MAX_WAITING = 10_000
/**
 * Enough for as many as may wait, also on a slow or busy machine. A row that stays locked is noticed long before: the first
 * transaction fails, and all behind it.
 */
const MAX_WAIT_MS = 30_000

/** How many of the ten connections of a replica may wait for one row. */
const MAX_AT_ONCE = 3

/** Runs a transaction when those before it that lock the same row, whose key is given, have ended. */
export type TransactionQueue = Pick<WorkQueue, 'run'>

/**
 * For transactions that lock the same row. In the database they would wait for each other too, but each would occupy a
 * connection of the pool, and one row that stays locked would use up all connections. When one of them fails because the
 * database is unavailable, so do those behind it, instead of waiting as long again for the same failure.
 */
export const createTransactionQueue = (atOncePerKey = MAX_AT_ONCE): TransactionQueue =>
  createWorkQueue({
    atOncePerKey,
    maxWaiting: MAX_WAITING,
    maxWaitingPerKey: MAX_WAITING_PER_KEY,
    maxWaitMs: MAX_WAIT_MS,
    refusedFor: (reason) =>
      new StorageFailure('unavailable', new Error(`A transaction was not begun: ${reason} waiting.`)),
    failureBehind: (error) => (isUnavailable(error) ? new StorageFailure('unavailable', error) : undefined),
  })
