import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { skipEscalationCheck } from '../../../src/identity/roles/checked-trx.ts'
import { withoutEscalation } from '../../../src/identity/roles/escalation.ts'
import { readHoldings } from '../../../src/identity/roles/holdings.ts'
import { addPermission, addRole } from '../../../src/identity/roles/role-store.ts'
import type { Role } from '../../../src/identity/roles/role.ts'
import { createHost } from '../../ssh/hosts/managed-host.ts'
import { registerApplication } from '../../support/application.ts'
import { onMainEngine } from '../../support/engines.ts'
import { signedInPerson } from '../../support/people.ts'
import {
  count,
  nextNumber,
  fresh,
  app,
  admin,
  startManagers,
  managerWith,
  newRole,
  rolesOf,
  give,
  roleHeldBy,
  refusesGain,
  allows,
} from './managers.ts'

onMainEngine('managers with one permission', (engine) => {
  startManagers(engine)

  describe('roles:write', () => {
    const manager = () => managerWith('roles:read', 'roles:write')

    test('names nobody otherwise by the name or the attributes of a role that they hold', async () => {
      const person = await manager()
      const mine = await roleHeldBy(person, { attributes: { level: 1 } })
      const url = `/api/admin/roles/${mine.id}`
      await refusesGain('the name', url, () => person.patch(url, { name: fresh('admins') }))
      await refusesGain('a taken name', url, () => person.patch(url, { name: 'admin' }))
      await refusesGain('an attribute', url, () => person.patch(url, { attributes: { level: 9 } }))
      await refusesGain('no attributes', url, () => person.patch(url, { attributes: {} }))
      await allows('the same', person.patch(url, { name: mine.name, attributes: { level: 1 }, description: 'x' }))
      const other = await newRole()
      await allows(
        'of others',
        person.patch(`/api/admin/roles/${other.id}`, { name: fresh('x'), attributes: { level: 9 } }),
      )
    })

    test('names nobody otherwise by deleting a role that they hold', async () => {
      const person = await manager()
      const [first, second] = ['a', 'b'].map(async (letter, at) =>
        roleHeldBy(person, { name: `${letter} ${fresh('level')}`, attributes: { level: at } }),
      )
      const url = `/api/admin/roles/${(await first)?.id}`
      await second
      await refusesGain('whose attribute goes before another', url, () => person.delete(url))
      const restricted = await roleHeldBy(person)
      await registerApplication(app, {
        claims: [{ name: 'is_admin', in: ['userinfo'], whenRole: { roleId: restricted.id, then: false, else: true } }],
      })
      const other = `/api/admin/roles/${restricted.id}`
      await refusesGain('which an application asks about', other, () => person.delete(other))
      const plain = await roleHeldBy(person)
      await allows('a role that gives nothing else', person.delete(`/api/admin/roles/${plain.id}`))
    })

    test('opens no account of a host by taking a principal from another role', async () => {
      const person = await managerWith('roles:read', 'roles:write', 'ssh:cert:issue')
      const account = `deploy${nextNumber()}`
      const ssh = { maxTtlSeconds: 600 }
      const mine = await roleHeldBy(person, { principals: [account], ssh })
      const blocking = await newRole({ principals: [account], ssh })
      await createHost(admin, { allowedRoles: [mine.id] })
      const url = `/api/admin/roles/${blocking.id}`
      await refusesGain('taking it', url, () => person.patch(url, { principals: [] }))
      await refusesGain('deleting the role', url, () => person.delete(url))
      await allows('an administrator', admin.delete(url))
    })

    test('opens no account of a host by a new role for a name of theirs that means nothing there', async () => {
      const person = await managerWith('roles:read', 'roles:write', 'ssh:cert:issue')
      const account = `deploy${nextNumber()}`
      await roleHeldBy(person, { principals: [account] })
      // As a version before it was refused could leave it: certificates with this username could be those of either.
      await app.services.db.transaction((trx) =>
        addRole(
          skipEscalationCheck(trx),
          `clash-${count}`,
          { name: fresh('Clash'), principals: [person.user.preferredUsername] },
          app.clock.now(),
        ),
      )
      await createHost(admin)
      const role = { name: fresh('Second'), principals: [account], ssh: { maxTtlSeconds: 600 } }
      await refusesGain('a role with rules', '/api/admin/roles?limit=200', () => person.post('/api/admin/roles', role))
      await allows('an administrator', admin.post('/api/admin/roles', role))
    })
  })

  describe('roles:assign', () => {
    test('gives nobody a role of their own, nor others a role with attributes that they lack', async () => {
      const person = await managerWith('roles:read', 'roles:assign')
      const second = await signedInPerson(app)
      const role = await newRole()
      const own = `/api/admin/users/${person.user.id}/roles`
      const before = (await rolesOf(person)).length
      assert.equal((await person.post(own, { roleId: role.id })).statusCode, 403)
      assert.equal((await rolesOf(person)).length, before)
      const level = await newRole({ attributes: { level: 9 } })
      const url = `/api/admin/users/${second.user.id}/roles`
      assert.equal((await person.post(url, { roleId: level.id })).statusCode, 403)
      await allows('a plain one', person.post(url, { roleId: role.id }))
      await give(person, level)
      await allows('an attribute that they have', person.post(url, { roleId: level.id }))
    })

    test('gives no more by a batch or an import than by single requests', async () => {
      const person = await managerWith('users:read', 'users:write', 'roles:read', 'roles:assign')
      const other = await signedInPerson(app)
      const plain = await newRole()
      const level = await newRole({ attributes: { level: 9 } })
      const outcomes = async (ids: string[], { id: roleId }: Role) => {
        const answer = await person.post('/api/admin/users/batch', { ids, action: 'assign_role', roleId })
        return answer.json<{ results: { outcome: string }[] }>().results.map(({ outcome }) => outcome)
      }
      const { length: before } = await rolesOf(person)
      assert.deepEqual(await outcomes([person.user.id, other.user.id], plain), ['refused', 'done'])
      assert.deepEqual(await outcomes([person.user.id, other.user.id], level), ['refused', 'refused'])
      const rows = [plain, level].map(({ name }) => ({ email: `row${nextNumber()}@example.com`, roles: [name] }))
      const imported = await person.post('/api/admin/users/import', { rows })
      const results = imported.json<{ results: { outcome: string }[] }>().results
      assert.deepEqual(
        results.map(({ outcome }) => outcome),
        ['done', 'refused'],
        imported.body,
      )
      assert.equal((await rolesOf(person)).length, before)
    })

    test('names nobody otherwise by giving up a role', async () => {
      const person = await managerWith('roles:read', 'roles:assign')
      const restricted = await roleHeldBy(person, { attributes: { restricted: true } })
      const url = `/api/admin/users/${person.user.id}/roles`
      await refusesGain('with its attribute', url, () => person.delete(`${url}/${restricted.id}`))
      const told = await roleHeldBy(person)
      await registerApplication(app, {
        claims: [{ name: 'is_admin', in: ['userinfo'], whenRole: { roleId: told.id, then: false, else: true } }],
      })
      await refusesGain('which an application asks about', url, () => person.delete(`${url}/${told.id}`))
      const plain = await roleHeldBy(person)
      await allows('a plain one', person.delete(`${url}/${plain.id}`))
    })

    test('changes nothing of a person with attributes that they lack', async () => {
      const person = await managerWith('roles:read', 'roles:assign')
      const other = await signedInPerson(app)
      await give(other, await newRole({ attributes: { level: 9 } }))
      const plain = await newRole()
      assert.equal((await person.post(`/api/admin/users/${other.user.id}/roles`, { roleId: plain.id })).statusCode, 403)
    })
  })

  test('undoes a change that gives its author a permission, whatever it is', async () => {
    const person = await signedInPerson(app)
    const mine = await roleHeldBy(person)
    const { db } = app.services
    const change = db.transaction(async (trx) =>
      withoutEscalation(trx, await readHoldings(trx, person.user.id), [], (checked) =>
        addPermission(checked, mine.id, 'users:delete'),
      ),
    )
    await assert.rejects(change, { code: 'own_access' })
    assert.ok(!(await readHoldings(db.read, person.user.id)).permissions.has('users:delete'))
  })
})
