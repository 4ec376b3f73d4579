import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { signedInPerson } from '../support/people.ts'
import { until } from '../support/replicas.ts'
import { newHome, ssh, startAgent } from './home.ts'
import { newKeyPair, temporaryFolder } from './openssh.ts'
import { signInSshUser } from './sign-in-ssh-user.ts'
import {
  advance,
  age,
  behindFront,
  certificateOf,
  inAgent,
  NEVER,
  signedIn,
  sshLine,
  stateFolder,
} from './ssh-client-home.ts'
import { countRequests, decideShown, install, logIn, startService } from './ssh-person.ts'

const mine = async (person: Awaited<ReturnType<typeof signInSshUser>>) =>
  (await person.get('/api/ssh/certs/mine')).json<{ certificates: { id: string; revokedAt: number | null }[] }>()
    .certificates

/** Every file below a folder that holds a private key. */
const privateKeysIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true })
    .map((name) => join(folder, String(name)))
    .filter((path) => statSync(path).isFile() && readFileSync(path, 'utf8').includes('BEGIN OPENSSH PRIVATE KEY'))

// Most of the time is spent waiting between two polls, so several run at the same time.
describe('latchkey-ssh', { concurrency: 4 }, () => {
  test('a sign-in that the server has ended is begun anew in the same ssh', async (t) => {
    const { app, home, person, sshd } = await signedIn(t)
    const administrator = await signedInPerson(app, { admin: true })
    for (const disabled of [true, false]) await administrator.patch('/oauth/clients/latchkey-ssh', { disabled })
    age(home)
    const running = home.onTerminal(sshLine(home, sshd.port))
    await decideShown(running, person)
    const { code, output } = await running.ended
    assert.equal(code, 0, output)
    assert.match(output, /^in\r?$/m)
    assert.equal(countRequests(app, '/oauth/device_authorization'), 2)
  })

  test('a revoked certificate is replaced in the same ssh, without a sign-in, and one question a minute is enough', async (t) => {
    const { app, home, person, sshd, sync } = await signedIn(t)
    const first = certificateOf(home)
    const [newest] = await mine(person)
    assert.equal((await person.post(`/api/ssh/certs/${newest?.id}/revoke`)).statusCode, 200)
    await sync()
    const before = countRequests(app)
    assert.equal((await home.run(home.bin, 'ensure')).code, 0)
    assert.equal(countRequests(app), before, 'the certificate was issued less than a minute ago')
    advance(home, 61)
    assert.equal((await ssh(home, sshd.port)).output.trim(), 'in', sshd.logged())
    assert.notEqual(certificateOf(home), first)
    const asked = countRequests(app)
    assert.equal((await ssh(home, sshd.port)).output.trim(), 'in')
    assert.equal(countRequests(app), asked)

    advance(home, 125)
    await Promise.all([1, 2, 3, 4].map(() => home.run(home.bin, 'ensure')))
    assert.equal(countRequests(app), asked + 1, 'four at once ask once')
    assert.equal(countRequests(app, '/oauth/device_authorization'), 1)
  })

  test('of a revoked certificate nobody is told that it is good', async (t) => {
    const { home, person } = await signedIn(t)
    assert.match((await home.run(home.bin, 'status')).output, /good for 7 h|good for 8 h/)
    const [newest] = await mine(person)
    await person.post(`/api/ssh/certs/${newest?.id}/revoke`)
    const { code, output } = await home.run(home.bin, 'status')
    assert.equal(code, 1)
    assert.match(output, /^Certificate: revoked$/m)
    assert.doesNotMatch(output, /good/)
    const before = certificateOf(home)
    assert.equal((await home.run(home.bin, 'ensure')).code, 0)
    assert.notEqual(certificateOf(home), before)
  })

  test('renewing does not use up the 100 keys, and revokes nothing: a session that is open stays so until logging out', async (t) => {
    const { home, person } = await signedIn(t)
    const folder = temporaryFolder(t)
    for (let each = 0; each < 98; each++) {
      const { publicKey } = newKeyPair(folder, `key${each}`)
      const saved = await person.post('/api/ssh/keys', { name: `Key ${each}`, publicKey })
      assert.equal(saved.statusCode, 201, saved.body)
    }
    for (let each = 0; each < 4; each++) {
      age(home)
      const renewed = await home.run(home.bin, 'ensure')
      assert.deepEqual([renewed.code, renewed.output], [0, ''])
    }
    const { keys } = (await person.get('/api/ssh/keys')).json<{ keys: object[] }>()
    assert.equal(keys.length, 99)
    const certificates = await mine(person)
    assert.deepEqual(
      certificates.map(({ revokedAt }) => revokedAt),
      [null, null, null, null, null],
    )
    assert.equal((await home.run(home.bin, 'logout')).code, 0)
    assert.ok((await mine(person)).every(({ revokedAt }) => revokedAt !== null))
  })

  test('a key that gets no certificate is not left at the server', async (t) => {
    const { answers, home, person, app } = await behindFront(t)
    answers['/api/ssh/certs/issue'] = 503
    age(home)
    assert.equal((await home.run(home.bin, 'ensure')).code, 1)
    assert.equal((await person.get('/api/ssh/keys')).json<{ keys: object[] }>().keys.length, 1)
    assert.equal(countRequests(app, '/api/ssh/keys/'), 1)
  })

  test('killed in the middle it leaves no private key behind, and the next run removes the rest', async (t) => {
    const { answers, requests, home, person } = await behindFront(t)
    for (const path of ['/api/ssh/keys', '/api/ssh/certs/issue', '/api/ssh/certs/issue']) {
      answers[path] = NEVER
      age(home)
      const running = home.start(home.bin, 'ensure')
      await until(async () => requests.at(-1) === `POST ${path}`)
      running.child.kill('SIGKILL')
      delete answers[path]
      assert.deepEqual(privateKeysIn(home.folder), [], path)
      assert.ok(existsSync(join(stateFolder(home), '.work')))
      const again = await home.run(home.bin, 'ensure')
      assert.equal(again.code, 0, again.output)
      assert.ok(!existsSync(join(stateFolder(home), '.work')))
      assert.equal((await inAgent(home)).length, 2)
      const { keys } = (await person.get('/api/ssh/keys')).json<{ keys: object[] }>()
      assert.equal(keys.length, 1, 'a key that got no certificate is deleted by the next run')
    }
  })

  test('a certificate of a role that allows a minute is used for most of it', async (t) => {
    const { app, sshd } = await startService(t, { sshCertDefaultTtl: 60 })
    const home = newHome(t, { SSH_AUTH_SOCK: await startAgent(t) })
    await install(home, app)
    const person = await signInSshUser(app)
    const { output } = await logIn(home, person)
    assert.match(output, /good for 0 h 1 min/)
    const before = countRequests(app)
    assert.equal((await home.run(home.bin, 'ensure')).code, 0)
    assert.equal((await ssh(home, sshd.port)).output.trim(), 'in')
    assert.equal(countRequests(app), before)
    advance(home, 50)
    assert.equal((await home.run(home.bin, 'ensure')).code, 0)
    assert.equal((await mine(person)).length, 2)
  })
})
