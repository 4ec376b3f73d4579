import { DatabaseSync } from 'node:sqlite'
import type { TestContext } from 'node:test'
import pg from 'pg'

/**
 * The next commit of a transaction that writes is done, but its answer is lost: whoever waits for it gets an error, as when a
 * connection breaks, or a disk fails, at the worst moment. Answers whether that has happened.
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
    const asked = query.apply(this, args as never) as unknown as Promise<unknown>
    if (args[0] !== 'commit' || isLost) return asked
    isLost = true
    return asked.then(() => Promise.reject(new Error('Connection terminated unexpectedly')))
  } as typeof query
  t.after(() => {
    DatabaseSync.prototype.exec = exec
    pg.Client.prototype.query = query
  })
  return () => isLost
}
