import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sharedApp } from '../../support/app.ts'
import { CLIENT_DEFAULTS } from '../../support/application.ts'
import { onEachEngine } from '../../support/engines.ts'
import { type CreateResponse, BODY, INVALID_OPERATORS, newWriter } from './new-client.ts'

onEachEngine('new OAuth clients', (engine) => {
  const app = sharedApp({ engine })
  const writer = () => newWriter(app())

  test('a confidential client is created with a secret that is shown once and stored as a digest', async () => {
    const answer = await (
      await writer()
    ).post('/oauth/clients', { ...BODY, postLogoutRedirectUris: ['https://app.example/'] })
    assert.equal(answer.statusCode, 201)
    const made = answer.json<CreateResponse>()
    assert.deepEqual(made.client, {
      ...CLIENT_DEFAULTS,
      client_id: made.client_id,
      name: 'Photos',
      clientType: 'confidential',
      redirect_uris: ['https://app.example/cb'],
      post_logout_redirect_uris: ['https://app.example/'],
      scopes: ['openid', 'email'],
      grantTypes: ['authorization_code', 'refresh_token', 'client_credentials'],
      builtIn: false,
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
})
