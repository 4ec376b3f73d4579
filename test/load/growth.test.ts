import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { attachLoad } from '../../bench/compare.ts'
import { get, openConnection } from '../../bench/connection.ts'
import type { Fixture } from '../../bench/fixture.ts'
import { grow } from '../../bench/grow.ts'
import type { Sizes } from '../../bench/growth.ts'
import { seed } from '../../bench/seed.ts'
import { newFolder, removeFolder, type Server, startLatchkey } from '../../bench/servers.ts'
import type { Overview } from '../../src/operations/overview/overview.ts'
import { createDatabase, DURABLE_FLAGS, startPostgres } from '../support/postgres.ts'
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

/** A page on PostgreSQL takes several round trips. */
const MAX_PAGE_MS = { SQLite: 50, PostgreSQL: 60 }
const MAX_PAUSE_MS = 50
const MAX_FIRST_OVERVIEW_MS = 1000
const MAX_COUNTING_MS = 120_000

interface GrownDatabase {
  databaseUrl: string
  folder: string
  fixture: Fixture
}

type EngineName = keyof typeof MAX_PAGE_MS

if (isLong) {
  for (const engine of ['SQLite', 'PostgreSQL'] as const)
    test(`the service works with a thousand times as many users (${engine})`, (t) => growThousandfold(t, engine))
}

async function growThousandfold(t: TestContext, engine: EngineName): Promise<void> {
  const folder = newFolder()
  t.after(() => removeFolder(folder))
  const urlOf = await placeFor(t, engine)
  const create = async (name: string, sizes: Sizes) => {
    const own = join(folder, name)
    mkdirSync(own)
    return createGrown(own, await urlOf(own, name), sizes)
  }
  const part = `Growth (${engine})`
  const small = await create('small', SMALL)
  const started = performance.now()
  const large = await create('large', LARGE)
  addFigure(
    part,
    'seconds to seed 1,000,000 users, 5,000,000 tokens, 1,000,000 certificates',
    ((performance.now() - started) / 1000).toFixed(0),
  )

  await t.test('the median times of the hot paths grow by less than half', async (each) => {
    const servers = await Promise.all([startOn(each, small), startOn(each, large)])
    await compareHotPaths(each, part, servers, [small.fixture, large.fixture])
  })
  const maxPageMs = MAX_PAGE_MS[engine]
  await t.test(`every page of every list takes less than ${maxPageMs} ms, at any depth`, async (each) => {
    await timeLists(each, { part, maxPageMs }, await startOn(each, large), large.fixture)
  })
  await t.test('the first overview is there within a second, and the counts within two minutes', async (each) => {
    await timeOverview(each, part, await startOn(each, large), large.fixture)
  })
  await t.test('the sweeper deletes all expired rows and never blocks the event loop for 50 ms', async (each) => {
    const { rows, seconds, pauses } = await measureSweep(large, EXPIRED)
    const { sweeping, idle, own } = pauses
    each.diagnostic(
      `${rows} rows in ${seconds.toFixed(0)} s, longest pause ${sweeping} ms, of an idle process ${idle} ms, own ${own} ms`,
    )
    addFigure(part, 'expired rows swept a second', (rows / seconds).toFixed(0))
    addFigure(part, 'longest pause of the event loop while sweeping', `${sweeping} ms`)
    addFigure(part, 'longest pause of an idle process at the same time', `${idle} ms`)
    addFigure(part, 'longest pause without the time in which the idle process was paused too', `${own} ms`)
    assert.ok(rows >= EXPIRED)
    assert.ok(own < MAX_PAUSE_MS, `${own} ms`)
  })
}

/** Where the databases of a test are: files in its folder, or on a server of its own that syncs every commit. */
async function placeFor(
  t: TestContext,
  engine: EngineName,
): Promise<(folder: string, name: string) => Promise<string>> {
  if (engine === 'SQLite') return async (folder) => `sqlite:${join(folder, 'latchkey.db')}`
  const postgres = await startPostgres(DURABLE_FLAGS)
  t.after(() => postgres.stop())
  return (_folder, name) => createDatabase(postgres.url, name)
}

async function createGrown(folder: string, databaseUrl: string, sizes: Sizes): Promise<GrownDatabase> {
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
async function compareHotPaths(t: TestContext, part: string, servers: Server[], fixtures: Fixture[]): Promise<void> {
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
      part,
      `${operation}, p50 with 1,000 and with 1,000,000 users`,
      `${small.toFixed(2)} and ${large.toFixed(2)} ms, ratio ${ratio.toFixed(2)}`,
    )
    t.diagnostic(`${operation}: ${small.toFixed(2)} ms, ${large.toFixed(2)} ms, ratio ${ratio.toFixed(2)}`)
    if (ratio >= MAX_RATIO) slower.push(`${operation} takes ${ratio} times as long`)
  }
  assert.deepEqual(slower, [])
}

async function timeOverview(
  t: TestContext,
  part: string,
  server: Server,
  { people: [reader] }: Fixture,
): Promise<void> {
  const connection = await openConnection(server.port)
  t.after(() => connection.close())
  const request = get('/api/admin/overview', { Cookie: `session=${reader?.session}` })
  const started = performance.now()
  const read = async () => {
    const { status, body } = await connection.send(request)
    assert.equal(status, 200, body)
    return JSON.parse(body) as Overview
  }
  let { users, sessions, tokens } = await read()
  const first = performance.now() - started
  while (users.active === null || sessions.active === null || tokens.active === null) {
    assert.ok(performance.now() - started < MAX_COUNTING_MS, 'the counts are there in time')
    await sleep(1000)
    ;({ users, sessions, tokens } = await read())
  }
  const counted = (performance.now() - started) / 1000
  t.diagnostic(`first overview after ${first.toFixed(0)} ms, all counts after ${counted.toFixed(0)} s`)
  addFigure(part, 'the first overview', `${first.toFixed(0)} ms, with all counts after ${counted.toFixed(0)} s`)
  // Four in five tokens are access tokens. One in a hundred users is disabled, and so are at most as many of the tokens.
  assert.ok(users.active >= 0.99 * LARGE.users)
  assert.ok(tokens.active >= 0.99 * 0.8 * LARGE.tokens)
  assert.ok(first < MAX_FIRST_OVERVIEW_MS, `${first} ms`)
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

async function timeLists(
  t: TestContext,
  { part, maxPageMs }: { part: string; maxPageMs: number },
  server: Server,
  { people: [reader] }: Fixture,
): Promise<void> {
  const connection = await openConnection(server.port)
  t.after(() => connection.close())
  const { session = '', id = '' } = reader ?? {}
  const slow: string[] = []
  const report = (name: string, times: number[]) => {
    const slowest = Math.max(...times)
    const line = `p50 ${quantile(Float64Array.from(times).toSorted(), 0.5).toFixed(1)} ms, slowest ${slowest.toFixed(1)} ms`
    t.diagnostic(`${name}: ${line}`)
    if (slowest >= maxPageMs) slow.push(`${name}: ${slowest} ms`)
    return line
  }
  const walked = new Map<string, Walk>()
  for (const path of LISTS) {
    const found = await walk(connection, session, path, { retryAboveMs: maxPageMs })
    walked.set(path, found)
    const name = `${path}, all ${found.items.toLocaleString('en')} in ${found.pages.toLocaleString('en')} pages`
    addFigure(part, name, report(name, found.times))
  }
  for (const path of UNPAGED_LISTS) {
    const { took, page } = await timePage(connection, session, path, maxPageMs)
    const name = `${path}, all ${page.items.length.toLocaleString('en')}`
    addFigure(part, name, report(name, [took]))
  }
  for (const [path, filters] of Object.entries(filtersOf(id))) {
    const depths = [null, ...(walked.get(path)?.depths ?? [])]
    const all: number[] = []
    for (const filter of filters) {
      const times: number[] = []
      for (const cursor of depths) {
        const url = withCursor(`${path}?${filter}`, cursor)
        times.push((await timePage(connection, session, url, maxPageMs)).took)
      }
      report(`${path}?${filter}`, times)
      all.push(...times)
    }
    const name = `${path}, ${filters.length} searches and filters at the beginning, the middle and the end`
    addFigure(part, name, `slowest ${Math.max(...all).toFixed(1)} ms`)
  }
  assert.deepEqual(slow, [])
}
