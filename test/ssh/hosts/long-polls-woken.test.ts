import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { runDueActions } from '../../../src/identity/lifecycle/run-due-actions.ts'
import { USER_ROLE } from '../../../src/vocabulary/built-in-roles.ts'
import { sharedApp, startApp, type TestApp } from '../../support/app.ts'
import { onEachEngine } from '../../support/engines.ts'
import { anonymous, signedInPerson, type SignedInPerson } from '../../support/people.ts'
import { until } from '../../support/replicas.ts'
import { issue, saveKey } from '../public-keys.ts'
import { createHost, enroll, hostWith } from './managed-host.ts'

interface Situation {
  app: TestApp
  admin: SignedInPerson
  hostId: string
  /** Holds the role, which the host admits. */
  person: SignedInPerson
  /** Lets people get certificates and opens an account. */
  roleId: string
  /** Opens another account, and nobody holds it. The host admits it. */
  otherRoleId: string
  name: string
}

let made = 0

/** Changes after which a waiting host has another list, each with what comes before it. */
const CHANGES: Record<string, (situation: Situation) => Promise<() => Promise<unknown>>> = {
  'a role is created whose rules open an account': async ({ admin, name, hostId }) => {
    await admin.patch(`/api/ssh/hosts/${hostId}`, { allowedRoles: null })
    const role = { name: `new ${name}`, principals: [`new-${name}`], ssh: { forceCommand: 'psql' } }
    return () => admin.post('/api/admin/roles', role)
  },
  'a principal is added to a role':
    async ({ admin, roleId, name }) =>
    () =>
      admin.patch(`/api/admin/roles/${roleId}`, { principals: [`acc-${name}`, `more-${name}`] }),
  'a role loses its principals':
    async ({ admin, roleId }) =>
    () =>
      admin.patch(`/api/admin/roles/${roleId}`, { principals: [] }),
  'a role gets rules':
    async ({ admin, roleId }) =>
    () =>
      admin.patch(`/api/admin/roles/${roleId}`, { ssh: { forceCommand: 'psql' } }),
  'a role is deleted':
    async ({ admin, roleId }) =>
    () =>
      admin.delete(`/api/admin/roles/${roleId}`),
  'a role may no longer get certificates':
    async ({ admin, roleId }) =>
    () =>
      admin.delete(`/api/admin/roles/${roleId}/permissions/ssh:cert:issue`),
  'a role may get certificates': async ({ admin, roleId }) => {
    await admin.delete(`/api/admin/roles/${roleId}/permissions/ssh:cert:issue`)
    return () => admin.post(`/api/admin/roles/${roleId}/permissions`, { permissionId: 'ssh:cert:issue' })
  },
  'a role is given':
    async ({ admin, person, otherRoleId }) =>
    () =>
      admin.post(`/api/admin/users/${person.user.id}/roles`, { roleId: otherRoleId }),
  'a role is taken away':
    async ({ admin, person, roleId }) =>
    () =>
      admin.delete(`/api/admin/users/${person.user.id}/roles/${roleId}`),
  'a role is given to many':
    async ({ admin, person, otherRoleId }) =>
    () =>
      admin.post('/api/admin/users/batch', { ids: [person.user.id], action: 'assign_role', roleId: otherRoleId }),
  'people are imported with a role': async ({ admin, roleId, name }) => {
    const { role } = (await admin.get(`/api/admin/roles/${roleId}`)).json<{ role: { name: string } }>()
    const rows = [{ email: `import-${name}@example.com`, roles: [role.name] }]
    return () => admin.post('/api/admin/users/import', { rows })
  },
  'a person is renamed':
    async ({ admin, person, name }) =>
    () =>
      admin.patch(`/api/admin/users/${person.user.id}`, { preferredUsername: `renamed-${name}` }),
  'a person is disabled':
    async ({ admin, person }) =>
    () =>
      admin.post(`/api/admin/users/${person.user.id}/lifecycle`, { action: 'disable' }),
  'a person is enabled': async ({ admin, person }) => {
    await admin.post(`/api/admin/users/${person.user.id}/lifecycle`, { action: 'disable' })
    return () => admin.post(`/api/admin/users/${person.user.id}/lifecycle`, { action: 'enable' })
  },
  'many are disabled':
    async ({ admin, person }) =>
    () =>
      admin.post('/api/admin/users/batch', { ids: [person.user.id], action: 'disable' }),
  'a planned disable is carried out': async ({ app, admin, person }) => {
    const executeAt = app.clock.now() + 1
    await admin.post(`/api/admin/users/${person.user.id}/lifecycle`, { action: 'disable', executeAt })
    // The time of day alone: for waiting requests none passes.
    app.clock.adjust(1)
    return () => runDueActions(app.services)
  },
  'a person is deleted':
    async ({ admin, person }) =>
    () =>
      admin.delete(`/api/admin/users/${person.user.id}`),
  'people delete their own account': async ({ app, admin, roleId }) => {
    const currentPassword = 'a long and unusual passphrase'
    const person = await signedInPerson(app, { password: currentPassword })
    await admin.post(`/api/admin/users/${person.user.id}/roles`, { roleId })
    return () => person.delete('/api/account', { email: person.user.email, currentPassword })
  },
  'the host is deleted':
    async ({ admin, hostId }) =>
    () =>
      admin.delete(`/api/ssh/hosts/${hostId}`),
  'the host admits other roles':
    async ({ admin, hostId, otherRoleId }) =>
    () =>
      admin.patch(`/api/ssh/hosts/${hostId}`, { allowedRoles: [otherRoleId] }),
  'the host admits everybody':
    async ({ admin, hostId }) =>
    () =>
      admin.patch(`/api/ssh/hosts/${hostId}`, { allowedRoles: null }),
  'somebody registers where everybody may log in': async ({ app, admin, hostId, name }) => {
    await admin.patch(`/api/ssh/hosts/${hostId}`, { allowedRoles: [USER_ROLE] })
    await admin.post(`/api/admin/roles/${USER_ROLE}/permissions`, { permissionId: 'ssh:cert:issue' })
    const account = { email: `registered-${name}@example.com`, password: 'a long and unusual passphrase' }
    return () => anonymous(app).post('/api/auth/register', account)
  },
  'a certificate is revoked': async ({ admin, person }) => {
    const { id } = await issue(person, await saveKey(person))
    return () => admin.post(`/api/ssh/certs/${id}/revoke`, {})
  },
  'a key is removed that has a certificate': async ({ person }) => {
    const key = await saveKey(person)
    await issue(person, key)
    return () => person.delete(`/api/ssh/keys/${key}`)
  },
}

/** Changes after which the token of a waiting host is none. */
const ENDS: Record<string, (situation: Situation) => Promise<unknown>> = {
  'its token is revoked': ({ admin, hostId }) => admin.post(`/api/ssh/hosts/${hostId}/enrollment`, { revoke: true }),
  'it is enrolled again, and uses its new token': async ({ app, admin, hostId }) => {
    const renewed = await admin.post(`/api/ssh/hosts/${hostId}/enrollment`, {})
    const { hostToken } = await enroll(app, renewed.json<{ enrollmentToken: string }>().enrollmentToken)
    await hostWith(app, hostToken).get('/ssh/hosts/principals')
  },
}

onEachEngine('a waiting host is answered at once, by every replica, when', (engine) => {
  const shared = sharedApp({ engine, config: { rateLimits: false } })
  const cleanups: (() => Promise<void>)[] = []
  let app: TestApp
  /** The host waits here, and the change is made there. */
  let other: TestApp
  let admin: SignedInPerson
  before(async () => {
    app = shared()
    admin = await signedInPerson(app, { admin: true })
    if (engine === 'sqlite') {
      other = app
      return
    }
    other = await startApp(
      { after: (work) => void cleanups.push(work) },
      { engine, storage: app.storage, clock: app.clock },
    )
    let isListening = false
    other.services.signals.on('client-changed', () => {
      isListening = true
    })
    await until(async () => {
      await app.services.db.transaction(async (trx) => trx.signal('client-changed', { clientId: 'none' }))
      return isListening
    })
  })
  test.after(async () => {
    for (const cleanUp of cleanups) await cleanUp()
  })

  /** A host that waits with the lists that are current, and what it has to do with. */
  async function arrange() {
    const name = `w${++made}`
    const role = async (content: object) => {
      const created = await admin.post('/api/admin/roles', content)
      assert.equal(created.statusCode, 201, created.body)
      return created.json<{ role: { id: string } }>().role.id
    }
    const permissions = ['ssh:cert:issue', 'ssh:keys:manage']
    const roleId = await role({ name: `one ${name}`, principals: [`acc-${name}`], permissions })
    const otherRoleId = await role({ name: `two ${name}`, principals: [`two-${name}`] })
    const person = await signedInPerson(app)
    await admin.post(`/api/admin/users/${person.user.id}/roles`, { roleId })
    const { host, enrollmentToken } = await createHost(admin, { allowedRoles: [roleId, otherRoleId] })
    const { hostToken } = await enroll(app, enrollmentToken)
    const agent = hostWith(other, hostToken)
    const situation: Situation = { app, admin, hostId: host.id, person, roleId, otherRoleId, name }
    const wait = async () => {
      const etag = async (url: string) => encodeURIComponent(String((await agent.get(url)).headers['etag']))
      const [krl, principals] = [await etag('/ssh/krl?format=krl'), await etag('/ssh/hosts/principals')]
      const answer = agent.get(`/ssh/hosts/wait?krl=${krl}&principals=${principals}`)
      await until(async () => other.services.longPolls.count() > 0)
      // Signals of what was done before may still come: they wake a host that has the current lists, and it goes on waiting.
      await app.services.db.transaction(async (trx) => trx.signal('access-changed', null))
      return { answer }
    }
    return { situation, wait }
  }

  const atOnce = <T>(answer: Promise<T>): Promise<T> =>
    Promise.race([answer, sleep(10_000).then(() => assert.fail('The host was not woken.'))])

  for (const [name, prepare] of Object.entries(CHANGES)) {
    test(name, async () => {
      const { situation, wait } = await arrange()
      const change = await prepare(situation)
      const { answer } = await wait()
      const changed = await change()
      if (changed !== undefined && changed !== null && typeof changed === 'object' && 'statusCode' in changed)
        assert.ok(Number(changed.statusCode) < 300, `the change answers ${String(changed.statusCode)}`)
      const { statusCode, body } = await atOnce(answer)
      assert.equal(statusCode, 200, body)
      assert.deepEqual(Object.keys(JSON.parse(body) as object), ['krl', 'principals'])
    })
  }

  for (const [name, end] of Object.entries(ENDS)) {
    test(name, async () => {
      const { situation, wait } = await arrange()
      const { answer } = await wait()
      await end(situation)
      assert.equal((await atOnce(answer)).statusCode, 401)
    })
  }
})
