import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { openServices } from '../../src/open-services.ts'
import { makeBackup } from '../../src/operations/backup/make-backup.ts'
import { restoreBackup } from '../../src/operations/backup/restore-backup.ts'
import { readConfig } from '../../src/platform/config/config.ts'
import { createLogger } from '../../src/platform/http/log.ts'
import { storeFile } from '../../src/storage/durable-files.ts'
import { picture, putAvatar } from '../identity/account/upload.ts'
import { startApp } from '../support/app.ts'
import { logDisk } from '../support/disk-log.ts'
import { onEachEngine } from '../support/engines.ts'
import { signedInPerson } from '../support/people.ts'

function newFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-durable-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

test('a stored file is synced before it gets its name, and its folders are synced after that', async (t) => {
  const folder = newFolder(t)
  const events = logDisk(t, folder)
  await storeFile(join(folder, 'root'), join(folder, 'root/a/b.txt'), 'content')
  assert.match(events[0] ?? '', /^sync root\/a\/b\.txt\..+\.part$/)
  assert.deepEqual(events.slice(1), ['rename root/a/b.txt', 'sync root/a', 'sync root', 'sync .'])
  assert.equal(readFileSync(join(folder, 'root/a/b.txt'), 'utf8'), 'content')
  assert.equal(statSync(join(folder, 'root/a/b.txt')).mode & 0o777, 0o600)
  assert.equal(statSync(join(folder, 'root/a')).mode & 0o777, 0o700)
})

test('a file that can’t be stored leaves nothing behind', async (t) => {
  const folder = newFolder(t)
  mkdirSync(join(folder, 'taken/below'), { recursive: true })
  writeFileSync(join(folder, 'taken/below/file'), '')
  await assert.rejects(storeFile(folder, join(folder, 'taken/below'), 'content'))
  assert.deepEqual(readdirSync(join(folder, 'taken')), ['below'])
})

const open = (dataDir: string) =>
  openServices(readConfig({ DATA_DIR: dataDir }), { log: createLogger('silent'), now: Date.now })

test('the first start syncs secret.key before it commits keys that are encrypted with it', async (t) => {
  const folder = newFolder(t)
  const events = logDisk(t, folder)
  await (await open(join(folder, 'data'))).close()
  const named = events.indexOf('rename data/secret.key')
  assert.match(events[named - 1] ?? '', /^sync data\/secret\.key\..+\.part$/)
  assert.deepEqual(events.slice(named + 1, named + 3), ['sync data', 'sync .'])
  assert.ok(events.slice(named + 3).includes('commit'), 'the keys are committed afterwards')
})

test('a secret.key from an interrupted start is synced before anything is encrypted with it', async (t) => {
  const folder = newFolder(t)
  mkdirSync(join(folder, 'data'))
  writeFileSync(join(folder, 'data/secret.key'), `${'x'.repeat(43)}\n`)
  const events = logDisk(t, folder)
  await (await open(join(folder, 'data'))).close()
  const synced = events.indexOf('sync data')
  assert.ok(synced >= 0, events.join(', '))
  assert.ok(events.slice(synced).includes('commit'))
  const again = logDisk(t, folder)
  await (await open(join(folder, 'data'))).close()
  assert.ok(!again.includes('sync data'), 'once is enough')
})

test('every file and folder of a backup is synced before the backup gets its name', async (t) => {
  const app = await startApp(t, { config: { secretKey: undefined } })
  await app.services.blobs.put('usr_ada/picture.webp', Buffer.from('a picture'), 'image/webp')
  const folder = newFolder(t)
  const events = logDisk(t, folder)
  await makeBackup(app.services.config, join(folder, 'mine'), 0)
  const renamed = events.indexOf('rename mine')
  const before = new Set(events.slice(0, renamed).map((event) => event.replace(/mine\.[0-9a-f]+\.part/, 'mine')))
  for (const synced of [
    'mine/avatars/usr_ada/picture.webp',
    'mine/avatars/usr_ada',
    'mine/avatars',
    'mine/secret.key',
    'mine',
  ])
    assert.ok(before.has(`sync ${synced}`), synced)
  assert.deepEqual(events.slice(renamed + 1), ['sync .'])
})

test('a restore moves the database into place after everything else is synced', async (t) => {
  const app = await startApp(t, { config: { secretKey: undefined } })
  await app.services.blobs.put('usr_ada/picture.webp', Buffer.from('a picture'), 'image/webp')
  const folder = newFolder(t)
  const backup = await makeBackup(app.services.config, join(folder, 'mine'), 0)
  const dataDir = newFolder(t)
  const events = logDisk(t, dataDir)
  await restoreBackup(readConfig({ DATA_DIR: dataDir }), {
    from: backup.folder,
    keepAccess: false,
    now: app.clock.now,
    log: createLogger('silent'),
  })
  const renamed = events.indexOf('rename latchkey.db')
  assert.deepEqual(events.slice(renamed - 3), [
    'rename avatars',
    'rename secret.key',
    'sync .',
    'rename latchkey.db',
    'sync .',
  ])
  const before = events.slice(0, renamed - 3).map((event) => event.replace(/restoring-[^/]+/, 'staging'))
  assert.ok(before.includes('sync staging/avatars/usr_ada'))
})

onEachEngine('an avatar', (engine) => {
  test('is synced, with its folders, before the account that refers to it is committed', async (t) => {
    const app = await startApp(t, { engine })
    const person = await signedInPerson(app)
    const events = logDisk(t, app.storage.dataDir)
    assert.equal((await putAvatar(person, await picture())).statusCode, 200)
    const own = `avatars/${person.user.id}`
    const [file = '', name = '', ...rest] = events
    assert.match(file, new RegExp(`^sync ${own}/.+\\.part$`))
    assert.match(name, new RegExp(`^rename ${own}/[^/]+\\.webp$`))
    assert.deepEqual(rest.slice(0, 4), [`sync ${own}`, 'sync avatars', 'sync .', 'commit'])
  })
})
