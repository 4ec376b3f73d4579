import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ORIGIN, sharedApp } from '../../support/app.ts'
import { onMainEngine } from '../../support/engines.ts'
import { anonymous, signedInPerson } from '../../support/people.ts'

/** Exactly the values that the specification lists. */
const SPECIFIED = {
  issuer: ORIGIN,
  authorization_endpoint: `${ORIGIN}/oauth/authorize`,
  token_endpoint: `${ORIGIN}/oauth/token`,
  userinfo_endpoint: `${ORIGIN}/oauth/userinfo`,
  jwks_uri: `${ORIGIN}/.well-known/jwks.json`,
  revocation_endpoint: `${ORIGIN}/oauth/revoke`,
  introspection_endpoint: `${ORIGIN}/oauth/introspect`,
  response_types_supported: ['code'],
  subject_types_supported: ['public'],
  id_token_signing_alg_values_supported: ['ES256'],
  scopes_supported: ['openid', 'profile', 'email', 'offline_access'],
  token_endpoint_auth_methods_supported: ['client_secret_post', 'client_secret_basic', 'none'],
  code_challenge_methods_supported: ['S256'],
}

onMainEngine('discovery', (engine) => {
  const app = sharedApp({ engine })

  for (const url of ['/.well-known/openid-configuration', '/.well-known/oauth-authorization-server']) {
    test(`${url} has the values that the specification lists, and the other features of the server`, async () => {
      const answer = await anonymous(app()).get(url)
      assert.equal(answer.statusCode, 200)
      assert.match(answer.headers['content-type'] as string, /^application\/json/)
      const document = answer.json<Record<string, unknown>>()
      for (const [name, value] of Object.entries(SPECIFIED)) assert.deepEqual(document[name], value, name)
      assert.deepEqual(document['grant_types_supported'], [
        'authorization_code',
        'refresh_token',
        'client_credentials',
        'urn:ietf:params:oauth:grant-type:device_code',
      ])
      assert.deepEqual(document['response_modes_supported'], ['query', 'fragment', 'form_post'])
      assert.equal(document['authorization_response_iss_parameter_supported'], true)
      assert.equal(document['end_session_endpoint'], `${ORIGIN}/oauth/logout`)
      assert.equal(document['request_uri_parameter_supported'], false)
    })
  }

  test('the scope groups is listed once a client may ask for it', async () => {
    const scopes = async () =>
      (await anonymous(app()).get('/.well-known/openid-configuration')).json<{ scopes_supported: string[] }>()
        .scopes_supported
    const admin = await signedInPerson(app(), { admin: true })
    assert.deepEqual(await scopes(), ['openid', 'profile', 'email', 'offline_access'])
    const body = { name: 'App', clientType: 'public', redirectUris: ['https://app.example/cb'], scopes: ['openid'] }
    const { client_id: id } = (await admin.post('/oauth/clients', body)).json<{ client_id: string }>()
    assert.equal((await scopes()).includes('groups'), false)
    await admin.patch(`/oauth/clients/${id}`, { scopes: ['openid', 'groups'] })
    assert.deepEqual(await scopes(), ['openid', 'profile', 'email', 'offline_access', 'groups'])
    await admin.delete(`/oauth/clients/${id}`)
    assert.equal((await scopes()).includes('groups'), false)
  })

  test('Host and forwarded headers change no URL', async () => {
    const { app: server } = app()
    const plain = await anonymous(app()).get('/.well-known/openid-configuration')
    for (const headers of [
      { host: 'evil.example' },
      { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https', forwarded: 'host=evil.example' },
    ]) {
      const answer = await server.inject({ method: 'GET', url: '/.well-known/openid-configuration', headers })
      assert.equal(answer.body, plain.body)
    }
  })

  test('the key set is the same on both paths and has one public ES256 key', async () => {
    const answer = await anonymous(app()).get('/.well-known/jwks.json')
    assert.equal(answer.statusCode, 200)
    assert.equal((await anonymous(app()).get('/.well-known/jwks')).body, answer.body)
    const { keys } = answer.json<{ keys: Record<string, string>[] }>()
    assert.equal(keys.length, 1)
    const { x, y, ...rest } = keys[0] ?? {}
    assert.deepEqual(rest, { kty: 'EC', crv: 'P-256', alg: 'ES256', use: 'sig', kid: 'service-id-1' })
    for (const coordinate of [x, y]) assert.match(coordinate ?? '', /^[\w-]{43}$/)
  })

  for (const url of ['/.well-known/openid-configuration', '/.well-known/jwks.json']) {
    test(`${url} may be cached for five minutes, and answers 304 to a matching If-None-Match`, async () => {
      const answer = await anonymous(app()).get(url)
      assert.equal(answer.headers['cache-control'], 'public, max-age=300')
      assert.equal(answer.headers['access-control-allow-origin'], '*')
      const { etag } = answer.headers
      assert.match(etag as string, /^".+"$/)
      const again = await anonymous(app()).get(url, undefined, { 'if-none-match': `"other", W/${etag as string}` })
      assert.equal(again.statusCode, 304)
      assert.equal(again.body, '')
      assert.equal((await anonymous(app()).get(url, undefined, { 'if-none-match': '"other"' })).statusCode, 200)
    })
  }

  test('an unknown path below /oauth answers 404 in the error format of RFC 6749', async () => {
    const answer = await anonymous(app()).get('/oauth/nothing')
    assert.equal(answer.statusCode, 404)
    assert.equal(answer.json<{ error: string }>().error, 'invalid_request')
    const dashboardRoute = await anonymous(app()).get('/oauth/clients/a/b/c')
    assert.deepEqual([dashboardRoute.statusCode, dashboardRoute.json<{ code: string }>().code], [404, 'not_found'])
  })

  test('a wrong method answers 405 with Allow, in the error format of its endpoint', async () => {
    for (const url of ['/oauth/token', '/oauth/revoke', '/oauth/introspect']) {
      const answer = await anonymous(app()).get(url)
      assert.equal(answer.statusCode, 405)
      assert.equal(answer.headers.allow, 'POST, OPTIONS')
      assert.equal(answer.json<{ error: string }>().error, 'invalid_request')
    }
    const dashboardRoute = await anonymous(app()).put('/oauth/clients', {})
    assert.deepEqual(
      [dashboardRoute.statusCode, dashboardRoute.json<{ code: string }>().code],
      [405, 'method_not_allowed'],
    )
  })

  test('protocol endpoints allow any origin without credentials, and answer preflight requests', async () => {
    for (const url of ['/oauth/token', '/oauth/userinfo', '/oauth/revoke', '/oauth/introspect']) {
      const refused = await app().app.inject({
        method: 'POST',
        url,
        headers: { origin: 'https://spa.example', 'content-type': 'application/x-www-form-urlencoded' },
        payload: 'x=1',
      })
      assert.ok(refused.statusCode >= 400 && refused.statusCode < 500)
      assert.equal(refused.headers['access-control-allow-origin'], '*')
      assert.equal(refused.headers['access-control-allow-credentials'], undefined)
      assert.equal(refused.headers['cache-control'], 'no-store')
      const preflight = await app().app.inject({
        method: 'OPTIONS',
        url,
        headers: {
          origin: 'https://spa.example',
          'access-control-request-method': 'POST',
          'access-control-request-headers': 'authorization, content-type',
        },
      })
      assert.equal(preflight.statusCode, 204)
      assert.equal(preflight.headers['access-control-allow-origin'], '*')
      assert.match(preflight.headers['access-control-allow-methods'] as string, /POST/)
      assert.match(preflight.headers['access-control-allow-headers'] as string, /authorization, content-type/i)
    }
  })

  test('endpoints for the dashboard allow its origin and no other', async () => {
    const urls = ['/oauth/details', '/oauth/clients', '/api/account/oauth/grants']
    for (const url of urls) {
      const own = await anonymous(app()).get(url)
      assert.equal(own.headers['access-control-allow-origin'], ORIGIN)
      assert.equal(own.headers['vary'], 'Origin')
      for (const origin of [`${ORIGIN}.evil.example`, 'http://localhost:3001', 'https://localhost:3000', 'null']) {
        const foreign = await anonymous(app()).get(url, undefined, { origin })
        assert.equal(foreign.headers['access-control-allow-origin'], undefined)
      }
    }
  })
})
