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

interface CreateResponse {
  client: Record<string, unknown>
  client_id: string
  client_secret?: string
}

const BODY = {
  name: 'Photos',
  clientType: 'confidential',
  redirectUris: ['https://app.example/cb'],
  scopes: ['openid', 'email'],
}

/** The consent page shows the operator of an application, so that it must not be deceptive. */
const INVALID_OPERATORS = Object.entries({
  'that is empty': '',
  'of white space alone': '  \u00a0',
  'of invisible characters alone': '\u200b',
  'of 101 characters': 'x'.repeat(101),
  'with a line break': 'Example\nLtd',
  'with a line separator': 'Example\u2028Ltd',
  'with a zero byte': 'Example\u0000',
  'with an escape': '\u001b[2J',
  'with a right-to-left override': 'Example \u202egro.live',
  'with half of a surrogate pair': 'Example \ud800',
  'that is a number': 7,
})

onEachEngine('OAuth clients', (engine) => {
  const app = sharedApp({ engine })
  const writer = () => signedInPerson(app(), { permissions: ['oauth_clients:read', 'oauth_clients:write'] })

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

  test('a confidential client is created with a secret that is shown once and stored as a digest', async () => {
    const answer = await (
      await writer()
    ).post('/oauth/clients', { ...BODY, postLogoutRedirectUris: ['https://app.example/'] })
    assert.equal(answer.statusCode, 201)
    const made = answer.json<CreateResponse>()
    assert.deepEqual(made.client, {
      client_id: made.client_id,
      name: 'Photos',
      operator: null,
      clientType: 'confidential',
      redirect_uris: ['https://app.example/cb'],
      post_logout_redirect_uris: ['https://app.example/'],
      scopes: ['openid', 'email'],
      grantTypes: ['authorization_code', 'refresh_token', 'client_credentials'],
      allowedRoles: null,
      idTokenClaims: 'minimal',
      id_token_signed_response_alg: 'ES256',
      claims: [],
      introspectionClaims: false,
      pkce: 'required',
      pkceLastMissingAt: null,
      pkceLastSentAt: null,
      consent: 'ask',
      launchUrl: null,
      logoUrl: null,
      builtIn: false,
      disabled: false,
      createdAt: app().clock.now(),
    })
    assert.match(made.client_id, /^[A-Za-z0-9_-]+$/)
    assert.match(made.client_secret ?? '', /^[A-Za-z0-9_-]{43,}$/)
    const row = await app()
      .services.db.read.selectFrom('oauth_clients')
      .selectAll()
      .where('client_id', '=', made.client_id)
      .executeTakeFirstOrThrow()
    const { createHash } = await import('node:crypto')
    assert.equal(
      row.client_secret_hash,
      createHash('sha256')
        .update(made.client_secret ?? '')
        .digest('base64url'),
    )
    const person = await writer()
    for (const url of ['/oauth/clients', `/oauth/clients/${made.client_id}`]) {
      const { body } = await person.get(url)
      assert.ok(body.includes(made.client_id))
      assert.doesNotMatch(body, /secret/i)
    }
  })

  test('a public client has no secret and no client credentials', async () => {
    const person = await writer()
    const made = (await person.post('/oauth/clients', { ...BODY, clientType: 'public' })).json<CreateResponse>()
    assert.equal('client_secret' in made, false)
    assert.deepEqual(made.client['grantTypes'], ['authorization_code', 'refresh_token'])
    assert.equal((await person.post(`/oauth/clients/${made.client_id}/secret`)).statusCode, 409)
  })

  const REFUSED: [string, object][] = [
    ...[
      'javascript:alert(1)',
      'data:text/html,x',
      'https://*.example/cb',
      'https://app.example/cb#f',
      'http://app.example/cb',
      'http://127.0.0.1.evil.example/cb',
      'https://user:pw@app.example/cb',
      'https://app.example/c b',
      'https://app.example/\u00e9',
      'https:///cb',
      'https://app.example\\cb',
      '/cb',
      'myapp:/cb',
      'file:///etc/passwd',
      'ftp://app.example/cb',
      '',
    ].map((uri): [string, object] => [`the redirect URL ${uri}`, { redirectUris: [uri] }]),
    ['an empty list of redirect URLs', { redirectUris: [] }],
    ['no redirect URLs', { redirectUris: undefined }],
    ['an invalid post-logout URL', { postLogoutRedirectUris: ['http://app.example/'] }],
    ['an unknown clientType', { clientType: 'native' }],
    ['no clientType', { clientType: undefined }],
    ['an empty name', { name: ' ' }],
    ['a scope with a space', { scopes: ['a b'] }],
    ['a scope with a quote', { scopes: ['a"b'] }],
    ['scopes that are not a list', { scopes: 'openid' }],
    ['an unknown grant type', { grantTypes: ['password'] }],
    ['no grant type', { grantTypes: [] }],
    ['client credentials and the public type', { clientType: 'public', grantTypes: ['client_credentials'] }],
    ['the refresh token grant but not the code grant', { grantTypes: ['refresh_token'] }],
    ['an unknown field', { client_id: 'mine' }],
    ...INVALID_OPERATORS.map(([name, operator]): [string, object] => [`an operator ${name}`, { operator }]),
  ]
  for (const [name, change] of REFUSED) {
    test(`creating a client with ${name} answers 400`, async () => {
      const answer = await (await writer()).post('/oauth/clients', { ...BODY, ...change })
      assert.equal(answer.statusCode, 400, answer.body)
      assert.ok(answer.json<{ issues: unknown[] }>().issues.length > 0)
    })
  }

  for (const uri of [
    'http://localhost:8080/cb',
    'http://[::1]/cb',
    'com.example.app:/cb',
    'https://app.example/cb?x=1',
  ]) {
    test(`the redirect URL ${uri} is accepted`, async () => {
      const answer = await (await writer()).post('/oauth/clients', { ...BODY, redirectUris: [uri] })
      assert.equal(answer.statusCode, 201, answer.body)
    })
  }

  test('a client that only uses client credentials needs no redirect URL', async () => {
    const body = { name: 'Job', clientType: 'confidential', scopes: ['reports'], grantTypes: ['client_credentials'] }
    assert.equal((await (await writer()).post('/oauth/clients', body)).statusCode, 201)
  })

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
