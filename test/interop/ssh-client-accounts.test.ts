import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test, type TestContext } from 'node:test'
import type { Role } from '../../src/identity/roles/role.ts'
import { createHost } from '../ssh/hosts/managed-host.ts'
import type { TestApp } from '../support/app.ts'
import { type SignedInPerson, signedInPerson } from '../support/people.ts'
import { setUpHost } from './enrolled-host.ts'
import { type Home, newHome, ssh, startAgent } from './home.ts'
import { ACCOUNT, newKeyPair, sshKeygen, temporaryFolder } from './openssh.ts'
import { age, NEVER, read, readState, startFront, stateFolder } from './ssh-client-home.ts'
import { countRequests, install, logIn, startService } from './ssh-person.ts'

async function giveRole(admin: SignedInPerson, person: SignedInPerson, content: object): Promise<Role> {
  const made = await admin.post('/api/admin/roles', { name: `Role ${Math.random()}`, ...content })
  assert.equal(made.statusCode, 201, made.body)
  const { role } = made.json<{ role: Role }>()
  const given = await admin.post(`/api/admin/users/${person.user.id}/roles`, { roleId: role.id })
  assert.equal(given.statusCode, 200, given.body)
  return role
}

const PERMISSIONS = ['ssh:keys:manage', 'ssh:cert:issue'] as const

/** Somebody with a plain role, and with a role with a rule that alone gives the account of this machine. */
async function withRuleAndPlainRole(t: TestContext) {
  const service = await startService(t)
  const admin = await signedInPerson(service.app, { admin: true })
  const person = await signedInPerson(service.app, { permissions: [...PERMISSIONS], principals: ['web'] })
  const ruled = await giveRole(admin, person, { principals: [ACCOUNT], ssh: { forceCommand: 'echo ruled' } })
  const home = newHome(t, { SSH_AUTH_SOCK: await startAgent(t) })
  await install(home, service.app)
  return { ...service, admin, person, ruled, home }
}

const enroll = async (t: TestContext, app: TestApp, admin: SignedInPerson) => {
  const { host, command } = await createHost(admin, { hostnames: ['127.0.0.1'] })
  return { ...(await setUpHost(t, command)), hostId: host.id, app }
}

/** Asks about hosts that are not known, as on a terminal. */
const strictly = (home: Home, port: number) => ssh(home, port, 'StrictHostKeyChecking=yes')

// Most of the time is spent waiting between two polls, so several run at the same time.
describe('latchkey-ssh', { concurrency: 4 }, () => {
  test('with a rule and a plain role, ssh gets each account the certificate that opens it', async (t) => {
    const { app, admin, person, home, sshd } = await withRuleAndPlainRole(t)
    const host = await enroll(t, app, admin)
    await logIn(home, person)
    const username = person.user.preferredUsername
    assert.match((await home.run(home.bin, 'status')).output, new RegExp(`^Accounts: +${username}, web$`, 'm'))
    assert.match(
      read(home, '.ssh/config'),
      new RegExp(`^Match host \\S+ user ${ACCOUNT} exec "\\S+/latchkey-ssh ensure --as ${ACCOUNT}"$`, 'm'),
    )
    assert.doesNotMatch(read(home, '.ssh/config'), /user web exec|%/)
    const { output } = await strictly(home, host.sshd.port)
    assert.equal(output.trim(), 'ruled', host.sshd.logged())
    const before = countRequests(app)
    assert.equal((await strictly(home, host.sshd.port)).output.trim(), 'ruled')
    assert.equal(countRequests(app), before, 'a second ssh asks nothing')
    assert.match((await home.run(home.bin, 'status')).output, new RegExp(`^As ${ACCOUNT}: +good for `, 'm'))
    assert.equal((await ssh(home, sshd.port)).output.trim(), 'ruled', 'nor with an sshd that is not enrolled')
  })

  test('--as gets a certificate for that account alone, and one for an account that nobody gives is refused', async (t) => {
    const { person, home, ruled, admin, app } = await withRuleAndPlainRole(t)
    await logIn(home, person)
    const own = await home.run(home.bin, 'ensure', '--as', 'web')
    assert.deepEqual([own.code, own.output], [0, ''])
    const principals = (account: string) =>
      sshKeygen('-L', '-f', join(stateFolder(home), `as/${account}/id-cert.pub`)).match(
        /Principals: \n\s+(.*)\n\s+Critical Options:(.*)/,
      )?.[1]
    assert.equal(principals('web'), 'web')
    const ordinary = readState(home, 'id-cert.pub')
    assert.equal((await home.run(home.bin, 'ensure', `--as=${ACCOUNT}`)).code, 0)
    assert.equal(principals(ACCOUNT), ACCOUNT)
    assert.equal(readState(home, 'id-cert.pub'), ordinary, 'several are kept side by side')
    const foreign = await home.run(home.bin, 'ensure', '--as', 'nobody')
    assert.equal(foreign.code, 1)
    assert.match(foreign.output, /No role of yours gives you nobody/)
    for (const name of ['../x', 'a b', '%r', '-x', 'a"b', 'A', ''])
      assert.match((await home.run(home.bin, 'ensure', '--as', name)).output, /needs the name of an account/, name)

    // The role is taken away: the certificate is not asked for again.
    await admin.delete(`/api/admin/users/${person.user.id}/roles/${ruled.id}`)
    age(home)
    assert.equal((await home.run(home.bin, 'ensure')).code, 0)
    assert.equal(readState(home, 'accounts'), '')
    assert.ok(countRequests(app, '/api/ssh/my-hosts') > 1)
  })

  test('while the server is away, ssh asks nothing about the key of an enrolled host', async (t) => {
    const { app, admin, person, home } = await withRuleAndPlainRole(t)
    const host = await enroll(t, app, admin)
    await logIn(home, person)
    assert.equal((await strictly(home, host.sshd.port)).output.trim(), 'ruled', host.sshd.logged())
    await app.close()
    await home.run('ssh-add', '-D')
    const refused = await strictly(home, host.sshd.port)
    assert.match(refused.output, /can't be reached/)
    assert.match(refused.output, /Permission denied/)
    assert.doesNotMatch(refused.output, /authenticity|verification failed/)
    const { output } = await home.run('ssh', '-F', join(home.folder, '.ssh/config'), '-G', 'elsewhere.example')
    assert.doesNotMatch(output, /latchkey/)
  })

  test('names of a hostile server get into no configuration and no terminal', async (t) => {
    const evil = 'evil\\u001b[2J\\u009b31m\\\\033[1m\u001b]0;x\u0007\u009b2J\n'.replaceAll('\n', '')
    const names = ['root" exec "touch x', 'a\\nProxyCommand touch x', '../../x', '*', 'deploy', '%r', evil]
    const answers: Record<string, string | Buffer | number> = {
      '/api/ssh/principals': JSON.stringify({ principals: ['ada', ...names] }),
      '/api/ssh/my-hosts': JSON.stringify({ hosts: [{ name: evil, hostnames: [evil], accounts: names }] }),
    }
    const app = await startFront(t, answers)
    const home = newHome(t, { LANG: 'C.UTF-8' })
    const person = await signedInPerson(app, { permissions: [...PERMISSIONS], principals: ['web'] })
    await install(home, app)
    await logIn(home, person)
    const config = read(home, '.ssh/config')
    assert.deepEqual(config.match(/ user \S+/g), [' user deploy'])
    assert.doesNotMatch(config, /touch|ProxyCommand|evil|%/)
    // eslint-disable-next-line no-control-regex
    const control = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/
    for (const shell of ['dash', 'busybox sh']) {
      const hosts = await home.run(...(shell.split(' ') as [string]), home.bin, 'hosts')
      assert.match(hosts.output, /evil/)
      assert.doesNotMatch(hosts.output, control)
      answers['/api/ssh/keys'] = JSON.stringify({ error: evil })
      age(home)
      const refused = await home.run(...(shell.split(' ') as [string]), home.bin, 'ensure')
      assert.match(refused.output, /has refused \(200\)\. evil/)
      assert.doesNotMatch(refused.output, control)
      delete answers['/api/ssh/keys']
    }
  })

  test('the authority of hosts is followed from key to key by signatures, and never without or backwards', async (t) => {
    const folder = temporaryFolder(t)
    const [first, second, third, foreign] = ['first', 'second', 'third', 'foreign'].map((name) =>
      newKeyPair(folder, name),
    )
    assert.ok(first && second && third && foreign)
    const bare = ({ publicKey }: { publicKey: string }) => publicKey.split(' ').slice(0, 2).join(' ')
    let count = 0
    const link = (by: { path: string }, content: object, namespace = 'latchkey-ca') => {
      const payload = JSON.stringify({ installation: 'one', kind: 'host', ...content })
      const file = join(folder, `link${++count}`)
      writeFileSync(file, payload)
      sshKeygen('-q', '-Y', 'sign', '-f', by.path, '-n', namespace, file)
      const signature = read({ folder } as Home, `link${count}.sig`).replaceAll(/-----[^-]+-----|\s/g, '')
      return `${Buffer.from(payload).toString('base64')} ${signature}\n`
    }
    const answers: Record<string, string | Buffer | number> = {}
    const say = (chain: string | number, ...listed: (typeof first)[]) => {
      answers['/ssh/ca-chain'] = chain
      answers['/ssh/known_hosts'] = listed.map((key) => `@cert-authority * ${key.publicKey}\n`).join('')
    }
    const app = await startFront(t, answers)
    const home = newHome(t)
    await install(home, app)
    const trusted = () => readState(home, 'known_hosts').trim().split('\n')
    const lines = (...keys: (typeof first)[]) => keys.map((key) => `@cert-authority *.test.example ${bare(key)}`)
    const renew = async () => {
      age(home)
      const result = await home.run(home.bin, 'ensure')
      assert.equal(result.code, 0, result.output)
      return result.output
    }

    // An older server has no chain: what it says is taken.
    say(404, first)
    await logIn(home, await signedInPerson(app, { permissions: [...PERMISSIONS], principals: ['web'] }))
    assert.deepEqual(trusted(), lines(first))
    say(404, second)
    await renew()
    assert.deepEqual(trusted(), lines(second))
    say('', first)
    await renew()
    assert.deepEqual(trusted(), lines(first), 'from here on it is pinned')

    const refused = async (why: string, chain: string | number, ...listed: (typeof first)[]) => {
      say(chain, ...listed)
      const output = await renew()
      assert.deepEqual(trusted(), lines(first), why)
      return output
    }
    const next = { number: 1, keys: [first.publicKey, second.publicKey] }
    assert.match(await refused('without a line', '', foreign), /nothing proves/)
    assert.equal(await refused('a server that forgot its chain', 404, foreign), '')
    assert.equal(await refused('a page of another network', '<p>Sign in first.', foreign), '')
    assert.equal(await refused('no answer', 503, foreign), '')
    await refused('signed by a stranger', link(foreign, next), first, second)
    await refused('of the other kind', link(first, { ...next, kind: 'user' }), first, second)
    await refused('signed for something else', link(first, next, 'file'), first, second)
    const [payload = '', signature = ''] = link(first, next).split(' ')
    const altered = Buffer.from(payload, 'base64').toString().replace('"number":1', '"number":9')
    await refused('altered', `${Buffer.from(altered).toString('base64')} ${signature}`, first, second)

    const one = link(first, next)
    say(one, first, second)
    assert.equal(await renew(), '')
    assert.deepEqual(trusted(), lines(first, second))
    say(one, second)
    assert.equal(await renew(), '')
    assert.deepEqual(trusted(), lines(second), 'what is no longer listed is dropped')
    say(one, foreign)
    await renew()
    assert.deepEqual(trusted(), lines(second), 'but never the last one')
    const two = link(second, { number: 2, keys: [second.publicKey, third.publicKey] })
    say(`${link(first, { ...next, kind: 'user' })}${one}${two}`, second, third)
    assert.equal(await renew(), '')
    assert.deepEqual(trusted(), lines(second, third))
    const back = [
      link(second, { number: 1, keys: [first.publicKey] }),
      link(second, { number: 2, keys: [first.publicKey] }),
    ]
    const elsewhere = link(second, { number: 3, keys: [foreign.publicKey], installation: 'two' })
    say([...back, elsewhere].join(''), second, third, first, foreign)
    await renew()
    assert.deepEqual(trusted(), lines(second, third), 'neither backwards nor to another installation')
    say(NEVER, second)
  })
})
