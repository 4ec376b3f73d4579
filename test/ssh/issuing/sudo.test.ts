import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { RoleSsh } from '../../../src/identity/roles/ssh-rules.ts'
import { sharedApp, type TestApp } from '../../support/app.ts'
import { onMainEngine } from '../../support/engines.ts'
import { type SignedInPerson, signedInPerson } from '../../support/people.ts'
import { roleGiver } from './role-gifts.ts'

onMainEngine('sudo of roles', (engine) => {
  const shared = sharedApp({ engine })
  let app: TestApp
  let admin: SignedInPerson
  let roles: ReturnType<typeof roleGiver>
  before(async () => {
    app = shared()
    admin = await signedInPerson(app, { admin: true })
    roles = roleGiver(app, admin)
  })

  test('is everything, nothing, or commands with and without arguments', async () => {
    const sudo: RoleSsh['sudo'] = ['/usr/bin/systemctl *', '/usr/bin/id']
    const role = await roles.create({ ssh: { sudo } })
    assert.deepEqual(role.ssh, { sudo: sudo.toSorted() })
    const stored = async () => (await admin.get(`/api/admin/roles/${role.id}`)).json().role.ssh
    await roles.change(role, { description: 'x' })
    assert.deepEqual(await stored(), { sudo: sudo.toSorted() })
    await roles.change(role, { ssh: { sudo: 'all', maxTtlSeconds: 600 } })
    assert.deepEqual(await stored(), { sudo: 'all', maxTtlSeconds: 600 })
    await roles.change(role, { ssh: { sudo: 'none' } })
    assert.equal(await stored(), null)
  })

  test('that sudo would read as more than a command is refused', async () => {
    const refused: unknown[] = [
      'ALL',
      [],
      ['id'],
      ['/'],
      ['/usr/bin/'],
      ['//usr/bin/id'],
      ['/usr/../bin/id'],
      ['/usr/bin/..'],
      ['/usr/bin/*'],
      ['/usr/bin/id -u'],
      ['/usr/bin/id  *'],
      ['/usr/bin/id *\n'],
      ['/usr/bin/id, ALL'],
      ['/usr/bin/id\\'],
      ['!/usr/bin/id'],
      ['/usr/bin/id', '/usr/bin/id'],
      Array.from({ length: 33 }, (_, at) => `/usr/bin/a${at}`),
    ]
    for (const sudo of refused) {
      const made = await admin.post('/api/admin/roles', { name: 'Refused', ssh: { sudo } })
      assert.equal(made.statusCode, 400, JSON.stringify(sudo))
    }
  })

  test('is given only by those who hold as much', async () => {
    const manager = await signedInPerson(app, { permissions: ['roles:read', 'roles:write', 'roles:assign'] })
    const make = (sudo: unknown) => manager.post('/api/admin/roles', { name: `Made ${Math.random()}`, ssh: { sudo } })
    assert.equal((await make(['/usr/bin/id'])).statusCode, 403)
    await roles.assign(manager, await roles.create({ ssh: { sudo: ['/usr/bin/id *', '/usr/bin/who'] } }))
    assert.equal((await make(['/usr/bin/id', '/usr/bin/who'])).statusCode, 201)
    for (const more of ['all', ['/usr/bin/who *'], ['/usr/bin/id', '/bin/sh']])
      assert.equal((await make(more)).statusCode, 403, String(more))
    const all = await roles.create({ ssh: { sudo: 'all' } })
    const person = await signedInPerson(app, {})
    const give = { roleId: all.id }
    assert.equal((await manager.post(`/api/admin/users/${person.user.id}/roles`, give)).statusCode, 403)
    assert.equal((await manager.patch(`/api/admin/roles/${all.id}`, { ssh: null })).statusCode, 403)
    await roles.assign(person, all)
    const taken = await manager.patch(`/api/admin/users/${person.user.id}`, { email: 'taken@example.com' })
    assert.equal(taken.statusCode, 403, 'nobody takes over an account with more')
    await roles.assign(manager, all)
    assert.equal((await make('all')).statusCode, 201)
  })
})
