import assert from 'node:assert/strict'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test, type TestContext } from 'node:test'
import sharp from 'sharp'
import type { Answer } from '../support/http-client.ts'
import { startReplica, until } from '../support/replicas.ts'
import { limitFileSize, mountSmallDisk, type SmallDisk } from '../support/small-disk.ts'
import { createInstallation, credentialsOf, ENVIRONMENT, type Installation } from './installation.ts'
import { assertSoundFile } from './invariants.ts'
import { figure, fork, rounds, seededRandom } from './run-options.ts'
import { createTraffic } from './traffic.ts'

const MIN_REQUESTS = 30
const AVATAR = '/api/account/profile/avatar'

test('on a full disk under SQLite, writes are refused without a partial effect, reads are served, and service resumes when space is freed', async (t) => {
  const disk = mountSmallDisk(t)
  assert.ok(disk, 'This needs a small disk: run it as root, with sudo, or where user namespaces are allowed.')
  return fillAndFree(t, 'Full disk on SQLite', disk)
})

test('on a failing disk under SQLite, writes are refused without a partial effect, reads are served, and service resumes when the disk works again', (t) =>
  fillAndFree(t, 'Failing disk on SQLite', limitFileSize(t)))

async function fillAndFree(t: TestContext, part: string, disk: SmallDisk): Promise<void> {
  const random = seededRandom(t)
  const replica = await startReplica(
    t,
    { databaseUrl: `sqlite:${join(disk.folder, 'latchkey.db')}` },
    { environment: { ...ENVIRONMENT, DATA_DIR: disk.folder }, within: disk.within },
  )
  const folder = disk.localPath(replica.pid)
  const file = join(folder, 'latchkey.db')
  const installation = await createInstallation(replica.address)
  const traffic = createTraffic(t, installation, fork(random))
  const { attempts } = traffic
  await upload(installation, 200, 'red')
  const token = await getToken(installation)
  const count = rounds(1, 0.1)
  let maxRecoveryMs = 0
  let checked = 0
  for (let round = 0; round < count; round++) {
    attempts.tolerance = { brokenConnections: false, unavailable: 'never' }
    let stop = traffic.start()
    const before = traffic.acknowledged()
    await until(async () => traffic.acknowledged() - before >= MIN_REQUESTS)
    await stop()
    // SQLite resolves the real path of a file, which a disk in another namespace does not have in this process.
    if (folder === disk.folder) ageSessions(file)

    disk.fill(replica.pid)
    attempts.tolerance = { brokenConnections: false, unavailable: 'not done' }
    const refused = attempts.unavailable.length
    stop = traffic.start()
    await until(async () => attempts.unavailable.length - refused >= MIN_REQUESTS)
    await readEverything(installation, token)
    await assertUploadRefused(installation, folder)
    await stop()

    disk.free(replica.pid)
    attempts.tolerance = { brokenConnections: false, unavailable: 'never' }
    const freed = performance.now()
    await upload(installation, 200, 'green')
    maxRecoveryMs = Math.max(maxRecoveryMs, performance.now() - freed)
    checked += await traffic.verify({ random, sample: 50 })
    await upload(installation, 200, 'red')
  }
  for (const answer of attempts.unavailable) assert.ok(Number(answer.headers.get('retry-after')) > 0, answer.body)
  await assertMailIsWritten(installation, folder)
  await traffic.settle()
  checked += await traffic.verify('all')
  await assertSoundFile(file)
  figure(t, part, 'times full', count)
  figure(t, part, 'writes refused with 503, none with a partial effect', attempts.unavailable.length)
  figure(t, part, 'acknowledged requests', traffic.acknowledged())
  figure(t, part, 'checks afterwards', checked)
  figure(t, part, 'first write after space was freed, ms', maxRecoveryMs)
}

async function picture(colour: string): Promise<FormData> {
  const image = sharp({ create: { width: 600, height: 600, channels: 3, background: colour } })
  const form = new FormData()
  form.set('file', new Blob([new Uint8Array(await image.png().toBuffer())]), 'picture.png')
  return form
}

const upload = async (installation: Installation, status: number, colour: string): Promise<Answer> =>
  installation.expectStatus(status, 'PUT', AVATAR, { cookie: installation.admin.cookie, body: await picture(colour) })

const getToken = async (installation: Installation): Promise<string> => {
  const form = { ...credentialsOf(installation), grant_type: 'client_credentials' }
  return (await installation.expectStatus(200, 'POST', '/oauth/token', { form })).json<{ access_token: string }>()
    .access_token
}

/** Makes the next request of every session update its time of last use, so that it writes as well as reads. */
function ageSessions(file: string): void {
  const database = new DatabaseSync(file, { timeout: 5000 })
  database.exec('UPDATE sessions SET last_used_at = last_used_at - 120000')
  database.close()
}

async function readEverything(installation: Installation, token: string): Promise<void> {
  const publicPaths = [
    '/.well-known/openid-configuration',
    '/.well-known/jwks.json',
    '/ssh/ca.pub',
    '/ssh/krl',
    '/healthz',
  ]
  for (const path of publicPaths) await installation.expectStatus(200, 'GET', path)
  const form = { ...credentialsOf(installation), token }
  const { active } = (await installation.expectStatus(200, 'POST', '/oauth/introspect', { form })).json<{
    active: boolean
  }>()
  assert.equal(active, true)
  for (const path of ['/api/auth/me', '/api/admin/users', '/api/notifications', '/api/ssh/certs', AVATAR]) {
    await installation.asAdmin(200, 'GET', path)
  }
}

/** Asserts that a refused upload keeps the old avatar and leaves no file behind. */
async function assertUploadRefused(installation: Installation, folder: string): Promise<void> {
  const pictures = join(folder, 'avatars', installation.admin.id)
  const before = readdirSync(pictures)
  const current = await installation.asAdmin(200, 'GET', AVATAR)
  const { headers } = await upload(installation, 503, 'blue')
  assert.ok(Number(headers.get('retry-after')) > 0)
  assert.deepEqual(readdirSync(pictures), before)
  assert.equal((await installation.asAdmin(200, 'GET', AVATAR)).headers.get('etag'), current.headers.get('etag'))
}

async function assertMailIsWritten(installation: Installation, folder: string): Promise<void> {
  const outbox = join(folder, 'outbox')
  const countMails = () => (existsSync(outbox) ? readdirSync(outbox).filter((name) => name.endsWith('.eml')).length : 0)
  const before = countMails()
  await installation.expectStatus(201, 'POST', '/api/auth/register', {
    json: { email: 'afterwards@example.com', password: 'correct horse battery staple' },
  })
  await until(async () => countMails() > before)
}
