import type pg from 'pg'
import { StorageFailure } from './failure.ts'
import { type Answer, type Query, queryOf, sendBatch } from './postgres-batch.ts'

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

/** It begins with its first statement. `isBroken` decides whether the connection can't be used after an error. */
export async function openTransaction(
  pool: pg.Pool,
  isBroken: (error: unknown) => boolean,
): Promise<PostgresTransaction> {
  const client = await pool.connect()
  let unsent: Unsent[] = [unawaited(BEGIN)]
  let hasBegun = false
  let broken = false
  let isOver = false
  let sending: Promise<void> | undefined

  const send = async (): Promise<void> => {
    // Statements that are given in the same step are sent together.
    await new Promise<void>((resolve) => process.nextTick(resolve))
    while (unsent.length > 0 && !broken) {
      const batch = unsent
      unsent = []
      hasBegun = true
      const { answers, error } = await sendBatch(
        client,
        batch.map(({ query }) => query),
      )
      answers.forEach((answer, at) => batch[at]?.resolve(answer))
      if (error === undefined) continue
      broken ||= isBroken(error)
      // The server has skipped those after the one that failed.
      for (const { reject } of batch.slice(answers.length)) reject(error)
    }
    sending = undefined
  }
  const add = (query: Query): Promise<Answer> =>
    new Promise((resolve, reject) => {
      if (broken) return reject(new StorageFailure('unavailable', 'The connection of this transaction is lost.'))
      unsent.push({ query, resolve, reject })
      sending ??= send()
    })
  const checkOpen = () => {
    if (isOver) throw new StorageFailure('unavailable', 'This transaction is over.')
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
      unsent = []
      if (!hasBegun || broken) return
      await add(ROLLBACK).catch(() => {
        broken = true
      })
    },
    release: () => client.release(broken),
  }
}

/** Runs one statement on a connection of the pool. */
export async function runAlone(pool: pg.Pool, isBroken: (error: unknown) => boolean, query: Query): Promise<Answer> {
  const client = await pool.connect()
  const { answers, error } = await sendBatch(client, [query])
  client.release(error !== undefined && isBroken(error))
  if (error !== undefined) throw error
  return answers[0] as Answer
}
