import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sharedApp } from '../../support/app.ts'
import { REDIRECT_URI } from '../../support/application.ts'
import { onMainEngine } from '../../support/engines.ts'
import { anonymous, signedInPerson } from '../../support/people.ts'

onMainEngine('the scopes of shared signals', (engine) => {
  const app = sharedApp({ engine })
  const body = (scopes: string[], change: object = {}) => ({
    name: 'Receiver',
    clientType: 'confidential',
    redirectUris: [REDIRECT_URI],
    scopes,
    ...change,
  })

  test('who gives them needs webhooks:manage and users:read', async () => {
    const write = ['oauth_clients:read', 'oauth_clients:write'] as const
    for (const permissions of [[], ['webhooks:manage'], ['users:read']] as const) {
      const person = await signedInPerson(app(), { permissions: [...write, ...permissions] })
      for (const scope of ['ssf.read', 'ssf.manage'])
        assert.equal((await person.post('/oauth/clients', body(['openid', scope]))).statusCode, 403)
      const made = await person.post('/oauth/clients', body(['openid']))
      const url = `/oauth/clients/${made.json<{ client_id: string }>().client_id}`
      assert.equal((await person.patch(url, { scopes: ['ssf.read'] })).statusCode, 403)
      assert.equal((await person.patch(url, { signalSubjects: 'all' })).statusCode, 403)
    }
    const allowed = await signedInPerson(app(), { permissions: [...write, 'webhooks:manage', 'users:read'] })
    const made = await allowed.post('/oauth/clients', body(['openid', 'ssf.read', 'ssf.manage']))
    assert.equal(made.statusCode, 201, made.body)
    const url = `/oauth/clients/${made.json<{ client_id: string }>().client_id}`
    const changed = await allowed.patch(url, { signalSubjects: 'all', signalSubjectFormat: 'email' })
    const { client } = changed.json<{ client: Record<string, unknown> }>()
    assert.deepEqual([client['signalSubjects'], client['signalSubjectFormat']], ['all', 'email'])
    // The rest of such a client can be changed by others, but nobody gets to act as it, or lets it be told more.
    const other = await signedInPerson(app(), { permissions: [...write] })
    assert.equal((await other.patch(url, { name: 'Renamed', scopes: ['ssf.read', 'ssf.manage'] })).statusCode, 200)
    assert.equal((await other.post(`${url}/secret`)).statusCode, 403)
    assert.equal((await other.patch(url, { signalSubjects: 'own', scopes: ['ssf.read'] })).statusCode, 200)
    assert.equal((await other.patch(url, { scopes: ['ssf.read', 'ssf.manage'] })).statusCode, 403)
    assert.equal((await allowed.post(`${url}/secret`)).statusCode, 200)
  })

  test('public clients and sites can’t have them', async () => {
    const admin = await signedInPerson(app(), { admin: true })
    const refused = [
      body(['openid', 'ssf.read'], { clientType: 'public' }),
      { name: 'Site', clientType: 'proxied', hosts: ['site.example'], scopes: ['ssf.manage'] },
    ]
    for (const each of refused) {
      const answer = await admin.post('/oauth/clients', each)
      assert.deepEqual([answer.statusCode, answer.json<{ code: string }>().code], [400, 'reserved_scope'])
    }
    const made = await admin.post('/oauth/clients', body(['openid'], { clientType: 'public' }))
    const url = `/oauth/clients/${made.json<{ client_id: string }>().client_id}`
    const changed = await admin.patch(url, { scopes: ['ssf.read'] })
    assert.deepEqual([changed.statusCode, changed.json<{ code: string }>().code], [400, 'reserved_scope'])
  })

  test('they stand in the metadata of the server once a client has them', async () => {
    const admin = await signedInPerson(app(), { admin: true })
    const scopes = async () =>
      (await anonymous(app()).get('/.well-known/openid-configuration')).json<{ scopes_supported: string[] }>()
        .scopes_supported
    for (const { client_id } of (await admin.get('/oauth/clients')).json<{ clients: { client_id: string }[] }>()
      .clients)
      await admin.delete(`/oauth/clients/${client_id}`)
    assert.deepEqual(await scopes(), ['openid', 'profile', 'email', 'offline_access'])
    await admin.post('/oauth/clients', body(['openid', 'ssf.read', 'groups']))
    assert.deepEqual(await scopes(), ['openid', 'profile', 'email', 'offline_access', 'groups', 'ssf.read'])
  })
})
