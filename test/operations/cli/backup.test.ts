import assert from 'node:assert/strict'
import { cpSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test, type TestContext } from 'node:test'
import { makeBackup } from '../../../src/operations/backup/make-backup.ts'
import { readManifest } from '../../../src/operations/backup/manifest.ts'
import { restoreBackup } from '../../../src/operations/backup/restore-backup.ts'
import { readConfig } from '../../../src/platform/config/config.ts'
import { createLogger } from '../../../src/platform/http/log.ts'
import { openAuthority } from '../../../src/platform/openssh/certificate.ts'
import { queryKrl, temporaryFolder } from '../../platform/openssh/ssh-keygen.ts'
import { issue, saveKey } from '../../ssh/public-keys.ts'
import { SECRET_KEY, startApp, type TestApp } from '../../support/app.ts'
import { getTokens, registerApplication } from '../../support/application.ts'
import { createClock } from '../../support/clock.ts'
import { latchkey } from '../../support/command.ts'
import type { TestStorage } from '../../support/engines.ts'
import { sendRequest } from '../../support/http-client.ts'
import { anonymous, signedInPerson } from '../../support/people.ts'
import { REAL_CLOCK, startReplica } from '../../support/replicas.ts'
import { newFolder, newStorage } from './temporary.ts'

const log = createLogger('silent')

const filesBelow = (folder: string) =>
  readdirSync(folder, { withFileTypes: true, recursive: true }).map((entry) => join(entry.parentPath, entry.name))

/** A configuration in which everything, including the secret key, is in the data folder. */
const configOf = (dataDir: string) => readConfig({ DATA_DIR: dataDir })

const restoreElsewhere = async (
  t: TestContext,
  from: string,
  now: () => number,
  keepAccess = false,
): Promise<TestStorage> => {
  const storage = await newStorage(t)
  await restoreBackup(configOf(storage.dataDir), { from, keepAccess, now, log })
  return storage
}

/** An app whose key is in the data folder, with a picture and a mail in the outbox. */
async function startUsedApp(t: TestContext): Promise<TestApp> {
  const app = await startApp(t, { config: { secretKey: undefined }, clock: createClock() })
  const person = await signedInPerson(app, { email: 'ada@example.com', password: 'correct horse battery' })
  await app.services.blobs.put(`${person.user.id}/picture.webp`, Buffer.from('a picture'), 'image/webp')
  await person.post('/api/auth/password-reset', { email: 'ada@example.com' })
  await app.tick()
  await app.tick()
  return app
}

test('a backup contains the database, the pictures and the key but no mail, and only its owner can read it', async (t) => {
  const app = await startUsedApp(t)
  assert.equal(readdirSync(join(app.storage.dataDir, 'outbox')).length, 1)
  const { folder, manifest } = await makeBackup(app.services.config, join(newFolder(t), 'mine'), app.clock.now())
  assert.deepEqual(
    manifest.files.map(({ path }) => path.replace(/usr_[^/]+/, 'ada')),
    ['avatars/ada/picture.webp', 'latchkey.db', 'secret.key'],
  )
  assert.deepEqual(readManifest(folder), manifest)
  assert.deepEqual([manifest.secretKey, manifest.createdAt], ['in the backup', new Date(app.clock.now()).toISOString()])
  for (const path of [folder, ...filesBelow(folder)]) {
    const { mode } = statSync(path)
    assert.equal(mode & 0o777, statSync(path).isDirectory() ? 0o700 : 0o600, path)
  }
})

test('no token, secret or link is in a backup in plaintext', async (t) => {
  const app = await startUsedApp(t)
  const person = await signedInPerson(app, { admin: true })
  const application = await registerApplication(app)
  const tokens = await getTokens(app, person, application)
  const mail = readFileSync(filesBelow(join(app.storage.dataDir, 'outbox'))[0] ?? '', 'utf8')
  const link = /token=3?D?(pr_[\w-]{8})/.exec(mail)?.[1] ?? ''
  assert.match(link, /^pr_/)
  const { folder } = await makeBackup(app.services.config, join(newFolder(t), 'mine'), app.clock.now())
  const text = filesBelow(folder)
    .filter((path) => statSync(path).isFile())
    .map((path) => readFileSync(path, 'latin1'))
    .join('')
  const secrets = [tokens.access_token, tokens.refresh_token, application.secret, person.cookie, link]
  for (const secret of secrets) {
    assert.ok(secret !== undefined && secret.length > 8)
    assert.ok(!text.includes(secret), secret.slice(0, 5))
  }
})

test('a backup never overwrites anything, and in an existing folder it is named after the time', async (t) => {
  const app = await startUsedApp(t)
  const { config } = app.services
  const folder = newFolder(t)
  const made = await makeBackup(config, folder, Date.UTC(2026, 0, 15, 12))
  assert.equal(made.folder, join(folder, 'latchkey-20260115T120000Z'))
  await assert.rejects(makeBackup(config, folder, Date.UTC(2026, 0, 15, 12)), /there already/)
  await assert.rejects(makeBackup(config, made.folder, 0), /a backup already/)
  const file = join(folder, 'file')
  writeFileSync(file, 'mine')
  await assert.rejects(makeBackup(config, file, 0), /there already/)
  assert.deepEqual(readdirSync(folder), ['file', 'latchkey-20260115T120000Z'], 'nothing unfinished is left')
  await assert.rejects(makeBackup(configOf(newFolder(t)), join(folder, 'none'), 0), /no database/)
})

test('restoring a backup brings back its accounts, pictures and keys', async (t) => {
  const app = await startUsedApp(t)
  const { folder } = await makeBackup(app.services.config, join(newFolder(t), 'mine'), app.clock.now())
  const caKey = (await anonymous(app).get('/ssh/ca.pub')).body
  app.clock.advance(5000)
  const storage = await restoreElsewhere(t, folder, app.clock.now)
  for (const path of filesBelow(storage.dataDir).filter((each) => !each.endsWith('.lock'))) {
    assert.equal(statSync(path).mode & 0o077, 0, path)
  }
  const again = await startApp(t, { config: { secretKey: undefined }, storage, clock: app.clock })
  const person = anonymous(again)
  const login = await person.post('/api/auth/login', { email: 'ada@example.com', password: 'correct horse battery' })
  assert.equal(login.statusCode, 200)
  assert.equal((await person.get('/ssh/ca.pub')).body, caKey)
  const picture = await again.services.blobs.get(`${login.json().user.id}/picture.webp`)
  assert.equal(picture?.toString(), 'a picture')
})

test('after a restore, a certificate issued after the backup is revoked and its serial is never reused', async (t) => {
  const app = await startUsedApp(t)
  const person = await signedInPerson(app, { permissions: ['ssh:keys:manage', 'ssh:cert:issue'] })
  const key = await saveKey(person)
  const before = await issue(person, key)
  const { folder } = await makeBackup(app.services.config, join(newFolder(t), 'mine'), app.clock.now())
  const after = await issue(person, key)
  app.clock.advance(5000)

  const storage = await restoreElsewhere(t, folder, app.clock.now, true)
  const again = await startApp(t, { config: { secretKey: undefined }, storage, clock: app.clock })
  const same = Object.assign(anonymous(again, person.cookie), { user: person.user, sessionId: person.sessionId })
  const next = await issue(same, key)
  assert.ok(BigInt(next.serial) > BigInt(after.serial))
  const krl = (await anonymous(again).get('/ssh/krl?format=krl')).rawPayload
  const serials = [before, after, next].map(({ serial }) => BigInt(serial))
  const authority = openAuthority(again.services.sshCa.privateKey)
  assert.deepEqual(queryKrl(temporaryFolder(), krl, serials, authority), [BigInt(after.serial)])
})

test('a restore refuses a backup that is damaged, from a newer version or dated in the future, and leaves nothing behind', async (t) => {
  const app = await startUsedApp(t)
  const { now } = app.clock
  const { folder } = await makeBackup(app.services.config, join(newFolder(t), 'mine'), now())
  const damagedBackup = (damage: (backup: string) => void): string => {
    const backup = join(newFolder(t), 'backup')
    cpSync(folder, backup, { recursive: true })
    damage(backup)
    return backup
  }
  const rewrite = (change: (manifest: Record<string, unknown>) => void) =>
    damagedBackup((backup) => {
      const manifest = JSON.parse(readFileSync(join(backup, 'manifest.json'), 'utf8')) as Record<string, unknown>
      change(manifest)
      writeFileSync(join(backup, 'manifest.json'), JSON.stringify(manifest))
    })
  const flip = (backup: string) => {
    const bytes = readFileSync(join(backup, 'latchkey.db'))
    bytes[bytes.length >> 1] = bytes[bytes.length >> 1]! ^ 1
    writeFileSync(join(backup, 'latchkey.db'), bytes)
  }
  const cases: [string, RegExp][] = [
    [newFolder(t), /no backup of Latchkey/],
    [damagedBackup((backup) => writeFileSync(join(backup, 'manifest.json'), '{')), /damaged/],
    [damagedBackup((backup) => rmSync(join(backup, 'secret.key'))), /damaged: secret\.key is missing/],
    [damagedBackup(flip), /damaged: latchkey\.db is not what its manifest says/],
    [rewrite((manifest) => void (manifest['format'] = 2)), /newer Latchkey/],
    [rewrite((manifest) => void (manifest['migrations'] = ['9999-later'])), /newer Latchkey/],
    [rewrite((manifest) => void (manifest['createdAt'] = '2999-01-01T00:00:00.000Z')), /clock/],
    [rewrite((manifest) => void (manifest['secretKey'] = 'in SECRET_KEY')), /SECRET_KEY/],
    [rewrite((manifest) => void (manifest['files'] = [{ path: '../x', size: 1, sha256: '' }])), /damaged/],
    [rewrite((manifest) => void (manifest['files'] = [])), /no database/],
  ]
  for (const [from, expected] of cases) {
    const dataDir = newFolder(t)
    await assert.rejects(restoreBackup(configOf(dataDir), { from, keepAccess: false, now, log }), expected)
    assert.deepEqual(
      readdirSync(dataDir).filter((name) => !name.endsWith('.lock')),
      [],
    )
  }
  const wrongKey = { ...configOf(newFolder(t)), secretKey: 'another-secret-of-32-characters-or-more' }
  const request = { from: folder, keepAccess: false, now, log }
  await assert.rejects(restoreBackup(wrongKey, request), /can't be opened with this SECRET_KEY/)
})

test('a restore refuses to overwrite data or to run beside a running service', async (t) => {
  const app = await startUsedApp(t)
  const { folder } = await makeBackup(app.services.config, join(newFolder(t), 'mine'), app.clock.now())
  const request = { from: folder, keepAccess: false, now: app.clock.now, log }
  await assert.rejects(restoreBackup(app.services.config, request), /already running/)
  await app.close()
  const before = readFileSync(join(app.storage.dataDir, 'latchkey.db'))
  await assert.rejects(restoreBackup(app.services.config, request), /data already/)
  assert.deepEqual(readFileSync(join(app.storage.dataDir, 'latchkey.db')), before)
  for (const left of ['secret.key', 'latchkey.db', 'latchkey.db-wal', 'latchkey.db-shm']) {
    const dataDir = newFolder(t)
    writeFileSync(join(dataDir, left), 'precious')
    await assert.rejects(restoreBackup(configOf(dataDir), request), /data already/, left)
    assert.equal(readFileSync(join(dataDir, left), 'utf8'), 'precious')
  }
})

test('a backup of a running service contains every write that was acknowledged before the backup began', async (t) => {
  const storage = await newStorage(t)
  const replica = await startReplica(t, storage, { environment: { RATE_LIMITS: 'off', DATA_DIR: storage.dataDir } })
  const acknowledged: string[] = []
  let count = 0
  const stop = new AbortController()
  const write = async () => {
    while (!stop.signal.aborted) {
      const email = `writer${++count}@example.com`
      const json = { email, password: 'correct horse battery staple' }
      const answer = await sendRequest(replica.address, 'POST', '/api/auth/register', { json })
      assert.equal(answer.status, 201, answer.body)
      acknowledged.push(email)
    }
  }
  const writers = Array.from({ length: 4 }, write)
  const folder = newFolder(t)
  try {
    for (const name of ['one', 'two']) {
      while (acknowledged.length < (name === 'one' ? 3 : 8)) await new Promise(setImmediate)
      const before = [...acknowledged]
      const outcome = await latchkey(storage, ['backup', join(folder, name)])
      assert.deepEqual([outcome.code, outcome.stderr], [0, ''])
      assert.match(outcome.stdout, /SECRET_KEY is NOT in this backup/)
      const database = new DatabaseSync(join(folder, name, 'latchkey.db'), { readOnly: true })
      const emails = new Set(
        database
          .prepare('select email from users')
          .all()
          .map((row) => row['email']),
      )
      for (const email of before) assert.ok(emails.has(email), `${email} is missing`)
      const sessions = database.prepare('select count(*) as count from sessions').get()?.['count']
      assert.equal(sessions, emails.size, 'each account is there with the session of its registration, or neither is')
      assert.equal(database.prepare('pragma integrity_check').get()?.['integrity_check'], 'ok')
      database.close()
    }
  } finally {
    stop.abort()
    await Promise.all(writers)
  }
  const elsewhere = await newStorage(t)
  const back = await latchkey(elsewhere, ['restore', join(folder, 'two')])
  assert.equal(back.code, 0, back.stderr)
  assert.match(back.stderr, /^\nWARNING: whatever changed after \d{4}-/)
  const again = await startApp(t, { storage: elsewhere, clock: REAL_CLOCK })
  const { events } = (
    await (await signedInPerson(again, { admin: true })).get('/api/admin/audit?action=service.*')
  ).json()
  assert.equal(events.length, 1)
  assert.equal(again.services.config.secretKey, SECRET_KEY)
})
