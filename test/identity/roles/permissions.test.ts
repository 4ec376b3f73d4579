import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { createUser } from '../../../src/identity/users/create-user.ts'
import { newId } from '../../../src/platform/ids.ts'
import { ADMIN_ROLE, USER_ROLE } from '../../../src/vocabulary/built-in-roles.ts'
import { type Permission, PERMISSIONS } from '../../../src/vocabulary/permissions.ts'
import { sharedApp, type TestApp } from '../../support/app.ts'
import { onMainEngine } from '../../support/engines.ts'
import { anonymous, type Person, signedInPerson } from '../../support/people.ts'

interface Fixture {
  userId: string
  roleId: string
  actionId: string
}

interface Row {
  permission: Permission
  route: string
  send: (person: Person, fixture: Fixture) => ReturnType<Person['get']>
  status?: number
}

let names = 0
const freshName = () => `Name ${++names}`

/** The rows of section G of the specification, and the routes that the contract adds. */
const ROWS: Row[] = [
  { permission: 'users:read', route: 'GET /api/admin/users', send: (person) => person.get('/api/admin/users') },
  {
    permission: 'users:write',
    route: 'POST /api/admin/users',
    status: 201,
    send: (person) => person.post('/api/admin/users', { email: `new${++names}@example.org` }),
  },
  {
    permission: 'users:read',
    route: 'GET /api/admin/users/:userId',
    send: (person, fixture) => person.get(`/api/admin/users/${fixture.userId}`),
  },
  {
    permission: 'users:write',
    route: 'PATCH /api/admin/users/:userId',
    send: (person, fixture) => person.patch(`/api/admin/users/${fixture.userId}`, { displayName: 'Changed' }),
  },
  {
    permission: 'users:write',
    route: 'POST /api/admin/users/:userId/invitation',
    send: (person, fixture) => person.post(`/api/admin/users/${fixture.userId}/invitation`),
  },
  {
    permission: 'users:delete',
    route: 'DELETE /api/admin/users/:userId',
    send: (person, fixture) => person.delete(`/api/admin/users/${fixture.userId}`),
  },
  {
    permission: 'users:lifecycle',
    route: 'POST /api/admin/users/:userId/lifecycle',
    send: (person, fixture) => person.post(`/api/admin/users/${fixture.userId}/lifecycle`, { action: 'disable' }),
  },
  {
    permission: 'users:lifecycle',
    route: 'GET /api/admin/users/:userId/lifecycle',
    send: (person, fixture) => person.get(`/api/admin/users/${fixture.userId}/lifecycle`),
  },
  {
    permission: 'users:lifecycle',
    route: 'POST /api/admin/users/:userId/lifecycle/preview',
    send: (person, fixture) =>
      person.post(`/api/admin/users/${fixture.userId}/lifecycle/preview`, { action: 'disable' }),
  },
  {
    permission: 'users:lifecycle',
    route: 'GET /api/admin/users/:userId/lifecycle/:actionId/proof',
    // It is still to be carried out.
    status: 409,
    send: (person, fixture) => person.get(`/api/admin/users/${fixture.userId}/lifecycle/${fixture.actionId}/proof`),
  },
  {
    permission: 'users:lifecycle',
    route: 'DELETE /api/admin/users/:userId/lifecycle/:actionId',
    send: (person, fixture) => person.delete(`/api/admin/users/${fixture.userId}/lifecycle/${fixture.actionId}`),
  },
  { permission: 'roles:read', route: 'GET /api/admin/roles', send: (person) => person.get('/api/admin/roles') },
  {
    permission: 'roles:write',
    route: 'POST /api/admin/roles',
    status: 201,
    send: (person) => person.post('/api/admin/roles', { name: freshName(), permissions: ['roles:write'] }),
  },
  {
    permission: 'roles:read',
    route: 'GET /api/admin/roles/:id',
    send: (person, fixture) => person.get(`/api/admin/roles/${fixture.roleId}`),
  },
  {
    permission: 'roles:write',
    route: 'PATCH /api/admin/roles/:id',
    send: (person, fixture) =>
      person.patch(`/api/admin/roles/${fixture.roleId}`, { description: 'Changed', principals: [] }),
  },
  {
    permission: 'roles:write',
    route: 'DELETE /api/admin/roles/:id',
    send: (person, fixture) => person.delete(`/api/admin/roles/${fixture.roleId}`),
  },
  {
    permission: 'roles:read',
    route: 'GET /api/admin/roles/:id/permissions',
    send: (person, fixture) => person.get(`/api/admin/roles/${fixture.roleId}/permissions`),
  },
  {
    permission: 'roles:write',
    route: 'POST /api/admin/roles/:id/permissions',
    send: (person, fixture) =>
      person.post(`/api/admin/roles/${fixture.roleId}/permissions`, { permissionId: 'roles:write' }),
  },
  {
    permission: 'roles:write',
    route: 'DELETE /api/admin/roles/:id/permissions/:permissionId',
    send: (person, fixture) => person.delete(`/api/admin/roles/${fixture.roleId}/permissions/roles:write`),
  },
  {
    permission: 'permissions:read',
    route: 'GET /api/admin/permissions',
    send: (person) => person.get('/api/admin/permissions'),
  },
  {
    permission: 'roles:read',
    route: 'GET /api/admin/users/:userId/roles',
    send: (person, fixture) => person.get(`/api/admin/users/${fixture.userId}/roles`),
  },
  {
    permission: 'roles:assign',
    route: 'POST /api/admin/users/:userId/roles',
    send: (person, fixture) => person.post(`/api/admin/users/${fixture.userId}/roles`, { roleId: USER_ROLE }),
  },
  {
    permission: 'roles:assign',
    route: 'DELETE /api/admin/users/:userId/roles/:roleId',
    send: (person, fixture) => person.delete(`/api/admin/users/${fixture.userId}/roles/${EMPTY_ROLE}`),
  },
  { permission: 'audit:read', route: 'GET /api/admin/audit', send: (person) => person.get('/api/admin/audit') },
  { permission: 'users:read', route: 'GET /api/admin/overview', send: (person) => person.get('/api/admin/overview') },
]

const EMPTY_ROLE = newId()

onMainEngine('the permissions of the administration API', (engine) => {
  const shared = sharedApp({ engine })
  let app: TestApp
  before(async () => {
    app = shared()
    await addRole(EMPTY_ROLE, 'Empty')
  })

  const addRole = async (id: string, name: string, permission?: Permission) => {
    const { db, now } = app.services
    await db.transaction((trx) =>
      trx
        .insertInto('roles')
        .values({ id, name, description: '', principals: '[]', built_in: 0, created_at: now() })
        .execute(),
    )
    if (permission)
      await db.transaction((trx) => trx.insertInto('role_permissions').values({ role_id: id, permission }).execute())
  }

  const createFixture = async (): Promise<Fixture> => {
    const { services } = app
    const user = await createUser(services, services.db, {
      email: `fixture${++names}@example.org`,
      passwordHash: null,
    })
    await services.db.transaction((trx) =>
      trx.insertInto('user_roles').values({ user_id: user.id, role_id: EMPTY_ROLE }).execute(),
    )
    const roleId = newId()
    await addRole(roleId, freshName(), 'roles:write')
    const actionId = newId()
    await services.db.transaction((trx) =>
      trx
        .insertInto('lifecycle_actions')
        .values({
          id: actionId,
          user_id: user.id,
          action: 'disable',
          status: 'pending',
          execute_at: services.now() + 3_600_000,
          requested_by: null,
          claimed_at: null,
          finished_at: null,
          failure_reason: null,
          created_at: services.now(),
        })
        .execute(),
    )
    return { userId: user.id, roleId, actionId }
  }

  for (const { permission, route, send, status = 200 } of ROWS) {
    describe(`${route} needs ${permission}`, () => {
      test('answers 401 without a session, 403 with all other permissions, and 2xx with this permission alone', async () => {
        const fixture = await createFixture()
        assert.equal((await send(anonymous(app), fixture)).statusCode, 401)
        const others = PERMISSIONS.filter((each) => each !== permission)
        const without = await signedInPerson(app, { permissions: others })
        const refused = await send(without, fixture)
        assert.equal(refused.statusCode, 403, refused.body)
        const permitted = await signedInPerson(app, { permissions: [permission] })
        const allowed = await send(permitted, fixture)
        assert.equal(allowed.statusCode, status, allowed.body)
      })
    })
  }

  test('a malformed body answers 403 without the permission, and 400 with it', async () => {
    const without = await signedInPerson(app, { permissions: ['users:read'] })
    assert.equal((await without.post('/api/admin/roles', { nonsense: true })).statusCode, 403)
    const permitted = await signedInPerson(app, { permissions: ['roles:write'] })
    assert.equal((await permitted.post('/api/admin/roles', { name: 'x', nonsense: true })).statusCode, 400)
  })

  test('removing a role takes effect at the next request of the same session', async () => {
    const admin = await signedInPerson(app, { admin: true })
    const person = await signedInPerson(app, { admin: true })
    assert.equal((await person.get('/api/admin/users')).statusCode, 200)
    await admin.delete(`/api/admin/users/${person.user.id}/roles/${ADMIN_ROLE}`)
    assert.equal((await person.get('/api/admin/users')).statusCode, 403)
  })

  test('revoking a permission from a role takes effect at the next request of the same session', async () => {
    const admin = await signedInPerson(app, { admin: true })
    const person = await signedInPerson(app, { permissions: ['users:read'] })
    const role = (await admin.get(`/api/admin/users/${person.user.id}/roles`))
      .json<{ roles: { id: string; builtIn: boolean }[] }>()
      .roles.find(({ builtIn }) => !builtIn)
    assert.equal((await person.get('/api/admin/users')).statusCode, 200)
    await admin.delete(`/api/admin/roles/${role?.id}/permissions/users:read`)
    assert.equal((await person.get('/api/admin/users')).statusCode, 403)
  })
})
