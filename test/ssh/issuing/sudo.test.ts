import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { RoleSsh } from '../../../src/identity/roles/ssh-rules.ts'
import { sharedApp, type TestApp } from '../../support/app.ts'
import { onEachEngine } from '../../support/engines.ts'
import { type SignedInPerson, signedInPerson } from '../../support/people.ts'
import { createHost } from '../hosts/managed-host.ts'
import { issue, saveKey, signInCertificateUser } from '../public-keys.ts'
import { roleGiver } from './role-gifts.ts'

onEachEngine('sudo of roles', (engine) => {
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

  test('that somebody loses on a host revokes their certificates for their own account, and no others', async () => {
    const person = await signInCertificateUser(app)
    const ssh: RoleSsh = { sudo: ['/usr/bin/id *', '/usr/bin/who'] }
    const sudo = await roles.create({ principals: [`web-${person.user.id.slice(-6).toLowerCase()}`], ssh })
    const other = await roles.create({ ssh: { sudo: ['/usr/bin/id'] } })
    const elsewhere = await roles.create({ ssh: { sudo: 'all' } })
    await roles.assign(person, sudo, other)
    const key = await saveKey(person)
    const get = () => issue(person, key)
    const onlyNarrower = await get()
    await roles.change(sudo, { ssh: { sudo: ['/usr/bin/id *'] } })
    assert.deepEqual(await roles.areRevoked(onlyNarrower), [false], 'no host has managed accounts')

    await roles.change(sudo, { ssh })
    await createHost(admin, { accounts: 'managed', allowedRoles: [sudo.id, other.id] })
    const before = await get()
    await roles.change(sudo, { ssh: { sudo: ['/usr/bin/id *', '/usr/bin/who *'] } })
    await roles.assign(person, elsewhere)
    await roles.unassign(person, elsewhere)
    await roles.unassign(person, other)
    assert.deepEqual(await roles.areRevoked(before), [false], 'more, none at this host, or what another role gives')
    const shared = (await person.post('/api/ssh/certs/issue', { savedKeyId: key, principals: sudo.principals })).json<
      Awaited<ReturnType<typeof get>>
    >()
    const own = await get()
    await roles.change(sudo, { ssh: { sudo: ['/usr/bin/id *'] } })
    assert.deepEqual(await roles.areRevoked(shared, own), [false, true])
    const last = await get()
    await roles.change(sudo, { ssh: null })
    assert.deepEqual(await roles.areRevoked(last), [true])
  })
})
