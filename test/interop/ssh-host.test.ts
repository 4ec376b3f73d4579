import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { runCommand } from '../../src/operations/control/commands.ts'
import { issue, saveKey } from '../ssh/public-keys.ts'
import { startApp } from '../support/app.ts'
import { createClock } from '../support/clock.ts'
import { anonymous } from '../support/people.ts'
import { until } from '../support/replicas.ts'
import { findProgram, newKeyPair, sshKeygen, startSshd, temporaryFolder } from './openssh.ts'
import { signInSshUser } from './sign-in-ssh-user.ts'

const SCRIPTS = join(import.meta.dirname, '../../deploy/ssh-host')
const SYNC = join(SCRIPTS, 'latchkey-ssh-sync')

interface Result {
  code: number
  output: string
}

function run(command: string, args: string[], environment: Record<string, string>): Promise<Result> {
  const env = { PATH: process.env['PATH'], ...environment }
  return new Promise((resolve) => {
    execFile(command, args, { env }, (error, stdout, stderr) => {
      resolve({ code: error ? Number(error.code) : 0, output: stdout + stderr })
    })
  })
}

/** The part of a host's file system that the scripts use. */
function newRoot(t: TestContext): string {
  const root = temporaryFolder(t)
  mkdirSync(join(root, 'etc/ssh'), { recursive: true })
  writeFileSync(join(root, 'etc/ssh/sshd_config'), 'Include /etc/ssh/sshd_config.d/*.conf\nUsePAM yes\n')
  return root
}

const sync = (root: string, url: string) => run(SYNC, [], { LATCHKEY_ROOT: root, LATCHKEY_URL: url })
const install = (root: string, url: string) =>
  run('sh', [join(SCRIPTS, 'install.sh')], { LATCHKEY_ROOT: root, LATCHKEY_URL: url })
const inEtcSsh = (root: string) =>
  readdirSync(join(root, 'etc/ssh'))
    .filter((name) => name !== 'sshd_config')
    .toSorted()
const read = (root: string, path: string) => readFileSync(join(root, path))

/** A server with the given answers, on a free port. */
async function startFakeServer(t: TestContext, answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

test('the sync script writes the CA key and the revocation list, readable by everyone, and leaves no other file behind', async (t) => {
  const app = await startApp(t)
  const [root, url] = [newRoot(t), await app.listen()]
  const { code, output } = await sync(root, url)
  assert.equal(code, 0, output)
  assert.deepEqual(inEtcSsh(root), ['revoked_keys', 'trusted_user_ca.pub'])
  const host = anonymous(app)
  assert.equal(String(read(root, 'etc/ssh/trusted_user_ca.pub')), (await host.get('/ssh/ca.pub')).body)
  assert.deepEqual(read(root, 'etc/ssh/revoked_keys'), (await host.get('/ssh/krl?format=krl')).rawPayload)
  for (const name of inEtcSsh(root)) assert.equal(statSync(join(root, 'etc/ssh', name)).mode & 0o777, 0o644, name)
  assert.match(output, /trusted_user_ca\.pub is new: SHA256:/)
})

test('while the CA is being replaced the sync script installs both keys, and afterwards the new one alone', async (t) => {
  const app = await startApp(t)
  const [root, url, person] = [newRoot(t), await app.listen(), await signInSshUser(app)]
  const keys = () => String(read(root, 'etc/ssh/trusted_user_ca.pub')).trimEnd().split('\n')
  const { id } = await issue(person, await saveKey(person))
  await sync(root, url)
  const [old] = keys()
  await runCommand(app.services, { name: 'rotate-ssh-ca', how: 'publish', trustedForMs: 3600_000 })
  await person.post(`/api/ssh/certs/${id}/revoke`, {})
  const both = await sync(root, url)
  assert.equal(both.code, 0, both.output)
  assert.match(both.output, /trusted_user_ca\.pub is new: SHA256:\S+ SHA256:\S+\./)
  const [first, next, ...others] = keys()
  assert.deepEqual([first, others], [old, []])
  app.clock.advance(2 * 3600_000)
  await app.tick()
  assert.equal((await sync(root, url)).code, 0)
  assert.deepEqual(keys(), [next, old], 'the new one signs')
  app.clock.advance(26 * 3600_000)
  await app.tick()
  assert.equal((await sync(root, url)).code, 0)
  assert.deepEqual(keys(), [next])
})

test('the sync script replaces a file only when it has changed, and replaces it as a whole', async (t) => {
  const app = await startApp(t)
  const [root, url, person] = [newRoot(t), await app.listen(), await signInSshUser(app)]
  const { id } = await issue(person, await saveKey(person))
  await sync(root, url)
  const file = join(root, 'etc/ssh/revoked_keys')
  const before = statSync(file)
  const again = await sync(root, url)
  assert.deepEqual([again.code, again.output], [0, ''])
  assert.equal(statSync(file).ino, before.ino)
  await person.post(`/api/ssh/certs/${id}/revoke`, {})
  assert.match((await sync(root, url)).output, /revoked_keys is new/)
  assert.notEqual(statSync(file).ino, before.ino, 'another file with the same name')
})

test('the sync script keeps the old files unless the server returns a CA key and a complete revocation list', async (t) => {
  const app = await startApp(t)
  const [root, url, person] = [newRoot(t), await app.listen(), await signInSshUser(app)]
  const key = await saveKey(person)
  for (let each = 0; each < 3; each++) await person.post(`/api/ssh/certs/${(await issue(person, key)).id}/revoke`, {})
  assert.equal((await sync(root, url)).code, 0)
  const files = ['etc/ssh/trusted_user_ca.pub', 'etc/ssh/revoked_keys']
  const before = files.map((file) => read(root, file))
  const [ca, krl] = before as [Buffer, Buffer]
  const other = newKeyPair(temporaryFolder(t), 'other').publicKey

  const wrong: Record<string, { ca?: Buffer | string; krl?: Buffer | string; status?: number; cut?: boolean }> = {
    'an error': { status: 503, krl: '{"error":"The revocations can’t be read."}' },
    'a page instead of the list': { krl: '<!doctype html><p>Sign in to the network first.' },
    'a page instead of the key': { ca: '<!doctype html><p>Sign in to the network first.' },
    'a key and something else': { ca: `${String(ca)}${other.replace('ssh-ed25519', 'ssh-rsa')}\n` },
    'too many keys': { ca: String(ca).repeat(9) },
    'a key with options': { ca: `cert-authority ${String(ca)}` },
    'a key that is cut off': { ca: `${String(ca).slice(0, 40)} ca\n` },
    'an empty key': { ca: '' },
    'an empty list': { krl: '' },
    'a list of plain keys': { krl: `${other}\n` },
    'a list that is cut off': { krl: krl.subarray(0, krl.length - 5) },
    'a list whose connection is cut off': { krl, cut: true },
    'a list with bytes after its end': { krl: Buffer.concat([krl, Buffer.from('x')]) },
    'a list of another format': {
      krl: Buffer.concat([krl.subarray(0, 8), Buffer.from([0, 0, 0, 9]), krl.subarray(12)]),
    },
  }
  for (const [name, answer] of Object.entries(wrong)) {
    const server = await startFakeServer(t, (request, response) => {
      const isKey = request.url === '/ssh/ca.pub?trusted=all'
      const body = isKey ? (answer.ca ?? ca) : (answer.krl ?? krl)
      response.writeHead(isKey ? 200 : (answer.status ?? 200), { 'content-length': Buffer.byteLength(body) })
      if (isKey || !answer.cut) response.end(body)
      else response.write(Buffer.from(body).subarray(0, 60), () => response.destroy())
    })
    const { code, output } = await sync(root, server)
    assert.equal(code, 1, `${name}: ${output}`)
    assert.match(output, /left as they are/, name)
    assert.deepEqual(
      files.map((file) => read(root, file)),
      before,
      name,
    )
    assert.deepEqual(inEtcSsh(root), ['revoked_keys', 'trusted_user_ca.pub'], name)
  }
})

test('the sync script keeps the old files when the server can’t be reached', async (t) => {
  const app = await startApp(t)
  const [root, url] = [newRoot(t), await app.listen()]
  assert.equal((await sync(root, url)).code, 0)
  const before = read(root, 'etc/ssh/revoked_keys')
  await app.close()
  const { code, output } = await sync(root, url)
  assert.equal(code, 1)
  assert.match(output, /could not be fetched/)
  assert.deepEqual(read(root, 'etc/ssh/revoked_keys'), before)
})

test('the sync script accepts only HTTPS and loopback addresses, and refuses others before it fetches anything', async (t) => {
  const root = newRoot(t)
  for (const url of [
    'http://id.example.org',
    'http://127.0.0.1.example.org',
    'http://localhost.example.org',
    'http://localhost:80@id.example.org',
    'http://127.0.0.2',
    'ftp://id.example.org',
    'file:///etc/passwd',
    'id.example.org',
    "https://id.example.org/'; touch /tmp/x; '",
    'https://id.example.org/$(id)',
    'https://user:password@id.example.org',
    '',
  ]) {
    const { code, output } = await sync(root, url)
    assert.equal(code, 1, url)
    assert.match(output, /LATCHKEY_URL/, url)
  }
  assert.deepEqual(inEtcSsh(root), [])
})

/** What a server tells an enrolled host, and what the sync of that host waits for. */
interface Told {
  ca: string
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

/** A CA key with two revocation lists of it. */
async function newLists(t: TestContext) {
  const app = await startApp(t)
  const person = await signInSshUser(app)
  const list = async () => (await anonymous(app).get('/ssh/krl?format=krl')).rawPayload
  const before = await list()
  await person.post(`/api/ssh/certs/${(await issue(person, await saveKey(person))).id}/revoke`, {})
  return { ca: (await anonymous(app).get('/ssh/ca.pub')).body, before, after: await list() }
}

test('a sync that waits trusts no other CA before it has the revocations of that moment', async (t) => {
  const { ca, before, after } = await newLists(t)
  const told = { ca, krl: before, krlTag: 'k1', principals: {}, principalsTag: 'p1', waitsForBoth: true }
  const { root, answer, untilWaiting } = await startWaiting(t, told)
  await untilWaiting('/ssh/hosts/wait')
  const next = `${newKeyPair(temporaryFolder(t), 'next').publicKey.trim()}\n`
  // The answer was on its way when the CA was replaced and a certificate of the new one revoked.
  Object.assign(told, { ca: next, krl: after, krlTag: 'k2', principals: { root: ['ada'] }, principalsTag: 'p2' })
  answer('/ssh/hosts/wait', 200, JSON.stringify({ krl: '"k1"', principals: '"p2"' }))
  await until(async () => String(read(root, 'etc/ssh/trusted_user_ca.pub')) === next, 20_000)
  assert.deepEqual(read(root, 'etc/ssh/revoked_keys'), after)
  await untilWaiting('/ssh/hosts/wait')
  assert.equal(String(read(root, 'etc/ssh/latchkey_principals/root')), 'ada\n')
})

test('a sync that follows the lists one by one asks again after an hour to wait for both at once', async (t) => {
  const { ca, before } = await newLists(t)
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

test('the installer fetches the files, configures sshd and starts the timer, and can run twice', async (t) => {
  const app = await startApp(t)
  const [root, url] = [newRoot(t), await app.listen()]
  for (const time of ['once', 'twice']) {
    const { code, output } = await install(root, url)
    assert.equal(code, 0, `${time}: ${output}`)
    const fingerprint = sshKeygen('-l', '-f', join(root, 'etc/ssh/trusted_user_ca.pub')).split(' ')[1] ?? ''
    assert.ok(output.includes(fingerprint))
  }
  assert.deepEqual(inEtcSsh(root), ['revoked_keys', 'sshd_config.d', 'trusted_user_ca.pub'])
  const snippet = String(read(root, 'etc/ssh/sshd_config.d/10-latchkey.conf'))
  assert.match(snippet, /^TrustedUserCAKeys \/etc\/ssh\/trusted_user_ca\.pub$/m)
  assert.match(snippet, /^RevokedKeys \/etc\/ssh\/revoked_keys$/m)
  assert.equal(String(read(root, 'etc/latchkey-ssh.env')), `LATCHKEY_URL='${url}'\n`)
  for (const name of ['latchkey-ssh-sync.service', 'latchkey-ssh-sync.timer']) {
    assert.deepEqual(read(root, `etc/systemd/system/${name}`), readFileSync(join(SCRIPTS, name)))
  }
  assert.ok(existsSync(join(root, 'etc/systemd/system/timers.target.wants/latchkey-ssh-sync.timer')))
  // The installed script finds the server by itself.
  const installed = await run(join(root, 'usr/local/sbin/latchkey-ssh-sync'), [], { LATCHKEY_ROOT: root })
  assert.deepEqual([installed.code, installed.output], [0, ''])
})

test('the installer does not change sshd when the server is unavailable, or when sshd would not read the change', async (t) => {
  const root = newRoot(t)
  const away = await startFakeServer(t, (_request, response) => response.writeHead(503).end())
  const failed = await install(root, away)
  assert.equal(failed.code, 1)
  assert.match(failed.output, /sshd was not changed/)
  assert.deepEqual(inEtcSsh(root), [])

  const app = await startApp(t)
  writeFileSync(join(root, 'etc/ssh/sshd_config'), 'UsePAM yes\n')
  const ignored = await install(root, await app.listen())
  assert.equal(ignored.code, 1)
  assert.match(ignored.output, /Include \/etc\/ssh\/sshd_config\.d\/\*\.conf/)
  assert.deepEqual(inEtcSsh(root), [])
})

test('the host setup script knows the address of its server, and does nothing unless it is complete', async (t) => {
  const first = await startApp(t)
  const address = await first.listen()
  const app = await startApp(t, { config: { baseUrl: address } })
  const response = await anonymous(app).get('/ssh/host-setup.sh', undefined, { host: 'evil.example' })
  assert.equal(response.headers['content-type'], 'text/x-shellscript; charset=utf-8')
  assert.doesNotMatch(response.body, /evil/)
  const root = newRoot(t)
  const file = join(temporaryFolder(t), 'host-setup.sh')
  const lines = response.body.trimEnd().split('\n')
  for (const share of [0.3, 0.6, 0.9]) {
    writeFileSync(file, lines.slice(0, Math.floor(lines.length * share)).join('\n'))
    await run('sh', [file], { LATCHKEY_ROOT: root })
    assert.deepEqual(inEtcSsh(root), [], `${share} of the script did something`)
  }
  writeFileSync(file, response.body)
  const { code, output } = await run('sh', ['-c', `cat ${file} | sh`], { LATCHKEY_ROOT: root })
  assert.equal(code, 0, output)
  assert.equal(String(read(root, 'etc/latchkey-ssh.env')), `LATCHKEY_URL='${address}'\n`)
  assert.equal(String(read(root, 'etc/ssh/trusted_user_ca.pub')), (await anonymous(first).get('/ssh/ca.pub')).body)
})

test('a host accepts a certificate, and refuses it from the first sync after its revocation', async (t) => {
  const app = await startApp(t, { clock: createClock(Date.now()) })
  const [root, url, person] = [newRoot(t), await app.listen(), await signInSshUser(app)]
  assert.equal((await sync(root, url)).code, 0)
  const files = { trusted: join(root, 'etc/ssh/trusted_user_ca.pub'), revoked: join(root, 'etc/ssh/revoked_keys') }
  const sshd = await startSshd(t, files)
  const { path, publicKey } = newKeyPair(temporaryFolder(t), 'laptop')
  const { id, certificate } = await issue(person, await saveKey(person, publicKey))
  assert.equal(await sshd.login(path, certificate), true, sshd.logged())
  await person.post(`/api/ssh/certs/${id}/revoke`, {})
  assert.equal((await sync(root, url)).code, 0)
  assert.equal(await sshd.login(path, certificate), false)
})

test('sshd accepts the configuration that the installer writes', async (t) => {
  const app = await startApp(t)
  const root = newRoot(t)
  await install(root, await app.listen())
  const { path } = newKeyPair(root, 'host')
  const config = join(root, 'sshd_config')
  writeFileSync(config, `Include ${root}/etc/ssh/sshd_config.d/*.conf\nHostKey ${path}\n`)
  if (process.getuid?.() === 0) mkdirSync('/run/sshd', { recursive: true, mode: 0o755 })
  const args = ['-T', '-f', config, '-C', 'user=root,host=localhost,addr=127.0.0.1']
  const { code, output } = await run(findProgram('sshd'), args, {})
  assert.equal(code, 0, output)
  assert.match(output, /^trustedusercakeys \/etc\/ssh\/trusted_user_ca\.pub$/m)
  assert.match(output, /^revokedkeys \/etc\/ssh\/revoked_keys$/m)
})
