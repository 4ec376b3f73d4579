import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, test, type TestContext } from 'node:test'
import type { Role } from '../../src/identity/roles/role.ts'
import { createHost } from '../ssh/hosts/managed-host.ts'
import type { TestApp } from '../support/app.ts'
import { type SignedInPerson, signedInPerson } from '../support/people.ts'
import { setUpHost } from './enrolled-host.ts'
import { type Home, newHome, ssh, startAgent } from './home.ts'
import { ACCOUNT, sshKeygen } from './openssh.ts'
import { age, read, readState, startFront, stateFolder } from './ssh-client-home.ts'
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
    await giveRole(admin, person, { principals: ['Svc.Deploy@corp', '7'] })
    for (const name of ['Svc.Deploy@corp', '7']) {
      assert.equal((await home.run(home.bin, 'ensure', '--as', name)).code, 0, 'whatever a role may give')
      assert.equal(principals(name), name)
    }
    const foreign = await home.run(home.bin, 'ensure', '--as', 'nobody')
    assert.equal(foreign.code, 1)
    assert.match(foreign.output, /No role of yours gives you nobody/)
    for (const name of ['../x', '.x', 'a b', '%r', '-x', '@x', 'a"b', 'a,b', 'a'.repeat(65), ''])
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
      '/api/ssh/my-hosts': JSON.stringify({ hosts: [{ name: `${evil} NESTED`, hostnames: [evil], accounts: names }] }),
    }
    // Without its middle this is another control character.
    const nested = Buffer.from([0xc2, 0xc2, 0x9b, 0x9b])
    const [before = '', after = ''] = String(answers['/api/ssh/my-hosts']).split('NESTED')
    answers['/api/ssh/my-hosts'] = Buffer.concat([Buffer.from(before), nested, Buffer.from(after)])
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
})
