import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { relative } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { TestContext } from 'node:test'
import pg from 'pg'
import { Batch } from '../../src/storage/postgres/statement-batch.ts'

/**
 * Records in order what reaches the disk: syncs and renames below a folder as `sync <path>` and `rename <path>`, and the
 * commits of writing transactions as `commit`. The operations themselves are unchanged.
 */
export function logDisk(t: TestContext, folder: string): string[] {
  const events: string[] = []
  const record = (operation: string, path: unknown): void => {
    const below = relative(folder, String(path))
    if (!below.startsWith('..')) events.push(`${operation} ${below === '' ? '.' : below}`)
  }
  const { open, rename } = fs.promises
  fs.promises.open = async (path, ...rest) => {
    const handle = await open(path, ...rest)
    const sync = handle.sync.bind(handle)
    handle.sync = async () => {
      await sync()
      record('sync', path)
    }
    return handle
  }
  fs.promises.rename = async (from, to) => {
    await rename(from, to)
    record('rename', to)
  }
  syncBuiltinESMExports()

  const { exec } = DatabaseSync.prototype
  const writing = new WeakSet<DatabaseSync>()
  DatabaseSync.prototype.exec = function (this: DatabaseSync, sql) {
    exec.call(this, sql)
    if (sql === 'BEGIN IMMEDIATE') writing.add(this)
    if (sql === 'COMMIT' && writing.has(this)) events.push('commit')
  }
  const { query } = pg.Client.prototype
  pg.Client.prototype.query = function (this: pg.Client, ...args: [unknown]) {
    const [batch] = args
    if (batch instanceof Batch && batch.queries.some(({ text }) => text === 'commit')) {
      const { callback } = batch
      batch.callback = (error) => {
        if (!error) events.push('commit')
        callback(error)
      }
    }
    return query.apply(this, args as never) as never
  }

  t.after(() => {
    Object.assign(fs.promises, { open, rename })
    syncBuiltinESMExports()
    DatabaseSync.prototype.exec = exec
    pg.Client.prototype.query = query
  })
  return events
}
