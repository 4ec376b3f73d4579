import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { TestContext } from 'node:test'
import { followDatabase } from '../../../src/operations/backup/follow-database.ts'
import { rebuildBackup } from '../../../src/operations/backup/rebuild-backup.ts'
import type { Blobs } from '../../../src/platform/blobs/blobs.ts'
import { createFolderBlobs } from '../../../src/platform/blobs/folder.ts'
import { sqliteFileOf } from '../../../src/storage/database-url.ts'
import { createMigratedStorage } from '../../support/engines.ts'

const START = Date.parse('2026-01-15T12:00:00Z')
export const MINUTE = 60_000
export const DAY = 24 * 60 * MINUTE

export function newFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-follow-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** A store that fails where a test says so. */
export function createStore(t: TestContext) {
  const folder = newFolder(t)
  const blobs = createFolderBlobs(folder)
  const faults = {
    isAway: false,
    /** How many puts succeed before all others fail. */
    putsLeft: Infinity,
    /** The first put after this was set stores only half of the bytes, and reports success. */
    halves: false,
    /** Stores what the put is given, and reports a failure. */
    losesAnswer: false,
  }
  const refuseAway = () => {
    if (faults.isAway) throw new Error('The store is away.')
  }
  const store: Blobs = {
    ...blobs,
    async put(name, bytes, type) {
      refuseAway()
      if (faults.putsLeft-- <= 0) throw new Error('The store fails.')
      if (faults.halves) {
        faults.halves = false
        return blobs.put(name, bytes.subarray(0, bytes.length / 2), type)
      }
      await blobs.put(name, bytes, type)
      if (faults.losesAnswer) throw new Error('The answer was lost.')
    },
    async get(name) {
      refuseAway()
      return blobs.get(name)
    },
    async *list(within) {
      refuseAway()
      yield* blobs.list(within)
    },
  }
  const names = async (): Promise<string[]> => {
    const all: string[] = []
    for await (const { name } of blobs.list()) all.push(name)
    return all.toSorted()
  }
  return { folder, store, faults, names }
}

/** A database that a test writes to, and one follower or more. */
export async function createFollowed(t: TestContext) {
  const { databaseUrl, dataDir, remove } = await createMigratedStorage('sqlite')
  t.after(remove)
  const file = sqliteFileOf(databaseUrl) ?? ''
  let database: DatabaseSync
  const open = () => {
    database = new DatabaseSync(file)
    database.exec('PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0')
    database.exec('CREATE TABLE IF NOT EXISTS facts (n INTEGER PRIMARY KEY, content BLOB)')
  }
  open()
  t.after(() => database.close())
  let now = START
  let written = 0
  const config = { databaseUrl, dataDir, secretKey: undefined, s3: undefined }
  writeFileSync(join(dataDir, 'secret.key'), 'first secret\n')
  return {
    dataDir,
    file,
    now: () => now,
    pass(ms: number) {
      now += ms
    },
    /** Returns the number that was written. */
    write(bytes = 10): number {
      database.prepare('INSERT INTO facts VALUES (?, randomblob(?))').run(++written, bytes)
      return written
    },
    exec: (sql: string) => database.exec(sql),
    /** Closes the database, lets something happen to its files, and opens what is there then. */
    reopenAfter(happens: () => void) {
      database.close()
      happens()
      open()
    },
    follow(to: Blobs) {
      const follower = followDatabase(config, { to, now: () => now, keepDays: 7 })
      t.after(follower.close)
      return {
        ...follower,
        /** The next call, two seconds later. */
        next() {
          now += 2000
          return follower.copy()
        },
      }
    },
  }
}

/** The numbers in what would be restored. */
export async function restored(t: TestContext, store: Blobs, until = Infinity): Promise<number[]> {
  const folder = newFolder(t)
  await rebuildBackup(store, until, folder)
  const database = new DatabaseSync(join(folder, 'latchkey.db'), { readOnly: true })
  try {
    assert.deepEqual({ ...database.prepare('PRAGMA integrity_check').get() }, { integrity_check: 'ok' })
    return database
      .prepare('SELECT n FROM facts ORDER BY n')
      .all()
      .map(({ n }) => Number(n))
  } finally {
    database.close()
  }
}

export const upTo = (last: number): number[] => Array.from({ length: last }, (_, index) => index + 1)
