import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer, request } from 'node:http'
import { join } from 'node:path'
import { describe, test, type TestContext } from 'node:test'
import type { Notification } from '../../src/identity/notifications/notification-store.ts'
import { SK_DUMMY } from '../platform/openssh/new-security-key.ts'
import { startApp } from '../support/app.ts'
import { createClock } from '../support/clock.ts'
import { freePort } from '../support/free-port.ts'
import { until } from '../support/replicas.ts'
import { type Home, newHome, ssh, startAgent } from './home.ts'
import { ACCOUNT, newKeyPair, sshKeygen, temporaryFolder } from './openssh.ts'
import { signInSshUser } from './sign-in-ssh-user.ts'
import { countRequests, decideShown, install, logIn, startService } from './ssh-person.ts'

const read = (home: Home, path: string) => readFileSync(join(home.folder, path), 'utf8')
const inAgent = async (home: Home) =>
  (await home.run('ssh-add', '-L')).output
    .trim()
    .split('\n')
    .filter((line) => line.startsWith('ssh-'))

/** Makes the certificate look as if it expired soon. */
function age(home: Home): void {
  const [issued] = read(home, '.ssh/latchkey/certificate').split('\n')
  const holder = read(home, '.ssh/latchkey/certificate').split('\n')[2] ?? ''
  const soon = Math.floor(Date.now() / 1000) + 60
  writeFileSync(join(home.folder, '.ssh/latchkey/certificate'), `${issued}\n${soon}\n${holder}\n`)
}

/** A person with an agent who has installed the program and signed in. */
async function signedIn(t: TestContext) {
  const service = await startService(t)
  const home = newHome(t, { SSH_AUTH_SOCK: await startAgent(t) })
  const person = await signInSshUser(service.app)
  await install(home, service.app)
  await logIn(home, person)
  return { ...service, home, person }
}

/** A server whose answers to some paths are given, and that passes every other request on. */
async function startFront(t: TestContext, answers: Record<string, string | Buffer>) {
  const port = await freePort()
  const baseUrl = `http://127.0.0.1:${port}`
  const app = await startApp(t, {
    config: { baseUrl, sshHostPatterns: ['*.test.example'] },
    clock: createClock(Date.now()),
  })
  const behind = await app.listen()
  const server = createServer((incoming, outgoing) => {
    const answer = answers[incoming.url ?? '']
    if (answer !== undefined) return outgoing.end(answer)
    const { method, headers } = incoming
    return incoming.pipe(
      request(`${behind}${incoming.url}`, { method, headers }, (response) => {
        outgoing.writeHead(response.statusCode ?? 502, response.headers)
        response.pipe(outgoing)
      }),
    )
  }).listen(port, '127.0.0.1')
  t.after(() => server.close())
  return app
}

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
      readdirSync(join(home.folder, '.ssh/latchkey')).filter((name) => name.startsWith('id')),
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

  test('the block is the last one of the configuration, sets the username, and what the person has set before it wins', async (t) => {
    const service = await startService(t)
    const home = newHome(t, { SSH_AUTH_SOCK: await startAgent(t) })
    mkdirSync(join(home.folder, '.ssh'), { mode: 0o700 })
    const own = 'Host own.test.example\n  User somebody'
    writeFileSync(join(home.folder, '.ssh/config'), own)
    const person = await signInSshUser(service.app)
    await install(home, service.app)
    await logIn(home, person)
    const config = read(home, '.ssh/config')
    assert.ok(config.startsWith(`${own}\n# BEGIN latchkey-ssh`) && config.endsWith('# END latchkey-ssh\n'), config)
    assert.match(config, /^Match host 127\.0\.0\.1,\*\.test\.example exec "\S+\/latchkey-ssh ensure"$/m)
    assert.doesNotMatch(config, /%/)
    await logIn(home, person)
    assert.equal(read(home, '.ssh/config'), config)
    const userAt = async (host: string) => {
      const { output } = await home.run('ssh', '-F', join(home.folder, '.ssh/config'), '-G', host)
      return /^user (.*)$/m.exec(output)?.[1]
    }
    assert.equal(await userAt('a.test.example'), person.user.preferredUsername)
    assert.equal(await userAt('own.test.example'), 'somebody')
    const before = countRequests(service.app)
    assert.equal(await userAt('elsewhere.example'), ACCOUNT)
    assert.equal(countRequests(service.app), before)
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
      assert.equal(statSync(join(home.folder, '.ssh/latchkey/id')).mode & 0o777, 0o600)
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
    const token = read(home, '.ssh/latchkey/token')
    await app.close()
    assert.equal((await ssh(home, sshd.port)).output.trim(), 'in')
    age(home)
    const { code, output } = await home.run(home.bin, 'ensure')
    assert.equal(code, 1)
    assert.match(output, /can't be reached/)
    assert.equal(read(home, '.ssh/latchkey/token'), token)
    assert.ok(!existsSync(join(home.folder, '.ssh/latchkey/lock')))
  })

  test('a clock that is two minutes wrong changes nothing', async (t) => {
    for (const skew of ['+ 120', '- 120']) {
      const { app, sshd } = await startService(t)
      const home = newHome(t, { SSH_AUTH_SOCK: await startAgent(t) })
      home.replace('date', `echo $(($(/bin/date +%s) ${skew}))`)
      await install(home, app)
      await logIn(home, await signInSshUser(app))
      const before = countRequests(app)
      assert.equal((await ssh(home, sshd.port)).output.trim(), 'in', skew)
      assert.equal(countRequests(app), before, skew)
      // The clock is set right.
      home.replace('date', 'exec /bin/date "$@"')
      assert.equal((await home.run(home.bin, 'ensure')).code, 0)
      assert.equal(countRequests(app), before, skew)
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
    assert.deepEqual(readdirSync(join(home.folder, '.ssh/latchkey')).toSorted(), [
      'made-config',
      'made-folders',
      'settings',
    ])
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

  test('uninstalling leaves the home folder as it was', async (t) => {
    const service = await startService(t)
    const person = await signInSshUser(service.app)
    const list = (folder: string) => readdirSync(folder, { recursive: true }).map(String).toSorted()

    const fresh = newHome(t)
    await install(fresh, service.app)
    await logIn(fresh, person)
    const removed = await fresh.run(fresh.bin, 'uninstall')
    assert.equal(removed.code, 0, removed.output)
    assert.deepEqual(list(fresh.folder), [])

    const used = newHome(t)
    mkdirSync(join(used.folder, '.ssh'), { mode: 0o700 })
    mkdirSync(join(used.folder, 'dotfiles'))
    const config = 'Host *\n  ServerAliveInterval 30'
    writeFileSync(join(used.folder, 'dotfiles/ssh'), config, { mode: 0o644 })
    symlinkSync('../dotfiles/ssh', join(used.folder, '.ssh/config'))
    const before = list(used.folder)
    await install(used, service.app)
    await logIn(used, person)
    assert.match(read(used, 'dotfiles/ssh'), /latchkey-ssh ensure/)
    assert.equal((await used.run(used.bin, 'uninstall')).code, 0)
    assert.deepEqual(list(used.folder), before)
    assert.equal(read(used, 'dotfiles/ssh'), config)
    assert.equal(statSync(join(used.folder, 'dotfiles/ssh')).mode & 0o777, 0o644)
  })

  test('a lock whose process has died is taken over', async (t) => {
    const { home } = await signedIn(t)
    age(home)
    mkdirSync(join(home.folder, '.ssh/latchkey/lock'))
    writeFileSync(join(home.folder, '.ssh/latchkey/lock/pid'), '4194999\n')
    assert.equal((await home.run(home.bin, 'ensure')).code, 0)
  })

  test('a setup script that is cut off does nothing, and the whole one knows its server, whatever the Host header says', async (t) => {
    const app = await startApp(t, { config: { baseUrl: 'https://id.example.org', sshHostPatterns: ['*.example.org'] } })
    const answer = await app.app.inject({ url: '/ssh/client-setup.sh', headers: { host: 'evil.example' } })
    assert.equal(answer.headers['content-type'], 'text/x-shellscript; charset=utf-8')
    assert.equal(answer.headers['access-control-allow-origin'], '*')
    assert.doesNotMatch(answer.body, /evil/)
    assert.match(answer.body, /^url='https:\/\/id\.example\.org'$/m)
    const home = newHome(t)
    const file = join(temporaryFolder(t), 'setup.sh')
    for (let share = 0.05; share < 1; share += 0.05) {
      writeFileSync(file, answer.body.slice(0, Math.floor(answer.body.length * share)))
      await home.run('sh', file)
      assert.deepEqual(readdirSync(home.folder), [], `${share} of the script did something`)
    }
  })

  test('without SSH_HOST_PATTERNS the configuration of ssh is left alone, and the setup says so', async (t) => {
    const { app } = await startService(t, { sshHostPatterns: [] })
    const home = newHome(t)
    const { output } = await install(home, app)
    assert.match(output, /configuration is left alone/)
    await logIn(home, await signInSshUser(app))
    assert.ok(!existsSync(join(home.folder, '.ssh/config')))
  })

  test('it runs under dash and busybox, and ShellCheck finds nothing in it', async (t) => {
    const { app, sshd } = await startService(t)
    const person = await signInSshUser(app)
    for (const shell of [['dash'], ['busybox', 'sh']]) {
      const home = newHome(t, { SSH_AUTH_SOCK: await startAgent(t) })
      await install(home, app, shell)
      const [command = '', ...args] = shell
      const running = home.start(command, ...args, home.bin, 'login')
      await decideShown(running, person)
      const { code, output } = await running.ended
      assert.equal(code, 0, output)
      assert.equal((await home.run(command, ...args, home.bin, 'ensure')).output, '')
      assert.equal((await ssh(home, sshd.port)).output.trim(), 'in')
      assert.equal((await home.run(command, ...args, home.bin, 'uninstall')).code, 0)
    }
    const folder = temporaryFolder(t)
    writeFileSync(join(folder, 'setup'), (await app.app.inject('/ssh/client-setup.sh')).body)
    const program = join(import.meta.dirname, '../../deploy/ssh-client/latchkey-ssh')
    const checked = await newHome(t).run('shellcheck', join(folder, 'setup'), program)
    assert.deepEqual([checked.code, checked.output], [0, ''])
  })

  test('--sk keeps the key on a security key, made anew for each certificate, and ssh logs in with it', async (t) => {
    const { app, sshd } = await startService(t)
    const home = newHome(t, { SSH_SK_PROVIDER: SK_DUMMY })
    const logsIn = async () => (await ssh(home, sshd.port, `SecurityKeyProvider=${SK_DUMMY}`)).output.trim()
    await install(home, app)
    await logIn(home, await signInSshUser(app), '--sk')
    const first = read(home, '.ssh/latchkey/id.pub')
    assert.match(first, /^sk-ssh-ed25519@openssh\.com /)
    assert.equal(await logsIn(), 'in', sshd.logged())
    age(home)
    assert.equal((await home.run(home.bin, 'ensure')).code, 0)
    assert.notEqual(read(home, '.ssh/latchkey/id.pub'), first)
    assert.equal(await logsIn(), 'in', sshd.logged())
  })

  test('it fetches the authority of hosts and the list of revoked ones, and uses the list only when it can be read', async (t) => {
    const folder = temporaryFolder(t)
    const authority = newKeyPair(folder, 'hosts').publicKey
    sshKeygen('-q', '-k', '-f', join(folder, 'krl'))
    const answers: Record<string, string | Buffer> = {
      '/ssh/known_hosts': `@cert-authority *.test.example ${authority}\n`,
      '/ssh/host-krl?format=krl': '<!doctype html><p>Sign in to the network first.',
    }
    const app = await startFront(t, answers)
    const home = newHome(t)
    await install(home, app)
    const person = await signInSshUser(app)
    await logIn(home, person)
    assert.equal(read(home, '.ssh/latchkey/known_hosts'), answers['/ssh/known_hosts'])
    assert.match(
      read(home, '.ssh/config'),
      /^ {4}UserKnownHostsFile \S+\/known_hosts \S+\/known_hosts2 \S+\/latchkey\/known_hosts$/m,
    )
    assert.doesNotMatch(read(home, '.ssh/config'), /RevokedHostKeys/)

    answers['/ssh/host-krl?format=krl'] = readFileSync(join(folder, 'krl'))
    age(home)
    assert.equal((await home.run(home.bin, 'ensure')).code, 0)
    assert.match(read(home, '.ssh/config'), /^ {4}RevokedHostKeys \S+\/revoked_host_keys$/m)
    const { code, output } = await home.run('ssh', '-F', join(home.folder, '.ssh/config'), '-G', 'a.test.example')
    assert.equal(code, 0, output)
    assert.match(output, /^revokedhostkeys \S+\/revoked_host_keys$/m)
  })

  test('hosts lists names, addresses and accounts, whatever characters a name has', async (t) => {
    const hosts = [
      { name: 'Web "front" },{ \\ 1', hostnames: ['web.test.example', '192.0.2.1'], accounts: ['ada', 'deploy'] },
      { name: 'Database', hostnames: ['db.test.example'], accounts: [] },
    ]
    const app = await startFront(t, { '/api/ssh/my-hosts': JSON.stringify({ hosts }) })
    const home = newHome(t)
    await install(home, app)
    assert.match((await home.run(home.bin, 'hosts')).output, /not signed in/)
    await logIn(home, await signInSshUser(app))
    const { code, output } = await home.run(home.bin, 'hosts')
    assert.equal(code, 0, output)
    assert.equal(
      output,
      'Web "front" },{ \\ 1: web.test.example 192.0.2.1  as ada, deploy\nDatabase: db.test.example\n',
    )
  })

  test('an answer that is not understood, as of a network that wants a sign-in of its own, changes nothing', async (t) => {
    const answers: Record<string, string> = {}
    const app = await startFront(t, answers)
    const home = newHome(t)
    await install(home, app)
    await logIn(home, await signInSshUser(app))
    // The access token has expired, so that the next one is fetched with the refresh token.
    const [refreshToken = '', access = ''] = read(home, '.ssh/latchkey/token').split('\n')
    writeFileSync(join(home.folder, '.ssh/latchkey/token'), `${refreshToken}\n${access}\n1\n`)
    age(home)
    const list = () =>
      readdirSync(join(home.folder, '.ssh/latchkey')).map((name) => [name, read(home, `.ssh/latchkey/${name}`)])
    const before = list()
    for (const answer of ['<!doctype html><p>Sign in to the network first.', '[}', '{"access_token":"a\\"b"}', '']) {
      answers['/oauth/token'] = answer
      const { code, output } = await home.run(home.bin, 'ensure')
      assert.equal(code, 1, answer)
      assert.match(output, /not understood/, answer)
      assert.deepEqual(list(), before, answer)
    }
    delete answers['/oauth/token']
    assert.equal((await home.run(home.bin, 'ensure')).code, 0)
  })

  test('a home folder whose name would change the meaning of the configuration is refused', async (t) => {
    const app = await startApp(t, { config: { sshHostPatterns: ['*.test.example'] } })
    const home = newHome(t)
    await install(home, app)
    for (const name of ['/tmp/a b', '/tmp/a%h', '/tmp/$(id)', "/tmp/a'b", '/tmp/a"b', 'relative', '']) {
      for (const shell of ['dash', 'busybox sh']) {
        const { code, output } = await home.run('sh', '-c', `HOME="$1" exec ${shell} ${home.bin} ensure`, 'sh', name)
        assert.equal(code, 1, name)
        assert.match(output, /home folder can't be used/, name)
      }
    }
  })
})
