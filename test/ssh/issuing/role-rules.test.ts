import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { Role } from '../../../src/identity/roles/role.ts'
import type { SshRules } from '../../../src/identity/roles/ssh-rules.ts'
import type { Permission } from '../../../src/vocabulary/permissions.ts'
import { newSecurityKey } from '../../platform/openssh/new-security-key.ts'
import { parseCertificateLine, readCertificate } from '../../platform/openssh/read-certificate.ts'
import { temporaryFolder } from '../../platform/openssh/ssh-keygen.ts'
import { sharedApp, type TestApp } from '../../support/app.ts'
import { MAIN_ENGINE, onEachEngine } from '../../support/engines.ts'
import { type SignedInPerson, signedInPerson } from '../../support/people.ts'
import { issue, type Issued, saveKey, signInCertificateUser } from '../public-keys.ts'

const folder = temporaryFolder()
let names = 0

interface Content {
  name?: string
  principals?: string[]
  permissions?: Permission[]
  ssh?: SshRules | null
}

onEachEngine('SSH rules of roles', (engine) => {
  const shared = sharedApp({ engine })
  let app: TestApp
  let admin: SignedInPerson
  before(async () => {
    app = shared()
    admin = await signedInPerson(app, { admin: true })
  })

  const createRole = async (content: Content, by = admin): Promise<Role> => {
    const made = await by.post('/api/admin/roles', { name: `Ruled ${++names}`, ...content })
    assert.equal(made.statusCode, 201, made.body)
    return made.json<{ role: Role }>().role
  }
  const assign = async ({ user }: SignedInPerson, ...roles: Role[]) => {
    for (const { id } of roles) {
      const given = await admin.post(`/api/admin/users/${user.id}/roles`, { roleId: id })
      assert.equal(given.statusCode, 200, given.body)
    }
  }
  const change = async (role: Role, body: object, by = admin) => by.patch(`/api/admin/roles/${role.id}`, body)
  const read = ({ certificate }: Issued) => readCertificate(parseCertificateLine(certificate), app.services.sshCa.blob)
  const request = (person: SignedInPerson, savedKeyId: string, body: object = {}) =>
    person.post('/api/ssh/certs/issue', { savedKeyId, ...body })

  // The rest is the same on every engine.
  if (engine !== MAIN_ENGINE) return

  test('are stored as they were sent, are replaced as a whole, and go with null or an empty object', async () => {
    const role = await createRole({ ssh: { maxTtlSeconds: 600, extensions: ['permit-pty'] } })
    assert.deepEqual(role.ssh, { maxTtlSeconds: 600, extensions: ['permit-pty'] })
    const replaced = await change(role, { ssh: { forceCommand: '/usr/bin/backup' } })
    assert.deepEqual(replaced.json<{ role: Role }>().role.ssh, { forceCommand: '/usr/bin/backup' })
    assert.deepEqual((await change(role, { description: 'x' })).json<{ role: Role }>().role.ssh, {
      forceCommand: '/usr/bin/backup',
    })
    for (const ssh of [{}, null]) {
      await change(role, { ssh: { verifyRequired: true } })
      assert.equal((await change(role, { ssh })).json<{ role: Role }>().role.ssh, null)
    }
  })

  test('that OpenSSH would refuse or misread are refused', async () => {
    const role = await createRole({})
    const refused: object[] = [
      { maxTtlSeconds: 59 },
      { maxTtlSeconds: 31_536_001 },
      { maxTtlSeconds: '600' },
      { sourceAddresses: [] },
      { sourceAddresses: ['192.0.2.1/24'] },
      { sourceAddresses: ['192.0.2.1'] },
      { sourceAddresses: ['192.0.2.0/33'] },
      { sourceAddresses: ['2001:db8::1/32'] },
      { sourceAddresses: ['::ffff:192.0.2.0/120'] },
      { sourceAddresses: ['192.0.2.0/24,0.0.0.0/0'] },
      { sourceAddresses: ['!192.0.2.0/24'] },
      { sourceAddresses: ['example.com'] },
      { forceCommand: '' },
      { forceCommand: ' ' },
      { forceCommand: 'a\nb' },
      { forceCommand: 'a\0b' },
      { extensions: ['no-touch-required'] },
      { extensions: ['permit-pty', 'permit-pty'] },
      { verifyRequired: 'yes' },
      { unknown: true },
    ]
    for (const ssh of refused) {
      assert.equal((await change(role, { ssh })).statusCode, 400, JSON.stringify(ssh))
      const made = await admin.post('/api/admin/roles', { name: `Refused ${++names}`, ssh })
      assert.equal(made.statusCode, 400, JSON.stringify(ssh))
    }
  })

  test('put critical options and extensions into certificates, and cut the default lifetime', async () => {
    const person = await signedInPerson(app, { permissions: ['ssh:keys:manage'] })
    const ssh: SshRules = {
      maxTtlSeconds: 300,
      sourceAddresses: ['2001:db8::/32', '192.0.2.0/24'],
      forceCommand: '/usr/bin/backup --all',
      extensions: ['permit-X11-forwarding'],
    }
    await assign(person, await createRole({ permissions: ['ssh:cert:issue'], ssh }))
    const key = await saveKey(person)
    const issued = await issue(person, key)
    const certificate = read(issued)
    assert.deepEqual(
      [...certificate.criticalOptions],
      [
        ['force-command', '/usr/bin/backup --all'],
        ['source-address', '192.0.2.0/24,2001:db8::/32'],
      ],
    )
    assert.deepEqual([...certificate.extensions], [['permit-X11-forwarding', '']])
    assert.equal(issued.validBefore - issued.validAfter, 360)
    const longer = await request(person, key, { ttlSeconds: 301 })
    assert.equal(longer.statusCode, 400, longer.body)
    assert.match(longer.body, /300 seconds/)
    await issue(person, key, 300)
  })

  test('a security key gets a certificate of its own kind, and verifyRequired needs one', async () => {
    const person = await signedInPerson(app, { permissions: ['ssh:keys:manage'] })
    const role = await createRole({ permissions: ['ssh:cert:issue'], ssh: { verifyRequired: true } })
    await assign(person, role)
    const plain = await request(person, await saveKey(person))
    assert.equal(plain.statusCode, 409, plain.body)
    assert.ok(plain.body.includes(role.name), plain.body)
    const { publicKey } = newSecurityKey(folder, `key${++names}`)
    const issued = await issue(person, await saveKey(person, publicKey))
    assert.match(issued.certificate, /^sk-ssh-ed25519-cert-v01@openssh\.com /)
    assert.deepEqual([...read(issued).criticalOptions], [['verify-required', '']])
    assert.equal(read(issued).application, 'ssh:')
  })

  test('principals with the same options form a group: the longest lifetime counts, and extensions are joined', async () => {
    const person = await signedInPerson(app, { permissions: ['ssh:keys:manage'] })
    const sourceAddresses = ['192.0.2.0/24']
    await assign(
      person,
      await createRole({
        permissions: ['ssh:cert:issue'],
        ssh: { sourceAddresses: ['192.0.2.128/25', '192.0.2.0/25'], maxTtlSeconds: 120, extensions: ['permit-pty'] },
      }),
      await createRole({
        principals: ['web'],
        ssh: { sourceAddresses, maxTtlSeconds: 600, extensions: ['permit-port-forwarding'] },
      }),
      await createRole({ principals: ['db'], ssh: { sourceAddresses, forceCommand: 'psql' } }),
    )
    const issued = await issue(person, await saveKey(person))
    assert.deepEqual(issued.principals, [person.user.preferredUsername, 'web'])
    assert.equal(issued.validBefore - issued.validAfter, 660)
    assert.deepEqual([...read(issued).extensions.keys()], ['permit-port-forwarding', 'permit-pty'])
  })

  test('a certificate never names principals of two groups, and the refusal names the roles', async () => {
    const person = await signInCertificateUser(app)
    const own = person.user.preferredUsername
    const [limited, free] = [
      await createRole({ name: 'Limited people', principals: ['root'], ssh: { sourceAddresses: ['192.0.2.0/24'] } }),
      await createRole({ name: 'Free people', principals: ['web'] }),
    ]
    await assign(person, limited, free)
    const key = await saveKey(person)
    assert.deepEqual((await person.get('/api/ssh/principals')).json(), { principals: [own, 'root', 'web'] })
    assert.deepEqual((await issue(person, key)).principals, [own, 'web'])
    const mixed = await request(person, key, { principals: ['root', 'web'] })
    assert.equal(mixed.statusCode, 409, mixed.body)
    for (const name of ['Limited people', 'Free people']) assert.ok(mixed.body.includes(name), mixed.body)
    const alone = await request(person, key, { principals: ['root'] })
    assert.equal(alone.statusCode, 201, alone.body)
    assert.deepEqual([...read(alone.json<Issued>()).criticalOptions], [['source-address', '192.0.2.0/24']])
    assert.deepEqual((await request(person, key, { principals: ['web'] })).json<Issued>().principals, ['web'])
    assert.equal((await request(person, key, { principals: ['postgres'] })).statusCode, 403)
  })

  test('a principal that two roles give under different rules is named with the options of one of them', async () => {
    const person = await signInCertificateUser(app)
    await assign(
      person,
      await createRole({ principals: ['db'], ssh: { forceCommand: 'psql' } }),
      await createRole({ principals: ['db', 'backup'], ssh: { sourceAddresses: ['192.0.2.0/24'] } }),
    )
    const key = await saveKey(person)
    const options = async (...principals: string[]) =>
      [...read((await request(person, key, { principals })).json<Issued>()).criticalOptions.keys()].join()
    assert.equal(await options('db', 'backup'), 'source-address')
    assert.ok(['source-address', 'force-command'].includes(await options('db')))
  })

  test('a role’s principal is no username, a username no principal, and the refusals name the other one', async () => {
    const person = await signedInPerson(app, {})
    const role = await createRole({ name: 'Deployers', principals: ['deployer'] })
    const own = person.user.preferredUsername
    for (const answer of [
      await admin.post('/api/admin/roles', { name: `Clash ${++names}`, principals: [own] }),
      await change(role, { principals: ['deployer', own] }),
    ]) {
      assert.equal(answer.statusCode, 409, answer.body)
      assert.ok(answer.body.includes(person.user.email), answer.body)
    }
    for (const answer of [
      await person.patch('/api/account/profile', { preferredUsername: 'deployer' }),
      await admin.patch(`/api/admin/users/${person.user.id}`, { preferredUsername: 'deployer' }),
      await admin.post('/api/admin/users', { email: 'clash@example.com', preferredUsername: 'deployer' }),
    ]) {
      assert.equal(answer.statusCode, 409, answer.body)
      assert.ok(answer.body.includes('Deployers'), answer.body)
    }
    const derived = await signedInPerson(app, { email: 'deployer@example.com' })
    assert.equal(derived.user.preferredUsername, 'deployer-2')
    await admin.delete(`/api/admin/users/${person.user.id}`)
    await createRole({ principals: [own] })
  })
})
