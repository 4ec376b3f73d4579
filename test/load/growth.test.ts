import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { attachLoad } from '../../bench/compare.ts'
import { openConnection } from '../../bench/connection.ts'
import type { Fixture } from '../../bench/fixture.ts'
import { grow } from '../../bench/grow.ts'
import type { Sizes } from '../../bench/growth.ts'
import { seed } from '../../bench/seed.ts'
import { newFolder, removeFolder, type Server, startLatchkey } from '../../bench/servers.ts'
import { addFigure } from './figures.ts'
import { filtersOf } from './filters.ts'
import { quantile } from './generator.ts'
import { type Walk, timePage, walk, withCursor } from './pages.ts'
import { isLong } from './run-length.ts'
import { measureSweep } from './sweep.ts'

const SMALL: Sizes = { users: 1000, tokens: 5000, certificates: 1000 }
const LARGE: Sizes = { users: 1_000_000, tokens: 5_000_000, certificates: 1_000_000 }
const EXPIRED = 2_000_000

const HOT_OPERATIONS = ['introspection', 'userinfo', 'refresh', 'client-credentials', 'me', 'passkeys', 'certificates']
const ROUNDS = 9
const ROUND_MS = 500
const WARM_UP_MS = 2000
const WORKERS = 4
const MAX_RATIO = 1.5

const MAX_PAGE_MS = 50
const MAX_PAUSE_MS = 50

interface GrownDatabase {
  databaseUrl: string
  folder: string
  fixture: Fixture
}

if (isLong) test('the service works with a thousand times as many users', growThousandfold)

async function growThousandfold(t: TestContext): Promise<void> {
  const folder = newFolder()
  t.after(() => removeFolder(folder))
  const small = await createGrown(join(folder, 'small'), SMALL)
  const started = performance.now()
  const large = await createGrown(join(folder, 'large'), LARGE)
  addFigure(
    'Growth',
    'seconds to seed 1,000,000 users, 5,000,000 tokens, 1,000,000 certificates (SQLite)',
    ((performance.now() - started) / 1000).toFixed(0),
  )

  await t.test('the median times of the hot paths grow by less than half', async (part) => {
    const servers = await Promise.all([startOn(part, small), startOn(part, large)])
    await compareHotPaths(part, servers, [small.fixture, large.fixture])
  })
  await t.test('every page of every list takes less than 50 ms, at any depth', async (part) => {
    await timeLists(part, await startOn(part, large), large.fixture)
  })
  await t.test(
    'the sweeper deletes all expired rows and blocks the event loop for at most 50 ms longer than the idle process',
    async (part) => {
      const { rows, seconds, maxPause, idlePause } = await measureSweep(large, EXPIRED)
      part.diagnostic(
        `${rows} rows in ${seconds.toFixed(0)} s, longest pause ${maxPause.toFixed(1)} ms, when idle ${idlePause.toFixed(1)} ms`,
      )
      addFigure('Growth', 'expired rows swept a second (SQLite)', (rows / seconds).toFixed(0))
      addFigure('Growth', 'longest pause of the event loop while sweeping', `${maxPause.toFixed(1)} ms`)
      addFigure('Growth', 'longest pause of the same loop with nothing to do', `${idlePause.toFixed(1)} ms`)
      assert.ok(rows >= EXPIRED)
      assert.ok(maxPause < MAX_PAUSE_MS + idlePause, `${maxPause} ms`)
    },
  )
}

async function createGrown(folder: string, sizes: Sizes): Promise<GrownDatabase> {
  mkdirSync(folder)
  const databaseUrl = `sqlite:${join(folder, 'latchkey.db')}`
  const fixture = await seed(databaseUrl, folder, 100)
  await grow(databaseUrl, { ...sizes, now: Date.now(), heavyUserId: fixture.people[0]?.id })
  return { databaseUrl, folder, fixture }
}

async function startOn(t: TestContext, { databaseUrl, folder }: GrownDatabase): Promise<Server> {
  const server = await startLatchkey({ folder, databaseUrl })
  t.after(() => server.stop())
  return server
}

/** Alternates between the two, so that other load on the machine slows down both. */
async function compareHotPaths(t: TestContext, servers: Server[], fixtures: Fixture[]): Promise<void> {
  const clients = await Promise.all(servers.map((server) => attachLoad(server)))
  t.after(() => clients.forEach((each) => each.close()))
  const slower: string[] = []
  for (const operation of HOT_OPERATIONS) {
    for (const [index, each] of clients.entries()) {
      await each.prepare(operation, fixtures[index]!, WORKERS)
      await each.run(WARM_UP_MS)
    }
    const times: number[][] = clients.map(() => [])
    for (let round = 0; round < ROUNDS; round++) {
      for (const [index, each] of clients.entries()) times[index]?.push((await each.run(ROUND_MS)).p50)
    }
    // The minimum, because other load on the machine can only make a round slower.
    const [small = 0, large = 0] = times.map((each) => Math.min(...each))
    const ratio = large / small
    addFigure(
      'Growth',
      `${operation}, p50 with 1,000 and with 1,000,000 users`,
      `${small.toFixed(2)} and ${large.toFixed(2)} ms, ratio ${ratio.toFixed(2)}`,
    )
    t.diagnostic(`${operation}: ${small.toFixed(2)} ms, ${large.toFixed(2)} ms, ratio ${ratio.toFixed(2)}`)
    if (ratio >= MAX_RATIO) slower.push(`${operation} takes ${ratio} times as long`)
  }
  assert.deepEqual(slower, [])
}

const LISTS = [
  '/api/admin/users',
  '/api/admin/audit',
  '/api/ssh/certs',
  '/api/ssh/certs/mine',
  '/api/notifications',
  '/oauth/clients',
  '/api/admin/roles',
]
const UNPAGED_LISTS = ['/api/auth/sessions', '/api/account/oauth/grants', '/api/passkeys', '/api/ssh/keys']

async function timeLists(t: TestContext, server: Server, { people: [reader] }: Fixture): Promise<void> {
  const connection = await openConnection(server.port)
  t.after(() => connection.close())
  const { session = '', id = '' } = reader ?? {}
  const slow: string[] = []
  const report = (name: string, times: number[]) => {
    const slowest = Math.max(...times)
    const line = `p50 ${quantile(Float64Array.from(times).toSorted(), 0.5).toFixed(1)} ms, slowest ${slowest.toFixed(1)} ms`
    t.diagnostic(`${name}: ${line}`)
    if (slowest >= MAX_PAGE_MS) slow.push(`${name}: ${slowest} ms`)
    return line
  }
  const walked = new Map<string, Walk>()
  for (const path of LISTS) {
    const found = await walk(connection, session, path, { retryAboveMs: MAX_PAGE_MS })
    walked.set(path, found)
    const name = `${path}, all ${found.items.toLocaleString('en')} in ${found.pages.toLocaleString('en')} pages`
    addFigure('Growth', name, report(name, found.times))
  }
  for (const path of UNPAGED_LISTS) {
    const { took, page } = await timePage(connection, session, path, MAX_PAGE_MS)
    const name = `${path}, all ${page.items.length.toLocaleString('en')}`
    addFigure('Growth', name, report(name, [took]))
  }
  for (const [path, filters] of Object.entries(filtersOf(id))) {
    const depths = [null, ...(walked.get(path)?.depths ?? [])]
    const all: number[] = []
    for (const filter of filters) {
      const times: number[] = []
      for (const cursor of depths) {
        const url = withCursor(`${path}?${filter}`, cursor)
        times.push((await timePage(connection, session, url, MAX_PAGE_MS)).took)
      }
      report(`${path}?${filter}`, times)
      all.push(...times)
    }
    const name = `${path}, ${filters.length} searches and filters at the beginning, the middle and the end`
    addFigure('Growth', name, `slowest ${Math.max(...all).toFixed(1)} ms`)
  }
  assert.deepEqual(slow, [])
}
