import assert from 'node:assert/strict'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { freePort } from '../support/free-port.ts'
import { leftOut } from '../support/left-out.ts'
import { start } from './start.ts'

test('the service prints the link to set up the first administrator, and keeps its files private', async (t) => {
  const service = await start(t)
  const [, secret] = await service.waitForOutput(/setup#secret=([A-Za-z0-9_-]{32})/)
  assert.ok(secret)
  assert.equal((await fetch(`${service.url}/readyz`)).status, 200)
  const data = join(
    readFileSync(`/proc/${service.child.pid}/environ`, 'utf8')
      .split('\0')
      .find((each) => each.startsWith('DATA_DIR='))
      ?.slice(9) ?? '',
  )
  for (const name of readdirSync(data)) assert.equal(statSync(join(data, name)).mode & 0o077, 0, name)
})

test('a configured bootstrap secret is never printed', async (t) => {
  const service = await start(t, { ADMIN_BOOTSTRAP_SECRET: 'a-secret-nobody-prints' })
  await service.waitForOutput(/Set up the first one: \S+\/setup\n/)
  assert.doesNotMatch(service.output(), /a-secret-nobody-prints/)
})

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  test(`${signal} stops the service with exit code 0 after the requests in flight`, async (t) => {
    const service = await start(t)
    await service.waitForOutput(/setup#secret=/)
    const body = JSON.stringify({ email: 'last@example.com', password: 'correct horse battery staple' })
    const inFlight = request(`${service.url}/api/auth/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'content-length': body.length, expect: '100-continue' },
    })
    inFlight.flushHeaders()
    // The service has received the headers, and waits for the body.
    await once(inFlight, 'continue')
    service.child.kill(signal)
    await service.waitForOutput(/"Stopping\."/)
    const answered = once(inFlight, 'response') as Promise<[{ statusCode: number }]>
    inFlight.end(body)
    assert.equal((await answered)[0].statusCode, 201)
    assert.equal(await service.exit(), 0)
  })
}

test('hosts that come back at once are connected while the service is busy', async (t) => {
  const hosts = 1000
  if (Number(readFileSync('/proc/sys/net/core/somaxconn', 'utf8')) < hosts)
    return t.skip(leftOut('The system lets fewer connections wait: net.core.somaxconn.'))
  const service = await start(t)
  await service.waitForOutput(/setup#secret=/)
  service.child.kill('SIGSTOP')
  const { port } = new URL(service.url)
  const connections = Array.from({ length: hosts }, () => connect(Number(port), '127.0.0.1'))
  t.after(() => connections.forEach((each) => each.destroy()))
  const signal = AbortSignal.timeout(30_000)
  await Promise.all(connections.map((each) => once(each, 'connect', { signal })))
  service.child.kill('SIGCONT')
  assert.equal((await fetch(`${service.url}/readyz`)).status, 200)
})

/** Loaded into the service: a signal arrives as soon as the service can handle it, which is before it listens. */
const EARLY_SIGNAL = `
process.on('newListener', function arrive(name) {
  if (name !== 'SIGINT') return
  process.off('newListener', arrive)
  queueMicrotask(() => process.emit('SIGINT', 'SIGINT', 2))
})`

test('a signal that comes before the service listens stops it, and nothing is announced', async (t) => {
  const service = await start(t, { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(EARLY_SIGNAL)}` })
  assert.equal(await service.exit(), 0)
  assert.match(service.stdout(), /"Stopping\."/)
  assert.equal(service.stderr(), '')
})

const plainLines = (output: string) =>
  output
    .trim()
    .split('\n')
    .filter((line) => !line.startsWith('{'))

test('an invalid variable ends the start with one line and exit code 1', async (t) => {
  const service = await start(t, { PORT: 'x' })
  assert.equal(await service.exit(), 1)
  assert.deepEqual(plainLines(service.output()), [
    'latchkey: PORT is "x", but it must be a port number from 1 to 65535.',
  ])
})

test('a data folder that can’t be created ends the start with one line and exit code 1', async (t) => {
  for (const folder of ['/proc/nope', '/proc/nope/deeper']) {
    const service = await start(t, { DATA_DIR: folder })
    assert.equal(await service.exit(), 1)
    assert.equal(
      service.output(),
      `latchkey: DATA_DIR is "${folder}", but it must be the path of a folder that this user can write, or make (ENOENT).\n`,
    )
  }
  const service = await start(t, { DATABASE_URL: 'sqlite:/proc/nope/latchkey.db' })
  assert.equal(await service.exit(), 1)
  assert.match(service.output(), /^latchkey: The database file \/proc\/nope\/latchkey\.db can't be opened: [^\n]*\n$/)
})

test('a misspelt name in .env ends the start with one line and exit code 1', async (t) => {
  const service = await start(t, {}, 'RP_NAME=Example\nDATABSE_URL=postgres://hunter2@db/latchkey\n')
  assert.equal(await service.exit(), 1)
  assert.match(
    service.output(),
    /^latchkey: Line 2 of \S+\.env sets DATABSE_URL, but there is no such setting\. Did you mean DATABASE_URL\?\n$/,
  )
})

test('a port in use ends the start with one line and exit code 1', async (t) => {
  const taken = createServer().listen(0, '127.0.0.1')
  await once(taken, 'listening')
  t.after(() => taken.close())
  const { port } = taken.address() as { port: number }
  const service = await start(t, { PORT: String(port) })
  assert.equal(await service.exit(), 1)
  assert.deepEqual(plainLines(service.output()), [
    `latchkey: Port ${port} on 127.0.0.1 is in use. Stop what uses it, or set PORT.`,
  ])
})

test('a data folder in use ends the start with one line and exit code 1', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-shared-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const first = await start(t, { DATA_DIR: folder })
  await first.waitForOutput(/setup#secret=/)
  const second = await start(t, { DATA_DIR: folder })
  assert.equal(await second.exit(), 1)
  assert.match(plainLines(second.output()).join('|'), /^latchkey: Another Latchkey is already running on [^|]*$/)
})

test('a data folder that is a file, a corrupt key file and a corrupt database each end the start with one line', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-broken-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'file')
  writeFileSync(file, '')
  chmodSync(file, 0o400)
  writeFileSync(join(folder, 'secret.key'), 'short')
  const cases: [Record<string, string>, RegExp][] = [
    [{ DATA_DIR: file }, /^latchkey: DATA_DIR is ".*", but it must be the path of a folder that this user can write/],
    [{ DATA_DIR: folder }, /^latchkey: The key file .* is damaged/],
  ]
  for (const [environment, expected] of cases) {
    const service = await start(t, environment)
    assert.equal(await service.exit(), 1)
    const lines = plainLines(service.output())
    assert.equal(lines.length, 1, service.output())
    assert.match(lines[0] ?? '', expected)
  }
  rmSync(join(folder, 'secret.key'))
  writeFileSync(
    join(folder, 'latchkey.db'),
    'this is no database, but it is long enough to be taken for one'.repeat(20),
  )
  const service = await start(t, { DATA_DIR: folder })
  assert.equal(await service.exit(), 1)
  assert.equal(plainLines(service.output()).length, 1, service.output())
})

test('an unreachable database ends the start with one line and exit code 1', async (t) => {
  const port = await freePort()
  const service = await start(t, {
    DATABASE_URL: `postgres://nobody:hidden-password@127.0.0.1:${port}/none`,
    SECRET_KEY: 'x'.repeat(32),
  })
  assert.equal(await service.exit(), 1)
  assert.match(
    plainLines(service.output()).join('|'),
    /^latchkey: The database at 127\.0\.0\.1:\d+ can't be reached[^|]*$/,
  )
  assert.doesNotMatch(service.output(), /hidden-password/)
})
