import assert from 'node:assert/strict'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { SK_DUMMY } from '../platform/openssh/new-security-key.ts'
import { newHome, ssh } from './home.ts'
import { newKeyPair, sshKeygen, temporaryFolder } from './openssh.ts'
import { signInSshUser } from './sign-in-ssh-user.ts'
import { age, read, readState, startFront, stateFolder } from './ssh-client-home.ts'
import { install, logIn, startService } from './ssh-person.ts'

// Most of the time is spent waiting between two polls, so several run at the same time.
describe('latchkey-ssh', { concurrency: 6 }, () => {
  test('--sk keeps the key on a security key, made anew for each certificate, and ssh logs in with it', async (t) => {
    const { app, sshd } = await startService(t)
    const home = newHome(t, { SSH_SK_PROVIDER: SK_DUMMY })
    const logsIn = async () => (await ssh(home, sshd.port, `SecurityKeyProvider=${SK_DUMMY}`)).output.trim()
    await install(home, app)
    await logIn(home, await signInSshUser(app), '--sk')
    const first = readState(home, 'id.pub')
    assert.match(first, /^sk-ssh-ed25519@openssh\.com /)
    assert.equal(await logsIn(), 'in', sshd.logged())
    age(home)
    assert.equal((await home.run(home.bin, 'ensure')).code, 0)
    assert.notEqual(readState(home, 'id.pub'), first)
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
    const [type, blob] = authority.split(' ')
    assert.equal(readState(home, 'known_hosts'), `@cert-authority *.test.example ${type} ${blob}\n`)
    assert.match(
      read(home, '.ssh/config'),
      /^ {4}UserKnownHostsFile \S+\/known_hosts \S+\/known_hosts2 \S+\/latchkey\/\S+\/known_hosts$/m,
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
    const [refreshToken = '', access = ''] = readState(home, 'token').split('\n')
    writeFileSync(join(stateFolder(home), 'token'), `${refreshToken}\n${access}\n1\n`)
    age(home)
    const list = () => readdirSync(stateFolder(home)).map((name) => [name, readState(home, name)])
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
})
