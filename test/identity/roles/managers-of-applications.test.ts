import { describe, test } from 'node:test'
import { registerApplication } from '../../support/application.ts'
import { onMainEngine } from '../../support/engines.ts'
import { app, admin, startManagers, managerWith, newRole, roleHeldBy, refusesGain, allows } from './managers.ts'

onMainEngine('managers with one permission', (engine) => {
  startManagers(engine)

  describe('oauth_clients:write', () => {
    const manager = () => managerWith('oauth_clients:read', 'oauth_clients:write')

    test('names nobody otherwise by mapping claims, and lets nobody into an application', async () => {
      const person = await manager()
      const mine = await roleHeldBy(person, { attributes: { level: 3 } })
      const theirs = await newRole()
      const { clientId } = await registerApplication(app, { scopes: ['openid', 'profile', 'groups'] })
      const url = `/oauth/clients/${clientId}`
      const places = ['id_token', 'userinfo', 'introspection']
      const mappings = [
        { name: 'preferred_username', value: 'root' },
        { name: 'groups', value: ['admins'] },
        { name: 'isAdmin', value: true },
        { name: 'level', from: 'attribute', attribute: 'level' },
        { name: 'name', whenRole: { roleId: theirs.id, then: 'x', else: 'root' } },
        { name: 'boss', whenRole: { roleId: mine.id, then: true } },
      ]
      for (const mapping of mappings)
        for (const place of places)
          await refusesGain(`${mapping.name} in ${place}`, url, () =>
            person.patch(url, { claims: [{ ...mapping, in: [place] }] }),
          )
      await allows(
        'of others',
        person.patch(url, { claims: [{ name: 'chef', in: places, whenRole: { roleId: theirs.id, then: true } }] }),
      )
      await allows(
        'an attribute that they lack',
        person.patch(url, { claims: [{ name: 'team', in: places, from: 'attribute', attribute: 'team' }] }),
      )
      await allows('a scope', person.patch(url, { scopes: ['openid', 'profile', 'groups', 'email'] }))
      await allows('closing it', person.patch(url, { allowedRoles: [theirs.id] }))
      await allows(
        'mapping where they are not let in',
        person.patch(url, { claims: [{ name: 'isAdmin', in: places, value: true }] }),
      )
      await refusesGain('letting themselves in', url, () => person.patch(url, { allowedRoles: null }))
      await refusesGain('letting an own role in', url, () => person.patch(url, { allowedRoles: [mine.id] }))
      await allows(
        'a new application',
        person.post('/oauth/clients', {
          clientType: 'public',
          name: 'Own',
          scopes: ['openid'],
          redirectUris: ['https://x.example/cb'],
          claims: [{ name: 'isAdmin', in: places, value: true }],
        }),
      )
    })

    test('lets nobody change claims while nobody can sign in to an application, and then sign in', async () => {
      const person = await manager()
      const { clientId } = await registerApplication(app)
      const url = `/oauth/clients/${clientId}`
      const codes = ['authorization_code', 'refresh_token', 'client_credentials']
      const claims = [{ name: 'isAdmin', in: ['userinfo'], value: true }]
      await allows('off', person.patch(url, { grantTypes: ['client_credentials'] }))
      await allows('claims', person.patch(url, { claims }))
      await refusesGain('on', url, () => person.patch(url, { grantTypes: codes }))
      await refusesGain('on, without them', url, () => person.patch(url, { grantTypes: codes, claims: [] }))
      await allows('an administrator', admin.patch(url, { grantTypes: codes }))
    })

    test('lets nobody in by demanding less of sign-ins', async () => {
      const person = await manager()
      const demands = { requiredAcr: '2', maxAuthAge: 600 } as const
      const { clientId } = await registerApplication(app, demands)
      const url = `/oauth/clients/${clientId}`
      for (const less of [{ requiredAcr: '1' }, { requiredAcr: null }, { maxAuthAge: 601 }, { maxAuthAge: null }])
        await refusesGain(JSON.stringify(less), url, () => person.patch(url, less))
      await allows('more', person.patch(url, { requiredAcr: 'phr', maxAuthAge: 60 }))
      const closed = await registerApplication(app, { ...demands, allowedRoles: [] })
      await allows(
        'where they are not let in',
        person.patch(`/oauth/clients/${closed.clientId}`, { requiredAcr: null }),
      )
      await allows('an administrator', admin.patch(url, { requiredAcr: null, maxAuthAge: null }))
    })

    test('may have an application say less of them', async () => {
      const person = await manager()
      const saying = (...value: string[]) => ({ claims: [{ name: 'tags', in: ['userinfo'], value }] })
      const { clientId } = await registerApplication(app)
      const url = `/oauth/clients/${clientId}`
      await allows('an administrator', admin.patch(url, saying('a', 'b', 'c')))
      await allows('a shorter list', person.patch(url, saying('c', 'a')))
      await refusesGain('a longer one', url, () => person.patch(url, saying('a', 'b', 'c')))
      await refusesGain('another one', url, () => person.patch(url, saying('a', 'd')))
    })
  })
})
