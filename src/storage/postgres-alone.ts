import { type Answer, type Query, queryOf, sendBatch } from './postgres-batch.ts'
import { isLockWait, isStale } from './postgres-errors.ts'
import type { Connections } from './postgres-pool.ts'
import { TOGETHER } from './postgres-session.ts'
import { giveBack } from './postgres-transaction.ts'

/** Runs one statement on a connection of the pool, after those that set something for it. */
export async function runAlone(
  { pool, abandoned }: Connections,
  query: Query,
  before: readonly Query[] = [],
): Promise<Answer> {
  const client = await pool.connect()
  let outcome = await sendBatch(client, [...before, query])
  // They are one transaction, of which nothing was done.
  if (isStale(outcome.error)) outcome = await sendBatch(client, [...before, query])
  const { answers, error } = outcome
  giveBack(client, abandoned, error)
  if (error !== undefined) throw error
  return answers.at(-1) as Answer
}

/** How single statements run. */
export interface Alone {
  run(query: Query): Promise<Answer>
  /** For a statement that has waited for a lock before, or taken long. */
  runAgain(query: Query): Promise<Answer>
}

/**
 * A statement that waits for a lock is soon given up, and runs again among the few that may wait. However many wait, for a row or
 * for a table, they never take the connections that everybody else needs.
 */
export function createAlone(serving: Connections, patient: Connections, timeoutFactor: number): Alone {
  // For this transaction, which ends with the batch. It is sent together with the statement.
  const impatient = queryOf(
    "select set_config('lock_timeout', $1, true)",
    [TOGETHER.lock_timeout * timeoutFactor],
    'impatient',
  )
  const runAgain = (query: Query) => runAlone(patient, query)
  return {
    runAgain,
    run: (query) =>
      runAlone(serving, query, [impatient]).catch((error: unknown) => {
        if (isLockWait(error)) return runAgain(query)
        throw error
      }),
  }
}
