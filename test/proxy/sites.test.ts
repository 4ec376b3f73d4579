import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { sharedApp } from '../support/app.ts'
import { registerApplication } from '../support/application.ts'
import { onEachEngine } from '../support/engines.ts'
import { anonymous, signedInPerson, type SignedInPerson } from '../support/people.ts'
import { createSite, newHostName } from './visits.ts'

onEachEngine('sites as applications', (engine) => {
  const app = sharedApp({ engine })
  let admin: SignedInPerson
  before(async () => {
    admin = await signedInPerson(app(), { admin: true })
  })
  const create = (settings: Record<string, unknown>) =>
    admin.post('/oauth/clients', { clientType: 'proxied', name: 'Wiki', hosts: [newHostName()], ...settings })
  const newRole = async (name: string): Promise<string> =>
    (await admin.post('/api/admin/roles', { name })).json().role.id

  test('a site is made without a secret, listed among the applications, changed and deleted', async () => {
    const roleId = await newRole('Writers')
    const rules = [
      { path: '/public/*', methods: ['GET'], policy: 'bypass' },
      { path: '/admin/*', policy: 'roles', roles: [roleId] },
    ]
    const host = newHostName()
    const made = await create({
      hosts: [`${host}:443`, `${host}:8443`],
      rules,
      headers: { user: 'X-User', jwt: null },
      basic: true,
    })
    assert.equal(made.statusCode, 201, made.body)
    assert.deepEqual(Object.keys(made.json()).toSorted(), ['client', 'client_id'])
    const { client } = made.json()
    assert.deepEqual(client.hosts, [host, `${host}:8443`])
    assert.deepEqual([client.redirect_uris, client.scopes, client.grantTypes], [[], [], []])
    assert.deepEqual([client.rules, client.headers, client.basic], [rules, { user: 'X-User', jwt: null }, true])
    assert.deepEqual([client.clientType, client.allowedRoles, client.launchUrl], ['proxied', null, null])
    const path = `/oauth/clients/${client.client_id}`
    assert.deepEqual((await admin.get(path)).json().client, client)
    const listed = (await admin.get('/oauth/clients?q=Wiki')).json().clients as { client_id: string }[]
    assert.ok(listed.some(({ client_id }) => client_id === client.client_id))

    assert.equal((await admin.delete(`/api/admin/roles/${roleId}`)).statusCode, 200)
    const changed = await admin.patch(path, { name: 'Notes', launchUrl: `https://${host}/`, allowedRoles: [] })
    assert.equal(changed.statusCode, 200, changed.body)
    assert.equal(changed.json().client.name, 'Notes')
    // A role that is deleted leaves the rules; a rule without roles admits nobody.
    assert.deepEqual(changed.json().client.rules[1], { path: '/admin/*', policy: 'roles', roles: [] })
    assert.equal((await admin.delete(path)).statusCode, 200)
    assert.equal((await admin.get(path)).statusCode, 404)
    assert.equal((await create({ hosts: [host] })).statusCode, 201)
  })

  test('hosts are stored in lower case, and international names as A-labels', async () => {
    const created = await create({ hosts: ['Books.Example.com', 'BÜCHER.example:8443'] })
    assert.equal(created.statusCode, 201, created.body)
    assert.deepEqual(created.json().client.hosts, ['books.example.com', 'xn--bcher-kva.example:8443'])
    assert.equal((await create({ hosts: ['bücher.example:8443'] })).json().code, 'host_taken')
  })

  test('a bad site is refused with 400 that names the field', async () => {
    const refused: [Record<string, unknown>, string][] = [
      [{ hosts: undefined }, 'hosts'],
      [{ hosts: [] }, 'hosts'],
      [{ hosts: ['wiki.example.com.'] }, 'hosts/0'],
      [{ hosts: ['a.example.com', 'A.example.com'] }, 'hosts/1'],
      [{ hosts: ['a.example.com', '10.0.0.1'] }, 'hosts/1'],
      [{ hosts: ['a.example.com', 'a.example.com:443'] }, 'hosts/1'],
      [{ hosts: Array.from({ length: 21 }, newHostName) }, 'hosts'],
      [{ redirectUris: ['https://a.example.com/'] }, 'redirectUris'],
      [{ scopes: [] }, 'scopes'],
      [{ grantTypes: ['authorization_code'] }, 'grantTypes'],
      [{ pkce: 'required' }, 'pkce'],
      [{ rules: [{ path: 'x', policy: 'deny' }] }, 'rules/0/path'],
      [{ rules: [{ path: '/*/x', policy: 'deny' }] }, 'rules/0/path'],
      [{ rules: [{ path: '/x*', policy: 'deny' }] }, 'rules/0/path'],
      [{ rules: [{ path: '/a?b', policy: 'deny' }] }, 'rules/0/path'],
      [{ rules: [{ path: '/a#b', policy: 'deny' }] }, 'rules/0/path'],
      [{ rules: [{ path: '/a%20', policy: 'deny' }] }, 'rules/0/path'],
      [{ rules: [{ path: '/a\\b', policy: 'deny' }] }, 'rules/0/path'],
      [{ rules: [{ path: '/a//b', policy: 'deny' }] }, 'rules/0/path'],
      [{ rules: [{ path: '/a/../b', policy: 'deny' }] }, 'rules/0/path'],
      [{ rules: [{ path: '/a', policy: 'allow' }] }, 'rules/0/policy'],
      [{ rules: [{ path: '/a', policy: 'deny', methods: ['get'] }] }, 'rules/0/methods/0'],
      [{ rules: [{ path: '/a', policy: 'roles' }] }, 'rules/0/roles'],
      [{ rules: [{ path: '/a', policy: 'roles', roles: [] }] }, 'rules/0/roles'],
      [{ rules: [{ path: '/a', policy: 'roles', roles: ['nobody'] }] }, 'rules/0/roles/0'],
      [{ rules: [{ path: '/a', policy: 'bypass', roles: ['admin'] }] }, 'rules/0/roles'],
      [{ rules: Array.from({ length: 101 }, () => ({ path: '/a', policy: 'deny' })) }, 'rules'],
      [{ headers: { user: 'Cookie' } }, 'headers/user'],
      [{ headers: { user: 'X-Forwarded-User' } }, 'headers/user'],
      [{ headers: { name: 'Content-MD5' } }, 'headers/name'],
      [{ headers: { jwt: 'authorization' } }, 'headers/jwt'],
      [{ headers: { groups: 'X-Request-Id' } }, 'headers/groups'],
      [{ headers: { email: 'X-Latchkey-User' } }, 'headers/email'],
      [{ headers: { user: 'remote-email' } }, 'headers/email'],
      [{ headers: { user: 'X-A', name: 'x-a' } }, 'headers/name'],
      [{ headers: { user: 'a b' } }, 'headers/user'],
      [{ headers: { other: 'X-A' } }, 'headers/other'],
      [{ basic: 'yes' }, 'basic'],
      [{ allowedRoles: ['nobody'] }, 'allowedRoles/0'],
      [{ launchUrl: 'javascript:alert(1)' }, 'launchUrl'],
    ]
    for (const [settings, field] of refused) {
      const answer = await create(settings)
      assert.equal(answer.statusCode, 400, `${field}: ${answer.body}`)
      assert.equal(answer.json().issues[0].path, field, answer.body)
    }
    const { id } = await createSite(admin)
    for (const change of [{ clientType: 'public' }, { redirectUris: [] }, { hosts: [] }, { scopes: ['openid'] }])
      assert.equal((await admin.patch(`/oauth/clients/${id}`, change)).statusCode, 400)
    const { clientId } = await registerApplication(app())
    for (const change of [{ hosts: [newHostName()] }, { rules: [] }, { headers: {} }, { basic: true }])
      assert.equal((await admin.patch(`/oauth/clients/${clientId}`, change)).statusCode, 400)
    assert.equal(
      (await admin.post('/oauth/clients', { clientType: 'public', name: 'x', redirectUris: ['https://a.example'] }))
        .statusCode,
      400,
    )
  })

  test('a host belongs to one site, also when two take it at the same moment', async () => {
    const host = newHostName()
    const answers = await Promise.all([1, 2, 3, 4].map(() => create({ hosts: [host] })))
    assert.deepEqual(answers.map(({ statusCode }) => String(statusCode)).toSorted(), ['201', '409', '409', '409'])
    const refused = answers.find(({ statusCode }) => statusCode === 409)
    assert.equal(refused?.json().code, 'host_taken')
    const other = await createSite(admin)
    const taken = await admin.patch(`/oauth/clients/${other.id}`, { name: 'Changed', hosts: [other.host, host] })
    assert.equal(taken.json().code, 'host_taken')
    assert.equal((await admin.get(`/oauth/clients/${other.id}`)).json().client.name, 'Wiki')
  })

  test('the service’s own name on any port is no site, because the ports of one name share cookies', async () => {
    const site = await createSite(admin)
    for (const own of ['localhost:3000', 'localhost', 'localhost:8443', 'LOCALHOST:65535']) {
      const hosts = [newHostName(), own]
      for (const answer of [await create({ hosts }), await admin.patch(`/oauth/clients/${site.id}`, { hosts })])
        assert.deepEqual([answer.statusCode, answer.json().code], [409, 'host_taken'], own)
    }
  })

  test('the OAuth endpoints know no such client', async () => {
    const { id } = await createSite(admin)
    const person = await signedInPerson(app())
    const query = `client_id=${id}&response_type=code&redirect_uri=https%3A%2F%2Fx.example&code_challenge=${'a'.repeat(43)}&code_challenge_method=S256`
    assert.equal((await person.get(`/oauth/authorize?${query}`)).statusCode, 400)
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    for (const [path, body] of [
      ['/oauth/token', `grant_type=client_credentials&client_id=${id}`],
      ['/oauth/introspect', `token=x&client_id=${id}`],
      ['/oauth/device_authorization', `client_id=${id}`],
    ] as const)
      assert.equal((await anonymous(app()).post(path, body, form)).json().error, 'invalid_client', path)
    assert.equal((await admin.post(`/oauth/clients/${id}/secret`)).statusCode, 409)
  })

  test('only those who may manage applications may manage sites, and nobody lets themselves in', async () => {
    const { id } = await createSite(admin, { allowedRoles: [] })
    const manager = await signedInPerson(app(), { permissions: ['oauth_clients:read', 'oauth_clients:write'] })
    assert.equal((await manager.patch(`/oauth/clients/${id}`, { name: 'Theirs' })).statusCode, 200)
    assert.equal((await manager.patch(`/oauth/clients/${id}`, { allowedRoles: null })).statusCode, 403)
    const held = (await manager.get('/api/auth/me')).json().roles as { id: string }[]
    const ofOthers = { path: '/*', policy: 'roles', roles: [await newRole('Readers')] }
    const ofTheirs = { path: '/notes/*', policy: 'roles', roles: [held[0]?.id] }
    assert.equal((await manager.patch(`/oauth/clients/${id}`, { rules: [ofOthers] })).statusCode, 200)
    const refused = await manager.patch(`/oauth/clients/${id}`, { rules: [ofTheirs, ofOthers] })
    assert.equal(refused.statusCode, 403, refused.body)
    assert.equal((await admin.patch(`/oauth/clients/${id}`, { rules: [ofTheirs, ofOthers] })).statusCode, 200)
    // A rule that is there already may stay, and may not become wider.
    const kept = await manager.patch(`/oauth/clients/${id}`, { rules: [ofTheirs] })
    assert.equal(kept.statusCode, 200, kept.body)
    const wider = await manager.patch(`/oauth/clients/${id}`, { rules: [{ ...ofTheirs, path: '/*' }] })
    assert.equal(wider.statusCode, 403, wider.body)
    const stranger = await signedInPerson(app())
    assert.equal((await stranger.post('/oauth/clients', {})).statusCode, 403)
    assert.equal((await stranger.post(`/oauth/clients/${id}/try-out`, {})).statusCode, 403)
  })

  describe('trying a site out', () => {
    test('tells what would happen for an address and a person, by saved rules or by others', async () => {
      const roleId = await newRole('Editors')
      const { id, origin } = await createSite(admin, {
        allowedRoles: [roleId],
        rules: [
          { path: '/public/*', policy: 'bypass' },
          { path: '/closed', policy: 'deny' },
        ],
      })
      const person = await signedInPerson(app())
      const tryOut = async (body: Record<string, unknown>) =>
        (await admin.post(`/oauth/clients/${id}/try-out`, body)).json()
      assert.deepEqual(await tryOut({ address: '/public/x' }), {
        outcome: 'allowed',
        reason: null,
        rule: 0,
        named: false,
      })
      assert.deepEqual(await tryOut({ address: `${origin}/x?y` }), {
        outcome: 'sign_in',
        reason: null,
        rule: null,
        named: false,
      })
      const refused = { outcome: 'refused', named: false }
      assert.deepEqual(await tryOut({ address: '/Closed/' }), { ...refused, reason: 'denied', rule: 1 })
      assert.deepEqual(await tryOut({ address: '/public/%00' }), { ...refused, reason: 'path', rule: null })
      assert.deepEqual(await tryOut({ address: '/x', userId: person.user.id }), {
        ...refused,
        reason: 'role',
        rule: null,
      })
      await admin.post(`/api/admin/users/${person.user.id}/roles`, { roleId })
      assert.deepEqual(await tryOut({ address: '/x', userId: person.user.id }), {
        outcome: 'allowed',
        reason: null,
        rule: null,
        named: true,
      })
      const rules = [{ path: '/*', methods: ['POST'], policy: 'deny' }]
      assert.equal((await tryOut({ address: '/x', method: 'POST', userId: person.user.id, rules })).reason, 'denied')
      assert.equal((await tryOut({ address: 'https://other.example/x' })).issues[0].path, 'address')
      assert.equal((await tryOut({ address: 'x' })).issues[0].path, 'address')
      assert.equal((await tryOut({ address: '/x', userId: 'usr_nobody' })).code, 'not_found')
    })
  })
})
