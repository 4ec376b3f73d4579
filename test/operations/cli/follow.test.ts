import assert from 'node:assert/strict'
import { existsSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { latchkey } from '../../support/command.ts'
import { createStorage, type TestStorage } from '../../support/engines.ts'
import { startFollower } from '../../support/follower.ts'
import { sendRequest } from '../../support/http-client.ts'
import { startReplica, until } from '../../support/replicas.ts'
import { startS3 } from '../../support/s3.ts'
import { newFolder, newStorage } from './temporary.ts'

const fileOf = ({ databaseUrl }: TestStorage) => databaseUrl.slice('sqlite:'.length)
const password = 'correct horse battery staple'

const register = (address: string, email: string) =>
  sendRequest(address, 'POST', '/api/auth/register', { json: { email, password } })
const login = async (address: string, email: string) =>
  (await sendRequest(address, 'POST', '/api/auth/login', { json: { email, password } })).status

test('a data folder that is destroyed is restored from the followed copy, which is at most ten seconds old, or as it was before', async (t) => {
  const storage = await newStorage(t)
  const target = join(newFolder(t), 'copies')
  const replica = await startReplica(t, storage, { environment: { DATA_DIR: storage.dataDir, RATE_LIMITS: 'off' } })
  assert.equal((await register(replica.address, 'first@example.com')).status, 201)
  const follower = await startFollower(t, storage, target)
  const between = Date.now()
  const copies = () => readdirSync(target, { recursive: true }).filter((name) => String(name).endsWith('.pages')).length
  const before = copies()
  assert.equal((await register(replica.address, 'later@example.com')).status, 201)
  const acknowledgedAt = Date.now()
  await until(async () => copies() > before)
  assert.ok(Date.now() - acknowledgedAt < 10_000, 'copied within ten seconds')
  // The machine loses its data folder while everything runs.
  await Promise.all([replica.kill(), follower.kill()])
  renameSync(storage.dataDir, `${storage.dataDir}.lost`)
  if (existsSync(fileOf(storage)))
    for (const end of ['', '-wal', '-shm']) rmSync(`${fileOf(storage)}${end}`, { force: true })
  t.after(() => rmSync(`${storage.dataDir}.lost`, { recursive: true, force: true }))

  const restored = await latchkey(storage, ['restore', target])
  assert.equal(restored.code, 0, restored.stderr)
  assert.match(restored.stdout, /^The state of \d{4}-/)
  const again = await startReplica(t, storage, { environment: { DATA_DIR: storage.dataDir, RATE_LIMITS: 'off' } })
  assert.equal(await login(again.address, 'first@example.com'), 200)
  assert.equal(await login(again.address, 'later@example.com'), 200)

  const earlier = await createStorage('sqlite')
  t.after(earlier.remove)
  const past = await latchkey(earlier, ['restore', '--at', new Date(between).toISOString(), target])
  assert.equal(past.code, 0, past.stderr)
  const old = await startReplica(t, earlier, { environment: { DATA_DIR: earlier.dataDir } })
  assert.equal(await login(old.address, 'first@example.com'), 200)
  assert.equal(await login(old.address, 'later@example.com'), 401)

  const tooEarly = await latchkey(await newStorage(t), ['restore', '--at', '2020-01-01T00:00:00Z', target])
  assert.deepEqual([tooEarly.code, /no copy that was made before/.test(tooEarly.stderr)], [1, true])
  assert.equal((await latchkey(earlier, ['restore', '--at', 'yesterday', target])).code, 2)

  // Every change after the first one is lost, except for a later one.
  const parts = readdirSync(target, { recursive: true })
    .map(String)
    .filter((name) => /\/0{7}[2-9]-.*\.pages$/.test(name))
  const [kept = '', ...lost] = parts.map((name) => join(target, name))
  renameSync(kept, kept.replace(/\/\d{8}-/, '/00000012-'))
  for (const name of lost) rmSync(name)
  const empty = await newStorage(t)
  const damaged = await latchkey(empty, ['restore', target])
  assert.equal(damaged.code, 1)
  assert.match(
    damaged.stderr,
    /^latchkey: The copy \S+ has a gap: changes 2 to 11 are missing, between .* --at \S+Z\.\n$/,
  )
  assert.deepEqual(readdirSync(empty.dataDir), [])
})

test('a bucket can be followed into and restored from, and the log that begins anew loses nothing', async (t) => {
  const { config: s3 } = await startS3(t)
  const environment = { S3_ACCESS_KEY_ID: s3.accessKeyId, S3_SECRET_ACCESS_KEY: s3.secretAccessKey }
  const storage = await newStorage(t)
  const first = await startReplica(t, storage, { environment: { DATA_DIR: storage.dataDir } })
  const { stop } = await startFollower(t, storage, s3.url, environment)
  assert.equal((await register(first.address, 'one@example.com')).status, 201)
  // A stop moves the whole log into the file, and the next start begins a new one.
  assert.equal(await first.stop(), 0)
  const second = await startReplica(t, storage, { environment: { DATA_DIR: storage.dataDir } })
  assert.equal((await register(second.address, 'two@example.com')).status, 201)
  assert.equal(await stop(), 0)

  const other = await newStorage(t)
  const restored = await latchkey(other, ['restore', s3.url], environment)
  assert.equal(restored.code, 0, restored.stderr)
  const third = await startReplica(t, other, { environment: { DATA_DIR: other.dataDir } })
  for (const email of ['one@example.com', 'two@example.com']) assert.equal(await login(third.address, email), 200)
  const without = await latchkey(other, ['restore', s3.url])
  assert.deepEqual(
    [without.code, without.stderr],
    [2, 'latchkey: For a bucket, S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY must be set.\n'],
  )
})

test('backup --verify proves that a backup can be restored, and fails for one that is damaged', async (t) => {
  const storage = await newStorage(t)
  const replica = await startReplica(t, storage, { environment: { DATA_DIR: storage.dataDir } })
  assert.equal((await register(replica.address, 'one@example.com')).status, 201)
  const target = join(newFolder(t), 'backup')
  const made = await latchkey(storage, ['backup', '--verify', target])
  assert.equal(made.code, 0, made.stderr)
  assert.match(made.stdout, /can be restored: 1 accounts, 0 SSH certificates\.\n$/)
  assert.deepEqual(readdirSync(join(target, '..')), ['backup'])
  assert.ok(existsSync(join(storage.dataDir, 'last-backup')))

  rmSync(join(target, 'latchkey.db'))
  const damaged = await latchkey(storage, ['backup', '--verify', target])
  assert.deepEqual([damaged.code, damaged.stderr], [1, 'latchkey: The backup is damaged: latchkey.db is missing.\n'])
  assert.equal((await latchkey(storage, ['backup', '--verify', '--follow', target])).code, 2)
  assert.equal((await latchkey(storage, ['backup', '--keep-days', '3', target])).code, 2)
})
