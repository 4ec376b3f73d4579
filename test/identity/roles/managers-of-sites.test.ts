import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { sweepExpired } from '../../../src/operations/background/sweep-expired.ts'
import { USER_ROLE } from '../../../src/vocabulary/built-in-roles.ts'
import { createSite, newHostName } from '../../proxy/visits.ts'
import { registerApplication } from '../../support/application.ts'
import { MAIN_ENGINE, onEachEngine } from '../../support/engines.ts'
import {
  app,
  admin,
  startManagers,
  signInAdministrator,
  managerWith,
  newRole,
  roleHeldBy,
  refusesGain,
  allows,
} from './managers.ts'

const DAY = 24 * 3_600_000

const rememberedHosts = async () =>
  (await app.services.db.read.selectFrom('former_hosts').select('host').execute()).map((row) => row.host)

onEachEngine('managers with one permission', (engine) => {
  startManagers(engine)

  test('of deleting a site and making it anew at the same moment, none lets anybody in', async () => {
    const person = await managerWith('oauth_clients:read', 'oauth_clients:write')
    for (let round = 0; round < 5; round++) {
      const { id, host } = await createSite(admin, { allowedRoles: [] })
      const [deleted, made] = await Promise.all([
        person.delete(`/oauth/clients/${id}`),
        person.post('/oauth/clients', { clientType: 'proxied', name: 'Race', hosts: [host] }),
      ])
      assert.equal(deleted.statusCode, 200)
      assert.ok([403, 409].includes(made.statusCode), made.body)
    }
  })

  // The rest is the same on every engine.
  if (engine !== MAIN_ENGINE) return

  describe('oauth_clients:write', () => {
    const manager = () => managerWith('oauth_clients:read', 'oauth_clients:write')

    test('lets nobody into a site by rules or by its roles', async () => {
      const person = await manager()
      const mine = await roleHeldBy(person)
      const theirs = await newRole()
      const closed = { path: '/admin/*', policy: 'roles', roles: [theirs.id] }
      const { id, host } = await createSite(admin, { allowedRoles: [theirs.id], rules: [closed] })
      const url = `/oauth/clients/${id}`
      const attempts: [string, object][] = [
        ['everybody', { allowedRoles: null }],
        ['an own role', { allowedRoles: [theirs.id, mine.id] }],
        ['the role of everybody', { allowedRoles: [USER_ROLE] }],
        ['a bypass rule', { rules: [{ path: '/*', policy: 'bypass' }, closed] }],
        ['a bypass rule of one address', { rules: [{ path: '/one', policy: 'bypass' }, closed] }],
        ['a bypass rule of one method', { rules: [{ path: '/x', methods: ['PUT'], policy: 'bypass' }, closed] }],
        ['a bypass rule after the others', { rules: [closed, { path: '/y/*', policy: 'bypass' }] }],
        ['a rule for an own role', { rules: [{ path: '/z', policy: 'roles', roles: [mine.id] }, closed] }],
        ['a rule replaced', { rules: [{ ...closed, roles: [theirs.id, mine.id] }] }],
        ['a policy replaced', { rules: [{ path: '/admin/*', policy: 'bypass' }] }],
      ]
      for (const [what, change] of attempts) await refusesGain(what, url, () => person.patch(url, change))
      await allows('another name', person.patch(url, { name: 'Renamed' }))
      await allows('a rule that closes', person.patch(url, { rules: [{ path: '/no', policy: 'deny' }, closed] }))
      await allows('no rules', person.patch(url, { rules: [] }))
      await allows('an administrator opens it', admin.patch(url, { allowedRoles: null }))
      await allows('where they are let in already', person.patch(url, { rules: [{ path: '/p/*', policy: 'bypass' }] }))
      assert.equal((await admin.get(url)).json().client.hosts[0], host)
    })

    test('lets nobody in by turning on what an administrator has turned off', async () => {
      const person = await manager()
      const { id } = await createSite(admin)
      const { clientId } = await registerApplication(app)
      for (const url of [`/oauth/clients/${id}`, `/oauth/clients/${clientId}`, '/oauth/clients/latchkey-ssh']) {
        await allows('turning off', person.patch(url, { disabled: true }))
        await refusesGain('turning on', url, () => person.patch(url, { disabled: false }))
        await allows('an administrator turns it on', admin.patch(url, { disabled: false }))
      }
      const closed = await createSite(admin, { allowedRoles: [] })
      await allows('turning off', admin.patch(`/oauth/clients/${closed.id}`, { disabled: true }))
      await allows('what lets them in nowhere', person.patch(`/oauth/clients/${closed.id}`, { disabled: false }))
      const { id: off, host } = await createSite(admin)
      await allows('turning off', admin.patch(`/oauth/clients/${off}`, { disabled: true }))
      await allows('deleting', person.delete(`/oauth/clients/${off}`))
      const anew = { clientType: 'proxied', name: 'On', hosts: [host] }
      await refusesGain('making it anew', '/oauth/clients?q=On', () => person.post('/oauth/clients', anew))
    })

    test('lets nobody in by deleting a rule, by its order, or by narrowing it', async () => {
      const person = await manager()
      const deny = { path: '/secret/*', policy: 'deny' }
      const part = { path: '/secret/part', policy: 'roles', roles: [(await newRole()).id] }
      const open = { path: '/secret/open/*', policy: 'bypass' }
      const { id } = await createSite(admin, { rules: [deny, open, part] })
      const url = `/oauth/clients/${id}`
      const attempts: [string, object[]][] = [
        ['without the rule', [open, part]],
        ['in another order', [open, deny, part]],
        ['for some methods', [{ ...deny, methods: ['GET'] }, open, part]],
        ['for fewer addresses', [{ ...deny, path: '/secret/x/*' }, open, part]],
        ['as an exact path', [{ ...deny, path: '/secret' }, open, part]],
      ]
      for (const [what, rules] of attempts) await refusesGain(what, url, () => person.patch(url, { rules }))
      await allows('wider', person.patch(url, { rules: [{ ...deny, path: '/*' }, open, part] }))
    })

    test('lets nobody in by deleting a site and making it anew, for 90 days', async () => {
      const person = await manager()
      const theirs = await newRole()
      const { id, host } = await createSite(admin, { allowedRoles: [theirs.id] })
      await allows('deleting', person.delete(`/oauth/clients/${id}`))
      const site = { clientType: 'proxied', name: 'Anew', hosts: [host] }
      const list = '/oauth/clients?q=Anew'
      await refusesGain('for everybody', list, () => person.post('/oauth/clients', site))
      const open = { ...site, allowedRoles: [], rules: [{ path: '/x', policy: 'bypass' }] }
      await refusesGain('with a bypass rule', list, () => person.post('/oauth/clients', open))
      const again = await allows('as it was', person.post('/oauth/clients', { ...site, allowedRoles: [theirs.id] }))
      await allows('deleting again', person.delete(`/oauth/clients/${again.json().client_id}`))
      app.clock.advance(89 * DAY)
      const later = await manager()
      await refusesGain('after 89 days', list, () => later.post('/oauth/clients', site))
      await sweepExpired(app.services)
      assert.ok((await rememberedHosts()).includes(host), 'it is kept')
      app.clock.advance(2 * DAY)
      await sweepExpired(app.services)
      assert.ok(!(await rememberedHosts()).includes(host), 'it is forgotten')
      const late = await manager()
      await allows('after 91 days', late.post('/oauth/clients', site))
      await allows('a host never seen', late.post('/oauth/clients', { ...site, hosts: [newHostName()] }))
      await signInAdministrator()
    })

    test('lets nobody in by moving a host to another site', async () => {
      const person = await manager()
      const { id, host } = await createSite(admin, { allowedRoles: [] })
      const own = await createSite(person)
      await allows('taking it away', person.patch(`/oauth/clients/${id}`, { hosts: [newHostName()] }))
      const url = `/oauth/clients/${own.id}`
      await refusesGain('moving it', url, () => person.patch(url, { hosts: [own.host, host] }))
      await allows('giving it back', person.patch(`/oauth/clients/${id}`, { hosts: [host] }))
    })

    test('lets nobody in by a site on another port of the same name', async () => {
      const person = await manager()
      const mine = await roleHeldBy(person)
      const theirs = await newRole()
      const list = '/oauth/clients?q=Port'
      const open = { allowedRoles: [], rules: [{ path: '/*', policy: 'bypass' }] }
      const onPorts = (...hosts: string[]) => ({ clientType: 'proxied', name: 'Port', hosts })
      const strict = await createSite(admin, { allowedRoles: [theirs.id] })
      const other = await createSite(admin, { hosts: [`${newHostName()}:8080`], allowedRoles: [theirs.id] })
      const [name = ''] = other.host.split(':')
      const own = await createSite(person)
      for (const host of [`${strict.host}:8443`, `${name}:8443`, name]) {
        const making = (change: object) => () => person.post('/oauth/clients', { ...onPorts(host), ...change })
        await refusesGain(`a bypass rule at ${host}`, list, making(open))
        await refusesGain(`everybody at ${host}`, list, making({}))
        await refusesGain(`an own role at ${host}`, list, making({ allowedRoles: [mine.id] }))
        const url = `/oauth/clients/${own.id}`
        await refusesGain(`adding ${host}`, url, () => person.patch(url, { hosts: [own.host, host] }))
        const made = await allows(`as strict at ${host}`, making({ allowedRoles: [theirs.id] })())
        await allows('deleting', person.delete(`/oauth/clients/${made.json().client_id}`))
      }
      await allows('deleting', person.delete(`/oauth/clients/${strict.id}`))
      const anew = () => person.post('/oauth/clients', { ...onPorts(`${strict.host}:9443`), ...open })
      await refusesGain('a name that had a site', list, anew)
      for (const alike of [`x${strict.host}`, `${strict.host}.example`, `${name}8`, `${name}8:8080`])
        await allows(alike, person.post('/oauth/clients', { ...onPorts(alike), ...open }))
      await allows('a second port of an own name', person.post('/oauth/clients', onPorts(`${own.host}:8443`)))
      await allows('an administrator', admin.post('/oauth/clients', { ...onPorts(`${name}:8443`), ...open }))
    })

    test('changes 20 hosts with 100 rules at once, and takes what is too much to compare for a gain', async () => {
      const person = await manager()
      const rulesFor = (folder: string, count = 100) =>
        Array.from({ length: count }, (_, at) => ({ path: `/${folder}/${at}/*`, policy: 'deny' }))
      const hosts = Array.from({ length: 20 }, newHostName)
      const { id } = await createSite(admin, { hosts, rules: rulesFor('a') })
      const closed = [...rulesFor('a', 99), { path: '/a/*', policy: 'deny' }]
      await allows('fewer addresses', person.patch(`/oauth/clients/${id}`, { rules: closed }))
      await allows('deleting', person.delete(`/oauth/clients/${id}`))
      const site = { clientType: 'proxied', name: 'Many', allowedRoles: [], rules: rulesFor('x') }
      await allows('anew', person.post('/oauth/clients', { ...site, hosts }))
      const made = await Promise.all(['b', 'c', 'd'].map((each) => createSite(admin, { rules: rulesFor(each) })))
      for (const each of made) await allows('deleting', person.delete(`/oauth/clients/${each.id}`))
      const [first, second, third] = made.map(({ host }) => host)
      await refusesGain('three sites with 100 rules in one', '/oauth/clients?q=Many', () =>
        person.post('/oauth/clients', { ...site, hosts: [first, second, third] }),
      )
      await allows('two', person.post('/oauth/clients', { ...site, hosts: [first, second] }))
      await allows('the third', person.post('/oauth/clients', { ...site, hosts: [third] }))
    })

    test('lets nobody in by demanding less of sign-ins, also at a site that is made anew', async () => {
      const person = await manager()
      const demands = { requiredAcr: 'phr', maxAuthAge: 60 }
      const { id, host } = await createSite(admin, demands)
      const url = `/oauth/clients/${id}`
      for (const less of [{ requiredAcr: '2' }, { requiredAcr: null }, { maxAuthAge: 61 }, { maxAuthAge: null }])
        await refusesGain(JSON.stringify(less), url, () => person.patch(url, less))
      await allows('deleting', person.delete(url))
      const anew = { clientType: 'proxied', name: 'Demanding', hosts: [host] }
      const list = '/oauth/clients?q=Demanding'
      await refusesGain('less', list, () => person.post('/oauth/clients', { ...anew, requiredAcr: 'phr' }))
      await allows('as it was', person.post('/oauth/clients', { ...anew, ...demands }))
    })

    test('names nobody otherwise by the headers of a site', async () => {
      const person = await manager()
      const { id } = await createSite(admin)
      const url = `/oauth/clients/${id}`
      const attempts = [
        { user: 'X-User', name: 'Remote-User' },
        { user: null },
        { user: 'X-User' },
        { user: null, groups: 'Remote-User' },
        { groups: 'Remote-Name', name: 'Remote-Groups' },
      ]
      for (const headers of attempts)
        await refusesGain(JSON.stringify(headers), url, () => person.patch(url, { headers }))
      const other = await createSite(admin, { allowedRoles: [] })
      await allows(
        'where they are not named',
        person.patch(`/oauth/clients/${other.id}`, { headers: { user: 'X-User' } }),
      )
      await allows(
        'at an own new host',
        person.post('/oauth/clients', {
          clientType: 'proxied',
          name: 'New',
          hosts: [newHostName()],
          headers: { user: 'X-User' },
        }),
      )
      await allows('deleting', person.delete(url))
      const { id: again, host } = await createSite(admin)
      await allows('deleting', person.delete(`/oauth/clients/${again}`))
      const anew = {
        clientType: 'proxied',
        name: 'Headers',
        hosts: [host],
        headers: { user: 'X-User', name: 'Remote-User' },
      }
      await refusesGain('making it anew', '/oauth/clients?q=Headers', () => person.post('/oauth/clients', anew))
    })
  })
})
