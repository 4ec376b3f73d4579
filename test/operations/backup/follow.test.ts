import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { rebuildBackup } from '../../../src/operations/backup/rebuild-backup.ts'
import { findLastBackup } from '../../../src/platform/config/data-files.ts'
import { MINUTE, DAY, newFolder, createStore, createFollowed, restored, upTo } from './followed-database.ts'

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
