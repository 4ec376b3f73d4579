import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLocalJWKSet, type JWTPayload, jwtVerify } from 'jose'
import { ORIGIN, sharedApp } from '../support/app.ts'
import {
  ALL_SCOPES,
  type Application,
  authorize,
  authorizeUrl,
  basic,
  exchangeCode,
  type Fields,
  getCode,
  getTokens,
  isLive,
  locationOf,
  newPkce,
  postForm,
  refresh,
  registerApplication,
  type Tokens,
  userinfo,
} from '../support/application.ts'
import { onMainEngine } from '../support/engines.ts'
import { anonymous, type SignedInPerson, signedInPerson, signIn } from '../support/people.ts'
import { returnFromStepUp } from './authorize/login-page.ts'

const PASSWORD = 'four unusual words here'

/**
 * The modules of the OpenID Foundation's Basic OP profile as tests of our own, each named after its module, with PKCE
 * added to every request because this server requires it. docs/conformance.md says how they relate to the suite.
 */
onMainEngine('oidcc-basic-certification', (engine) => {
  const app = sharedApp({ engine })
  const setUp = async (): Promise<{ application: Application; person: SignedInPerson }> => ({
    application: await registerApplication(app()),
    person: await signedInPerson(app()),
  })

  /** A flow that must succeed; the ID token is validated as a relying party does (OpenID Connect Core 3.1.3.7). */
  const succeed = async (change: Fields = {}, given?: { application: Application; person: SignedInPerson }) => {
    const { application, person } = given ?? (await setUp())
    const tokens = await getTokens(app(), person, application, { scope: 'openid', nonce: 'a-nonce', ...change })
    return { application, person, tokens, claims: await validate(tokens.id_token, application) }
  }
  const validate = async (idToken: string, application: Application): Promise<JWTPayload> => {
    const keys = createLocalJWKSet((await anonymous(app()).get('/.well-known/jwks.json')).json())
    const options = { issuer: ORIGIN, audience: application.clientId, currentDate: new Date(app().clock.now()) }
    return (await jwtVerify(idToken, keys, options)).payload
  }
  const claimsAt = async (tokens: Tokens) =>
    (await userinfo(app(), tokens.access_token)).json<Record<string, unknown>>()

  test('without PKCE, as the suite sends them, requests that expect a sign-in get invalid_request', async () => {
    const { application, person } = await setUp()
    const none = { code_challenge: undefined, code_challenge_method: undefined }
    for (const change of [{}, { prompt: 'none' }, { max_age: '1' }, { prompt: 'login' }]) {
      const url = locationOf(await person.get(authorizeUrl(application, newPkce(), { ...none, ...change })))
      assert.equal(url.searchParams.get('error'), 'invalid_request')
    }
  })

  test('oidcc-server', async () => {
    const { claims, person } = await succeed()
    assert.equal(claims.sub, person.user.id)
    assert.equal(claims['nonce'], 'a-nonce')
  })

  test('oidcc-response-type-missing', async () => {
    const { application, person } = await setUp()
    const url = locationOf(await person.get(authorizeUrl(application, newPkce(), { response_type: undefined })))
    assert.equal(url.searchParams.get('error'), 'invalid_request')
  })

  test('oidcc-userinfo-get', async () => {
    const { tokens, claims } = await succeed()
    assert.equal((await claimsAt(tokens))['sub'], claims.sub)
  })

  test('oidcc-userinfo-post-header', async () => {
    const { tokens, claims } = await succeed()
    const answer = await postForm(app(), '/oauth/userinfo', {}, { authorization: `Bearer ${tokens.access_token}` })
    assert.equal(answer.json<{ sub: string }>().sub, claims.sub)
  })

  test('oidcc-userinfo-post-body', async () => {
    const { tokens, claims } = await succeed()
    const answer = await postForm(app(), '/oauth/userinfo', { access_token: tokens.access_token })
    assert.equal(answer.json<{ sub: string }>().sub, claims.sub)
  })

  test('oidcc-ensure-request-without-nonce-succeeds-for-code-flow', async () => {
    const { claims } = await succeed({ nonce: undefined })
    assert.equal('nonce' in claims, false)
  })

  test('oidcc-scope-profile', async () => {
    const { tokens, person } = await succeed({ scope: 'openid profile' })
    assert.equal((await claimsAt(tokens))['preferred_username'], person.user.preferredUsername)
  })

  test('oidcc-scope-email', async () => {
    const { tokens, person, claims } = await succeed({ scope: 'openid email' })
    const { email, email_verified } = await claimsAt(tokens)
    assert.deepEqual([email, email_verified], [person.user.email, false])
    assert.equal('email' in claims, false)
  })

  for (const [module, scope] of [
    ['oidcc-scope-address', 'address'],
    ['oidcc-scope-phone', 'phone'],
  ] as const) {
    test(`${module}: skipped by the suite, since scopes_supported does not list ${scope}`, async () => {
      const document = (await anonymous(app()).get('/.well-known/openid-configuration')).json<
        Record<string, string[]>
      >()
      assert.equal(document['scopes_supported']?.includes(scope), false)
    })
  }

  test('oidcc-scope-all', async () => {
    const { tokens } = await succeed({ scope: ALL_SCOPES.join(' ') })
    const claims = await claimsAt(tokens)
    for (const name of ['sub', 'preferred_username', 'email', 'email_verified']) assert.ok(name in claims, name)
  })

  test('oidcc-ensure-other-scope-order-succeeds', async () => {
    const { tokens } = await succeed({ scope: 'email openid' })
    assert.ok('email' in (await claimsAt(tokens)))
  })

  const ignored: [string, Fields][] = [
    ['oidcc-display-page', { display: 'page' }],
    ['oidcc-display-popup', { display: 'popup' }],
    ['oidcc-ensure-request-with-unknown-parameter-succeeds', { extra: 'foobar' }],
    ['oidcc-login-hint', { login_hint: 'buffy@localhost' }],
    ['oidcc-ui-locales', { ui_locales: 'se' }],
    ['oidcc-claims-locales', { claims_locales: 'se' }],
  ]
  for (const [module, change] of ignored) test(module, async () => void (await succeed(change)))

  test('oidcc-ensure-request-with-acr-values-succeeds', async () => {
    const { claims } = await succeed({ acr_values: '1 2' })
    assert.equal(claims['acr'], '1')
  })

  test('oidcc-prompt-login', async () => {
    const { application, person, claims } = await succeed()
    app().clock.advance(1000)
    const pkce = newPkce()
    const page = locationOf(await person.get(authorizeUrl(application, pkce, { prompt: 'login' })))
    assert.equal(page.pathname, '/login')
    const again = await signIn(app(), person.user)
    const { searchParams } = locationOf(await again.get(page.searchParams.get('return_to') ?? ''))
    const answer = await exchangeCode(app(), application, searchParams.get('code') ?? '', pkce)
    const later = await validate(answer.json<Tokens>().id_token, application)
    assert.ok((later['auth_time'] as number) > (claims['auth_time'] as number))
  })

  test('oidcc-prompt-none-not-logged-in', async () => {
    const { application } = await setUp()
    const url = locationOf(await anonymous(app()).get(authorizeUrl(application, newPkce(), { prompt: 'none' })))
    assert.equal(url.searchParams.get('error'), 'login_required')
    assert.equal(url.searchParams.get('state'), 'some-state')
  })

  test('oidcc-prompt-none-logged-in', async () => {
    const first = await succeed()
    const second = await succeed({ prompt: 'none' }, first)
    assert.equal(second.claims.sub, first.claims.sub)
    assert.equal(second.claims['auth_time'], first.claims['auth_time'])
  })

  test('oidcc-max-age-1', async () => {
    const person = await signedInPerson(app(), { password: PASSWORD })
    const { application, claims } = await succeed({}, { application: await registerApplication(app()), person })
    app().clock.advance(2000)
    const pkce = newPkce()
    const page = locationOf(await person.get(authorizeUrl(application, pkce, { max_age: '1' })))
    const returnPath = returnFromStepUp(page)
    assert.equal((await person.post('/api/auth/fresh', { password: PASSWORD })).statusCode, 200)
    const { searchParams } = locationOf(await person.get(returnPath))
    const answer = await exchangeCode(app(), application, searchParams.get('code') ?? '', pkce)
    const later = await validate(answer.json<Tokens>().id_token, application)
    assert.ok((later['auth_time'] as number) > (claims['auth_time'] as number))
  })

  test('oidcc-max-age-10000', async () => {
    const first = await succeed()
    app().clock.advance(1000)
    const second = await succeed({ max_age: '10000' }, first)
    assert.equal(second.claims['auth_time'], first.claims['auth_time'])
  })

  test('oidcc-id-token-hint', async () => {
    const first = await succeed()
    const second = await succeed({ prompt: 'none', id_token_hint: first.tokens.id_token }, first)
    assert.equal(second.claims.sub, first.claims.sub)
  })

  for (const [module, wait] of [
    ['oidcc-codereuse', 0],
    ['oidcc-codereuse-30seconds', 30_000],
  ] as const) {
    test(module, async () => {
      const { application, person } = await setUp()
      const pkce = newPkce()
      const code = await getCode(person, application, pkce)
      const tokens = (await exchangeCode(app(), application, code, pkce)).json<Tokens>()
      app().clock.advance(wait)
      const answer = await exchangeCode(app(), application, code, pkce)
      assert.deepEqual([answer.statusCode, answer.json<{ error: string }>().error], [400, 'invalid_grant'])
      assert.equal((await userinfo(app(), tokens.access_token)).statusCode, 401)
    })
  }

  test('oidcc-ensure-registered-redirect-uri', async () => {
    const { application, person } = await setUp()
    const answer = await person.get(
      authorizeUrl(application, newPkce(), { redirect_uri: 'https://app.example/cb/other' }),
    )
    assert.deepEqual([answer.statusCode, answer.headers.location], [400, undefined])
  })

  test('oidcc-ensure-post-request-succeeds', async () => {
    const { application, person } = await succeed()
    const pkce = newPkce()
    const [path = '', query = ''] = authorizeUrl(application, pkce).split('?')
    const answer = await postForm(app(), path, query, { cookie: `session=${person.cookie}` })
    const code = locationOf(answer).searchParams.get('code') ?? ''
    assert.equal((await exchangeCode(app(), application, code, pkce)).statusCode, 200)
  })

  test('oidcc-server-client-secret-post', async () => {
    const { application, person } = await setUp()
    const pkce = newPkce()
    const code = await getCode(person, application, pkce)
    const fields = {
      grant_type: 'authorization_code',
      code,
      redirect_uri: application.redirectUri,
      code_verifier: pkce.verifier,
    }
    const byHeader = await postForm(app(), '/oauth/token', fields, { authorization: basic(application) })
    assert.equal(byHeader.statusCode, 200)
    await succeed({}, { application, person })
  })

  test('oidcc-unsigned-request-object-supported-correctly-or-rejected-as-unsupported', async () => {
    const { application, person } = await setUp()
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const request = `${part({ alg: 'none' })}.${part({ scope: 'openid' })}.`
    const url = locationOf(await person.get(authorizeUrl(application, newPkce(), { request })))
    assert.equal(url.searchParams.get('error'), 'request_not_supported')
  })

  test('oidcc-ensure-request-object-with-redirect-uri', async () => {
    const { application, person } = await setUp()
    const change = { redirect_uri: 'https://app.example/wrong', request: 'e30.e30.' }
    const answer = await person.get(authorizeUrl(application, newPkce(), change))
    assert.deepEqual([answer.statusCode, answer.headers.location], [400, undefined])
  })

  test('oidcc-claims-essential', async () => {
    const { application, person } = await setUp()
    const { db } = app().services
    await db.transaction((trx) =>
      trx.updateTable('users').set({ display_name: 'Ada' }).where('id', '=', person.user.id).execute(),
    )
    const claims = JSON.stringify({ userinfo: { name: { essential: true } } })
    const flow = await succeed({ claims }, { application, person })
    assert.deepEqual(await claimsAt(flow.tokens), { sub: person.user.id, name: 'Ada' })
    assert.equal('name' in flow.claims, false)
  })

  test('oidcc-refresh-token', async () => {
    const first = await succeed({ scope: 'openid offline_access', prompt: 'consent' })
    const answer = await refresh(app(), first.application, first.tokens.refresh_token)
    const tokens = answer.json<Tokens>()
    const claims = await validate(tokens.id_token, first.application)
    for (const name of ['iss', 'sub', 'aud', 'auth_time']) assert.equal(claims[name], first.claims[name])
    const other = await registerApplication(app())
    const foreign = await refresh(app(), other, tokens.refresh_token)
    assert.equal(foreign.json<{ error: string }>().error, 'invalid_grant')
    assert.equal(await isLive(app(), first.application, tokens.refresh_token), true)
  })

  test('oidcc-ensure-request-with-valid-pkce-succeeds', async () => {
    const { application, person } = await setUp()
    const pkce = newPkce()
    const code = (await authorize(person, application, pkce)).searchParams.get('code') ?? ''
    assert.equal((await exchangeCode(app(), application, code, newPkce())).statusCode, 400)
    assert.equal((await exchangeCode(app(), application, code, pkce)).statusCode, 200)
  })
})
