import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ORIGIN, sharedApp } from '../../support/app.ts'
import {
  authorizationQuery,
  authorizeUrl,
  type Fields,
  locationOf,
  newPkce,
  postForm,
  registerApplication,
} from '../../support/application.ts'
import { onMainEngine } from '../../support/engines.ts'
import { anonymous, signedInPerson } from '../../support/people.ts'

/** Checks 15: near misses of https://app.example/cb. */
const NEAR_MISSES = [
  'https://app.example/cb/',
  'https://app.example/cb?x=1',
  'https://app.example/cb#f',
  'https://app.example/cb/../evil',
  'https://app.example/cb%2f..',
  'https://app.example/CB',
  'https://APP.example/cb',
  'https://app.example:443/cb',
  'http://app.example/cb',
  'https://app.example@evil.example/cb',
  'https://evil.example#@app.example/cb',
  'https://app.example.evil.example/cb',
  'https://app.example\\@evil.example/cb',
  '//evil.example/cb',
  'https://app.example/cb\r\nX:1',
  'https://app.example/cb%0d%0aX:1',
  'https://app.example/cb\0',
  'https://app.example/cb%00',
  ' https://app.example/cb',
]

onMainEngine('the checks of an authorization request', (engine) => {
  const app = sharedApp({ engine })

  test('an unknown client gets an error page, never a redirect', async () => {
    const person = await signedInPerson(app())
    const application = { clientId: 'nobody', secret: undefined, redirectUri: 'https://app.example/cb' }
    for (const client_id of ['nobody', undefined, 'a\0b']) {
      const answer = await person.get(authorizeUrl(application, newPkce(), { client_id }))
      assert.equal(answer.statusCode, 400)
      assert.equal(answer.headers.location, undefined)
      assert.match(answer.headers['content-type'] as string, /^text\/html/)
      assert.match(answer.headers['content-security-policy'] as string, /frame-ancestors 'none'/)
    }
  })

  test('an unregistered redirect URL gets an error page, never a redirect', async () => {
    const person = await signedInPerson(app())
    const application = await registerApplication(app())
    for (const redirect_uri of [...NEAR_MISSES, undefined]) {
      const answer = await person.get(authorizeUrl(application, newPkce(), { redirect_uri }))
      assert.equal(answer.statusCode, 400, String(redirect_uri))
      assert.equal(answer.headers.location, undefined, String(redirect_uri))
    }
  })

  test('the error page is JSON for a client that accepts JSON, and escapes what it shows', async () => {
    const answer = await anonymous(app()).get('/oauth/authorize?client_id=x', undefined, { accept: 'application/json' })
    assert.equal(answer.statusCode, 400)
    assert.equal(answer.json<{ error: string }>().error, 'invalid_request')
    const page = await anonymous(app()).get('/oauth/authorize?client_id=%3Cscript%3E&redirect_uri=%3Cscript%3E')
    assert.deepEqual([page.statusCode, page.body.slice(0, 15)], [400, '<!doctype html>'])
    assert.doesNotMatch(page.body, /<script>/)
  })

  test('the port of a loopback address or of localhost may differ from the registered one, and nothing else may', async () => {
    const person = await signedInPerson(app())
    const application = await registerApplication(app(), {
      redirectUris: ['http://127.0.0.1/cb', 'http://[::1]:8080/cb', 'http://localhost:8080/cb'],
    })
    const statusFor = async (redirect_uri: string) =>
      (await person.get(authorizeUrl(application, newPkce(), { redirect_uri }))).statusCode
    assert.equal(await statusFor('http://127.0.0.1:51004/cb'), 302)
    assert.equal(await statusFor('http://[::1]:51004/cb'), 302)
    assert.equal(await statusFor('http://[::1]/cb'), 302)
    assert.equal(await statusFor('http://localhost:9090/cb'), 302)
    assert.equal(await statusFor('http://localhost/cb'), 302)
    for (const uri of [
      'http://127.0.0.1:51004/other',
      'http://127.0.0.1:51004',
      'http://127.0.0.1:80@evil.example/cb',
      'http://127.0.0.1:99999/cb',
      'http://127.0.0.2:80/cb',
      'https://127.0.0.1:80/cb',
    ])
      assert.equal(await statusFor(uri), 400, uri)
  })

  const refusals: { name: string; change: Fields; error: string }[] = [
    { name: 'a missing response_type', change: { response_type: undefined }, error: 'invalid_request' },
    { name: 'response_type token', change: { response_type: 'token' }, error: 'unsupported_response_type' },
    { name: 'response_type code token', change: { response_type: 'code token' }, error: 'unsupported_response_type' },
    { name: 'response_mode web_message', change: { response_mode: 'web_message' }, error: 'invalid_request' },
    { name: 'a request object', change: { request: 'e30.e30.' }, error: 'request_not_supported' },
    { name: 'a request_uri', change: { request_uri: 'https://evil.example/' }, error: 'request_uri_not_supported' },
    { name: 'a missing scope', change: { scope: undefined }, error: 'invalid_scope' },
    { name: 'a scope that the client may not request', change: { scope: 'openid admin' }, error: 'invalid_scope' },
    { name: 'a malformed scope', change: { scope: 'openid "x' }, error: 'invalid_scope' },
    { name: 'a missing code_challenge', change: { code_challenge: undefined }, error: 'invalid_request' },
    { name: 'code_challenge_method plain', change: { code_challenge_method: 'plain' }, error: 'invalid_request' },
    { name: 'code_challenge_method s256', change: { code_challenge_method: 's256' }, error: 'invalid_request' },
    { name: 'a missing code_challenge_method', change: { code_challenge_method: undefined }, error: 'invalid_request' },
    { name: 'a challenge of 42 characters', change: { code_challenge: 'a'.repeat(42) }, error: 'invalid_request' },
    { name: 'a challenge of 44 characters', change: { code_challenge: 'a'.repeat(44) }, error: 'invalid_request' },
    { name: 'prompt none login', change: { prompt: 'none login' }, error: 'invalid_request' },
    { name: 'an unknown prompt', change: { prompt: 'dance' }, error: 'invalid_request' },
    { name: 'a negative max_age', change: { max_age: '-1' }, error: 'invalid_request' },
    { name: 'claims that are not JSON', change: { claims: '{' }, error: 'invalid_request' },
    { name: 'a nonce of 1025 characters', change: { nonce: 'n'.repeat(1025) }, error: 'invalid_request' },
    { name: 'an id_token_hint that is not ours', change: { id_token_hint: 'a.b.c' }, error: 'invalid_request' },
  ]
  for (const { name, change, error } of refusals) {
    test(`${name} redirects to the application with ${error}, state and issuer`, async () => {
      const application = await registerApplication(app())
      for (const person of [await signedInPerson(app()), anonymous(app())]) {
        const answer = await person.get(authorizeUrl(application, newPkce(), change))
        assert.equal(answer.statusCode, 302)
        const url = locationOf(answer)
        assert.equal(url.origin + url.pathname, application.redirectUri)
        assert.equal(url.searchParams.get('error'), error)
        assert.equal(url.searchParams.get('state'), 'some-state')
        assert.equal(url.searchParams.get('iss'), ORIGIN)
        assert.match(url.searchParams.get('error_description') ?? '', /^[\x20-\x7e]+$/)
        assert.equal(url.searchParams.has('code'), false)
      }
    })
  }

  test('a client without the code grant gets unauthorized_client', async () => {
    const application = await registerApplication(app(), { grantTypes: ['client_credentials'] })
    const answer = await anonymous(app()).get(authorizeUrl(application, newPkce()))
    assert.equal(locationOf(answer).searchParams.get('error'), 'unauthorized_client')
  })

  test('a parameter given twice gets invalid_request, without a redirect for client_id and redirect_uri', async () => {
    const application = await registerApplication(app())
    const query = authorizationQuery(application, newPkce())
    for (const name of ['client_id', 'redirect_uri']) {
      const value = encodeURIComponent(new URLSearchParams(query).get(name) ?? '')
      const answer = await anonymous(app()).get(`/oauth/authorize?${query}&${name}=${value}`)
      assert.equal(answer.statusCode, 400)
      assert.equal(answer.headers.location, undefined)
    }
    for (const name of ['scope', 'response_type', 'code_challenge', 'state', 'nonce', 'nonce2']) {
      const answer = await anonymous(app()).get(`/oauth/authorize?${query}&${name}=1&${name}=2`)
      assert.equal(locationOf(answer).searchParams.get('error'), 'invalid_request', name)
    }
  })

  for (const [name, headers] of [
    ['of this site', {}],
    ['of another site', { 'sec-fetch-site': 'cross-site' }],
  ] as const) {
    test(`a form ${name} with a parameter given twice gets invalid_request, and neither value is used`, async () => {
      const application = await registerApplication(app())
      const query = authorizationQuery(application, newPkce())
      const post = (form: string) => postForm(app(), '/oauth/authorize', form, headers)
      for (const twice of ['client_id', 'redirect_uri']) {
        for (const value of [new URLSearchParams(query).get(twice) ?? '', 'https://evil.example/cb']) {
          const answer = await post(`${query}&${twice}=${encodeURIComponent(value)}`)
          assert.equal(answer.statusCode, 400, twice)
          assert.equal(answer.headers.location, undefined, twice)
          assert.match(answer.headers['content-type'] as string, /^text\/html/)
        }
      }
      for (const twice of ['scope', 'response_type', 'code_challenge', 'state', 'nonce', 'prompt', 'unknown']) {
        const answer = await post(`${query}&${twice}=1&${twice}=2`)
        const url = locationOf(answer)
        assert.equal(url.origin + url.pathname, application.redirectUri, twice)
        assert.equal(url.searchParams.get('error'), 'invalid_request', twice)
      }
      const logout = await postForm(app(), '/oauth/logout', 'state=1&state=2', headers)
      assert.deepEqual([logout.statusCode, logout.headers.location], [400, undefined])
    })

    test(`a form ${name} may name several resources, as a link may`, async () => {
      const application = await registerApplication(app())
      const query = `${authorizationQuery(application, newPkce())}&resource=https://a.example&resource=https://b.example`
      const answers = [
        await postForm(app(), '/oauth/authorize', query, headers),
        await anonymous(app()).get(`/oauth/authorize?${query}`),
      ]
      for (const answer of answers)
        assert.doesNotMatch(String(answer.headers.location), /error=/, String(answer.headers.location))
    })
  }

  test('a form of another site is redirected to a GET request, which includes the cookie', async () => {
    const application = await registerApplication(app())
    const query = authorizationQuery(application, newPkce())
    const answer = await postForm(app(), '/oauth/authorize', query, { 'sec-fetch-site': 'cross-site' })
    assert.deepEqual([answer.statusCode, answer.headers.location], [303, `/oauth/authorize?${query}`])
    const refused = await postForm(app(), '/oauth/authorize', query.replace('S256', 'plain'), {
      'sec-fetch-site': 'cross-site',
    })
    assert.equal(locationOf(refused).searchParams.get('error'), 'invalid_request')
  })

  test('unknown and optional parameters, and scopes in another order, change nothing', async () => {
    const application = await registerApplication(app())
    const person = await signedInPerson(app())
    const { signingKeys, now } = app().services
    const hint = signingKeys.sign({
      iss: ORIGIN,
      sub: person.user.id,
      aud: 'x',
      exp: Math.floor(now() / 1000) - 9,
    })
    const changes: Fields[] = [
      { foo: 'bar', resource: 'https://api.example' },
      { display: 'popup', ui_locales: 'de fr', claims_locales: 'de', acr_values: 'phr 1' },
      { login_hint: 'somebody@example.com' },
      { id_token_hint: hint },
      { claims: '{"userinfo":{"name":{"essential":true}}}' },
      { response_mode: 'query' },
      { scope: 'email openid openid profile' },
    ]
    for (const change of changes) {
      const page = locationOf(await person.get(authorizeUrl(application, newPkce(), change)))
      assert.equal(page.origin, ORIGIN, page.href)
      assert.equal(page.pathname, '/consent', page.href)
    }
  })

  test('without a session the login page is shown, which returns to the same request', async () => {
    const application = await registerApplication(app())
    const url = authorizeUrl(application, newPkce())
    const page = locationOf(await anonymous(app()).get(url))
    assert.equal(page.origin + page.pathname, `${ORIGIN}/login`)
    assert.equal(page.searchParams.get('return_to'), url)
  })
})
