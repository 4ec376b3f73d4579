import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { Role } from '../../../src/identity/roles/role.ts'
import { ADMIN_ROLE, USER_ROLE } from '../../../src/vocabulary/built-in-roles.ts'
import { PERMISSIONS } from '../../../src/vocabulary/permissions.ts'
import { sharedApp, type TestApp } from '../../support/app.ts'
import { onEachEngine } from '../../support/engines.ts'
import { type SignedInPerson, signedInPerson } from '../../support/people.ts'

onEachEngine('roles', (engine) => {
  const shared = sharedApp({ engine })
  let app: TestApp
  let admin: SignedInPerson
  before(async () => {
    app = shared()
    admin = await signedInPerson(app, { admin: true })
  })

  const create = async (body: Record<string, unknown>): Promise<Role> => {
    const response = await admin.post('/api/admin/roles', body)
    assert.equal(response.statusCode, 201, response.body)
    return response.json<{ role: Role }>().role
  }

  test('the built-in roles come first: admin with every permission, user with none', async () => {
    const { roles } = (await admin.get('/api/admin/roles')).json<{ roles: Role[] }>()
    assert.deepEqual(
      roles.slice(0, 2).map(({ id, name, builtIn }) => ({ id, name, builtIn })),
      [
        { id: ADMIN_ROLE, name: 'admin', builtIn: true },
        { id: USER_ROLE, name: 'user', builtIn: true },
      ],
    )
    assert.deepEqual(roles[0]?.permissions, PERMISSIONS.toSorted())
    assert.deepEqual(roles[1]?.permissions, [])
  })

  test('the catalogue lists every permission with id equal to name', async () => {
    const { permissions } = (await admin.get('/api/admin/permissions')).json<{
      permissions: { id: string; name: string; description: string }[]
    }>()
    assert.deepEqual(
      permissions.map(({ id }) => id),
      PERMISSIONS,
    )
    assert.ok(permissions.every(({ id, name, description }) => id === name && description.length > 0))
  })

  test('a role can be created, changed and deleted', async () => {
    const role = await create({
      name: 'Help desk',
      description: 'First line',
      principals: ['helpdesk'],
      permissions: ['users:read', 'users:lifecycle'],
    })
    assert.deepEqual(
      { ...role, id: '' },
      {
        id: '',
        name: 'Help desk',
        description: 'First line',
        principals: ['helpdesk'],
        ssh: null,
        builtIn: false,
        permissions: ['users:lifecycle', 'users:read'],
        attributes: {},
        requires: 'none',
        requiresNext: null,
      },
    )
    const changed = await admin.patch(`/api/admin/roles/${role.id}`, { name: 'Desk', principals: ['desk', 'helpdesk'] })
    assert.deepEqual(changed.json(), { role: { ...role, name: 'Desk', principals: ['desk', 'helpdesk'] } })
    assert.deepEqual((await admin.delete(`/api/admin/roles/${role.id}`)).json(), { success: true })
    assert.equal((await admin.get(`/api/admin/roles/${role.id}`)).statusCode, 404)
    assert.equal((await admin.delete(`/api/admin/roles/${role.id}`)).statusCode, 404)
  })

  test('concurrent changes of one role are all kept', async () => {
    for (let round = 0; round < 10; round++) {
      const { id } = await create({ name: `Changed twice ${round}`, principals: ['before'] })
      const url = `/api/admin/roles/${id}`
      const answers = await Promise.all([
        admin.patch(url, { principals: [] }),
        admin.patch(url, { description: 'Changed' }),
        admin.patch(url, { name: `Renamed ${round}` }),
        admin.post(`${url}/permissions`, { permissionId: 'users:read' }),
      ])
      for (const { statusCode, body } of answers) assert.equal(statusCode, 200, body)
      const { role } = (await admin.get(url)).json<{ role: Role }>()
      const { name, description, principals, permissions } = role
      assert.deepEqual(
        { name, description, principals, permissions },
        { name: `Renamed ${round}`, description: 'Changed', principals: [], permissions: ['users:read'] },
      )
    }
  })

  test('a second role of the same name, in any case of letters, answers 409', async () => {
    await create({ name: 'Twice' })
    for (const name of ['Twice', 'TWICE', 'Admin']) {
      const response = await admin.post('/api/admin/roles', { name })
      assert.equal(response.statusCode, 409)
      assert.equal(response.json<{ code: string }>().code, 'conflict')
    }
    const other = await create({ name: 'Once' })
    assert.equal((await admin.patch(`/api/admin/roles/${other.id}`, { name: 'twice' })).statusCode, 409)
  })

  test('of fifty concurrent requests to create a role of one name, exactly one succeeds', async () => {
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => admin.post('/api/admin/roles', { name: 'Contended' })),
    )
    assert.equal(answers.filter(({ statusCode }) => statusCode === 201).length, 1)
    assert.equal(answers.filter(({ statusCode }) => statusCode === 409).length, 49)
  })

  test('unknown permissions, invalid names and invalid principals are refused', async () => {
    const bodies: Record<string, unknown>[] = [
      {},
      { name: '' },
      { name: '   ' },
      { name: 'line\nbreak' },
      { name: 'zero\u200bwidth' },
      { name: 'x'.repeat(65) },
      { name: 'ok', permissions: ['users:everything'] },
      { name: 'ok', permissions: 'users:read' },
      { name: 'ok', principals: ['a,b'] },
      { name: 'ok', principals: ['a b'] },
      { name: 'ok', principals: [''] },
      { name: 'ok', principals: ['twice', 'twice'] },
      { name: 'ok', builtIn: true },
    ]
    for (const body of bodies) {
      assert.equal((await admin.post('/api/admin/roles', body)).statusCode, 400, JSON.stringify(body))
    }
  })

  test('permissions can be granted, listed and revoked', async () => {
    const role = await create({ name: 'Granted' })
    const url = `/api/admin/roles/${role.id}/permissions`
    assert.equal((await admin.post(url, { permissionId: 'users:read' })).statusCode, 200)
    assert.equal((await admin.post(url, { permissionId: 'users:read' })).statusCode, 200)
    const listed = (await admin.get(url)).json<{ permissions: { id: string }[] }>()
    assert.deepEqual(
      listed.permissions.map(({ id }) => id),
      ['users:read'],
    )
    assert.equal((await admin.delete(`${url}/users:read`)).statusCode, 200)
    assert.equal((await admin.delete(`${url}/users:read`)).statusCode, 404)
    assert.equal((await admin.post(url, { permissionId: 'no:such' })).statusCode, 404)
    assert.deepEqual((await admin.get(url)).json(), { permissions: [] })
  })

  test('built-in roles can’t be deleted or renamed, and the admin role keeps every permission', async () => {
    for (const id of [ADMIN_ROLE, USER_ROLE]) {
      assert.equal((await admin.delete(`/api/admin/roles/${id}`)).statusCode, 409)
      assert.equal((await admin.patch(`/api/admin/roles/${id}`, { name: 'Other' })).statusCode, 409)
    }
    assert.equal((await admin.delete(`/api/admin/roles/${ADMIN_ROLE}/permissions/users:read`)).statusCode, 409)
    const described = await admin.patch(`/api/admin/roles/${USER_ROLE}`, { name: 'user', description: 'Everyone' })
    assert.equal(described.statusCode, 200)
  })

  test('a role can be assigned and removed, and every user keeps the user role', async () => {
    const person = await signedInPerson(app)
    const role = await create({ name: 'Given', permissions: ['users:read'] })
    const url = `/api/admin/users/${person.user.id}/roles`
    const given = await admin.post(url, { roleId: role.id })
    assert.deepEqual(
      given.json<{ roles: Role[] }>().roles.map(({ name }) => name),
      ['user', 'Given'],
    )
    assert.equal((await admin.post(url, { roleId: role.id })).statusCode, 200)
    assert.equal((await person.get('/api/admin/users')).statusCode, 200)
    assert.equal((await admin.delete(`${url}/${role.id}`)).statusCode, 200)
    assert.equal((await person.get('/api/admin/users')).statusCode, 403)
    assert.equal((await admin.delete(`${url}/${role.id}`)).statusCode, 404)
    assert.equal((await admin.delete(`${url}/${USER_ROLE}`)).statusCode, 409)
  })

  test('unknown users and roles answer 404', async () => {
    const person = await signedInPerson(app)
    assert.equal((await admin.post('/api/admin/users/usr_nobody/roles', { roleId: ADMIN_ROLE })).statusCode, 404)
    assert.equal((await admin.get('/api/admin/users/usr_nobody/roles')).statusCode, 404)
    assert.equal((await admin.delete(`/api/admin/users/usr_nobody/roles/${ADMIN_ROLE}`)).statusCode, 404)
    assert.equal((await admin.post(`/api/admin/users/${person.user.id}/roles`, { roleId: 'nothing' })).statusCode, 404)
    assert.equal((await admin.get('/api/admin/roles/nothing/permissions')).statusCode, 404)
    assert.equal((await admin.patch('/api/admin/roles/nothing', { description: 'x' })).statusCode, 404)
  })

  test('deleting a role removes it from every user who has it', async () => {
    const role = await create({ name: 'Doomed', permissions: ['users:read'] })
    const person = await signedInPerson(app)
    await admin.post(`/api/admin/users/${person.user.id}/roles`, { roleId: role.id })
    assert.equal((await person.get('/api/admin/users')).statusCode, 200)
    await admin.delete(`/api/admin/roles/${role.id}`)
    assert.equal((await person.get('/api/admin/users')).statusCode, 403)
  })

  test('the list of roles is paged, and a forged cursor is refused', async () => {
    for (let index = 0; index < 5; index++) await create({ name: `Paged ${index}` })
    const names: string[] = []
    let cursor: string | null = null
    do {
      const query: string = cursor === null ? '' : `&cursor=${cursor}`
      const page = (await admin.get(`/api/admin/roles?limit=3${query}`)).json<{
        roles: Role[]
        nextCursor: string | null
      }>()
      names.push(...page.roles.map(({ name }) => name))
      cursor = page.nextCursor
    } while (cursor !== null)
    assert.equal(new Set(names).size, names.length)
    assert.equal(names.filter((name) => name.startsWith('Paged')).length, 5)
    assert.equal((await admin.get('/api/admin/roles?cursor=forged')).statusCode, 400)
    assert.equal((await admin.get('/api/admin/roles?limit=0')).statusCode, 400)
    assert.equal((await admin.get('/api/admin/roles?limit=201')).statusCode, 400)
  })
})
