import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import type { Notification } from '../../src/identity/notifications/notification-store.ts'
import { until } from '../support/replicas.ts'
import { newHome, ssh, startAgent } from './home.ts'
import { ACCOUNT, newKeyPair, temporaryFolder } from './openssh.ts'
import { signInSshUser } from './sign-in-ssh-user.ts'
import { age, inAgent, readState, signedIn, stateFolder } from './ssh-client-home.ts'
import { countRequests, decideShown, install, logIn, startService } from './ssh-person.ts'

// Most of the time is spent waiting between two polls, so several run at the same time.
describe('latchkey-ssh', { concurrency: 6 }, () => {
  test('in a fresh home folder: setup, one sign-in, and ssh logs in; the next ssh asks the server nothing', async (t) => {
    const { app, home, person, sshd } = await signedIn(t)
    const first = await ssh(home, sshd.port)
    assert.equal(first.output.trim(), 'in', sshd.logged())
    const before = countRequests(app)
    assert.ok(before > 0)
    assert.equal((await ssh(home, sshd.port)).output.trim(), 'in')
    const times: number[] = []
    for (let each = 0; each < 10; each++) {
      const ensured = await home.run(home.bin, 'ensure')
      assert.deepEqual([ensured.code, ensured.output], [0, ''])
      times.push(ensured.ms)
    }
    assert.equal(countRequests(app), before)
    t.diagnostic(
      `latchkey-ssh ensure with a good certificate: ${Math.round(times.toSorted((a, b) => a - b)[5] ?? 0)} ms`,
    )

    // The private key is in the agent alone, for as long as the certificate.
    assert.deepEqual(
      readdirSync(stateFolder(home)).filter((name) => name.startsWith('id')),
      ['id-cert.pub', 'id.pub'],
    )
    assert.equal((await inAgent(home)).length, 2)
    assert.equal(statSync(join(home.folder, '.ssh/latchkey')).mode & 0o777, 0o700)
    const { keys } = (await person.get('/api/ssh/keys')).json<{ keys: { ephemeral: boolean }[] }>()
    assert.deepEqual(
      keys.map(({ ephemeral }) => ephemeral),
      [true],
    )
    const shown = await home.run(home.bin, 'status')
    assert.equal(shown.code, 0)
    assert.match(shown.output, new RegExp(`Accounts: +${person.user.preferredUsername}, ${ACCOUNT}`))
  })

  test('two terminals at once sign in once', async (t) => {
    const service = await startService(t)
    const home = newHome(t, { SSH_AUTH_SOCK: await startAgent(t) })
    const person = await signInSshUser(service.app)
    await install(home, service.app)
    const terminals = [home.onTerminal(`${home.bin} ensure`), home.onTerminal(`${home.bin} ensure`)]
    const showing = () => terminals.find((terminal) => terminal.output().includes('enter the code'))
    await until(async () => showing() !== undefined)
    await decideShown(showing() ?? assert.fail('No terminal shows a code.'), person)
    for (const terminal of terminals) {
      const { code, output } = await terminal.ended
      assert.equal(code, 0, output)
    }
    assert.equal(countRequests(service.app, '/oauth/device_authorization'), 1)
    assert.equal(countRequests(service.app, '/api/ssh/certs/issue'), 1)
  })

  test('without an agent the key is in a file that only the person can read', async (t) => {
    for (const environment of [{}, { SSH_AUTH_SOCK: '/nonexistent/agent' }]) {
      const { app, sshd } = await startService(t)
      const home = newHome(t, environment)
      await install(home, app)
      await logIn(home, await signInSshUser(app))
      assert.equal(statSync(join(home.folder, '.ssh/latchkey')).mode & 0o777, 0o700)
      assert.equal(statSync(join(stateFolder(home), 'id')).mode & 0o777, 0o600)
      assert.equal((await ssh(home, sshd.port)).output.trim(), 'in')
    }
  })

  test('an agent full of other keys does not get in the way', async (t) => {
    const { home, sshd } = await signedIn(t)
    const folder = temporaryFolder(t)
    for (let each = 0; each < 10; each++) await home.run('ssh-add', '-q', newKeyPair(folder, `other${each}`).path)
    assert.equal((await inAgent(home)).length, 12)
    assert.equal((await ssh(home, sshd.port)).output.trim(), 'in')
  })

  test('a certificate is renewed without the person, and the old key leaves the agent', async (t) => {
    const { app, home, person, sshd } = await signedIn(t)
    const before = await inAgent(home)
    age(home)
    const renewed = await home.run(home.bin, 'ensure')
    assert.deepEqual([renewed.code, renewed.output], [0, ''])
    const after = await inAgent(home)
    assert.equal(after.length, 2)
    assert.ok(after.every((line) => !before.includes(line)))
    assert.equal((await ssh(home, sshd.port)).output.trim(), 'in')
    assert.equal(countRequests(app, '/oauth/device_authorization'), 1)
    const { notifications } = (await person.get('/api/notifications')).json<{ notifications: Notification[] }>()
    assert.deepEqual(notifications.map(({ type }) => type).toSorted(), ['oauth.device_approved', 'ssh.cert_issued'])
  })

  test('a key that the agent has lost is replaced', async (t) => {
    const { home, sshd } = await signedIn(t)
    await home.run('ssh-add', '-D')
    assert.equal((await ssh(home, sshd.port)).output.trim(), 'in')
  })

  test('without a terminal, somebody who is not signed in is told so within a second', async (t) => {
    const service = await startService(t)
    const home = newHome(t)
    await install(home, service.app)
    const { code, output, ms } = await home.run(home.bin, 'ensure')
    assert.equal(code, 1)
    assert.match(output, /not signed in/)
    t.diagnostic(`refused after ${Math.round(ms)} ms`)
    assert.equal(countRequests(service.app, '/oauth/'), 0)
  })

  test('while the server is away a good certificate works, a stale one is refused, and the sign-in is kept', async (t) => {
    const { app, home, sshd } = await signedIn(t)
    const token = readState(home, 'token')
    await app.close()
    assert.equal((await ssh(home, sshd.port)).output.trim(), 'in')
    age(home)
    const { code, output } = await home.run(home.bin, 'ensure')
    assert.equal(code, 1)
    assert.match(output, /can't be reached/)
    assert.equal(readState(home, 'token'), token)
    assert.ok(!existsSync(join(stateFolder(home), 'lock')))
  })

  test('a clock that is two minutes wrong needs no new certificate', async (t) => {
    for (const skew of ['+ 120', '- 120']) {
      const { app, sshd } = await startService(t)
      const home = newHome(t, { SSH_AUTH_SOCK: await startAgent(t) })
      home.replace('date', `echo $(($(/bin/date +%s) ${skew}))`)
      await install(home, app)
      await logIn(home, await signInSshUser(app))
      const before = countRequests(app, '/api/')
      assert.equal((await ssh(home, sshd.port)).output.trim(), 'in', skew)
      assert.equal(countRequests(app, '/api/'), before, skew)
      // The clock is set right.
      home.replace('date', 'exec /bin/date "$@"')
      assert.equal((await home.run(home.bin, 'ensure')).code, 0)
      assert.equal(countRequests(app, '/api/'), before, skew)
    }
  })

  test('refusing in the browser ends the sign-in', async (t) => {
    const { app } = await startService(t)
    const home = newHome(t)
    await install(home, app)
    const running = home.start(home.bin, 'login')
    await decideShown(running, await signInSshUser(app), false)
    const { code, output } = await running.ended
    assert.equal(code, 1)
    assert.match(output, /refused in the browser/)
    assert.deepEqual(
      ['token', 'certificate', 'id', 'id.pub', 'lock', '.work'].filter((name) =>
        existsSync(join(stateFolder(home), name)),
      ),
      [],
    )
  })

  test('no token and no code of the device is in an argument of a program', async (t) => {
    const { app } = await startService(t)
    const home = newHome(t, { SSH_AUTH_SOCK: await startAgent(t) })
    const log = join(temporaryFolder(t), 'arguments')
    for (const name of ['curl', 'awk', 'cat', 'cp', 'tr'])
      home.replace(name, `printf '%s\\n' "$@" >>${log}\nPATH=\${PATH#*:} exec ${name} "$@"`)
    await install(home, app)
    await logIn(home, await signInSshUser(app))
    age(home)
    await home.run(home.bin, 'ensure')
    await home.run(home.bin, 'logout')
    const args = readFileSync(log, 'utf8')
    assert.match(args, /\/oauth\/token/)
    assert.doesNotMatch(args, /(at|rt|dc)_[A-Za-z0-9_-]{20}/)
  })

  test('logging out revokes the certificate and the token, and empties the agent', async (t) => {
    const { home, person, sync, sshd } = await signedIn(t)
    assert.equal((await home.run(home.bin, 'logout')).code, 0)
    assert.deepEqual(await inAgent(home), [])
    assert.deepEqual((await person.get('/api/ssh/keys')).json(), { keys: [] })
    const { certificates } = (await person.get('/api/ssh/certs/mine')).json<{
      certificates: { revokedAt: number | null }[]
    }>()
    assert.ok(certificates.length > 0 && certificates.every(({ revokedAt }) => revokedAt !== null))
    await sync()
    assert.notEqual((await ssh(home, sshd.port)).code, 0)
    assert.equal((await home.run(home.bin, 'status')).code, 1)
  })

  test('a lock whose process has died is taken over', async (t) => {
    const { home } = await signedIn(t)
    age(home)
    mkdirSync(join(stateFolder(home), 'lock'))
    writeFileSync(join(stateFolder(home), 'lock/pid'), '4194999\n')
    assert.equal((await home.run(home.bin, 'ensure')).code, 0)
  })
})
