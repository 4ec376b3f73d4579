import { describe, test } from 'node:test'
import { createHost } from '../../ssh/hosts/managed-host.ts'
import { onMainEngine } from '../../support/engines.ts'
import {
  nextNumber,
  fresh,
  app,
  admin,
  startManagers,
  managerWith,
  newRole,
  roleHeldBy,
  refusesGain,
  allows,
} from './managers.ts'

onMainEngine('managers with one permission', (engine) => {
  startManagers(engine)

  describe('ssh:hosts:manage', () => {
    test('opens no host by its roles, or by deleting it and making it anew', async () => {
      const person = await managerWith('ssh:hosts:manage', 'ssh:cert:issue')
      const theirs = await newRole()
      const mine = await roleHeldBy(person)
      const { host } = await createHost(admin, { allowedRoles: [theirs.id] })
      const url = `/api/ssh/hosts/${host.id}`
      await refusesGain('everybody', url, () => person.patch(url, { allowedRoles: null }))
      await refusesGain('an own role', url, () => person.patch(url, { allowedRoles: [mine.id] }))
      const without = await managerWith('ssh:hosts:manage')
      await refusesGain('without certificates', url, () => without.patch(url, { allowedRoles: null }))
      await refusesGain('with another name', url, () =>
        person.patch(url, { allowedRoles: null, hostnames: [`other${nextNumber()}.example.com`] }),
      )
      await allows('deleting', person.delete(url))
      const { hostnames } = host
      const anew = { name: fresh('anew'), hostnames }
      await refusesGain('anew', '/api/ssh/hosts?limit=200', () => person.post('/api/ssh/hosts', anew))
      await allows('as it was', person.post('/api/ssh/hosts', { ...anew, allowedRoles: [theirs.id] }))
      await allows(
        'another host',
        person.post('/api/ssh/hosts', { name: fresh('new'), hostnames: [`new${nextNumber()}.example.com`] }),
      )
    })
  })

  describe('settings:manage', () => {
    test('frees nobody from confirming an address', async () => {
      const person = await managerWith('settings:manage')
      await app.services.db.transaction((trx) =>
        trx.updateTable('users').set({ never_confirmed: 1 }).where('id', '=', person.user.id).execute(),
      )
      const url = '/api/admin/settings'
      await allows('setting domains', admin.patch(url, { allowedEmailDomains: ['example.com'] }))
      await refusesGain('removing them', url, () => person.patch(url, { allowedEmailDomains: [] }))
      await allows('another name', person.patch(url, { name: 'Ours' }))
      await allows('an administrator', admin.patch(url, { allowedEmailDomains: [] }))
    })
  })
})
