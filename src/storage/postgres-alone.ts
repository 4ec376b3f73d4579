import { type Answer, type Query, sendBatch } from './postgres-batch.ts'
import { isLockWait, isStale } from './postgres-errors.ts'
import { type Connections, giveBack, takeFrom } from './postgres-pool.ts'

/** Where work is tried first, and where it is tried again when it has waited for a lock. */
export interface Places {
  first: Connections
  patient: Connections
}

/**
 * Work that waits for a lock is soon given up by the server, which undoes it, and is done again among the few that may wait. However
 * many wait, for a row or for a table, they never take the connections that everybody else needs.
 */
export async function withPatience<T>(
  { first, patient }: Places,
  work: (connections: Connections) => Promise<T>,
): Promise<T> {
  try {
    return await work(first)
  } catch (error) {
    if (!isLockWait(error)) throw error
    return work(patient)
  }
}

/** Runs one statement on a connection of the pool. */
export async function runAlone(connections: Connections, query: Query): Promise<Answer> {
  const client = await takeFrom(connections)
  let outcome = await sendBatch(client, [query])
  if (isStale(outcome.error)) outcome = await sendBatch(client, [query])
  const { answers, error } = outcome
  giveBack(client, connections.abandoned, error)
  if (error !== undefined) throw error
  return answers[0] as Answer
}

/** How single statements run. */
export interface Alone {
  run(query: Query): Promise<Answer>
  /** For a statement that has waited for a lock before, or taken long. */
  runPatiently(query: Query): Promise<Answer>
}

export const createAlone = (places: Places): Alone => ({
  run: (query) => withPatience(places, (connections) => runAlone(connections, query)),
  runPatiently: (query) => runAlone(places.patient, query),
})
