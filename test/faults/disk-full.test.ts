import assert from 'node:assert/strict'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test, type TestContext } from 'node:test'
import sharp from 'sharp'
import { startReplica, until } from '../support/replicas.ts'
import { limitFileSize, mountSmallDisk, type SmallDisk } from '../support/small-disk.ts'
import type { Answer } from '../support/visitor.ts'
import { assertSoundFile } from './invariants.ts'
import { figure, fork, rounds, seededRandom } from './rounds.ts'
import { createTraffic } from './traffic.ts'
import { createWorld, credentialsOf, ENVIRONMENT, type World } from './world.ts'

const LEAST = 30
const AVATAR = '/api/account/profile/avatar'

test('a full disk under SQLite: writes are refused whole, reads go on, and it recovers by itself', async (t) => {
  const disk = mountSmallDisk(t)
  assert.ok(disk, 'This needs a small disk: run it as root, with sudo, or where user namespaces are allowed.')
  return fillAndFree(t, 'Full disk on SQLite', disk)
})

test('a disk that fails under SQLite: writes are refused whole, reads go on, and it recovers by itself', (t) =>
  fillAndFree(t, 'Failing disk on SQLite', limitFileSize(t)))

async function fillAndFree(t: TestContext, part: string, disk: SmallDisk): Promise<void> {
  const random = seededRandom(t)
  const replica = await startReplica(
    t,
    { databaseUrl: `sqlite:${join(disk.folder, 'latchkey.db')}` },
    { environment: { ...ENVIRONMENT, DATA_DIR: disk.folder }, within: disk.within },
  )
  const folder = disk.seenHere(replica.pid)
  const file = join(folder, 'latchkey.db')
  const world = await createWorld(replica.address)
  const traffic = createTraffic(t, world, fork(random))
  const { attempts } = traffic
  await upload(world, 200, 'red')
  const token = await getToken(world)
  const count = rounds(1, 0.1)
  let longestBack = 0
  let checked = 0
  for (let round = 0; round < count; round++) {
    attempts.tolerance = { brokenConnections: false, unavailable: 'never' }
    let stop = traffic.start()
    const before = traffic.acknowledged()
    await until(async () => traffic.acknowledged() - before >= LEAST)
    await stop()
    // SQLite goes by the real name of a file, and a disk in another namespace has none here.
    if (folder === disk.folder) letSessionsAge(file)

    disk.fill(replica.pid)
    attempts.tolerance = { brokenConnections: false, unavailable: 'not done' }
    const refused = attempts.unavailable.length
    stop = traffic.start()
    await until(async () => attempts.unavailable.length - refused >= LEAST)
    await readEverything(world, token)
    await uploadInVain(world, folder)
    await stop()

    disk.free(replica.pid)
    attempts.tolerance = { brokenConnections: false, unavailable: 'never' }
    const freed = performance.now()
    await upload(world, 200, 'green')
    longestBack = Math.max(longestBack, performance.now() - freed)
    checked += await traffic.verify({ random, sample: 50 })
    await upload(world, 200, 'red')
  }
  for (const answer of attempts.unavailable) assert.ok(Number(answer.headers.get('retry-after')) > 0, answer.body)
  await mailIsWritten(world, folder)
  await traffic.settle()
  checked += await traffic.verify('all')
  await assertSoundFile(file)
  figure(t, part, 'times full', count)
  figure(t, part, 'writes refused with 503, none of them half done', attempts.unavailable.length)
  figure(t, part, 'acknowledged requests', traffic.acknowledged())
  figure(t, part, 'checks afterwards', checked)
  figure(t, part, 'first write after space was freed, ms', longestBack)
}

async function picture(colour: string): Promise<FormData> {
  const image = sharp({ create: { width: 600, height: 600, channels: 3, background: colour } })
  const form = new FormData()
  form.set('file', new Blob([new Uint8Array(await image.png().toBuffer())]), 'picture.png')
  return form
}

const upload = async (world: World, status: number, colour: string): Promise<Answer> =>
  world.demand(status, 'PUT', AVATAR, { cookie: world.admin.cookie, body: await picture(colour) })

const getToken = async (world: World): Promise<string> => {
  const form = { ...credentialsOf(world), grant_type: 'client_credentials' }
  return (await world.demand(200, 'POST', '/oauth/token', { form })).json<{ access_token: string }>().access_token
}

/** As if nobody had done anything for two minutes: the next request of each session wants to write down that it came. */
function letSessionsAge(file: string): void {
  const database = new DatabaseSync(file, { timeout: 5000 })
  database.exec('UPDATE sessions SET last_used_at = last_used_at - 120000')
  database.close()
}

async function readEverything(world: World, token: string): Promise<void> {
  const open = ['/.well-known/openid-configuration', '/.well-known/jwks.json', '/ssh/ca.pub', '/ssh/krl', '/healthz']
  for (const path of open) await world.demand(200, 'GET', path)
  const form = { ...credentialsOf(world), token }
  const { active } = (await world.demand(200, 'POST', '/oauth/introspect', { form })).json<{ active: boolean }>()
  assert.equal(active, true)
  for (const path of ['/api/auth/me', '/api/admin/users', '/api/notifications', '/api/ssh/certs', AVATAR]) {
    await world.asAdmin(200, 'GET', path)
  }
}

/** The old picture stays, and nothing of the new one is left over. */
async function uploadInVain(world: World, folder: string): Promise<void> {
  const pictures = join(folder, 'avatars', world.admin.id)
  const before = readdirSync(pictures)
  const shown = await world.asAdmin(200, 'GET', AVATAR)
  const { headers } = await upload(world, 503, 'blue')
  assert.ok(Number(headers.get('retry-after')) > 0)
  assert.deepEqual(readdirSync(pictures), before)
  assert.equal((await world.asAdmin(200, 'GET', AVATAR)).headers.get('etag'), shown.headers.get('etag'))
}

async function mailIsWritten(world: World, folder: string): Promise<void> {
  const outbox = join(folder, 'outbox')
  const countMails = () => (existsSync(outbox) ? readdirSync(outbox).filter((name) => name.endsWith('.eml')).length : 0)
  const before = countMails()
  await world.demand(201, 'POST', '/api/auth/register', {
    json: { email: 'afterwards@example.com', password: 'correct horse battery staple' },
  })
  await until(async () => countMails() > before)
}
