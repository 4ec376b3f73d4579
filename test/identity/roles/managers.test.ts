import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { Response } from 'light-my-request'
import { skipEscalationCheck } from '../../../src/identity/roles/checked-trx.ts'
import { withoutEscalation } from '../../../src/identity/roles/escalation.ts'
import { readHoldings } from '../../../src/identity/roles/holdings.ts'
import { addPermission, addRole } from '../../../src/identity/roles/role-store.ts'
import type { Role } from '../../../src/identity/roles/role.ts'
import { sweepExpired } from '../../../src/operations/background/sweep-expired.ts'
import { USER_ROLE } from '../../../src/vocabulary/built-in-roles.ts'
import type { Permission } from '../../../src/vocabulary/permissions.ts'
import { createSite, newHostName, TRUSTING } from '../../proxy/visits.ts'
import { createHost } from '../../ssh/hosts/managed-host.ts'
import { sharedApp, type TestApp } from '../../support/app.ts'
import { registerApplication } from '../../support/application.ts'
import { MAIN_ENGINE, onEachEngine } from '../../support/engines.ts'
import { sentMails } from '../../support/mail.ts'
import { type SignedInPerson, signedInPerson } from '../../support/people.ts'

const DAY = 24 * 3_600_000
let count = 0
const fresh = (text: string) => `${text} ${++count}`

onEachEngine('managers with one permission', (engine) => {
  const shared = sharedApp({ engine, config: TRUSTING })
  let app: TestApp
  let admin: SignedInPerson
  before(async () => {
    app = shared()
    admin = await signedInPerson(app, { admin: true })
  })

  const managerWith = (...permissions: Permission[]) => signedInPerson(app, { permissions })
  const newRole = async (content: object = {}): Promise<Role> => {
    const made = await admin.post('/api/admin/roles', { name: fresh('Role'), ...content })
    assert.equal(made.statusCode, 201, made.body)
    return made.json<{ role: Role }>().role
  }
  const rolesOf = async ({ user }: SignedInPerson) =>
    (await admin.get(`/api/admin/users/${user.id}/roles`)).json<{ roles: Role[] }>().roles
  const give = async ({ user }: SignedInPerson, { id }: Role) =>
    assert.equal((await admin.post(`/api/admin/users/${user.id}/roles`, { roleId: id })).statusCode, 200)
  const roleHeldBy = async (person: SignedInPerson, content: object = {}) => {
    const role = await newRole(content)
    await give(person, role)
    return role
  }
  const stateOf = async (url: string) => (await admin.get(url)).body

  /** Refused for what it would give to its author, and nothing is changed. */
  const refusesGain = async (what: string, watched: string, attempt: () => Promise<Response>) => {
    const before = await stateOf(watched)
    const answer = await attempt()
    assert.equal(answer.statusCode, 403, `${what}: ${answer.body}`)
    assert.equal(answer.json().code, 'own_access', what)
    assert.equal(await stateOf(watched), before, what)
  }
  const allows = async (what: string, attempt: Promise<Response>) => {
    const answer = await attempt
    assert.ok(answer.statusCode < 300, `${what}: ${answer.statusCode} ${answer.body}`)
    return answer
  }

  const rememberedHosts = async () =>
    (await app.services.db.read.selectFrom('former_hosts').select('host').execute()).map((row) => row.host)

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
      admin = await signedInPerson(app, { admin: true })
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
      const account = `deploy${++count}`
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
      const account = `deploy${++count}`
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
      const rows = [plain, level].map(({ name }) => ({ email: `row${++count}@example.com`, roles: [name] }))
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

  describe('users:write', () => {
    const manager = () => managerWith('users:read', 'users:write')
    const urlOf = ({ user }: SignedInPerson) => `/api/admin/users/${user.id}`

    test('changes neither the address nor the name of a person who has more, and sends no reset to an unconfirmed one', async () => {
      const person = await manager()
      const withAttributes = await signedInPerson(app)
      await give(withAttributes, await newRole({ attributes: { level: 9 } }))
      const ownAttributes = await signedInPerson(app)
      await admin.patch(urlOf(ownAttributes), { attributes: { tenant: 'x' } })
      const opens = await signedInPerson(app, { principals: [`unix${++count}`] })
      const stronger = await signedInPerson(app, { permissions: ['users:delete'] })
      for (const other of [withAttributes, ownAttributes, opens, stronger]) {
        const url = urlOf(other)
        const before = await stateOf(url)
        for (const change of [
          { email: `x${++count}@example.com` },
          { email_verified: true },
          { preferredUsername: `n${++count}` },
        ])
          assert.equal((await person.patch(url, change)).statusCode, 403, JSON.stringify(change))
        assert.equal((await person.post(`${url}/password-reset`)).statusCode, 403)
        assert.equal(await stateOf(url), before)
      }
      await admin.patch(urlOf(withAttributes), { email_verified: true })
      await allows('a reset to a confirmed address', person.post(`${urlOf(withAttributes)}/password-reset`))
      await allows('the shown name', person.patch(urlOf(withAttributes), { displayName: 'Other' }))
      await admin.patch(urlOf(stronger), { email_verified: true })
      assert.equal((await person.post(`${urlOf(stronger)}/password-reset`)).statusCode, 403)
      const plain = await signedInPerson(app)
      await allows('the address of others', person.patch(urlOf(plain), { email: `y${++count}@example.com` }))
    })

    test('changes nothing that applications call its holder', async () => {
      const person = await manager()
      const url = urlOf(person)
      await refusesGain('attributes', url, () => person.patch(url, { attributes: { level: 9 } }))
      await refusesGain('the username', url, () => person.patch(url, { preferredUsername: `boss${++count}` }))
      for (const by of [person, admin]) {
        const own = urlOf(by)
        const before = await stateOf(own)
        for (const change of [{ email: `z${++count}@example.com` }, { email_verified: true }])
          assert.equal((await by.patch(own, change)).statusCode, 409, JSON.stringify(change))
        assert.equal(await stateOf(own), before)
      }
      await allows(
        'as it is',
        person.patch(url, { email: person.user.email, email_verified: false, displayName: 'Me' }),
      )
    })

    test('gives a second account no role, and no permission', async () => {
      const person = await manager()
      const role = await newRole()
      const made = await person.post('/api/admin/users', { email: `second${++count}@example.com`, roleIds: [role.id] })
      assert.equal(made.statusCode, 403, made.body)
    })

    test('tells the old address that somebody has changed it, if it was confirmed', async () => {
      const person = await manager()
      for (const confirmed of [true, false]) {
        const other = await signedInPerson(app)
        await admin.patch(urlOf(other), { email_verified: confirmed })
        const email = `moved${++count}@example.com`
        const sent = (await sentMails(app)).length
        await allows('moving', person.patch(urlOf(other), { email }))
        const told = (await sentMails(app)).slice(sent).filter(({ to }) => to === other.user.email)
        assert.equal(told.length, confirmed ? 1 : 0)
        for (const { text } of told) assert.ok(text.includes(email), text)
      }
    })
  })

  describe('users:lifecycle', () => {
    test('removes no passkey of a person with attributes that they lack, and signs them out', async () => {
      const person = await managerWith('users:read', 'users:lifecycle')
      const other = await signedInPerson(app)
      await admin.patch(`/api/admin/users/${other.user.id}`, { attributes: { level: 9 } })
      const url = `/api/admin/users/${other.user.id}`
      assert.equal((await person.delete(`${url}/passkeys/00000000-0000-4000-8000-000000000000`)).statusCode, 403)
      await allows('signing out', person.post(`${url}/sign-out`))
      await allows('disabling', person.post(`${url}/lifecycle`, { action: 'disable' }))
    })
  })

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
        person.patch(url, { allowedRoles: null, hostnames: [`other${++count}.example.com`] }),
      )
      await allows('deleting', person.delete(url))
      const { hostnames } = host
      const anew = { name: fresh('anew'), hostnames }
      await refusesGain('anew', '/api/ssh/hosts?limit=200', () => person.post('/api/ssh/hosts', anew))
      await allows('as it was', person.post('/api/ssh/hosts', { ...anew, allowedRoles: [theirs.id] }))
      await allows(
        'another host',
        person.post('/api/ssh/hosts', { name: fresh('new'), hostnames: [`new${++count}.example.com`] }),
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
