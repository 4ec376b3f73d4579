import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { Role } from '../../../src/identity/roles/role.ts'
import type { SshRules } from '../../../src/identity/roles/ssh-rules.ts'
import type { Permission } from '../../../src/vocabulary/permissions.ts'
import { isRevoked, readKrl } from '../../platform/openssh/read-krl.ts'
import { sharedApp, startApp, type TestApp } from '../../support/app.ts'
import { onEachEngine } from '../../support/engines.ts'
import { anonymous, type SignedInPerson, signedInPerson } from '../../support/people.ts'
import { issue, type Issued, saveKey, signInCertificateUser } from '../public-keys.ts'

let names = 0

interface Content {
  name?: string
  principals?: string[]
  permissions?: Permission[]
  ssh?: SshRules | null
}

onEachEngine('SSH rules of roles that change', (engine) => {
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
  const request = (person: SignedInPerson, savedKeyId: string, body: object = {}) =>
    person.post('/api/ssh/certs/issue', { savedKeyId, ...body })
  const areRevoked = async (...issued: Issued[]) => {
    const krl = readKrl((await anonymous(app).get('/ssh/krl?format=krl')).rawPayload)
    return issued.map(({ serial }) => isRevoked(krl, app.services.sshCa.blob, BigInt(serial)))
  }

  test('of a username and a principal that are made the same at the same moment, one is refused', async () => {
    for (let round = 0; round < 5; round++) {
      const name = `both-${round}`
      const person = await signedInPerson(app, {})
      const answers = await Promise.all([
        admin.post('/api/admin/roles', { name: `Both ${++names}`, principals: [name] }),
        person.patch('/api/account/profile', { preferredUsername: name }),
      ])
      assert.deepEqual(
        answers.map(({ statusCode }) => statusCode).filter((status) => status === 409).length,
        1,
        answers.map(({ body }) => body).join(),
      )
    }
  })

  test('of an issued certificate and a rule that is made at the same moment, none is left that does not fit', async (t) => {
    const fresh = await startApp(t, { engine })
    const boss = await signedInPerson(fresh, { admin: true })
    const person = await signedInPerson(fresh, { permissions: ['ssh:keys:manage'] })
    const key = await saveKey(person)
    for (let round = 0; round < 5; round++) {
      const made = await boss.post('/api/admin/roles', { name: `Race ${round}`, permissions: ['ssh:cert:issue'] })
      const { id } = made.json<{ role: Role }>().role
      await boss.post(`/api/admin/users/${person.user.id}/roles`, { roleId: id })
      await Promise.all([
        ...Array.from({ length: 4 }, () => person.post('/api/ssh/certs/issue', { savedKeyId: key })),
        boss.patch(`/api/admin/roles/${id}`, { ssh: { forceCommand: 'id' } }),
      ])
      const rows = await fresh.services.db.read
        .selectFrom('ssh_certificates')
        .select(['rules', 'revoked_at'])
        .where('revoked_at', 'is', null)
        .execute()
      assert.ok(rows.every(({ rules }) => rules?.includes('force-command') || rules?.includes('forceCommand')))
      await boss.delete(`/api/admin/roles/${id}`)
    }
  })

  test('tightening revokes the certificates that no longer fit, and loosening none', async () => {
    const person = await signInCertificateUser(app)
    const role = await createRole({ principals: ['web'], ssh: { sourceAddresses: ['192.0.2.0/24'] } })
    await assign(person, role)
    const key = await saveKey(person)
    const own = await issue(person, key)
    const get = async (ttlSeconds?: number) =>
      (await request(person, key, { principals: ['web'], ttlSeconds })).json<Issued>()
    const wide = await get()
    await change(role, { ssh: { sourceAddresses: ['192.0.2.0/23'] } })
    assert.deepEqual(await areRevoked(own, wide), [false, false])
    await change(role, { ssh: { sourceAddresses: ['192.0.2.0/25'] } })
    assert.deepEqual(await areRevoked(own, wide), [false, true])
    const [short, long] = [await get(60), await get(3600)]
    await change(role, { ssh: { sourceAddresses: ['192.0.2.0/25'], maxTtlSeconds: 60 } })
    assert.deepEqual(await areRevoked(own, short, long), [false, false, true])
    await change(role, { ssh: { sourceAddresses: ['192.0.2.0/25'], extensions: [] } })
    assert.deepEqual(await areRevoked(own, short), [false, true])
    const silent = await get()
    await change(role, { ssh: { forceCommand: 'id', sourceAddresses: ['192.0.2.0/25'], extensions: [] } })
    assert.deepEqual(await areRevoked(own, silent), [false, true])
    const rows = await app.services.db.read
      .selectFrom('ssh_certificates')
      .select('revoke_reason as reason')
      .where('id', '=', silent.id)
      .execute()
    assert.deepEqual(rows, [{ reason: 'The SSH rules of a role were tightened.' }])
  })

  test('tightening a role with ssh:cert:issue revokes certificates for usernames that do not fit', async () => {
    const person = await signedInPerson(app, { permissions: ['ssh:keys:manage'] })
    const role = await createRole({ permissions: ['ssh:cert:issue'] })
    await assign(person, role)
    const issued = await issue(person, await saveKey(person))
    await change(role, { ssh: { verifyRequired: true } })
    assert.deepEqual(await areRevoked(issued), [true])
  })

  test('can’t be loosened beyond the caller’s own certificates', async () => {
    const permissions: Permission[] = ['roles:write', 'ssh:cert:issue', 'ssh:keys:manage']
    const ssh: SshRules = { sourceAddresses: ['192.0.2.0/24'], maxTtlSeconds: 600, extensions: ['permit-pty'] }
    const person = await signedInPerson(app, {})
    await assign(person, await createRole({ permissions, principals: ['web'], ssh }))
    const other = await createRole({ permissions: ['ssh:cert:issue'], principals: ['web'], ssh })
    const tighter: SshRules = { ...ssh, sourceAddresses: ['192.0.2.64/26', '192.0.2.0/26'], forceCommand: 'id' }
    assert.equal((await change(other, { ssh: tighter }, person)).statusCode, 200)
    for (const loose of [
      null,
      { ...ssh, sourceAddresses: ['192.0.2.0/23'] },
      { ...ssh, sourceAddresses: ['192.0.2.0/24', '198.51.100.0/24'] },
      { ...ssh, maxTtlSeconds: 601 },
      { ...ssh, extensions: ['permit-pty', 'permit-agent-forwarding'] },
      { sourceAddresses: ssh.sourceAddresses },
    ]) {
      const answer = await change(other, { ssh: loose }, person)
      assert.equal(answer.statusCode, 403, `${JSON.stringify(loose)} ${answer.body}`)
    }
    assert.equal((await change(other, { ssh }, person)).statusCode, 200)
    const unruled = { name: `Unruled ${++names}`, principals: ['web'] }
    assert.equal((await person.post('/api/admin/roles', unruled)).statusCode, 403)
    assert.equal((await person.post('/api/admin/roles', { ...unruled, ssh })).statusCode, 201)
    const free = await createRole({ principals: ['web'] })
    assert.equal((await change(free, { ssh }, person)).statusCode, 403, 'it holds more than the caller')
    const empty = await createRole({})
    assert.equal(
      (await person.post(`/api/admin/roles/${empty.id}/permissions`, { permissionId: 'ssh:cert:issue' })).statusCode,
      403,
    )
    assert.equal((await change(other, { ssh: null })).statusCode, 200, 'an administrator may')
  })
})
