import assert from 'node:assert/strict'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { runCommand } from '../../src/operations/control/commands.ts'
import { issue, saveKey } from '../ssh/public-keys.ts'
import { startApp } from '../support/app.ts'
import { anonymous } from '../support/people.ts'
import { newKeyPair, temporaryFolder } from './openssh.ts'
import { signInSshUser } from './sign-in-ssh-user.ts'
import { newRoot, sync, inEtcSsh, read, startFakeServer } from './ssh-host-scripts.ts'

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
