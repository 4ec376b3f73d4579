import { StorageFailure } from '../failure.ts'
import { isBroken } from './errors.ts'
import { type Connections, giveBack, takeFrom } from './pool.ts'
import { type Answer, type Query, queryOf, sendBatch } from './statement-batch.ts'

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

const LOST = 'The connection of this transaction is lost.'
const OVER = 'This transaction is over.'
const NOT_UNDONE = 'This transaction could not be undone.'

/** It begins with its first statement. */
export async function openTransaction(connections: Connections): Promise<PostgresTransaction> {
  const client = await takeFrom(connections)
  let unsent: Unsent[] = [unawaited(BEGIN)]
  let hasBegun = false
  /** From then on an unanswered connection may be a commit that the server still does. */
  let hasSentCommit = false
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
      hasSentCommit = batch.some(({ query }) => query === COMMIT)
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
      await add(ROLLBACK).catch(() => {
        // Whatever the reason is, the next transaction must not become part of this one.
        broken ??= new StorageFailure('unavailable', NOT_UNDONE)
      })
    },
    release: () => giveBack(client, hasSentCommit ? connections.abandoned : undefined, broken),
  }
}
