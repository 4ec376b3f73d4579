import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { ADMIN_ROLE, USER_ROLE } from '../../src/access/built-in-roles.ts'
import type { Role } from '../../src/access/role.ts'
import { type Permission, PERMISSIONS } from '../../src/vocabulary/permissions.ts'
import { sharedApp, startApp, type TestApp } from '../support/app.ts'
import { onEachEngine } from '../support/engines.ts'
import { type SignedInPerson, signedInPerson } from '../support/people.ts'

onEachEngine('nobody gives what they do not hold', (engine) => {
  const shared = sharedApp({ engine })
  let app: TestApp
  let admin: SignedInPerson
  before(async () => {
    app = shared()
    admin = await signedInPerson(app, { admin: true })
  })

  const holder = (...permissions: Permission[]) => signedInPerson(app, { permissions })
  const rolesOf = async ({ user }: SignedInPerson) =>
    (await admin.get(`/api/admin/users/${user.id}/roles`)).json<{ roles: Role[] }>().roles
  const ownRole = async (person: SignedInPerson) => (await rolesOf(person)).find(({ builtIn }) => !builtIn)?.id ?? ''
  const makeRole = async (name: string, rest: Partial<Role> = {}) =>
    (await admin.post('/api/admin/roles', { name, ...rest })).json<{ role: Role }>().role

  test('only roles:assign giving oneself admin is 403', async () => {
    const person = await holder('roles:assign')
    const response = await person.post(`/api/admin/users/${person.user.id}/roles`, { roleId: ADMIN_ROLE })
    assert.equal(response.statusCode, 403)
    assert.ok((await rolesOf(person)).every(({ name }) => name !== 'admin'))
  })

  test('only roles:assign giving somebody else admin is 403', async () => {
    const person = await holder('roles:assign')
    const friend = await signedInPerson(app)
    const response = await person.post(`/api/admin/users/${friend.user.id}/roles`, { roleId: ADMIN_ROLE })
    assert.equal(response.statusCode, 403)
  })

  test('only roles:write adding to the own role is 403', async () => {
    const person = await holder('roles:write')
    const url = `/api/admin/roles/${await ownRole(person)}/permissions`
    for (const permissionId of PERMISSIONS.filter((each) => each !== 'roles:write')) {
      assert.equal((await person.post(url, { permissionId })).statusCode, 403, permissionId)
    }
    assert.equal((await person.get('/api/admin/users')).statusCode, 403)
  })

  test('only roles:write adding to the role that everyone has is 403', async () => {
    const person = await holder('roles:write')
    const url = `/api/admin/roles/${USER_ROLE}/permissions`
    assert.equal((await person.post(url, { permissionId: 'users:delete' })).statusCode, 403)
  })

  test('a role with more than one holds can not be created', async () => {
    const person = await holder('roles:write', 'users:read')
    const more = { name: 'More', permissions: ['users:read', 'users:delete'] }
    assert.equal((await person.post('/api/admin/roles', more)).statusCode, 403)
    const same = { name: 'Same', permissions: ['users:read'] }
    assert.equal((await person.post('/api/admin/roles', same)).statusCode, 201)
  })

  test('a role with more than one holds can not be assigned, one with as much can', async () => {
    const person = await holder('roles:assign', 'users:read')
    const friend = await signedInPerson(app)
    const url = `/api/admin/users/${friend.user.id}/roles`
    const same = await makeRole('As much', { permissions: ['users:read'] })
    const more = await makeRole('A bit more', { permissions: ['users:read', 'users:write'] })
    assert.equal((await person.post(url, { roleId: more.id })).statusCode, 403)
    assert.equal((await person.post(url, { roleId: same.id })).statusCode, 200)
  })

  test('a role that opens UNIX accounts can be assigned only by whoever has them, also by whoever may write roles', async () => {
    const opens = await makeRole('Opens root', { principals: ['root'] })
    const friend = await signedInPerson(app)
    for (const assigner of [await holder('roles:assign'), await holder('roles:assign', 'roles:write')]) {
      for (const { user } of [assigner, friend]) {
        const response = await assigner.post(`/api/admin/users/${user.id}/roles`, { roleId: opens.id })
        assert.equal(response.statusCode, 403)
      }
    }
    const peer = await signedInPerson(app, { permissions: ['roles:assign'], principals: ['root'] })
    const url = `/api/admin/users/${friend.user.id}/roles`
    assert.equal((await peer.post(url, { roleId: opens.id })).statusCode, 200)
  })

  test('whoever may write and assign roles can not open UNIX accounts, for themselves or for others', async () => {
    const person = await holder('roles:write', 'roles:assign', 'ssh:cert:issue', 'ssh:keys:manage')
    const own = await ownRole(person)
    const empty = await makeRole('Nothing yet')
    for (const id of [own, USER_ROLE, empty.id]) {
      assert.equal((await person.patch(`/api/admin/roles/${id}`, { principals: ['root'] })).statusCode, 403)
    }
    const back = { name: 'Back door', principals: ['root'] }
    assert.equal((await person.post('/api/admin/roles', back)).statusCode, 403)
    assert.deepEqual((await person.get('/api/ssh/principals')).json(), { principals: [person.user.preferredUsername] })
    assert.equal((await admin.patch(`/api/admin/roles/${own}`, { principals: ['root'] })).statusCode, 200)
  })

  test('principals of one’s own certificates can be given to a role, the username among them', async () => {
    const person = await signedInPerson(app, { permissions: ['roles:write'], principals: ['web', 'db'] })
    const own = person.user.preferredUsername
    const made = await person.post('/api/admin/roles', { name: 'Web people', principals: ['web'] })
    assert.equal(made.statusCode, 201, made.body)
    const url = `/api/admin/roles/${made.json<{ role: Role }>().role.id}`
    assert.equal((await person.patch(url, { principals: ['web', 'db', own] })).statusCode, 200)
    assert.equal((await person.patch(url, { principals: ['web', 'other'] })).statusCode, 403)
    assert.equal((await person.patch(url, { principals: [] })).statusCode, 200)
    assert.equal((await person.delete(url)).statusCode, 200)
  })

  test('a role that holds more than the caller can not be changed, deleted or given or robbed of permissions', async () => {
    const person = await holder('roles:write', 'roles:assign', 'users:read')
    const stronger = [
      await makeRole('More permissions', { permissions: ['users:read', 'users:delete'] }),
      await makeRole('More principals', { permissions: ['users:read'], principals: ['root'] }),
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
    const same = await makeRole('No more', { permissions: ['users:read'] })
    assert.equal((await person.delete(`/api/admin/roles/${same.id}/permissions/users:read`)).statusCode, 200)
    assert.equal((await person.delete(`/api/admin/roles/${same.id}`)).statusCode, 200)
  })

  test('403 comes before 409: for the built-in administrator role, and for a name that is taken', async () => {
    const person = await holder('roles:write', 'roles:assign')
    const url = `/api/admin/roles/${ADMIN_ROLE}`
    assert.equal((await person.delete(url)).statusCode, 403)
    assert.equal((await person.patch(url, { name: 'Other' })).statusCode, 403)
    assert.equal((await person.delete(`${url}/permissions/users:read`)).statusCode, 403)
    assert.equal((await person.post('/api/admin/roles', { name: 'admin', principals: ['root'] })).statusCode, 403)
    assert.equal((await admin.delete(url)).statusCode, 409)
    // Nothing in the role that everyone has is more than anybody holds.
    assert.equal((await person.delete(`/api/admin/roles/${USER_ROLE}`)).statusCode, 409)
  })

  test('users can not assign a role to themselves, not even one that holds no more than they do', async () => {
    const person = await holder('roles:assign', 'users:read')
    const same = await makeRole('For others', { permissions: ['users:read'] })
    const own = `/api/admin/users/${person.user.id}/roles`
    assert.equal((await person.post(own, { roleId: same.id })).statusCode, 403)
    assert.equal((await person.post(own, { roleId: USER_ROLE })).statusCode, 403)
    assert.ok((await rolesOf(person)).every(({ id }) => id !== same.id))
    const other = await signedInPerson(app, { admin: true })
    assert.equal((await other.post(`/api/admin/users/${other.user.id}/roles`, { roleId: same.id })).statusCode, 200)
  })

  test('only users:write changing an administrator is 403, whatever is changed', async () => {
    const person = await holder('users:write')
    for (const change of [{ email: 'mine@example.net' }, { displayName: 'x' }, { email_verified: true }, {}]) {
      assert.equal((await person.patch(`/api/admin/users/${admin.user.id}`, change)).statusCode, 403)
    }
    assert.equal((await person.post(`/api/admin/users/${admin.user.id}/invitation`)).statusCode, 403)
    const { user } = (await admin.get(`/api/admin/users/${admin.user.id}`)).json<{ user: { email: string } }>()
    assert.equal(user.email, admin.user.email)
  })

  test('a person who holds more can not be changed, deleted, disabled, enabled or given roles', async () => {
    const person = await holder('users:write', 'users:delete', 'users:lifecycle', 'roles:assign')
    const strong = await holder('users:read')
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

  test('a person with more principals can not be taken over through a new email', async () => {
    const strong = await signedInPerson(app, { permissions: ['ssh:cert:issue'], principals: ['root'] })
    const person = await holder('users:write', 'roles:write', 'ssh:cert:issue')
    const response = await person.patch(`/api/admin/users/${strong.user.id}`, { email: 'taken-over@example.net' })
    assert.equal(response.statusCode, 403)
  })

  test('an account with roles can be made only with the permission to assign them', async () => {
    const role = await makeRole('For new people', { permissions: ['users:read'] })
    const body = (email: string, roleIds: string[]) => ({ email, roleIds })
    const writer = await holder('users:write', 'users:read')
    assert.equal((await writer.post('/api/admin/users', body('n1@example.net', [role.id]))).statusCode, 403)
    assert.equal((await writer.post('/api/admin/users', body('n1@example.net', [USER_ROLE]))).statusCode, 201)
    const both = await holder('users:write', 'users:read', 'roles:assign')
    assert.equal((await both.post('/api/admin/users', body('n2@example.net', [ADMIN_ROLE]))).statusCode, 403)
    // 403 comes before 409, also when the email is taken.
    assert.equal((await both.post('/api/admin/users', body('n1@example.net', [ADMIN_ROLE]))).statusCode, 403)
    assert.equal((await both.post('/api/admin/users', body('n2@example.net', [role.id]))).statusCode, 201)
  })

  test('a password can not be set through PATCH', async () => {
    const person = await signedInPerson(app)
    const response = await admin.patch(`/api/admin/users/${person.user.id}`, { password: 'a new long password' })
    assert.equal(response.statusCode, 400)
  })

  test('one can not disable or delete oneself', async () => {
    const other = await signedInPerson(app, { admin: true })
    const url = `/api/admin/users/${other.user.id}`
    assert.equal((await other.post(`${url}/lifecycle`, { action: 'disable' })).statusCode, 409)
    const later = { action: 'disable', executeAt: app.clock.now() + 1000 }
    assert.equal((await other.post(`${url}/lifecycle`, later)).statusCode, 409)
    assert.equal((await other.delete(url)).statusCode, 409)
    assert.equal((await other.get('/api/auth/me')).statusCode, 200)
  })

  test('one can not call off what is planned for oneself', async () => {
    const person = await holder('users:lifecycle')
    const planned = await admin.post(`/api/admin/users/${person.user.id}/lifecycle`, {
      action: 'disable',
      executeAt: app.clock.now() + 3_600_000,
    })
    const { lifecycleActionId } = planned.json<{ lifecycleActionId: string }>()
    const url = `/api/admin/users/${person.user.id}/lifecycle/${lifecycleActionId}`
    assert.equal((await person.delete(url)).statusCode, 403)
    assert.equal((await admin.delete(url)).statusCode, 200)
  })
})

onEachEngine('the last active administrator', (engine) => {
  const everything = (test: TestApp) => signedInPerson(test, { permissions: [...PERMISSIONS] })

  test('can not be disabled, deleted or stripped', async (t) => {
    const app = await startApp(t, { engine })
    const last = await signedInPerson(app, { admin: true })
    const other = await everything(app)
    const url = `/api/admin/users/${last.user.id}`
    const answers = await Promise.all([
      other.post(`${url}/lifecycle`, { action: 'disable' }),
      other.post(`${url}/lifecycle`, { action: 'disable', executeAt: app.clock.now() + 1000 }),
      other.delete(url),
      other.delete(`${url}/roles/${ADMIN_ROLE}`),
      last.delete(`${url}/roles/${ADMIN_ROLE}`),
    ])
    assert.deepEqual(
      answers.map(({ statusCode }) => statusCode),
      answers.map(() => 409),
    )
    assert.equal((await last.get('/api/admin/users')).statusCode, 200)
  })

  test('is the last also when other administrators are disabled', async (t) => {
    const app = await startApp(t, { engine })
    const last = await signedInPerson(app, { admin: true })
    const gone = await signedInPerson(app, { admin: true })
    await last.post(`/api/admin/users/${gone.user.id}/lifecycle`, { action: 'disable' })
    assert.equal((await last.delete(`/api/admin/users/${last.user.id}/roles/${ADMIN_ROLE}`)).statusCode, 409)
    // The disabled one is not the last active one, and can go.
    assert.equal((await last.delete(`/api/admin/users/${gone.user.id}/roles/${ADMIN_ROLE}`)).statusCode, 200)
  })

  const removals = {
    strip: (by: SignedInPerson, whom: SignedInPerson) =>
      by.delete(`/api/admin/users/${whom.user.id}/roles/${ADMIN_ROLE}`),
    disable: (by: SignedInPerson, whom: SignedInPerson) =>
      by.post(`/api/admin/users/${whom.user.id}/lifecycle`, { action: 'disable' }),
    delete: (by: SignedInPerson, whom: SignedInPerson) => by.delete(`/api/admin/users/${whom.user.id}`),
  }

  for (const [name, remove] of Object.entries(removals)) {
    test(`ten administrators who ${name} each other at the same moment leave one`, async (t) => {
      const app = await startApp(t, { engine })
      const second = engine === 'postgres' ? await startApp(t, { engine, place: app.place }) : app
      const admins: SignedInPerson[] = []
      for (let index = 0; index < 10; index++) {
        admins.push(await signedInPerson(index % 2 === 0 ? app : second, { admin: true }))
      }
      const answers = await Promise.all(
        admins.flatMap((by) => admins.filter((whom) => whom !== by).map((whom) => remove(by, whom))),
      )
      const done = answers.filter(({ statusCode }) => statusCode === 200).length
      // Disabling somebody who is disabled already answers 200 as well.
      if (name === 'disable') assert.ok(done >= 9, String(done))
      else assert.equal(done, 9)
      for (const { statusCode } of answers)
        assert.ok([200, 401, 403, 404, 409].includes(statusCode), String(statusCode))
      const left = await app.services.db.read
        .selectFrom('user_roles')
        .innerJoin('users', 'users.id', 'user_roles.user_id')
        .select('users.id')
        .where('role_id', '=', ADMIN_ROLE)
        .where('disabled_at', 'is', null)
        .execute()
      assert.equal(left.length, 1)
    })
  }

  test('two administrators who remove each other fifty times leave one each time', async (t) => {
    const app = await startApp(t, { engine })
    const keeper = await everything(app)
    for (let round = 0; round < 50; round++) {
      const a = await signedInPerson(app, { admin: true })
      const b = await signedInPerson(app, { admin: true })
      const [first, second] = await Promise.all([removals.strip(a, b), removals.strip(b, a)])
      assert.deepEqual(
        [first.statusCode, second.statusCode].toSorted((x, y) => x - y),
        [200, 403],
      )
      const survivor = first.statusCode === 200 ? a : b
      assert.equal((await survivor.get('/api/admin/users')).statusCode, 200)
      await app.services.db.transaction((trx) =>
        trx.deleteFrom('user_roles').where('role_id', '=', ADMIN_ROLE).execute(),
      )
    }
    assert.equal((await keeper.get('/api/admin/users')).statusCode, 200)
  })
})
