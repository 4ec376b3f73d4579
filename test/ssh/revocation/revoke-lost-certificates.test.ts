import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { Response } from 'light-my-request'
import pg from 'pg'
import type { Role } from '../../../src/identity/roles/role.ts'
import type { Permission } from '../../../src/vocabulary/permissions.ts'
import { sharedApp, type TestApp } from '../../support/app.ts'
import { onEachEngine } from '../../support/engines.ts'
import { countLockWaits } from '../../support/lock-waits.ts'
import { type SignedInPerson, signedInPerson } from '../../support/people.ts'
import { until } from '../../support/replicas.ts'
import { issue, type Issued, saveKey, signInCertificateUser } from '../public-keys.ts'
import { areRevoked, assertOk } from './are-revoked.ts'

let names = 0

const createRole = async (admin: SignedInPerson, content: { principals?: string[]; permissions?: Permission[] }) => {
  const made = await admin.post('/api/admin/roles', { name: `Role ${++names}`, ...content })
  assert.equal(made.statusCode, 201, made.body)
  return made.json<{ role: Role }>().role.id
}

const assign = (admin: SignedInPerson, { user }: SignedInPerson, roleId: string) =>
  assertOk(admin.post(`/api/admin/users/${user.id}/roles`, { roleId }))
const unassign = (admin: SignedInPerson, { user }: SignedInPerson, roleId: string) =>
  assertOk(admin.delete(`/api/admin/users/${user.id}/roles/${roleId}`))

const listCertificates = ({ services }: TestApp, { user }: SignedInPerson) =>
  services.db.read
    .selectFrom('ssh_certificates')
    .select(['id', 'principals', 'revoke_reason as reason'])
    .where('user_id', '=', user.id)
    .orderBy('serial')
    .execute()

type Loss = (admin: SignedInPerson, person: SignedInPerson, roleId: string) => Promise<Response>

const LOSSES: Record<string, Loss> = {
  'removes the role': (admin, { user }, id) => admin.delete(`/api/admin/users/${user.id}/roles/${id}`),
  'removes the principal from the role': (admin, _, id) => admin.patch(`/api/admin/roles/${id}`, { principals: [] }),
  'deletes the role': (admin, _, id) => admin.delete(`/api/admin/roles/${id}`),
  'revokes the permission from the role': (admin, _, id) =>
    admin.delete(`/api/admin/roles/${id}/permissions/ssh:cert:issue`),
  'changes the username': (admin, { user }) =>
    admin.patch(`/api/admin/users/${user.id}`, { preferredUsername: `renamed-${++names}` }),
}

onEachEngine('certificates with principals or permissions that their owner has lost', (engine) => {
  const shared = sharedApp({ engine })
  let app: TestApp
  let admin: SignedInPerson
  before(async () => {
    app = shared()
    admin = await signedInPerson(app, { admin: true })
  })

  const newCertificateUser = () => signInCertificateUser(app)

  test('are revoked when the username is changed, and the next one has the new name', async () => {
    const [person, other] = [await newCertificateUser(), await newCertificateUser()]
    const key = await saveKey(person)
    const [before, foreign] = [await issue(person, key), await issue(other, await saveKey(other))]
    const url = `/api/admin/users/${person.user.id}`
    await assertOk(
      admin.patch(url, { displayName: 'Still the same', preferredUsername: person.user.preferredUsername }),
    )
    assert.deepEqual(await areRevoked(app, before), [false])
    await assertOk(admin.patch(url, { preferredUsername: 'new-name' }))
    const after = await issue(person, key)
    assert.deepEqual(after.principals, ['new-name'])
    assert.deepEqual(await areRevoked(app, before, foreign, after), [true, false, false])
    const [first] = await listCertificates(app, person)
    assert.equal(first?.reason, 'The username was changed.')
  })

  test('are revoked when a role is removed, and other certificates are not', async () => {
    const person = await newCertificateUser()
    const key = await saveKey(person)
    const before = await issue(person, key)
    const roleId = await createRole(admin, { principals: ['deploy', 'web'] })
    await assign(admin, person, roleId)
    const during = await issue(person, key)
    assert.deepEqual(during.principals, [person.user.preferredUsername, 'deploy', 'web'])
    await unassign(admin, person, roleId)
    const after = await issue(person, key)
    assert.deepEqual(await areRevoked(app, before, during, after), [false, true, false])
  })

  test('are revoked when a principal is removed from a role, and not when one is added', async () => {
    const person = await newCertificateUser()
    const key = await saveKey(person)
    const roleId = await createRole(admin, { principals: ['db'] })
    await assign(admin, person, roleId)
    const small = await issue(person, key)
    await assertOk(admin.patch(`/api/admin/roles/${roleId}`, { principals: ['db', 'web'] }))
    const large = await issue(person, key)
    await assertOk(admin.patch(`/api/admin/roles/${roleId}`, { description: 'Other words' }))
    assert.deepEqual(await areRevoked(app, small, large), [false, false])
    await assertOk(admin.patch(`/api/admin/roles/${roleId}`, { principals: ['db'] }))
    assert.deepEqual(await areRevoked(app, small, large), [false, true])
  })

  test('are revoked for all users of a role when it is deleted', async () => {
    const people = [await newCertificateUser(), await newCertificateUser()]
    const roleId = await createRole(admin, { principals: ['deploy'] })
    const issued: Issued[] = []
    for (const person of people) {
      await assign(admin, person, roleId)
      issued.push(await issue(person, await saveKey(person)))
    }
    await assertOk(admin.delete(`/api/admin/roles/${roleId}`))
    assert.deepEqual(await areRevoked(app, ...issued), [true, true])
  })

  test('stay valid while another role gives the same principal', async () => {
    const person = await newCertificateUser()
    const own = person.user.preferredUsername
    const key = await saveKey(person)
    const roles = [
      await createRole(admin, { principals: ['deploy'] }),
      await createRole(admin, { principals: ['deploy'] }),
      await createRole(admin, { principals: ['deploy'] }),
    ]
    for (const roleId of roles) await assign(admin, person, roleId)
    const issued = await issue(person, key)
    assert.deepEqual(issued.principals, [own, 'deploy'])
    await unassign(admin, person, roles[0]!)
    await assertOk(admin.patch(`/api/admin/roles/${roles[1]}`, { principals: [] }))
    assert.deepEqual(await areRevoked(app, issued), [false])
    await assertOk(admin.delete(`/api/admin/roles/${roles[2]}`))
    assert.deepEqual(await areRevoked(app, issued), [true])
  })

  test('are all revoked when the permission to issue is lost in any way, and stay valid while another role gives it', async () => {
    const losses: ((person: SignedInPerson, roleId: string) => Promise<void>)[] = [
      (person, roleId) => unassign(admin, person, roleId),
      (_person, roleId) => assertOk(admin.delete(`/api/admin/roles/${roleId}/permissions/ssh:cert:issue`)),
      (_person, roleId) => assertOk(admin.delete(`/api/admin/roles/${roleId}`)),
    ]
    for (const lose of losses) {
      const person = await signedInPerson(app, { permissions: ['ssh:keys:manage'] })
      const roles = [
        await createRole(admin, { permissions: ['ssh:cert:issue', 'users:read'] }),
        await createRole(admin, { permissions: ['ssh:cert:issue'] }),
      ]
      for (const roleId of roles) await assign(admin, person, roleId)
      const key = await saveKey(person)
      const issued = [await issue(person, key), await issue(person, key)]
      await assertOk(admin.delete(`/api/admin/roles/${roles[0]}/permissions/users:read`))
      await lose(person, roles[0]!)
      assert.deepEqual(await areRevoked(app, ...issued), [false, false])
      await lose(person, roles[1]!)
      assert.deepEqual(await areRevoked(app, ...issued), [true, true])
    }
  })

  test('stay unchanged if they are already expired or revoked', async () => {
    const person = await newCertificateUser()
    const key = await saveKey(person)
    const roleId = await createRole(admin, { principals: ['deploy'] })
    await assign(admin, person, roleId)
    await issue(person, key, 60)
    const { id } = await issue(person, key)
    await assertOk(admin.post(`/api/ssh/certs/${id}/revoke`, { reason: 'Lost laptop' }))
    app.clock.advance(61_000)
    await unassign(admin, person, roleId)
    assert.deepEqual(
      (await listCertificates(app, person)).map(({ reason }) => reason),
      [null, 'Lost laptop'],
    )
  })

  test('are counted in the audit trail when they are revoked', async () => {
    const person = await newCertificateUser()
    const roleId = await createRole(admin, { principals: ['deploy'] })
    await assign(admin, person, roleId)
    await issue(person, await saveKey(person))
    await assertOk(admin.delete(`/api/admin/roles/${roleId}`))
    const { data } = await app.services.db.read
      .selectFrom('audit_events')
      .select('data')
      .where('action', '=', 'role.deleted')
      .where('target_id', '=', roleId)
      .executeTakeFirstOrThrow()
    assert.equal((JSON.parse(data) as { certificatesRevoked: number }).certificatesRevoked, 1)
  })

  for (const [change, lose] of Object.entries(LOSSES)) {
    test(`are not left by an issue that is concurrent with an administrator who ${change}`, async () => {
      for (let round = 0; round < 3; round++) {
        const people = await Promise.all(
          Array.from({ length: 3 }, () => signedInPerson(app, { permissions: ['ssh:keys:manage'] })),
        )
        const roleId = await createRole(admin, { principals: ['root'], permissions: ['ssh:cert:issue'] })
        for (const person of people) await assign(admin, person, roleId)
        const keys = await Promise.all(people.map((person) => saveKey(person)))
        const ask = async (index: number) => people[index]!.post('/api/ssh/certs/issue', { savedKeyId: keys[index] })
        const answers = await Promise.all([
          ...[0, 1, 2, 0, 1, 2].map(ask),
          lose(admin, people[0]!, roleId),
          ...[0, 1, 2, 0, 1, 2].map(ask),
        ])
        for (const { statusCode } of answers) assert.ok([200, 201, 403].includes(statusCode), String(statusCode))
        const { user } = people[0]!
        const me = (await people[0]!.get('/api/account/profile')).json<{ preferredUsername: string }>()
        const principals = (await people[0]!.get('/api/ssh/principals')).json<{ principals?: string[] }>().principals
        const current = new Set(principals ?? [])
        if (current.size > 0) assert.ok(current.has(me.preferredUsername))
        const live = await app.services.db.read
          .selectFrom('ssh_certificates')
          .select('principals')
          .where('user_id', '=', user.id)
          .where('revoked_at', 'is', null)
          .execute()
        for (const certificate of live) {
          const inCertificate = JSON.parse(certificate.principals) as string[]
          assert.ok(
            inCertificate.every((name) => current.has(name)),
            `${certificate.principals} and not ${[...current].join(' ')}`,
          )
        }
      }
    })
  }
})

describe('a certificate that is being issued (postgres)', () => {
  const shared = sharedApp({ engine: 'postgres' })

  for (const [change, lose] of Object.entries(LOSSES)) {
    test(`is waited for by an administrator who ${change}, and is then revoked`, async () => {
      const app = shared()
      const admin = await signedInPerson(app, { admin: true })
      // The role gives only what is lost.
      const toIssue: Permission[] = ['ssh:cert:issue']
      const [own, given] = change.includes('permission') ? [[], toIssue] : [toIssue, []]
      const person = await signedInPerson(app, { permissions: ['ssh:keys:manage', ...own] })
      const roleId = await createRole(admin, { principals: ['root'], permissions: given })
      await assign(admin, person, roleId)
      const key = await saveKey(person)
      const [database, watcher] = [new pg.Client(app.storage.databaseUrl), new pg.Client(app.storage.databaseUrl)]
      await Promise.all([database.connect(), watcher.connect()])
      try {
        const areWaiting = async (count: number) => (await countLockWaits(watcher)) === count
        // The row of the serial is the last one that issuing a certificate locks.
        await database.query('begin')
        await database.query("update counters set value = value where name = 'ssh_serial'")
        const issuing = issue(person, key)
        await until(() => areWaiting(1))
        const losing = lose(admin, person, roleId)
        await until(() => areWaiting(2))
        await database.query('commit')
        const issued = await issuing
        await assertOk(losing)
        assert.deepEqual(await areRevoked(app, issued), [true])
      } finally {
        await Promise.all([database.end(), watcher.end()])
      }
    })
  }
})
