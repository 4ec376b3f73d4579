import { DatabaseSync } from 'node:sqlite'
import type { TestContext } from 'node:test'
import pg from 'pg'

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
  pg.Client.prototype.query = function (this: pg.Client, ...args: [string | { text?: string }]) {
    const result = query.apply(this, args as never) as unknown as Promise<unknown>
    if (args[0] !== 'commit' || isLost) return result
    isLost = true
    return result.then(() => Promise.reject(new Error('Connection terminated unexpectedly')))
  } as typeof query
  t.after(() => {
    DatabaseSync.prototype.exec = exec
    pg.Client.prototype.query = query
  })
  return () => isLost
}
