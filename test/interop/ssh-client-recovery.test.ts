import assert from 'node:assert/strict'
import { chmodSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test, type TestContext } from 'node:test'
import { signedInPerson } from '../support/people.ts'
import { until } from '../support/replicas.ts'
import { type Home, newHome, ssh, startAgent } from './home.ts'
import { ACCOUNT } from './openssh.ts'
import { signInSshUser } from './sign-in-ssh-user.ts'
import { age, inAgent, NEVER, readState, signedIn, startFront, stateFolder } from './ssh-client-home.ts'
import { countRequests, decideShown, install, logIn, startService } from './ssh-person.ts'

const sshLine = (home: Home, port: number) =>
  `ssh -F ${home.folder}/.ssh/config -p ${port} -o StrictHostKeyChecking=no -o BatchMode=yes ${ACCOUNT}@127.0.0.1 echo in`

/** The clock of the person’s machine goes on. */
const advance = (home: Home, seconds: number) => home.replace('date', `echo $(($(/bin/date +%s) + ${seconds}))`)

const certificateOf = (home: Home) => readState(home, 'id-cert.pub')

/** A person with an agent, signed in to a server whose answers can be replaced. */
async function behindFront(t: TestContext) {
  const answers: Record<string, string | Buffer | number> = {}
  const requests: string[] = []
  const app = await startFront(t, answers, { seen: (request) => requests.push(request.split(' ', 2).join(' ')) })
  const home = newHome(t, { SSH_AUTH_SOCK: await startAgent(t) })
  const person = await signInSshUser(app)
  await install(home, app)
  await logIn(home, person)
  return { answers, requests, app, home, person }
}

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

  test('a server that does not answer, or not with a list, delays an ssh by a second at most and changes nothing', async (t) => {
    const { answers, requests, home } = await behindFront(t)
    let seconds = 0
    for (const answer of [NEVER, '<!doctype html><p>Sign in to the network first.', 'SSHKRL\n and no more', 500]) {
      answers['/ssh/krl?format=krl'] = answer
      seconds += 61
      advance(home, seconds)
      const before = requests.length
      const { code, output, ms } = await home.run(home.bin, 'ensure')
      assert.deepEqual([code, output], [0, ''], String(answer))
      assert.equal(requests.length, before + 1)
      assert.ok(ms < 4000, `${ms}`)
      assert.ok(!existsSync(join(stateFolder(home), 'krl')))
      t.diagnostic(`${Math.round(ms)} ms`)
    }
    assert.deepEqual(
      readdirSync(stateFolder(home)).filter((name) => name.startsWith('.')),
      [],
    )
  })

  test('a folder that can’t be written is said in one sentence, at once', async (t) => {
    const { home } = await signedIn(t)
    age(home)
    const folder = stateFolder(home)
    const bound = process.getuid?.() === 0 ? ['setpriv', '--bounding-set=-dac_override'] : ['env']
    for (const state of ['free', 'locked by a process that died']) {
      chmodSync(folder, 0o500)
      const { code, output, ms } = await home.run(...(bound as [string]), home.bin, 'ensure')
      chmodSync(folder, 0o700)
      assert.equal(code, 1, state)
      assert.match(output, /^latchkey-ssh: \S+ can't be written\.[^\n]*\n$/, state)
      assert.ok(ms < 10_000, `${ms}`)
      await home.run('mkdir', join(folder, 'lock'))
      writeFileSync(join(folder, 'lock/pid'), '4194999\n')
    }
    assert.equal((await home.run(home.bin, 'ensure')).code, 0)
  })

  test('renewing does not use up the 100 keys, and revokes nothing: a session that is open stays so until logging out', async (t) => {
    const { home, person } = await signedIn(t)
    for (let each = 0; each < 4; each++) {
      age(home)
      assert.equal((await home.run(home.bin, 'ensure')).code, 0)
    }
    const { keys } = (await person.get('/api/ssh/keys')).json<{ keys: object[] }>()
    assert.equal(keys.length, 1)
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
    const { answers, requests, home } = await behindFront(t)
    for (const path of ['/api/ssh/keys', '/api/ssh/certs/issue']) {
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
    }
  })

  test('a server that never answers is waited for 15 seconds at most', async (t) => {
    const { answers, home } = await behindFront(t)
    answers['/api/ssh/keys'] = NEVER
    age(home)
    const { code, output, ms } = await home.run(home.bin, 'ensure')
    assert.equal(code, 1)
    assert.match(output, /can't be reached/)
    assert.ok(ms < 20_000, `${ms}`)
    t.diagnostic(`${Math.round(ms)} ms`)
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

  test('a program without a terminal opens the browser and waits, where a desktop is; one that was ignored opens no other', async (t) => {
    const { app, sshd } = await startService(t)
    const home = newHome(t, { SSH_AUTH_SOCK: await startAgent(t), DISPLAY: ':0' })
    home.replace('xdg-open', `printf '%s' "$1" >"$HOME/opened"`)
    const person = await signInSshUser(app)
    await install(home, app)
    await logIn(home, person)
    await home.run(home.bin, 'logout')
    const running = home.start('sh', '-c', sshLine(home, sshd.port))
    await decideShown(running, person)
    const { code, output } = await running.ended
    assert.equal(code, 0, output)
    assert.match(readFileSync(join(home.folder, 'opened'), 'utf8'), /^http\S+[A-Z]{4}-[A-Z]{4}$/)

    await home.run(home.bin, 'logout')
    writeFileSync(join(stateFolder(home), 'browser-asked'), `${Math.floor(Date.now() / 1000) - 200}\n`)
    const ignored = await home.run(home.bin, 'ensure')
    assert.equal(ignored.code, 1)
    assert.match(ignored.output, /not signed in/)
    const remote = await home.run('env', 'SSH_CONNECTION=192.0.2.1 1 192.0.2.2 22', home.bin, 'ensure')
    assert.match(remote.output, /not signed in/)
  })
})
