import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Response } from 'light-my-request'
import { sharedApp } from '../../support/app.ts'
import {
  type Application,
  basic,
  credentials,
  exchangeCode,
  type Fields,
  getCode,
  getTokens,
  isLive,
  newPkce,
  postForm,
  refresh,
  registerApplication,
  userinfo,
} from '../../support/application.ts'
import { onMainEngine } from '../../support/engines.ts'
import { signedInPerson } from '../../support/people.ts'

function assertError(answer: Response, status: number, error: string): void {
  assert.deepEqual([answer.statusCode, answer.json<{ error: string }>().error], [status, error], answer.body)
  assert.match(answer.json<{ error_description: string }>().error_description, /^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/)
  assert.equal(answer.headers['cache-control'], 'no-store')
  assert.equal(answer.headers['access-control-allow-origin'], '*')
}

onMainEngine('the token endpoint', (engine) => {
  const app = sharedApp({ engine })
  const token = (fields: Fields | string, headers?: Record<string, string>) =>
    postForm(app(), '/oauth/token', fields, headers)

  /** A valid code, so that only what a test changes can be wrong. */
  const setUp = async (change = {}) => {
    const application = await registerApplication(app(), change)
    const person = await signedInPerson(app())
    const pkce = newPkce()
    const code = await getCode(person, application, pkce)
    return {
      application,
      person,
      pkce,
      code,
      exchange: (changed: Fields = {}, as: Application = application) => exchangeCode(app(), as, code, pkce, changed),
    }
  }

  for (const name of ['client_id', 'redirect_uri', 'code_verifier', 'code', 'grant_type']) {
    test(`a missing ${name} gets invalid_request`, async () => {
      const { exchange } = await setUp()
      assertError(await exchange({ [name]: undefined }), 400, 'invalid_request')
      assertError(await exchange({ [name]: '' }), 400, 'invalid_request')
      assert.equal((await exchange()).statusCode, 200)
    })
  }

  test('an unknown client, a wrong secret and a missing secret get invalid_client', async () => {
    const { exchange } = await setUp()
    assertError(await exchange({ client_id: 'nobody' }), 401, 'invalid_client')
    assertError(await exchange({ client_id: 'a\u00e9%' }), 401, 'invalid_client')
    assertError(await exchange({ client_secret: 'wrong' }), 401, 'invalid_client')
    assertError(await exchange({ client_secret: undefined }), 401, 'invalid_client')
    assert.equal((await exchange()).statusCode, 200)
  })

  test('invalid_client for Basic credentials has a WWW-Authenticate header', async () => {
    const application = await registerApplication(app())
    for (const authorization of [
      basic({ ...application, secret: 'wrong' }),
      basic({ clientId: 'nobody', secret: 'x' }),
      'Basic !!!',
      'Basic ',
      `Basic ${Buffer.from('no-colon').toString('base64')}`,
      `Basic ${Buffer.from('%zz:%zz').toString('base64')}`,
      'Bearer something',
    ]) {
      const answer = await token({ grant_type: 'client_credentials' }, { authorization })
      assertError(answer, 401, 'invalid_client')
      assert.match(answer.headers['www-authenticate'] as string, /^Basic realm=/)
    }
  })

  test('Basic credentials are form-decoded, and work unencoded as well', async () => {
    const application = await registerApplication(app())
    const encoded = `${encodeURIComponent(application.clientId)}:${(application.secret ?? '').replaceAll('-', '%2D')}`
    for (const text of [encoded, `${application.clientId}:${application.secret ?? ''}`]) {
      const authorization = `basic ${Buffer.from(text).toString('base64')}`
      const answer = await token({ grant_type: 'client_credentials' }, { authorization })
      assert.equal(answer.statusCode, 200)
    }
  })

  test('a public client may send Basic with an empty password, and is refused with any other password', async () => {
    const { application, code, pkce } = await setUp({ clientType: 'public' })
    const fields = {
      grant_type: 'authorization_code',
      code,
      redirect_uri: application.redirectUri,
      code_verifier: pkce.verifier,
    }
    const wrong = await token(fields, { authorization: basic({ ...application, secret: 'x' }) })
    assertError(wrong, 401, 'invalid_client')
    assert.equal((await token(fields, { authorization: basic(application) })).statusCode, 200)
  })

  test('a client_id in the body must match the header, and a secret in both is refused', async () => {
    const application = await registerApplication(app())
    const other = await registerApplication(app())
    const authorization = basic(application)
    const fields = { grant_type: 'client_credentials' }
    assert.equal((await token({ ...fields, client_id: application.clientId }, { authorization })).statusCode, 200)
    assertError(await token({ ...fields, client_id: other.clientId }, { authorization }), 400, 'invalid_request')
    assertError(await token({ ...fields, ...credentials(application) }, { authorization }), 400, 'invalid_request')
  })

  test('a secret in the URL is refused', async () => {
    const application = await registerApplication(app())
    const query = new URLSearchParams(credentials(application) as Record<string, string>).toString()
    const answer = await postForm(app(), `/oauth/token?${query}`, {
      grant_type: 'client_credentials',
      client_id: application.clientId,
    })
    assertError(answer, 400, 'invalid_request')
  })

  test('a code that is expired, used, unknown or of another client gets invalid_grant', async () => {
    const first = await setUp()
    const other = await registerApplication(app())
    assertError(await first.exchange(credentials(other)), 400, 'invalid_grant')
    assertError(await first.exchange({ code: 'ac_unknown' }), 400, 'invalid_grant')
    assert.equal((await first.exchange()).statusCode, 200)
    assertError(await first.exchange(), 400, 'invalid_grant')
    const second = await setUp()
    app().clock.advance(600_000)
    assertError(await second.exchange(), 400, 'invalid_grant')
  })

  test('a code is valid for ten minutes', async () => {
    const { exchange } = await setUp()
    app().clock.advance(599_999)
    assert.equal((await exchange()).statusCode, 200)
  })

  test('another registered redirect URL than that of the request gets invalid_grant', async () => {
    const { exchange } = await setUp({ redirectUris: ['https://app.example/cb', 'https://app.example/other'] })
    assertError(await exchange({ redirect_uri: 'https://app.example/other' }), 400, 'invalid_grant')
    assert.equal((await exchange()).statusCode, 200)
  })

  test('a verifier that does not match, or has a wrong length or alphabet, gets invalid_grant, and the code stays valid', async () => {
    const { exchange, pkce } = await setUp()
    for (const code_verifier of [
      newPkce().verifier,
      pkce.challenge,
      pkce.verifier.slice(0, 42),
      `${pkce.verifier}${'a'.repeat(86)}`,
      `${pkce.verifier.slice(0, 42)}!`,
      `${pkce.verifier} `,
    ])
      assertError(await exchange({ code_verifier }), 400, 'invalid_grant')
    assert.equal((await exchange()).statusCode, 200)
  })

  for (const length of [43, 128]) {
    test(`a verifier may have ${length} characters from the whole alphabet`, async () => {
      const { createHash } = await import('node:crypto')
      const verifier = 'Aa0-._~'.repeat(19).slice(0, length)
      const challenge = createHash('sha256').update(verifier).digest('base64url')
      const application = await registerApplication(app())
      const code = await getCode(await signedInPerson(app()), application, { verifier, challenge })
      assert.equal((await exchangeCode(app(), application, code, { verifier, challenge })).statusCode, 200)
    })
  }

  test('a grant type that the client does not have gets unauthorized_client', async () => {
    const codes = await registerApplication(app(), { grantTypes: ['authorization_code'] })
    const answer = await token({ grant_type: 'client_credentials', ...credentials(codes) })
    assertError(answer, 400, 'unauthorized_client')
    assertError(await refresh(app(), codes, 'rt_x'), 400, 'unauthorized_client')
    const publicClient = await registerApplication(app(), { clientType: 'public' })
    const never = await token({ grant_type: 'client_credentials', client_id: publicClient.clientId })
    assertError(never, 400, 'unauthorized_client')
  })

  test('any other grant type gets unsupported_grant_type', async () => {
    const application = await registerApplication(app())
    for (const grant_type of ['password', 'implicit', 'constructor', 'urn:ietf:params:oauth:grant-type:token-exchange'])
      assertError(await token({ grant_type, ...credentials(application) }), 400, 'unsupported_grant_type')
  })

  test('a scope beyond those of the client, or beyond those that the user approved, gets invalid_scope', async () => {
    const application = await registerApplication(app())
    const machine = await token({
      grant_type: 'client_credentials',
      ...credentials(application),
      scope: 'openid admin',
    })
    assertError(machine, 400, 'invalid_scope')
    const { refresh_token } = await getTokens(app(), await signedInPerson(app()), application)
    assertError(await refresh(app(), application, refresh_token, { scope: 'openid email' }), 400, 'invalid_scope')
  })

  test('a parameter given twice gets invalid_request', async () => {
    const { application, code, pkce } = await setUp()
    const form = new URLSearchParams({
      grant_type: 'authorization_code',
      ...(credentials(application) as Record<string, string>),
      code,
      redirect_uri: application.redirectUri,
      code_verifier: pkce.verifier,
    }).toString()
    for (const name of ['client_id', 'redirect_uri', 'code', 'scope', 'foo'])
      assertError(await token(`${form}&${name}=1&${name}=1`), 400, 'invalid_request')
    assert.equal((await token(`${form}&foo=bar`)).statusCode, 200)
  })

  test('only valid forms are accepted, and JSON, plain text and an empty body are refused', async () => {
    const json = await token('{"grant_type":"client_credentials"}', { 'content-type': 'application/json' })
    assertError(json, 415, 'invalid_request')
    assertError(await token('grant_type=x', { 'content-type': 'text/plain' }), 415, 'invalid_request')
    assertError(await app().app.inject({ method: 'POST', url: '/oauth/token' }), 400, 'invalid_request')
    assertError(await token('client_id=%00&grant_type=x'), 400, 'invalid_request')
    const latin1 = await app().app.inject({
      method: 'POST',
      url: '/oauth/token',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      payload: Buffer.from([0x61, 0x3d, 0xff]),
    })
    assertError(latin1, 400, 'invalid_request')
  })

  test('no kind of token is accepted as another kind', async () => {
    const application = await registerApplication(app())
    const person = await signedInPerson(app())
    const { access_token, refresh_token } = await getTokens(app(), person, application)
    assertError(await refresh(app(), application, access_token), 400, 'invalid_grant')
    for (const bearer of [refresh_token, person.cookie])
      assertError(await userinfo(app(), bearer), 401, 'invalid_token')
    const asCookie = await app().app.inject({
      method: 'GET',
      url: '/oauth/clients',
      headers: { cookie: `session=${access_token}` },
    })
    assert.equal(asCookie.statusCode, 401)
    assert.equal(await isLive(app(), application, person.cookie), false)
  })
})
