import type pg from 'pg'
import { StorageFailure } from './failure.ts'
import type { Abandoned } from './postgres-abandoned.ts'
import { type Answer, type Query, queryOf, sendBatch } from './postgres-batch.ts'
import { isBroken, isUnanswered } from './postgres-errors.ts'
import type { Connections } from './postgres-pool.ts'

/** A transaction on a connection of the pool. Its statements run in the order in which they were given. */
export interface PostgresTransaction {
  run(query: Query): Promise<Answer>
  /** Runs it before the next statement or the commit, and is sent together with that. When it fails, so does that. */
  runNext(query: Query): void
  commit(): Promise<void>
  /** A connection that is broken is closed instead, and the server then rolls back. */
  rollback(): Promise<void>
  /** Gives the connection back. */
  release(): void
}

const BEGIN = queryOf('begin', [], 'begin')
const COMMIT = queryOf('commit', [], 'commit')
const ROLLBACK = queryOf('rollback', [], 'rollback')

interface Unsent {
  query: Query
  resolve(answer: Answer): void
  reject(error: unknown): void
}

const unawaited = (query: Query): Unsent => ({ query, resolve: () => {}, reject: () => {} })

/** Gives a connection back to its pool after this error, or after none. */
export function giveBack(client: pg.PoolClient, abandoned: Abandoned, error: unknown): void {
  if (isUnanswered(error)) abandoned.add(client, () => client.release(true))
  else client.release(error !== undefined && isBroken(error))
}

const LOST = 'The connection of this transaction is lost.'
const OVER = 'This transaction is over.'

/** It begins with its first statement. */
export async function openTransaction({ pool, abandoned }: Connections): Promise<PostgresTransaction> {
  const client = await pool.connect()
  let unsent: Unsent[] = [unawaited(BEGIN)]
  let hasBegun = false
  /** Why the connection can't be used any more. */
  let broken: unknown
  let isOver = false
  let sending: Promise<void> | undefined

  /** Whoever waits for one of these would wait for ever: nothing sends them any more. */
  const refuseUnsent = (why: string) => {
    for (const { reject } of unsent.splice(0)) reject(new StorageFailure('unavailable', why))
  }
  const send = async (): Promise<void> => {
    // Statements that are given in the same step are sent together.
    await new Promise<void>((resolve) => process.nextTick(resolve))
    while (unsent.length > 0 && broken === undefined) {
      const batch = unsent
      unsent = []
      hasBegun = true
      const { answers, error } = await sendBatch(
        client,
        batch.map(({ query }) => query),
      )
      answers.forEach((answer, at) => batch[at]?.resolve(answer))
      if (error === undefined) continue
      if (isBroken(error)) broken = error
      // The server has skipped those after the one that failed.
      for (const { reject } of batch.slice(answers.length)) reject(error)
    }
    sending = undefined
    if (broken !== undefined) refuseUnsent(LOST)
  }
  const add = (query: Query): Promise<Answer> =>
    new Promise((resolve, reject) => {
      if (broken !== undefined) return reject(new StorageFailure('unavailable', LOST))
      unsent.push({ query, resolve, reject })
      sending ??= send()
    })
  const checkOpen = () => {
    if (isOver) throw new StorageFailure('unavailable', OVER)
  }

  return {
    async run(query) {
      checkOpen()
      return add(query)
    },
    runNext(query) {
      checkOpen()
      unsent.push(unawaited(query))
    },
    async commit() {
      isOver = true
      if (!hasBegun && unsent.length === 1) return
      const { tag } = await add(COMMIT)
      // The server answers the COMMIT of a failed transaction with success and the command ROLLBACK.
      if (tag !== 'COMMIT') throw new StorageFailure('unavailable', 'The transaction was undone, not committed.')
    },
    async rollback() {
      isOver = true
      await sending
      refuseUnsent(OVER)
      if (!hasBegun || broken !== undefined) return
      await add(ROLLBACK).catch((error: unknown) => {
        broken ??= error
      })
    },
    release: () => giveBack(client, abandoned, broken),
  }
}
