import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, writeFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { issue, saveKey } from '../ssh/public-keys.ts'
import { startApp } from '../support/app.ts'
import { anonymous } from '../support/people.ts'
import { until } from '../support/replicas.ts'
import { type CaKey, newCaKey, rotationLine } from './ca-chain.ts'
import { temporaryFolder } from './openssh.ts'
import { signInSshUser } from './sign-in-ssh-user.ts'
import { SYNC, newRoot, read, startFakeServer } from './ssh-host-scripts.ts'

/** What a server tells an enrolled host, and what the sync of that host waits for. */
interface Told {
  ca: string
  caTag?: string
  chain?: string
  krl: Buffer
  krlTag: string
  principals: object
  principalsTag: string
  /** An older server can't wait for both lists at once. */
  waitsForBoth: boolean
  /** How requests with the token of the host are refused. */
  refusal?: number
}

/** Runs the sync of an enrolled host that waits, at a server whose requests to wait are answered by the test. */
async function startWaiting(t: TestContext, told: Told, environment: Record<string, string> = {}) {
  const waiting = new Map<string, ServerResponse>()
  const asked: string[] = []
  const url = await startFakeServer(t, (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost')
    asked.push(request.url ?? '')
    if (told.refusal !== undefined && pathname.startsWith('/ssh/hosts/')) {
      response.writeHead(told.refusal).end('{"accounts":{}}')
      return
    }
    const waits = pathname === '/ssh/hosts/wait' ? told.waitsForBoth : searchParams.has('wait')
    if (waits) {
      waiting.set(pathname, response)
      response.on('close', () => {
        if (waiting.get(pathname) === response) waiting.delete(pathname)
      })
    } else if (pathname === '/ssh/ca.pub')
      response.writeHead(200, told.caTag === undefined ? {} : { etag: `"${told.caTag}"` }).end(told.ca)
    else if (pathname === '/ssh/ca-chain') response.end(told.chain ?? '')
    else if (pathname === '/ssh/krl') response.setHeader('etag', `"${told.krlTag}"`).end(told.krl)
    else if (pathname === '/ssh/hosts/principals')
      response.setHeader('etag', `"${told.principalsTag}"`).end(JSON.stringify({ accounts: told.principals }))
    else if (pathname === '/ssh/hosts/report') response.end('{"renew":false}')
    else response.writeHead(404).end()
  })
  const root = newRoot(t)
  writeFileSync(join(root, 'etc/ssh/latchkey_host_token'), 'header = "Authorization: Bearer x"\n')
  const child = spawn(SYNC, ['--wait'], {
    env: { PATH: process.env['PATH'], LATCHKEY_ROOT: root, LATCHKEY_URL: url, ...environment },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let said = ''
  child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()))
  const ended = once(child, 'exit')
  t.after(async () => {
    child.kill()
    await ended
  })
  const untilWaiting = (...paths: string[]) =>
    until(async () => [...waiting.keys()].toSorted().join(' ') === paths.toSorted().join(' '), 20_000)
  const answer = (path: string, status: number, body: string | Buffer = '', headers = {}) => {
    waiting.get(path)?.writeHead(status, headers).end(body)
    waiting.delete(path)
  }
  const fetched = (path: string) => asked.filter((each) => each.startsWith(path)).length
  return {
    root,
    answer,
    untilWaiting,
    said: () => said,
    fetched,
    lastWait: () => asked.findLast((each) => each.startsWith('/ssh/hosts/wait')),
  }
}

/** The pause after an answer that came at once with nothing new is short. */
function hasty(t: TestContext) {
  const programs = temporaryFolder(t)
  writeFileSync(join(programs, 'sleep'), '#!/bin/sh\n[ "$1" != 5 ] || set -- 0.1\nexec /bin/sleep "$@"\n', {
    mode: 0o755,
  })
  return { PATH: `${programs}:${process.env['PATH']}` }
}

/** Two revocation lists. */
async function newLists(t: TestContext) {
  const app = await startApp(t)
  const person = await signInSshUser(app)
  const list = async () => (await anonymous(app).get('/ssh/krl?format=krl')).rawPayload
  const before = await list()
  await person.post(`/api/ssh/certs/${(await issue(person, await saveKey(person))).id}/revoke`, {})
  return { before, after: await list() }
}

test('a sync that waits trusts no other CA before it has the revocations of that moment', async (t) => {
  const { before, after } = await newLists(t)
  const [first, next] = ['first', 'next'].map((name) => newCaKey(temporaryFolder(t), name)) as [CaKey, CaKey]
  const told = { ca: first.line, krl: before, krlTag: 'k1', principals: {}, principalsTag: 'p1', waitsForBoth: true }
  const { root, answer, untilWaiting } = await startWaiting(t, told)
  await untilWaiting('/ssh/hosts/wait')
  // The answer was on its way when the CA was replaced and a certificate of the new one revoked.
  const changed = { ca: next.line, chain: rotationLine(first, [first, next]) }
  Object.assign(told, { ...changed, krl: after, krlTag: 'k2', principals: { root: ['ada'] }, principalsTag: 'p2' })
  answer('/ssh/hosts/wait', 200, JSON.stringify({ krl: '"k1"', principals: '"p2"' }))
  await until(async () => String(read(root, 'etc/ssh/trusted_user_ca.pub')) === next.line, 20_000)
  assert.deepEqual(read(root, 'etc/ssh/revoked_keys'), after)
  await untilWaiting('/ssh/hosts/wait')
  assert.equal(String(read(root, 'etc/ssh/latchkey_principals/root')), 'ada\n')
})

test('a sync that follows the lists one by one asks again after an hour to wait for both at once', async (t) => {
  const { before } = await newLists(t)
  const ca = newCaKey(temporaryFolder(t), 'ca').line
  const told = { ca, krl: before, krlTag: 'k1', principals: {}, principalsTag: 'p1', waitsForBoth: false }
  const programs = temporaryFolder(t)
  const setClock = (seconds: number) =>
    writeFileSync(join(programs, 'date'), `#!/bin/sh\necho ${1_800_000_000 + seconds}\n`, { mode: 0o755 })
  setClock(0)
  const path = { PATH: `${programs}:${process.env['PATH']}` }
  const { root, answer, untilWaiting } = await startWaiting(t, told, path)
  await untilWaiting('/ssh/krl', '/ssh/hosts/principals')
  told.waitsForBoth = true
  setClock(3500)
  answer('/ssh/krl', 304)
  await untilWaiting('/ssh/krl', '/ssh/hosts/principals')
  setClock(3700)
  answer('/ssh/krl', 304)
  await untilWaiting('/ssh/hosts/wait')
  Object.assign(told, { principals: { root: ['ada'] }, principalsTag: 'p2' })
  answer('/ssh/hosts/wait', 200, JSON.stringify({ krl: '"k1"', principals: '"p2"' }))
  await until(async () => existsSync(join(root, 'etc/ssh/latchkey_principals/root')), 20_000)
  await untilWaiting('/ssh/hosts/wait')
})

test('a host whose token is refused keeps what it has, says so once, and goes on getting revocations', async (t) => {
  const { before, after } = await newLists(t)
  const ca = newCaKey(temporaryFolder(t), 'ca').line
  const principals = { root: ['ada'] }
  const told: Told = { ca, krl: before, krlTag: 'k1', principals, principalsTag: 'p1', waitsForBoth: true }
  const { root, answer, untilWaiting, said } = await startWaiting(t, told, hasty(t))
  await untilWaiting('/ssh/hosts/wait')
  const kept = ['trusted_user_ca.pub', 'latchkey_host_token', 'latchkey_principals/root']
  const files = () => kept.map((name) => String(read(root, `etc/ssh/${name}`)))
  const first = files()
  for (const [refusal, krl, krlTag] of [
    [401, after, 'k2'],
    [403, before, 'k3'],
    [404, after, 'k4'],
  ] as const) {
    told.refusal = refusal
    answer('/ssh/hosts/wait', refusal, '{"krl":"\\"x\\"","principals":"\\"x\\""}')
    await untilWaiting('/ssh/krl')
    Object.assign(told, { krl, krlTag })
    answer('/ssh/krl', 200, krl, { etag: `"${krlTag}"` })
    await until(async () => read(root, 'etc/ssh/revoked_keys').equals(krl), 20_000)
    assert.deepEqual(files(), first, `${refusal}`)
    if (refusal === 404) break
    await untilWaiting('/ssh/krl')
    assert.equal(said().split(`does not accept the token of this host any more (${refusal})`).length, 2, said())
    assert.match(said(), /Get a new line for this host, under Administration, Hosts\./)
    delete told.refusal
    answer('/ssh/krl', 304)
    await untilWaiting('/ssh/hosts/wait')
  }
})

test('a sync fetches the keys of the CA only when their tag has changed, or when another file is in their place', async (t) => {
  const { before, after } = await newLists(t)
  const [first, next] = ['first', 'next'].map((name) => newCaKey(temporaryFolder(t), name)) as [CaKey, CaKey]
  const lists = { krl: before, krlTag: 'k1', principals: {}, principalsTag: 'p1', waitsForBoth: true }
  const told: Told = { ca: first.line, caTag: 'c1', ...lists }
  const { root, answer, untilWaiting, fetched, lastWait } = await startWaiting(t, told, hasty(t))
  const trusted = 'etc/ssh/trusted_user_ca.pub'
  await untilWaiting('/ssh/hosts/wait')
  assert.equal(lastWait(), '/ssh/hosts/wait?krl=k1&principals=p1&ca=c1')
  assert.equal(fetched('/ssh/ca.pub'), 1)

  answer('/ssh/hosts/wait', 304, '', { etag: '"k1+p1+c1"' })
  await untilWaiting('/ssh/hosts/wait')
  Object.assign(told, { krl: after, krlTag: 'k2' })
  answer('/ssh/hosts/wait', 200, JSON.stringify({ krl: 'W/"k2"', principals: '"p1"', ca: '"c1"' }))
  await untilWaiting('/ssh/hosts/wait')
  assert.deepEqual(read(root, 'etc/ssh/revoked_keys'), after)
  assert.equal(fetched('/ssh/ca.pub'), 1, 'neither when nothing changes, nor when something else does')

  Object.assign(told, { ca: next.line, caTag: 'c2', chain: rotationLine(first, [first, next]) })
  answer('/ssh/hosts/wait', 200, JSON.stringify({ krl: 'W/"k2"', principals: '"p1"', ca: '"c2"' }))
  await untilWaiting('/ssh/hosts/wait')
  assert.equal(String(read(root, trusted)), next.line)
  assert.equal(fetched('/ssh/ca.pub'), 2)

  writeFileSync(join(root, trusted), first.line)
  answer('/ssh/hosts/wait', 304, '', { etag: '"k2+p1+c2"' })
  await untilWaiting('/ssh/hosts/wait')
  assert.equal(String(read(root, trusted)), next.line)

  Object.assign(told, { ca: first.line, caTag: 'c3', chain: '' })
  answer('/ssh/hosts/wait', 200, JSON.stringify({ krl: 'W/"k2"', principals: '"p1"', ca: '"c3"' }))
  await untilWaiting('/ssh/hosts/wait')
  assert.equal(
    lastWait(),
    '/ssh/hosts/wait?krl=k2&principals=p1&ca=c3',
    'keys that it refuses are not told again at once',
  )
  assert.equal(String(read(root, trusted)), next.line)
  Object.assign(told, { chain: rotationLine(next, [first], { number: 3 }) })
  answer('/ssh/hosts/wait', 304, '', { etag: '"k2+p1+c3"' })
  await untilWaiting('/ssh/hosts/wait')
  assert.equal(String(read(root, trusted)), first.line, 'and are judged again after each answer')
})

test('from a server that does not tell the tag of the CA keys, a sync fetches them after each answer', async (t) => {
  const { before } = await newLists(t)
  const [first, next] = ['first', 'next'].map((name) => newCaKey(temporaryFolder(t), name)) as [CaKey, CaKey]
  const lists = { krl: before, krlTag: 'k1', principals: {}, principalsTag: 'p1', waitsForBoth: true }
  const told: Told = { ca: first.line, caTag: 'c1', ...lists }
  const { root, answer, untilWaiting, fetched } = await startWaiting(t, told, hasty(t))
  await untilWaiting('/ssh/hosts/wait')
  answer('/ssh/hosts/wait', 304, '', { etag: '"k1+p1"' })
  await untilWaiting('/ssh/hosts/wait')
  assert.equal(fetched('/ssh/ca.pub'), 2)
  Object.assign(told, { ca: next.line, caTag: 'c2', chain: rotationLine(first, [first, next]), principalsTag: 'p2' })
  answer('/ssh/hosts/wait', 200, JSON.stringify({ krl: '"k1"', principals: '"p2"' }))
  await untilWaiting('/ssh/hosts/wait')
  assert.equal(String(read(root, 'etc/ssh/trusted_user_ca.pub')), next.line)
})
