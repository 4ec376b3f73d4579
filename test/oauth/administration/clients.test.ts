import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Permission } from '../../../src/vocabulary/permissions.ts'
import { ORIGIN, sharedApp, startApp } from '../../support/app.ts'
import {
  authorizeUrl,
  credentials,
  exchangeCode,
  getCode,
  getTokens,
  isLive,
  newPkce,
  postForm,
  refresh,
  registerApplication,
  userinfo,
} from '../../support/application.ts'
import { onEachEngine } from '../../support/engines.ts'
import { anonymous, type Person, signedInPerson } from '../../support/people.ts'
import { type CreateResponse, BODY, INVALID_OPERATORS, newWriter } from './new-client.ts'

onEachEngine('OAuth clients', (engine) => {
  const app = sharedApp({ engine })
  const writer = () => newWriter(app())

  const routes: [string, Permission, (person: Person, id: string) => ReturnType<Person['get']>][] = [
    ['GET /oauth/clients', 'oauth_clients:read', (person) => person.get('/oauth/clients')],
    ['POST /oauth/clients', 'oauth_clients:write', (person) => person.post('/oauth/clients', BODY)],
    ['GET /oauth/clients/:id', 'oauth_clients:read', (person, id) => person.get(`/oauth/clients/${id}`)],
    [
      'PATCH /oauth/clients/:id',
      'oauth_clients:write',
      (person, id) => person.patch(`/oauth/clients/${id}`, { name: 'New' }),
    ],
    [
      'POST /oauth/clients/:id/secret',
      'oauth_clients:write',
      (person, id) => person.post(`/oauth/clients/${id}/secret`),
    ],
    ['DELETE /oauth/clients/:id', 'oauth_clients:write', (person, id) => person.delete(`/oauth/clients/${id}`)],
  ]
  for (const [name, permission, call] of routes) {
    test(`${name} needs ${permission}: it answers 401 without a session, 403 without the permission, and 2xx with it alone`, async () => {
      const { clientId } = await registerApplication(app())
      assert.equal((await call(anonymous(app()), clientId)).statusCode, 401)
      const others: Permission[] = permission.endsWith('read') ? ['oauth_clients:write'] : ['oauth_clients:read']
      const refused = await call(await signedInPerson(app(), { permissions: others }), clientId)
      assert.deepEqual([refused.statusCode, refused.json<{ code: string }>().code], [403, 'forbidden'])
      const answer = await call(await signedInPerson(app(), { permissions: [permission] }), clientId)
      assert.ok(answer.statusCode === 200 || answer.statusCode === 201, answer.body)
    })
  }

  test('the list of clients is paged, newest first', async () => {
    const person = await writer()
    const names: string[] = []
    for (let at = 0; at < 3; at++) {
      app().clock.advance(1000)
      await registerApplication(app(), { name: `Paged ${at}` })
      names.unshift(`Paged ${at}`)
    }
    type Page = { clients: { name: string }[]; nextCursor: string | null }
    const first = (await person.get('/oauth/clients?limit=2')).json<Page>()
    const second = (await person.get(`/oauth/clients?limit=1&cursor=${first.nextCursor ?? ''}`)).json<Page>()
    assert.deepEqual(
      [...first.clients, ...second.clients].map(({ name }) => name),
      names,
    )
    for (const query of ['limit=0', 'limit=201', 'cursor=forged', 'unknown=1'])
      assert.equal((await person.get(`/oauth/clients?${query}`)).statusCode, 400, query)
  })

  test('name, redirect URLs and scopes can be changed, and the change takes effect immediately', async () => {
    const person = await writer()
    const application = await registerApplication(app())
    await getCode(person, application, newPkce())
    const change = { name: 'Renamed', redirectUris: ['https://app.example/new'], scopes: ['openid'] }
    const answer = await person.patch(`/oauth/clients/${application.clientId}`, change)
    assert.equal(answer.statusCode, 200)
    const { client } = answer.json<CreateResponse>()
    assert.deepEqual(
      [client['name'], client['redirect_uris'], client['scopes']],
      ['Renamed', ['https://app.example/new'], ['openid']],
    )
    assert.equal((await person.get(authorizeUrl(application, newPkce()))).statusCode, 400)
    const moved = { ...application, redirectUri: 'https://app.example/new' }
    assert.equal((await person.get(authorizeUrl(moved, newPkce()))).statusCode, 302)
    for (const wrong of [{ clientType: 'public' }, { redirectUris: [] }, { redirectUris: ['javascript:x'] }])
      assert.equal((await person.patch(`/oauth/clients/${application.clientId}`, wrong)).statusCode, 400)
    assert.equal((await person.patch('/oauth/clients/nobody', { name: 'x' })).statusCode, 404)
  })

  test('the operator of a client can be set, changed and removed', async () => {
    const person = await writer()
    const made = (await person.post('/oauth/clients', { ...BODY, operator: '  Example Ltd ' })).json<CreateResponse>()
    assert.equal(made.client['operator'], 'Example Ltd')
    const url = `/oauth/clients/${made.client_id}`
    const storedOperator = async () => {
      const { client } = (await person.get(url)).json<CreateResponse>()
      const { clients } = (await person.get('/oauth/clients?limit=200')).json<{ clients: CreateResponse['client'][] }>()
      assert.deepEqual(
        clients.find(({ client_id: id }) => id === made.client_id),
        client,
      )
      return client['operator']
    }
    const change = async (body: object) => (await person.patch(url, body)).json<CreateResponse>().client['operator']
    assert.equal(await storedOperator(), 'Example Ltd')
    assert.equal(await change({ name: 'Pictures' }), 'Example Ltd')
    assert.equal(await change({ operator: 'Müller & Söhne' }), 'Müller & Söhne')
    assert.equal(await storedOperator(), 'Müller & Söhne')
    assert.equal(await change({ operator: 'x'.repeat(100) }), 'x'.repeat(100))
    for (const [name, operator] of INVALID_OPERATORS)
      assert.equal((await person.patch(url, { operator })).statusCode, 400, `an operator ${name}`)
    assert.equal(await storedOperator(), 'x'.repeat(100))
    assert.equal(await change({ operator: null }), null)
    assert.equal(await storedOperator(), null)
    assert.equal((await person.post('/oauth/clients', { ...BODY, operator: null })).statusCode, 201)
  })

  test('the audit trail records the operator when it is set and when it is changed', async () => {
    const person = await writer()
    const { client_id: id } = (
      await person.post('/oauth/clients', { ...BODY, operator: 'Before Ltd' })
    ).json<CreateResponse>()
    await person.patch(`/oauth/clients/${id}`, { operator: 'After Ltd' })
    const rows = await app()
      .services.db.read.selectFrom('audit_events')
      .select(['action', 'data'])
      .where('target_id', '=', id)
      .execute()
    assert.deepEqual(
      Object.fromEntries(rows.map(({ action, data }) => [action, (JSON.parse(data) as { operator: string }).operator])),
      { 'oauth_client.created': 'Before Ltd', 'oauth_client.updated': 'After Ltd' },
    )
  })

  test('a new secret works immediately, and the old one no longer works', async () => {
    const person = await writer()
    const application = await registerApplication(app())
    const requestToken = (secret: string | undefined) =>
      postForm(app(), '/oauth/token', {
        grant_type: 'client_credentials',
        client_id: application.clientId,
        client_secret: secret,
      })
    assert.equal((await requestToken(application.secret)).statusCode, 200)
    const answer = await person.post(`/oauth/clients/${application.clientId}/secret`)
    assert.equal(answer.statusCode, 200)
    assert.equal((await requestToken(application.secret)).statusCode, 401)
    assert.equal((await requestToken(answer.json<CreateResponse>().client_secret)).statusCode, 200)
    assert.equal((await person.post('/oauth/clients/nobody/secret')).statusCode, 404)
  })

  test('deleting a client revokes all its tokens, codes and grants immediately', async () => {
    const person = await writer()
    const application = await registerApplication(app())
    const observer = await registerApplication(app())
    const tokens = await getTokens(app(), person, application)
    const machine = (
      await postForm(app(), '/oauth/token', { grant_type: 'client_credentials', ...credentials(application) })
    ).json<{ access_token: string }>().access_token
    const pkce = newPkce()
    const code = await getCode(person, application, pkce)
    const answer = await person.delete(`/oauth/clients/${application.clientId}`)
    assert.deepEqual([answer.statusCode, answer.json()], [200, { success: true }])
    for (const token of [tokens.access_token, tokens.refresh_token, machine])
      assert.equal(await isLive(app(), observer, token), false)
    assert.equal((await userinfo(app(), tokens.access_token)).statusCode, 401)
    assert.equal((await refresh(app(), application, tokens.refresh_token)).statusCode, 401)
    assert.equal((await exchangeCode(app(), application, code, pkce)).statusCode, 401)
    assert.deepEqual((await person.get('/api/account/oauth/grants')).json(), { grants: [] })
    assert.equal((await person.delete(`/oauth/clients/${application.clientId}`)).statusCode, 404)
  })

  test('every change is recorded in the audit trail, without secrets', async () => {
    const person = await writer()
    const made = (await person.post('/oauth/clients', BODY)).json<CreateResponse>()
    await person.patch(`/oauth/clients/${made.client_id}`, { name: 'Renamed' })
    const rotated = (await person.post(`/oauth/clients/${made.client_id}/secret`)).json<CreateResponse>()
    await person.delete(`/oauth/clients/${made.client_id}`)
    const rows = await app()
      .services.db.read.selectFrom('audit_events')
      .selectAll()
      .where('target_id', '=', made.client_id)
      .orderBy('at')
      .execute()
    assert.deepEqual(rows.map(({ action }) => action).toSorted(), [
      'oauth_client.created',
      'oauth_client.deleted',
      'oauth_client.secret_rotated',
      'oauth_client.updated',
    ])
    for (const row of rows) assert.equal(row.actor_id, person.user.id)
    for (const secret of [made.client_secret, rotated.client_secret]) {
      assert.ok(secret)
      assert.ok(!JSON.stringify(rows).includes(secret))
    }
  })

  test('a page of another origin can’t change clients', async () => {
    const person = await writer()
    for (const headers of [
      { origin: 'https://evil.example' },
      { origin: `${ORIGIN}.evil.example` },
      { origin: 'null' },
    ])
      assert.equal((await person.post('/oauth/clients', BODY, headers)).statusCode, 403)
  })
})

test('a change on one replica reaches another one by a signal, before its cache expires', async (t) => {
  const first = await startApp(t, { engine: 'postgres' })
  const second = await startApp(t, { engine: 'postgres', storage: first.storage, clock: first.clock })
  const application = await registerApplication(first)
  const admin = await signedInPerson(first, { permissions: ['oauth_clients:write'] })
  const requestToken = async () =>
    (await postForm(second, '/oauth/token', { grant_type: 'client_credentials', ...credentials(application) }))
      .statusCode
  assert.equal(await requestToken(), 200)
  await admin.post(`/oauth/clients/${application.clientId}/secret`)
  const deadline = Date.now() + 5000
  let status = await requestToken()
  while (status === 200 && Date.now() < deadline) status = await requestToken()
  assert.equal(status, 401)
})
