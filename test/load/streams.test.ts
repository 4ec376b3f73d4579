import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readdirSync, readlinkSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { median } from '../../bench/compare.ts'
import { type Connection, expect, get, openConnection, postJson } from '../../bench/connection.ts'
import { type Fixture, ISSUER } from '../../bench/fixture.ts'
import { newFolder, removeFolder, residentMemory, seedFile, type Server, startOnCopy } from '../../bench/servers.ts'
import { addFigure } from './figures.ts'
import { shortOrLong, isLong } from './run-length.ts'
import { addAdministrator, PASSWORD } from './traffic.ts'

const PEOPLE = shortOrLong(10, 100)
const STREAMS_EACH = 20
/** The number of streams of each person that are never read. */
const UNREAD_STREAMS_EACH = 2
const FAN_OUTS = shortOrLong(6, 200)
const TIMEOUT_MS = 30_000
/** Descriptors that the service may open for itself meanwhile, such as a dozen of the thread that truncates SQLite's log. */
const OTHER_DESCRIPTORS = 20
const MAX_GROWTH_MB = 200

test(`${PEOPLE * STREAMS_EACH} streams, of which one in ten is never read: all others receive every notification, and memory and descriptors are bounded`, async (t) => {
  const folder = newFolder()
  t.after(() => removeFolder(folder))
  const { file, fixture } = await seedFile(folder, 0)
  const server = await startOnCopy(folder, file)
  t.after(() => server.stop())
  const connection = await openConnection(server.port)
  t.after(() => connection.close())
  const sessions = await administrators(connection, fixture)
  // After this answer the service has accepted this connection and closed that of the health check.
  expect(await connection.send(get('/healthz')), 200, '')
  const before = descriptorsOf(server)
  const memoryBefore = residentMemory(server.pid)

  const deliveries = createCounter()
  const reading: Socket[] = []
  const idle: Socket[] = []
  t.after(() => [...reading, ...idle].forEach((socket) => socket.destroy()))
  for (const session of sessions) {
    for (let at = 0; at < STREAMS_EACH; at++) {
      const socket = await openStream(server.port, session, deliveries.count)
      if (at < UNREAD_STREAMS_EACH) idle.push(socket.pause())
      else reading.push(socket)
    }
  }
  assert.equal(descriptorsOf(server).sockets - before.sockets, sessions.length * STREAMS_EACH)

  // Memory is measured after the first quarter, when the buffers of the sockets and the heap have reached their size.
  const waits: number[] = []
  let memoryWarm = 0
  for (let at = 0; at < FAN_OUTS; at++) {
    waits.push(await fanOut(connection, fixture, deliveries, reading.length, at))
    if (at === Math.floor(FAN_OUTS / 4)) memoryWarm = residentMemory(server.pid)
  }
  const sentAt = performance.now()
  expect(await connection.send(get('/api/auth/me', { Cookie: `session=${sessions[0]}` })), 200, '"user"')
  const answered = performance.now() - sentAt
  const memoryAfter = residentMemory(server.pid)

  for (const socket of [...reading, ...idle]) socket.destroy()
  const deadline = performance.now() + TIMEOUT_MS
  while (descriptorsOf(server).sockets > before.sockets && performance.now() < deadline) await sleep(100)
  const after = descriptorsOf(server)
  assert.equal(after.sockets, before.sockets, 'every stream is released')
  assert.ok(after.all - before.all <= OTHER_DESCRIPTORS, `${after.all - before.all} descriptors are not released`)
  assert.ok(memoryAfter - memoryWarm < MAX_GROWTH_MB, `${memoryAfter - memoryWarm} MB more`)
  t.diagnostic(
    `fan-out ${median(waits).toFixed(0)} ms; memory ${memoryBefore.toFixed(0)}, ${memoryWarm.toFixed(0)}, ${memoryAfter.toFixed(0)} MB`,
  )
  if (!isLong) return
  const streams = (reading.length + idle.length).toLocaleString('en')
  addFigure('Streams', `open, of which ${idle.length} never read`, streams)
  addFigure('Streams', `from the change to the last of ${reading.length} that read`, `${median(waits).toFixed(0)} ms`)
  addFigure(
    'Streams',
    'resident memory before, with all open, after 200 messages each',
    [memoryBefore, memoryWarm, memoryAfter].map((each) => `${each.toFixed(0)} MB`).join(', '),
  )
  addFigure('Streams', 'another request meanwhile', `${answered.toFixed(1)} ms`)
})

function createCounter() {
  let missing = 0
  let all = Promise.withResolvers<void>()
  return {
    count() {
      missing -= 1
      if (missing === 0) all.resolve()
    },
    async expect(count: number, work: () => Promise<void>): Promise<void> {
      missing = count
      all = Promise.withResolvers()
      const late = setTimeout(() => all.reject(new Error(`${missing} streams received nothing.`)), TIMEOUT_MS)
      await Promise.all([work(), all.promise])
      clearTimeout(late)
    },
  }
}

/** Disables or enables a user, of which every administrator is notified. */
async function fanOut(
  connection: Connection,
  { people, victimId }: Fixture,
  deliveries: ReturnType<typeof createCounter>,
  readers: number,
  at: number,
): Promise<number> {
  const headers = { Cookie: `session=${people[0]?.session}`, Origin: ISSUER }
  const change = postJson(
    `/api/admin/users/${victimId}/lifecycle`,
    { action: at % 2 === 0 ? 'disable' : 'enable' },
    headers,
  )
  const started = performance.now()
  await deliveries.expect(readers, async () => expect(await connection.send(change), 200, '"success":true'))
  return performance.now() - started
}

/** The sessions of `PEOPLE` administrators, starting with those of the fixture. */
async function administrators(connection: Connection, fixture: Fixture): Promise<string[]> {
  const sessions = fixture.people.map(({ session }) => session).slice(0, PEOPLE)
  for (let at = sessions.length; at < PEOPLE; at++) {
    const email = `watcher${at}@example.com`
    await addAdministrator(connection, fixture, email)
    const answer = await connection.send(postJson('/api/auth/login', { email, password: PASSWORD }, { Origin: ISSUER }))
    expect(answer, 200, '"user"')
    sessions.push(/\r\nset-cookie: session=([^;]+)/i.exec(answer.head)?.[1] ?? '')
  }
  return sessions
}

/** Sockets are counted separately, because the service opens and closes files for itself. */
function descriptorsOf({ pid }: Server): { all: number; sockets: number } {
  const folder = `/proc/${pid}/fd`
  const kinds = readdirSync(folder).map((descriptor) => kindOf(join(folder, descriptor)))
  return { all: kinds.length, sockets: kinds.filter((kind) => kind.startsWith('socket:')).length }
}

function kindOf(descriptor: string): string {
  try {
    return readlinkSync(descriptor)
  } catch {
    return 'closed since it was listed'
  }
}

/** Resolves when the stream has begun. From then on `onNotification` is called for every notification. */
async function openStream(port: number, session: string, onNotification: () => void): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  socket.setEncoding('latin1')
  socket.write(get('/api/notifications/stream', { Cookie: `session=${session}` }))
  let text = ''
  while (!text.includes('retry: 3000')) {
    const [chunk] = (await once(socket, 'data')) as [string]
    text += chunk
    if (/^HTTP\/1.1 [45]/.test(text)) throw new Error(`A stream was refused: ${text}`)
  }
  socket.on('data', (chunk: string) => {
    for (const _ of chunk.matchAll(/event: notification/g)) onNotification()
  })
  return socket
}
