import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { Role } from '../../../src/identity/roles/role.ts'
import { ADMIN_ROLE, USER_ROLE } from '../../../src/vocabulary/built-in-roles.ts'
import { type Permission, PERMISSIONS } from '../../../src/vocabulary/permissions.ts'
import { sharedApp, type TestApp } from '../../support/app.ts'
import { onMainEngine } from '../../support/engines.ts'
import { type SignedInPerson, signedInPerson } from '../../support/people.ts'

onMainEngine('users can’t grant more than they have', (engine) => {
  const shared = sharedApp({ engine })
  let app: TestApp
  let admin: SignedInPerson
  before(async () => {
    app = shared()
    admin = await signedInPerson(app, { admin: true })
  })

  const userWith = (...permissions: Permission[]) => signedInPerson(app, { permissions })
  const rolesOf = async ({ user }: SignedInPerson) =>
    (await admin.get(`/api/admin/users/${user.id}/roles`)).json<{ roles: Role[] }>().roles
  const ownRole = async (person: SignedInPerson) => (await rolesOf(person)).find(({ builtIn }) => !builtIn)?.id ?? ''
  const createRole = async (name: string, rest: Partial<Role> = {}) =>
    (await admin.post('/api/admin/roles', { name, ...rest })).json<{ role: Role }>().role

  test('a user with only roles:assign can’t assign the admin role to themselves', async () => {
    const person = await userWith('roles:assign')
    const response = await person.post(`/api/admin/users/${person.user.id}/roles`, { roleId: ADMIN_ROLE })
    assert.equal(response.statusCode, 403)
    assert.ok((await rolesOf(person)).every(({ name }) => name !== 'admin'))
  })

  test('a user with only roles:assign can’t assign the admin role to another user', async () => {
    const person = await userWith('roles:assign')
    const friend = await signedInPerson(app)
    const response = await person.post(`/api/admin/users/${friend.user.id}/roles`, { roleId: ADMIN_ROLE })
    assert.equal(response.statusCode, 403)
  })

  test('a user with only roles:write can’t add permissions to their own role', async () => {
    const person = await userWith('roles:write')
    const url = `/api/admin/roles/${await ownRole(person)}/permissions`
    for (const permissionId of PERMISSIONS.filter((each) => each !== 'roles:write')) {
      assert.equal((await person.post(url, { permissionId })).statusCode, 403, permissionId)
    }
    assert.equal((await person.get('/api/admin/users')).statusCode, 403)
  })

  test('a user with only roles:write can’t add permissions to the built-in user role', async () => {
    const person = await userWith('roles:write')
    const url = `/api/admin/roles/${USER_ROLE}/permissions`
    assert.equal((await person.post(url, { permissionId: 'users:delete' })).statusCode, 403)
  })

  test('only administrators change their own attributes, or those of a role that they have', async () => {
    const person = await userWith('users:write', 'roles:write', 'users:read', 'roles:read')
    const friend = await signedInPerson(app)
    const other = await createRole('Attributes of others')
    const role = await ownRole(person)
    const attributes = { team: 'blue' }
    for (const url of [`users/${person.user.id}`, `roles/${role}`, `roles/${USER_ROLE}`]) {
      assert.equal((await person.patch(`/api/admin/${url}`, { attributes })).statusCode, 403, url)
      assert.equal((await person.patch(`/api/admin/${url}`, { attributes: {} })).statusCode, 200, 'as they are')
    }
    const both = { attributes, name: 'Renamed' }
    assert.equal((await person.patch(`/api/admin/roles/${USER_ROLE}`, both)).statusCode, 403, '403 before 409')
    for (const url of [`users/${friend.user.id}`, `roles/${other.id}`])
      assert.equal((await person.patch(`/api/admin/${url}`, { attributes })).statusCode, 200, url)
    for (const url of [`users/${admin.user.id}`, `roles/${ADMIN_ROLE}`])
      assert.equal((await admin.patch(`/api/admin/${url}`, { attributes })).statusCode, 200, url)
    assert.equal((await admin.patch(`/api/admin/roles/${ADMIN_ROLE}`, { attributes: {} })).statusCode, 200)
  })

  test('a role with more permissions than the actor has can’t be created', async () => {
    const person = await userWith('roles:write', 'users:read')
    const more = { name: 'More', permissions: ['users:read', 'users:delete'] }
    assert.equal((await person.post('/api/admin/roles', more)).statusCode, 403)
    const same = { name: 'Same', permissions: ['users:read'] }
    assert.equal((await person.post('/api/admin/roles', same)).statusCode, 201)
  })

  test('a role with more permissions than the actor has can’t be assigned, and one with as many can', async () => {
    const person = await userWith('roles:assign', 'users:read')
    const friend = await signedInPerson(app)
    const url = `/api/admin/users/${friend.user.id}/roles`
    const same = await createRole('As much', { permissions: ['users:read'] })
    const more = await createRole('A bit more', { permissions: ['users:read', 'users:write'] })
    assert.equal((await person.post(url, { roleId: more.id })).statusCode, 403)
    assert.equal((await person.post(url, { roleId: same.id })).statusCode, 200)
  })

  test('a role with principals can be assigned only by users who have these principals, even with roles:write', async () => {
    const opens = await createRole('Opens root', { principals: ['root'] })
    const friend = await signedInPerson(app)
    for (const assigner of [await userWith('roles:assign'), await userWith('roles:assign', 'roles:write')]) {
      for (const { user } of [assigner, friend]) {
        const response = await assigner.post(`/api/admin/users/${user.id}/roles`, { roleId: opens.id })
        assert.equal(response.statusCode, 403)
      }
    }
    const peer = await signedInPerson(app, { permissions: ['roles:assign'], principals: ['root'] })
    const url = `/api/admin/users/${friend.user.id}/roles`
    assert.equal((await peer.post(url, { roleId: opens.id })).statusCode, 200)
  })

  test('a user with roles:write and roles:assign can’t grant principals, to themselves or to others', async () => {
    const person = await userWith('roles:write', 'roles:assign', 'ssh:cert:issue', 'ssh:keys:manage')
    const own = await ownRole(person)
    const empty = await createRole('Nothing yet')
    for (const id of [own, USER_ROLE, empty.id]) {
      assert.equal((await person.patch(`/api/admin/roles/${id}`, { principals: ['root'] })).statusCode, 403)
    }
    const back = { name: 'Back door', principals: ['root'] }
    assert.equal((await person.post('/api/admin/roles', back)).statusCode, 403)
    assert.deepEqual((await person.get('/api/ssh/principals')).json(), { principals: [person.user.preferredUsername] })
    assert.equal((await admin.patch(`/api/admin/roles/${own}`, { principals: ['root'] })).statusCode, 200)
  })

  test('users can give a role the principals of their own certificates, except their username', async () => {
    const person = await signedInPerson(app, { permissions: ['roles:write'], principals: ['web', 'db'] })
    const own = person.user.preferredUsername
    const made = await person.post('/api/admin/roles', { name: 'Web people', principals: ['web'] })
    assert.equal(made.statusCode, 201, made.body)
    const url = `/api/admin/roles/${made.json<{ role: Role }>().role.id}`
    assert.equal((await person.patch(url, { principals: ['web', 'db'] })).statusCode, 200)
    const clash = await person.patch(url, { principals: ['web', 'db', own] })
    assert.equal(clash.statusCode, 409)
    assert.ok(clash.json<{ error: string }>().error.includes(person.user.email), clash.body)
    assert.equal((await person.patch(url, { principals: ['web', 'other'] })).statusCode, 403)
    assert.equal((await person.patch(url, { principals: [] })).statusCode, 200)
    assert.equal((await person.delete(url)).statusCode, 200)
  })

  test('a role with more than the actor has can’t be changed or deleted, nor can its permissions', async () => {
    const person = await userWith('roles:write', 'roles:assign', 'users:read')
    const stronger = [
      await createRole('More permissions', { permissions: ['users:read', 'users:delete'] }),
      await createRole('More principals', { permissions: ['users:read'], principals: ['root'] }),
    ]
    const before = (await admin.get('/api/admin/roles?limit=200')).body
    for (const { id } of stronger) {
      const url = `/api/admin/roles/${id}`
      const answers = await Promise.all([
        person.patch(url, { description: 'x' }),
        person.patch(url, { name: 'Nothing yet' }),
        person.patch(url, { principals: [] }),
        person.patch(url, {}),
        person.post(`${url}/permissions`, { permissionId: 'users:read' }),
        person.delete(`${url}/permissions/users:read`),
        person.delete(`${url}/permissions/audit:read`),
        person.delete(url),
      ])
      assert.deepEqual(
        answers.map(({ statusCode }) => statusCode),
        answers.map(() => 403),
      )
    }
    assert.equal((await admin.get('/api/admin/roles?limit=200')).body, before)
    const same = await createRole('No more', { permissions: ['users:read'] })
    assert.equal((await person.delete(`/api/admin/roles/${same.id}/permissions/users:read`)).statusCode, 200)
    assert.equal((await person.delete(`/api/admin/roles/${same.id}`)).statusCode, 200)
  })

  test('403 takes precedence over 409, for the built-in admin role and for a taken name', async () => {
    const person = await userWith('roles:write', 'roles:assign')
    const url = `/api/admin/roles/${ADMIN_ROLE}`
    assert.equal((await person.delete(url)).statusCode, 403)
    assert.equal((await person.patch(url, { name: 'Other' })).statusCode, 403)
    assert.equal((await person.delete(`${url}/permissions/users:read`)).statusCode, 403)
    assert.equal((await person.post('/api/admin/roles', { name: 'admin', principals: ['root'] })).statusCode, 403)
    assert.equal((await admin.delete(url)).statusCode, 409)
    // The built-in user role has nothing that the actor lacks.
    assert.equal((await person.delete(`/api/admin/roles/${USER_ROLE}`)).statusCode, 409)
  })

  test('users can’t assign a role to themselves, even one with no more than they have', async () => {
    const person = await userWith('roles:assign', 'users:read')
    const same = await createRole('For others', { permissions: ['users:read'] })
    const own = `/api/admin/users/${person.user.id}/roles`
    assert.equal((await person.post(own, { roleId: same.id })).statusCode, 403)
    assert.equal((await person.post(own, { roleId: USER_ROLE })).statusCode, 403)
    assert.ok((await rolesOf(person)).every(({ id }) => id !== same.id))
    const other = await signedInPerson(app, { admin: true })
    assert.equal((await other.post(`/api/admin/users/${other.user.id}/roles`, { roleId: same.id })).statusCode, 200)
  })

  test('a user with only users:write can’t change an administrator in any way', async () => {
    const person = await userWith('users:write')
    for (const change of [{ email: 'mine@example.net' }, { displayName: 'x' }, { email_verified: true }, {}]) {
      assert.equal((await person.patch(`/api/admin/users/${admin.user.id}`, change)).statusCode, 403)
    }
    assert.equal((await person.post(`/api/admin/users/${admin.user.id}/invitation`)).statusCode, 403)
    const { user } = (await admin.get(`/api/admin/users/${admin.user.id}`)).json<{ user: { email: string } }>()
    assert.equal(user.email, admin.user.email)
  })

  test('a user who has more than the actor can’t be changed, deleted, disabled, enabled or assigned roles', async () => {
    const person = await userWith('users:write', 'users:delete', 'users:lifecycle', 'roles:assign')
    const strong = await userWith('users:read')
    const url = `/api/admin/users/${strong.user.id}`
    const answers = await Promise.all([
      person.patch(url, { displayName: 'x' }),
      person.delete(url),
      person.post(`${url}/lifecycle`, { action: 'disable' }),
      person.post(`${url}/lifecycle`, { action: 'enable' }),
      person.post(`${url}/lifecycle`, { action: 'disable', executeAt: app.clock.now() + 1000 }),
      person.post(`${url}/roles`, { roleId: USER_ROLE }),
      person.delete(`${url}/roles/${await ownRole(strong)}`),
    ])
    assert.deepEqual(
      answers.map(({ statusCode }) => statusCode),
      answers.map(() => 403),
    )
    assert.equal((await strong.get('/api/admin/users')).statusCode, 200)
  })

  test('a user with more principals than the actor can’t be given a new email', async () => {
    const strong = await signedInPerson(app, { permissions: ['ssh:cert:issue'], principals: ['root'] })
    const person = await userWith('users:write', 'roles:write', 'ssh:cert:issue')
    const response = await person.patch(`/api/admin/users/${strong.user.id}`, { email: 'taken-over@example.net' })
    assert.equal(response.statusCode, 403)
  })

  test('a user with roles can be created only with the permission to assign them', async () => {
    const role = await createRole('For new people', { permissions: ['users:read'] })
    const body = (email: string, roleIds: string[]) => ({ email, roleIds })
    const writer = await userWith('users:write', 'users:read')
    assert.equal((await writer.post('/api/admin/users', body('n1@example.net', [role.id]))).statusCode, 403)
    assert.equal((await writer.post('/api/admin/users', body('n1@example.net', [USER_ROLE]))).statusCode, 201)
    const both = await userWith('users:write', 'users:read', 'roles:assign')
    assert.equal((await both.post('/api/admin/users', body('n2@example.net', [ADMIN_ROLE]))).statusCode, 403)
    // 403 takes precedence over 409, also when the email is taken.
    assert.equal((await both.post('/api/admin/users', body('n1@example.net', [ADMIN_ROLE]))).statusCode, 403)
    assert.equal((await both.post('/api/admin/users', body('n2@example.net', [role.id]))).statusCode, 201)
  })

  test('a password can’t be set through PATCH', async () => {
    const person = await signedInPerson(app)
    const response = await admin.patch(`/api/admin/users/${person.user.id}`, { password: 'a new long password' })
    assert.equal(response.statusCode, 400)
  })

  test('users can’t disable or delete themselves', async () => {
    const other = await signedInPerson(app, { admin: true })
    const url = `/api/admin/users/${other.user.id}`
    assert.equal((await other.post(`${url}/lifecycle`, { action: 'disable' })).statusCode, 409)
    const later = { action: 'disable', executeAt: app.clock.now() + 1000 }
    assert.equal((await other.post(`${url}/lifecycle`, later)).statusCode, 409)
    assert.equal((await other.delete(url)).statusCode, 409)
    assert.equal((await other.get('/api/auth/me')).statusCode, 200)
  })

  test('users can’t cancel an action that is scheduled for themselves', async () => {
    const person = await userWith('users:lifecycle')
    const scheduled = await admin.post(`/api/admin/users/${person.user.id}/lifecycle`, {
      action: 'disable',
      executeAt: app.clock.now() + 3_600_000,
    })
    const { lifecycleActionId } = scheduled.json<{ lifecycleActionId: string }>()
    const url = `/api/admin/users/${person.user.id}/lifecycle/${lifecycleActionId}`
    assert.equal((await person.delete(url)).statusCode, 403)
    assert.equal((await admin.delete(url)).statusCode, 200)
  })
})
