import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { ADMIN_ROLE, USER_ROLE } from '../../src/access/built-in-roles.ts'
import { createUser } from '../../src/access/create-user.ts'
import { newId } from '../../src/ids.ts'
import { type Permission, PERMISSIONS } from '../../src/vocabulary/permissions.ts'
import { sharedApp, type TestApp } from '../support/app.ts'
import { onEachEngine } from '../support/engines.ts'
import { anonymous, type Person, signedInPerson } from '../support/people.ts'

interface Scene {
  userId: string
  roleId: string
  actionId: string
}

interface Row {
  permission: Permission
  what: string
  ask: (person: Person, scene: Scene) => ReturnType<Person['get']>
  status?: number
}

let names = 0
const freshName = () => `Name ${++names}`

/** Section G of the specification, row by row, and what the contract adds. */
const ROWS: Row[] = [
  { permission: 'users:read', what: 'GET /api/admin/users', ask: (p) => p.get('/api/admin/users') },
  {
    permission: 'users:write',
    what: 'POST /api/admin/users',
    status: 201,
    ask: (p) => p.post('/api/admin/users', { email: `new${++names}@example.org` }),
  },
  {
    permission: 'users:read',
    what: 'GET /api/admin/users/:userId',
    ask: (p, s) => p.get(`/api/admin/users/${s.userId}`),
  },
  {
    permission: 'users:write',
    what: 'PATCH /api/admin/users/:userId',
    ask: (p, s) => p.patch(`/api/admin/users/${s.userId}`, { displayName: 'Changed' }),
  },
  {
    permission: 'users:write',
    what: 'POST /api/admin/users/:userId/invitation',
    ask: (p, s) => p.post(`/api/admin/users/${s.userId}/invitation`),
  },
  {
    permission: 'users:delete',
    what: 'DELETE /api/admin/users/:userId',
    ask: (p, s) => p.delete(`/api/admin/users/${s.userId}`),
  },
  {
    permission: 'users:lifecycle',
    what: 'POST /api/admin/users/:userId/lifecycle',
    ask: (p, s) => p.post(`/api/admin/users/${s.userId}/lifecycle`, { action: 'disable' }),
  },
  {
    permission: 'users:lifecycle',
    what: 'GET /api/admin/users/:userId/lifecycle',
    ask: (p, s) => p.get(`/api/admin/users/${s.userId}/lifecycle`),
  },
  {
    permission: 'users:lifecycle',
    what: 'GET /api/admin/users/:userId/lifecycle/preview',
    ask: (p, s) => p.get(`/api/admin/users/${s.userId}/lifecycle/preview`),
  },
  {
    permission: 'users:lifecycle',
    what: 'DELETE /api/admin/users/:userId/lifecycle/:actionId',
    ask: (p, s) => p.delete(`/api/admin/users/${s.userId}/lifecycle/${s.actionId}`),
  },
  { permission: 'roles:read', what: 'GET /api/admin/roles', ask: (p) => p.get('/api/admin/roles') },
  {
    permission: 'roles:write',
    what: 'POST /api/admin/roles',
    status: 201,
    ask: (p) => p.post('/api/admin/roles', { name: freshName(), permissions: ['roles:write'] }),
  },
  { permission: 'roles:read', what: 'GET /api/admin/roles/:id', ask: (p, s) => p.get(`/api/admin/roles/${s.roleId}`) },
  {
    permission: 'roles:write',
    what: 'PATCH /api/admin/roles/:id',
    ask: (p, s) => p.patch(`/api/admin/roles/${s.roleId}`, { description: 'Changed', principals: [] }),
  },
  {
    permission: 'roles:write',
    what: 'DELETE /api/admin/roles/:id',
    ask: (p, s) => p.delete(`/api/admin/roles/${s.roleId}`),
  },
  {
    permission: 'roles:read',
    what: 'GET /api/admin/roles/:id/permissions',
    ask: (p, s) => p.get(`/api/admin/roles/${s.roleId}/permissions`),
  },
  {
    permission: 'roles:write',
    what: 'POST /api/admin/roles/:id/permissions',
    ask: (p, s) => p.post(`/api/admin/roles/${s.roleId}/permissions`, { permissionId: 'roles:write' }),
  },
  {
    permission: 'roles:write',
    what: 'DELETE /api/admin/roles/:id/permissions/:permissionId',
    ask: (p, s) => p.delete(`/api/admin/roles/${s.roleId}/permissions/roles:write`),
  },
  { permission: 'permissions:read', what: 'GET /api/admin/permissions', ask: (p) => p.get('/api/admin/permissions') },
  {
    permission: 'roles:read',
    what: 'GET /api/admin/users/:userId/roles',
    ask: (p, s) => p.get(`/api/admin/users/${s.userId}/roles`),
  },
  {
    permission: 'roles:assign',
    what: 'POST /api/admin/users/:userId/roles',
    ask: (p, s) => p.post(`/api/admin/users/${s.userId}/roles`, { roleId: USER_ROLE }),
  },
  {
    permission: 'roles:assign',
    what: 'DELETE /api/admin/users/:userId/roles/:roleId',
    ask: (p, s) => p.delete(`/api/admin/users/${s.userId}/roles/${EMPTY_ROLE}`),
  },
  { permission: 'audit:read', what: 'GET /api/admin/audit', ask: (p) => p.get('/api/admin/audit') },
  { permission: 'users:read', what: 'GET /api/admin/overview', ask: (p) => p.get('/api/admin/overview') },
]

const EMPTY_ROLE = newId()

onEachEngine('permissions of administration', (engine) => {
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

  const setScene = async (): Promise<Scene> => {
    const { services } = app
    const user = await createUser(services, services.db, {
      email: `scene${++names}@example.org`,
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

  for (const { permission, what, ask, status = 200 } of ROWS) {
    describe(`${what} needs ${permission}`, () => {
      test('anonymous 401, every other permission 403, exactly it 2xx', async () => {
        const scene = await setScene()
        assert.equal((await ask(anonymous(app), scene)).statusCode, 401)
        const others = PERMISSIONS.filter((each) => each !== permission)
        const without = await signedInPerson(app, { permissions: others })
        const refused = await ask(without, scene)
        assert.equal(refused.statusCode, 403, refused.body)
        const holder = await signedInPerson(app, { permissions: [permission] })
        const allowed = await ask(holder, scene)
        assert.equal(allowed.statusCode, status, allowed.body)
      })
    })
  }

  test('a malformed body is 403 for whoever lacks the permission, and 400 for whoever has it', async () => {
    const without = await signedInPerson(app, { permissions: ['users:read'] })
    assert.equal((await without.post('/api/admin/roles', { nonsense: true })).statusCode, 403)
    const holder = await signedInPerson(app, { permissions: ['roles:write'] })
    assert.equal((await holder.post('/api/admin/roles', { name: 'x', nonsense: true })).statusCode, 400)
  })

  test('a removed role bites at the next request of the same session', async () => {
    const admin = await signedInPerson(app, { admin: true })
    const person = await signedInPerson(app, { admin: true })
    assert.equal((await person.get('/api/admin/users')).statusCode, 200)
    await admin.delete(`/api/admin/users/${person.user.id}/roles/${ADMIN_ROLE}`)
    assert.equal((await person.get('/api/admin/users')).statusCode, 403)
  })

  test('a permission revoked from a role bites at the next request of the same session', async () => {
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
