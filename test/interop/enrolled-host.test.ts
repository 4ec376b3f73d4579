import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import type { Role } from '../../src/identity/roles/role.ts'
import { runCommand } from '../../src/operations/control/commands.ts'
import { newSecurityKey, SK_DUMMY } from '../platform/openssh/new-security-key.ts'
import { createHost } from '../ssh/hosts/managed-host.ts'
import { issue, saveKey } from '../ssh/public-keys.ts'
import { startApp, type TestApp } from '../support/app.ts'
import { freePort } from '../support/free-port.ts'
import { anonymous, type SignedInPerson, signedInPerson } from '../support/people.ts'
import { REAL_CLOCK, until } from '../support/replicas.ts'
import { run, setUpHost, type SetUpHost } from './enrolled-host.ts'
import { ACCOUNT, newKeyPair, temporaryFolder } from './openssh.ts'

const SCRIPTS = join(import.meta.dirname, '../../deploy/ssh-host')

/** The service at its own address, with its background work every quarter of a second. */
async function startService(t: TestContext, listen = freePort): Promise<TestApp> {
  const port = await listen()
  const config = { baseUrl: `http://127.0.0.1:${port}`, sshHostPatterns: ['127.0.0.1', '*.example.com'] }
  const app = await startApp(t, { clock: REAL_CLOCK, config, worksEveryMs: 250 })
  if (listen === freePort) await app.app.listen({ port, host: '127.0.0.1' })
  return app
}

interface EnrolledHost extends SetUpHost {
  hostId: string
}

/** Enrolls a host with the line that the dashboard shows, and waits until its sync waits for changes. */
async function enrollHost(
  t: TestContext,
  app: TestApp,
  admin: SignedInPerson,
  {
    allowedRoles = null,
    shell = 'sh',
    waits = 1,
  }: { allowedRoles?: string[] | null; shell?: string; waits?: number } = {},
): Promise<EnrolledHost> {
  const { host, command } = await createHost(admin, { hostnames: ['127.0.0.1'], allowedRoles })
  const setUp = await setUpHost(t, command, shell)
  await until(async () => app.services.longPolls.count() === waits)
  writeFileSync(setUp.knownHosts, (await anonymous(app).get('/ssh/known_hosts')).body)
  return { ...setUp, hostId: host.id }
}

async function newRole(admin: SignedInPerson, content: object): Promise<Role> {
  const made = await admin.post('/api/admin/roles', { name: `Role ${Math.random()}`, ...content })
  assert.equal(made.statusCode, 201, made.body)
  return made.json<{ role: Role }>().role
}

/** Somebody with these roles, and a key with a certificate. */
async function newUser(t: TestContext, app: TestApp, admin: SignedInPerson, roles: Role[], principals?: string[]) {
  const person = await signedInPerson(app, { permissions: ['ssh:keys:manage', 'ssh:cert:issue'] })
  for (const { id } of roles) await admin.post(`/api/admin/users/${person.user.id}/roles`, { roleId: id })
  const { path, publicKey } = newKeyPair(temporaryFolder(t), 'laptop')
  const savedKeyId = await saveKey(person, publicKey)
  const answer = await person.post('/api/ssh/certs/issue', { savedKeyId, principals })
  assert.equal(answer.statusCode, 201, answer.body)
  return { person, path, certificate: answer.json<{ certificate: string }>().certificate }
}

const accountFile = ({ root }: EnrolledHost) => join(root, 'etc/ssh/latchkey_principals', ACCOUNT)
const listed = (host: EnrolledHost) => (existsSync(accountFile(host)) ? readFileSync(accountFile(host), 'utf8') : '')

test('the scripts for hosts pass shellcheck', async () => {
  const scripts = readdirSync(SCRIPTS).filter((name) => !/\.(service|timer)$/.test(name))
  assert.ok(scripts.includes('install.sh'))
  const { code, output } = await run('shellcheck', ['-s', 'sh', ...scripts.map((name) => join(SCRIPTS, name))])
  assert.equal(code, 0, output)
})

for (const shell of ['dash', 'busybox sh']) {
  test(`a host that is enrolled by its one line in ${shell} follows who may log in, within seconds`, async (t) => {
    const app = await startService(t)
    const admin = await signedInPerson(app, { admin: true })
    const [allowed, other] = [
      await newRole(admin, { principals: [ACCOUNT] }),
      await newRole(admin, { principals: [ACCOUNT] }),
    ]
    const host = await enrollHost(t, app, admin, { allowedRoles: [allowed.id], shell })
    const [ada, bob, eve] = [
      await newUser(t, app, admin, [allowed]),
      await newUser(t, app, admin, [allowed]),
      await newUser(t, app, admin, [other]),
    ]
    const bobsName = bob.person.user.preferredUsername
    await until(async () => listed(host).includes(`${bobsName}\n`))
    const login = ({ path, certificate }: typeof ada, knownHosts = host.knownHosts) =>
      host.sshd.login(path, certificate, { knownHosts })
    assert.equal(await login(ada), true, host.sshd.logged())
    assert.equal(await login(bob), true, host.sshd.logged())
    assert.equal(await login(eve), false, 'her role is not admitted')

    const wrong = join(host.root, 'wrong_known_hosts')
    const ca = (await anonymous(app).get('/ssh/ca.pub')).body
    writeFileSync(wrong, `@cert-authority 127.0.0.1,[127.0.0.1]:* ${ca}`)
    await assert.rejects(login(ada, wrong), /Host key verification failed/)

    const before = statSync(join(host.root, 'etc/ssh/revoked_keys')).mtimeMs
    const switched = Date.now()
    await admin.post(`/api/admin/users/${ada.person.user.id}/lifecycle`, { action: 'disable' })
    await until(async () => statSync(join(host.root, 'etc/ssh/revoked_keys')).mtimeMs !== before, 10_000)
    t.diagnostic(`${Date.now() - switched} ms from the switch to the list on the host`)
    assert.equal(await login(ada), false)
    await until(async () => !listed(host).includes(`${ada.person.user.preferredUsername}\n`), 10_000)

    await admin.delete(`/api/admin/users/${bob.person.user.id}/roles/${allowed.id}`)
    await until(async () => !listed(host).includes(`${bobsName}\n`), 10_000)
    assert.equal(await login(bob), false)

    await until(async () => {
      const shown = await admin.get(`/api/ssh/hosts/${host.hostId}`)
      return shown.json<{ host: { current: boolean } }>().host.current
    }, 10_000)
    await admin.patch(`/api/ssh/hosts/${host.hostId}`, { hostnames: ['127.0.0.1', 'again.example.com'] })
    const certificateFile = join(host.root, 'etc/ssh/ssh_host_ed25519_key-cert.pub')
    const first = readFileSync(certificateFile, 'utf8')
    const synced = await run(join(host.root, 'usr/local/sbin/latchkey-ssh-sync'), [], { LATCHKEY_ROOT: host.root })
    assert.equal(synced.code, 0, synced.output)
    assert.notEqual(readFileSync(certificateFile, 'utf8'), first, 'it has renewed by itself')
    assert.equal(statSync(join(host.root, 'etc/ssh/latchkey_host_token')).mode & 0o777, 0o600)
    const again = await run(join(host.root, 'usr/local/sbin/latchkey-ssh-sync'), [], { LATCHKEY_ROOT: host.root })
    assert.equal(again.code, 0, again.output)
    assert.deepEqual(
      readdirSync(join(host.root, 'etc/ssh')).filter((name) => name.startsWith('.latchkey')).length,
      1,
      'only the folder of the sync that waits',
    )
  })
}

test('a host follows both lists also with an older server, which can’t wait for both at once', async (t) => {
  let app: TestApp | undefined
  const older = createServer((request, response) => {
    if (!app || request.url?.startsWith('/ssh/hosts/wait')) response.writeHead(404).end()
    else app.app.routing(request, response)
  })
  t.after(() => older.close())
  app = await startService(t, async () => {
    await once(older.listen(0, '127.0.0.1'), 'listening')
    return (older.address() as AddressInfo).port
  })
  const admin = await signedInPerson(app, { admin: true })
  const role = await newRole(admin, { principals: [ACCOUNT] })
  const host = await enrollHost(t, app, admin, { allowedRoles: [role.id], waits: 2 })
  const { person } = await newUser(t, app, admin, [role])
  await until(async () => listed(host).includes(`${person.user.preferredUsername}\n`), 10_000)
  const before = statSync(join(host.root, 'etc/ssh/revoked_keys')).mtimeMs
  await admin.post(`/api/admin/users/${person.user.id}/lifecycle`, { action: 'disable' })
  await until(async () => statSync(join(host.root, 'etc/ssh/revoked_keys')).mtimeMs !== before, 10_000)
  await until(async () => listed(host) === '', 10_000)
})

test('a rule of a role holds on an enrolled host: only a certificate that carries it opens the account', async (t) => {
  const app = await startService(t)
  const admin = await signedInPerson(app, { admin: true })
  const ruled = await newRole(admin, { principals: [ACCOUNT], ssh: { forceCommand: 'echo in' } })
  const host = await enrollHost(t, app, admin, { allowedRoles: [ruled.id] })
  const [withRule, without] = [await newUser(t, app, admin, [ruled], [ACCOUNT]), await newUser(t, app, admin, [ruled])]
  assert.equal(listed(host), `${ACCOUNT}\n`)
  const { knownHosts } = host
  assert.equal(await host.sshd.login(withRule.path, withRule.certificate, { knownHosts }), true, host.sshd.logged())
  assert.equal(await host.sshd.login(without.path, without.certificate, { knownHosts }), false)
})

test('while the authority of hosts is replaced, ssh trusts a host without asking, and then only the new key', async (t) => {
  const app = await startService(t)
  const admin = await signedInPerson(app, { admin: true })
  const role = await newRole(admin, { principals: [ACCOUNT] })
  const host = await enrollHost(t, app, admin)
  const { person, path, certificate } = await newUser(t, app, admin, [role])
  await until(async () => listed(host).includes(person.user.preferredUsername))
  const login = (knownHosts: string) => host.sshd.login(path, certificate, { knownHosts })
  const rotate = (trustedForMs: number) =>
    runCommand(app.services, { name: 'rotate-ssh-ca', of: 'hosts', how: 'publish', trustedForMs })
  await rotate(3600_000)
  const both = join(host.root, 'both_known_hosts')
  writeFileSync(both, (await anonymous(app).get('/ssh/known_hosts')).body)
  assert.equal(await login(both), true, host.sshd.logged())

  await rotate(0)
  const synced = await run(join(host.root, 'usr/local/sbin/latchkey-ssh-sync'), [], { LATCHKEY_ROOT: host.root })
  assert.equal(synced.code, 0, synced.output)
  await host.sshd.reload()
  assert.equal(await login(both), true, host.sshd.logged())
  await assert.rejects(login(host.knownHosts), /Host key verification failed/, 'it has the old key alone')
})

test('a key in a security key logs in with its certificate', async (t) => {
  const app = await startService(t)
  const admin = await signedInPerson(app, { admin: true })
  const role = await newRole(admin, { principals: [ACCOUNT] })
  const host = await enrollHost(t, app, admin)
  const { person } = await newUser(t, app, admin, [role])
  const { path, publicKey } = newSecurityKey(temporaryFolder(t), 'sk')
  const { certificate } = await issue(person, await saveKey(person, publicKey))
  await until(async () => listed(host).includes(person.user.preferredUsername))
  const options = [`SecurityKeyProvider=${SK_DUMMY}`]
  const { knownHosts } = host
  assert.equal(await host.sshd.login(path, certificate, { knownHosts, options }), true, host.sshd.logged())
})

const ASYNCSSH = `
import asyncio, asyncssh, sys
port, key, known, user = sys.argv[1:]
async def main():
    async with asyncssh.connect('127.0.0.1', int(port), username=user, known_hosts=known, config=None,
                                client_keys=[(key, key + '-cert.pub')], agent_path=None) as connection:
        print((await connection.run('echo in')).stdout.strip())
asyncio.run(main())
`

test('another implementation, asyncssh, accepts the host’s certificate and logs in with one of ours', async (t) => {
  const app = await startService(t)
  const admin = await signedInPerson(app, { admin: true })
  const host = await enrollHost(t, app, admin)
  const { person, path, certificate } = await newUser(t, app, admin, [await newRole(admin, { principals: [ACCOUNT] })])
  await until(async () => listed(host).includes(person.user.preferredUsername))
  writeFileSync(`${path}-cert.pub`, `${certificate}\n`)
  const connect = (knownHosts: string) =>
    run('/usr/bin/python3', ['-W', 'ignore', '-c', ASYNCSSH, String(host.sshd.port), path, knownHosts, ACCOUNT])
  assert.deepEqual(await connect(host.knownHosts), { code: 0, output: 'in\n' })
  const wrong = join(host.root, 'wrong_known_hosts')
  writeFileSync(wrong, `@cert-authority 127.0.0.1 ${(await anonymous(app).get('/ssh/ca.pub')).body}`)
  const refused = await connect(wrong)
  assert.equal(refused.code, 1)
  assert.match(refused.output, /HostKeyNotVerifiable|not trusted/)
})
