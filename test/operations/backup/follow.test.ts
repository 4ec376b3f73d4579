import assert from 'node:assert/strict'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test, type TestContext } from 'node:test'
import { followDatabase } from '../../../src/operations/backup/follow-database.ts'
import { rebuildBackup } from '../../../src/operations/backup/rebuild-backup.ts'
import type { Blobs } from '../../../src/platform/blobs/blobs.ts'
import { createFolderBlobs } from '../../../src/platform/blobs/folder.ts'
import { findLastBackup } from '../../../src/platform/config/data-files.ts'
import { sqliteFileOf } from '../../../src/storage/database-url.ts'
import { createMigratedStorage } from '../../support/engines.ts'

const START = Date.parse('2026-01-15T12:00:00Z')
const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

function newFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-follow-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** A store that fails where a test says so. */
function createStore(t: TestContext) {
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
async function createFollowed(t: TestContext) {
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
async function restored(t: TestContext, store: Blobs, until = Infinity): Promise<number[]> {
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

const upTo = (last: number): number[] => Array.from({ length: last }, (_, index) => index + 1)

test('a store that fails for a while loses nothing: what was not stored is stored before anything newer', async (t) => {
  const followed = await createFollowed(t)
  const { store, faults } = createStore(t)
  const follower = followed.follow(store)
  followed.write()
  await follower.next()
  for (let round = 0; round < 3; round++) {
    faults.isAway = true
    for (let tries = 0; tries < 3; tries++) {
      followed.write()
      await assert.rejects(follower.next(), /away/)
    }
    // The log begins anew meanwhile.
    if (round === 1) followed.exec('PRAGMA wal_checkpoint(TRUNCATE)')
    followed.write()
    faults.isAway = false
    await follower.next()
    const last = followed.write()
    await follower.next()
    assert.deepEqual(await restored(t, store), upTo(last))
  }
})

test('an upload that fails in the middle of a change is repeated whole, also if only its answer was lost', async (t) => {
  const followed = await createFollowed(t)
  const { store, faults } = createStore(t)
  const follower = followed.follow(store)
  followed.write()
  await follower.next()
  // Two parts: 4,000 pages are in each.
  followed.write(17_000_000)
  for (const putsLeft of [0, 1]) {
    faults.putsLeft = putsLeft
    await assert.rejects(follower.next(), /fails/)
    assert.deepEqual(await restored(t, store), [1])
  }
  faults.putsLeft = Infinity
  followed.write()
  await follower.next()
  assert.deepEqual(await restored(t, store), [1, 2, 3])
  followed.write()
  faults.losesAnswer = true
  await assert.rejects(follower.next(), /lost/)
  followed.write()
  faults.losesAnswer = false
  await follower.next()
  assert.deepEqual(await restored(t, store), upTo(5))
})

test('a first copy that could not be stored whole is no copy: it is completed, and until then the one before it counts', async (t) => {
  const followed = await createFollowed(t)
  const { store, faults } = createStore(t)
  followed.write()
  const first = followed.follow(store)
  await first.next()
  first.close()
  followed.write()
  for (const putsLeft of [0, 1, 2]) {
    faults.putsLeft = putsLeft
    const follower = followed.follow(store)
    await assert.rejects(follower.next(), /fails/)
    faults.putsLeft = Infinity
    assert.deepEqual(await restored(t, store), upTo(putsLeft + 1))
    await follower.next()
    assert.deepEqual(await restored(t, store), upTo(putsLeft + 2))
    follower.close()
    followed.write()
  }
})

test('the time of the last backup is that of what the store has, and stands still while the store is away', async (t) => {
  const followed = await createFollowed(t)
  const { store, faults } = createStore(t)
  const follower = followed.follow(store)
  const lastBackup = () => findLastBackup(followed.dataDir)
  faults.isAway = true
  await assert.rejects(follower.next())
  assert.equal(lastBackup(), undefined)
  faults.isAway = false
  await follower.next()
  const firstAt = followed.now()
  assert.equal(lastBackup(), firstAt)

  // Nothing changes, so nothing is stored; whether the store still has it is asked once a minute.
  faults.isAway = true
  const outcomes = []
  for (let seconds = 0; seconds <= 120; seconds += 2) {
    const outcome = await follower.next().then(
      () => 'fine',
      () => 'failed',
    )
    outcomes.push(outcome)
  }
  assert.equal(outcomes.at(-1), 'failed')
  assert.equal(lastBackup(), firstAt)
  followed.write()
  await assert.rejects(follower.next())
  assert.equal(lastBackup(), firstAt)
  faults.isAway = false
  await follower.next()
  assert.equal(lastBackup(), followed.now())
})

test('a store that keeps only half of what it was given, and says that it has all, is found out', async (t) => {
  const followed = await createFollowed(t)
  const { store, faults } = createStore(t)
  const follower = followed.follow(store)
  await follower.next()
  const firstAt = followed.now()
  followed.write()
  faults.halves = true
  await assert.rejects(follower.next(), /something else/)
  assert.equal(findLastBackup(followed.dataDir), firstAt)
  await assert.rejects(restored(t, store), /damaged: .* can't be read/)
  await follower.next()
  assert.deepEqual(await restored(t, store), [1])
})

test('what somebody deletes from the store is missed within a minute, and everything is copied anew', async (t) => {
  const followed = await createFollowed(t)
  const { store, names, folder } = createStore(t)
  const follower = followed.follow(store)
  for (let change = 0; change < 3; change++) {
    followed.write()
    await follower.next()
  }
  const lost = (await names()).find((name) => /\/00000002-/.test(name)) ?? ''
  rmSync(join(folder, lost))
  const before = findLastBackup(followed.dataDir)
  followed.pass(MINUTE)
  await assert.rejects(follower.next(), (error: Error) => error.message.includes(lost))
  assert.equal(findLastBackup(followed.dataDir), before)
  await follower.next()
  assert.deepEqual(await restored(t, store), [1, 2, 3])
  assert.equal(findLastBackup(followed.dataDir), followed.now())
})

test('a change that is missing before others is an error that names it, and what was before it can be restored', async (t) => {
  const followed = await createFollowed(t)
  const { store, names, folder } = createStore(t)
  const follower = followed.follow(store)
  const times: number[] = []
  for (let change = 0; change < 5; change++) {
    followed.write(change === 2 ? 17_000_000 : 10)
    await follower.next()
    times.push(followed.now())
  }
  const [one, two, three, four, five] = times as [number, number, number, number, number]
  const iso = (at: number) => new Date(at).toISOString()
  const parts = (await names()).filter((name) => name.includes('/00000003-'))
  assert.equal(parts.length, 2)
  // One part of it, then all of it.
  for (const lost of [parts.slice(1, 2), parts]) {
    for (const name of lost) rmSync(join(folder, name), { force: true })
    for (const until of [Infinity, five, four, three + 1]) {
      await assert.rejects(restored(t, store, until), {
        message: new RegExp(
          `has a gap: change 3 is missing, or parts of it, between ${iso(two)} and ${iso(four)}\\. Nothing was restored\\. .* --at ${iso(two)}\\.$`,
        ),
      })
    }
    assert.deepEqual(await restored(t, store, two), [1, 2])
    assert.deepEqual(await restored(t, store, one), [1])
  }
  const manifest = (await names()).find((name) => name.endsWith('manifest.json')) ?? ''
  rmSync(join(folder, manifest))
  await assert.rejects(restored(t, store, two), { message: `The backup is damaged: ${manifest} is missing.` })
})

test('a follower whose database was replaced goes on with the new one, and reports no copy while there is none', async (t) => {
  const followed = await createFollowed(t)
  const { store } = createStore(t)
  const follower = followed.follow(store)
  followed.write()
  await follower.next()
  const before = findLastBackup(followed.dataDir)
  const older = newFolder(t)
  await rebuildBackup(store, Infinity, older)
  followed.write()
  const gone = newFolder(t)
  followed.reopenAfter(() => {
    for (const end of ['', '-wal', '-shm'])
      if (existsSync(followed.file + end)) renameSync(followed.file + end, join(gone, `latchkey.db${end}`))
    renameSync(join(older, 'latchkey.db'), followed.file)
  })
  followed.write()
  await follower.next()
  // The second fact was in the database that is gone.
  assert.deepEqual(await restored(t, store), [1, 3])
  followed.reopenAfter(() => {
    for (const end of ['', '-wal', '-shm'])
      if (existsSync(followed.file + end)) renameSync(followed.file + end, join(gone, `newer.db${end}`))
  })
  rmSync(followed.file)
  const at = findLastBackup(followed.dataDir)
  assert.notEqual(at, before)
  followed.pass(MINUTE)
  await assert.rejects(follower.next(), { code: 'ENOENT' })
  assert.equal(findLastBackup(followed.dataDir), at)
})

test('a copy begins anew when the key file was replaced or the tables were changed, so that each state has what it needs', async (t) => {
  const followed = await createFollowed(t)
  const { store, names } = createStore(t)
  const follower = followed.follow(store)
  followed.write()
  await follower.next()
  writeFileSync(join(followed.dataDir, 'secret.key'), 'second secret\n')
  followed.write()
  await follower.next()
  const folder = newFolder(t)
  await rebuildBackup(store, Infinity, folder)
  assert.equal(readFileSync(join(folder, 'secret.key'), 'utf8'), 'second secret\n')
  followed.exec("INSERT INTO schema_migrations VALUES ('9999-later', 0)")
  await follower.next()
  const later = newFolder(t)
  await rebuildBackup(store, Infinity, later)
  const { migrations } = JSON.parse(readFileSync(join(later, 'manifest.json'), 'utf8')) as { migrations: string[] }
  assert.equal(migrations.at(-1), '9999-later')
  assert.equal((await names()).filter((name) => name.endsWith('manifest.json')).length, 3)
})

test('of two followers the one that copied last counts, whichever began first', async (t) => {
  const followed = await createFollowed(t)
  const { store } = createStore(t)
  const [one, other] = [followed.follow(store), followed.follow(store)]
  followed.write()
  // At the same moment.
  await Promise.all([one.copy(), other.copy()])
  followed.write()
  await one.next()
  followed.write()
  await other.next()
  assert.deepEqual(await restored(t, store), [1, 2, 3])
  followed.write()
  await one.next()
  assert.deepEqual(await restored(t, store), [1, 2, 3, 4])
})

test('old copies are deleted when a newer one is whole, and never the one that an earlier time still needs', async (t) => {
  const followed = await createFollowed(t)
  const { store, faults, names } = createStore(t)
  const follower = followed.follow(store)
  const copies = async () => new Set((await names()).map((name) => name.split('/')[0])).size
  for (let day = 0; day < 12; day++) {
    followed.write()
    await follower.next()
    followed.pass(DAY)
  }
  assert.equal(await copies(), 8)
  assert.deepEqual(await restored(t, store, followed.now() - 8 * DAY), upTo(5))
  // For two weeks it begins again and again, and no copy becomes whole.
  for (let tries = 0; tries < 14; tries++) {
    faults.putsLeft = 1
    const again = followed.follow(store)
    await assert.rejects(again.next())
    again.close()
    followed.pass(DAY)
  }
  faults.putsLeft = Infinity
  const last = followed.write()
  await follower.next()
  assert.deepEqual(await restored(t, store), upTo(last))
  assert.deepEqual(await restored(t, store, followed.now() - 7 * DAY), upTo(last - 1))
})

test('a copy that begins while the log of SQLite is empty has the whole database', async (t) => {
  for (const checkpoint of ['SELECT 1', 'PRAGMA wal_checkpoint(TRUNCATE)']) {
    const followed = await createFollowed(t)
    const { store } = createStore(t)
    const before = followed.write()
    followed.reopenAfter(() => {})
    followed.exec(checkpoint)
    const follower = followed.follow(store)
    await follower.next()
    assert.deepEqual(await restored(t, store), upTo(before))
    const after = followed.write()
    await follower.next()
    assert.deepEqual(await restored(t, store), upTo(after))
  }
})

test('a database that becomes smaller, and as large as before again, is restored as it is', async (t) => {
  const followed = await createFollowed(t)
  const { store } = createStore(t)
  const rewrite = (change: string) => {
    followed.exec(change)
    // Afterwards equal content is in equal pages.
    followed.exec('VACUUM')
  }
  const fill = `WITH RECURSIVE numbers AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM numbers WHERE n < 200)
    INSERT INTO facts SELECT n, printf('%03000d', n) FROM numbers`
  rewrite(fill)
  const follower = followed.follow(store)
  await follower.next()
  rewrite('DELETE FROM facts')
  await follower.next()
  assert.deepEqual(await restored(t, store), [])
  rewrite(fill)
  // Without the log every page is compared with what was copied.
  followed.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  await follower.next()
  assert.deepEqual(await restored(t, store), upTo(200))
})

test('a copy of a damaged database is not reported, and the copy before it stays the one that is restored', async (t) => {
  const followed = await createFollowed(t)
  const { store, names } = createStore(t)
  const last = followed.write()
  const first = followed.follow(store)
  await first.next()
  first.close()
  const before = await names()
  const reported = findLastBackup(followed.dataDir)
  const whole = `${followed.file}.whole`
  followed.reopenAfter(() => {
    const bytes = readFileSync(followed.file)
    copyFileSync(followed.file, whole)
    bytes.fill(0xff, bytes.length - 4096)
    writeFileSync(followed.file, bytes)
  })
  const follower = followed.follow(store)
  for (let tries = 0; tries < 5; tries++)
    await assert.rejects(follower.next(), /The copy .* can't be restored: .* is damaged/)
  assert.deepEqual(await names(), before)
  assert.equal(findLastBackup(followed.dataDir), reported)
  assert.deepEqual(await restored(t, store), upTo(last))
  followed.reopenAfter(() => renameSync(whole, followed.file))
  await assert.rejects(follower.next(), /can't be restored/, 'it is not copied every two seconds')
  followed.pass(MINUTE)
  await follower.next()
  assert.deepEqual(await restored(t, store), upTo(last))
  assert.ok((findLastBackup(followed.dataDir) ?? 0) > (reported ?? 0))
})

test('a newest copy whose first change is not whole any more is an error, and a time before it can be restored', async (t) => {
  const followed = await createFollowed(t)
  const { store, names, folder } = createStore(t)
  followed.write()
  const first = followed.follow(store)
  await first.next()
  first.close()
  const old = await names()
  followed.pass(3 * DAY)
  followed.write(17_000_000)
  await followed.follow(store).next()
  const parts = (await names()).filter((name) => !old.includes(name) && name.endsWith('.pages'))
  assert.equal(parts.length, 2)
  for (const lost of [parts.slice(1), parts]) {
    for (const name of lost) rmSync(join(folder, name), { force: true })
    const { message } = await restored(t, store).then(
      () => assert.fail(),
      (error: Error) => error,
    )
    const [, at = ''] =
      /is damaged: change 1 of the copy .* are missing\. Nothing was restored\. .* --at (\S+)\.$/.exec(message) ?? []
    assert.deepEqual(await restored(t, store, Date.parse(at)), [1])
  }
})

test('the picture that a stored state names is stored before that state', async (t) => {
  const followed = await createFollowed(t)
  const { store, faults } = createStore(t)
  const follower = followed.follow(store)
  await follower.next()
  mkdirSync(join(followed.dataDir, 'avatars', 'usr_1'), { recursive: true })
  writeFileSync(join(followed.dataDir, 'avatars', 'usr_1', 'one.webp'), 'picture')
  followed.write()
  faults.putsLeft = 1
  await assert.rejects(follower.next(), /fails/)
  assert.deepEqual(await restored(t, store), [])
  faults.putsLeft = Infinity
  await follower.next()
  const folder = newFolder(t)
  await rebuildBackup(store, Infinity, folder)
  assert.equal(readFileSync(join(folder, 'avatars', 'usr_1', 'one.webp'), 'utf8'), 'picture')
})
