import { DatabaseSync } from 'node:sqlite'
import type { TestContext } from 'node:test'
import pg from 'pg'
import { Batch } from '../../src/storage/postgres/statement-batch.ts'

/**
 * Carries out the next commit of a writing transaction but fails the call with an error, as when the connection breaks or the
 * disk fails after the commit. The returned function tells whether that has happened.
 */
export function loseNextCommit(t: TestContext): () => boolean {
  let isLost = false
  const { exec } = DatabaseSync.prototype
  const writing = new WeakSet<DatabaseSync>()
  DatabaseSync.prototype.exec = function (this: DatabaseSync, sql) {
    exec.call(this, sql)
    if (sql === 'BEGIN IMMEDIATE') writing.add(this)
    if (sql !== 'COMMIT' || isLost || !writing.has(this)) return
    isLost = true
    throw Object.assign(new Error('disk I/O error'), { errcode: 10 })
  }
  const { query } = pg.Client.prototype
  pg.Client.prototype.query = function (this: pg.Client, ...args: [unknown]) {
    const [batch] = args
    if (batch instanceof Batch && batch.queries.some(({ text }) => text === 'commit') && !isLost) {
      isLost = true
      const { callback } = batch
      batch.handleCommandComplete = (message) => {
        if (message.text !== 'COMMIT') Batch.prototype.handleCommandComplete.call(batch, message)
      }
      batch.callback = (error) => callback(error ?? new Error('Connection terminated unexpectedly'))
    }
    return query.apply(this, args as never) as never
  }
  t.after(() => {
    DatabaseSync.prototype.exec = exec
    pg.Client.prototype.query = query
  })
  return () => isLost
}
