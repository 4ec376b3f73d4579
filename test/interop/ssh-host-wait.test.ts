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
  chain?: string
  krl: Buffer
  krlTag: string
  principals: object
  principalsTag: string
  /** An older server can't wait for both lists at once. */
  waitsForBoth: boolean
}

/** Runs the sync of an enrolled host that waits, at a server whose requests to wait are answered by the test. */
async function startWaiting(t: TestContext, told: Told, environment: Record<string, string> = {}) {
  const waiting = new Map<string, ServerResponse>()
  const url = await startFakeServer(t, (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost')
    const waits = pathname === '/ssh/hosts/wait' ? told.waitsForBoth : searchParams.has('wait')
    if (waits) {
      waiting.set(pathname, response)
      response.on('close', () => {
        if (waiting.get(pathname) === response) waiting.delete(pathname)
      })
    } else if (pathname === '/ssh/ca.pub') response.end(told.ca)
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
    stdio: 'ignore',
  })
  const ended = once(child, 'exit')
  t.after(async () => {
    child.kill()
    await ended
  })
  const untilWaiting = (...paths: string[]) =>
    until(async () => [...waiting.keys()].toSorted().join(' ') === paths.toSorted().join(' '), 20_000)
  const answer = (path: string, status: number, body = '') => {
    waiting.get(path)?.writeHead(status).end(body)
    waiting.delete(path)
  }
  return { root, answer, untilWaiting }
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
