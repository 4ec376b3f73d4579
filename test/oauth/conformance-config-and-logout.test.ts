import assert from 'node:assert/strict'
import { test } from 'node:test'
import { importJWK, type JWK } from 'jose'
import { ORIGIN, sharedApp } from '../support/app.ts'
import {
  authorizeUrl,
  encode,
  type Fields,
  getTokens,
  locationOf,
  newPkce,
  registerApplication,
} from '../support/application.ts'
import { onMainEngine } from '../support/engines.ts'
import { anonymous, signedInPerson } from '../support/people.ts'

onMainEngine('oidcc-config-certification', (engine) => {
  const app = sharedApp({ engine })

  test('oidcc-discovery-endpoint-verification', async () => {
    const answer = await anonymous(app()).get('/.well-known/openid-configuration')
    const document = answer.json<Record<string, unknown>>()
    assert.equal(document['issuer'], ORIGIN)
    for (const name of [
      'authorization_endpoint',
      'token_endpoint',
      'userinfo_endpoint',
      'jwks_uri',
      'end_session_endpoint',
    ])
      assert.ok(URL.canParse(String(document[name])), name)
    for (const name of ['response_types_supported', 'subject_types_supported', 'scopes_supported', 'claims_supported'])
      assert.ok(Array.isArray(document[name]) && document[name].length > 0, name)
    // The module fails only here: it requires RS256, as docs/conformance.md explains.
    assert.deepEqual(document['id_token_signing_alg_values_supported'], ['ES256'])
    const { keys } = (await anonymous(app()).get('/.well-known/jwks.json')).json<{ keys: JWK[] }>()
    assert.equal(new Set(keys.map(({ kid }) => kid)).size, keys.length)
    for (const key of keys) {
      await importJWK(key)
      assert.equal('d' in key, false)
    }
  })
})

const AFTER_LOGOUT = 'https://app.example/bye'

onMainEngine('oidcc-rp-initiated-logout-certification', (engine) => {
  const app = sharedApp({ engine })

  /** Signs in, logs out with parameters built from the hint, and returns the answer and whether the session ended. */
  const logOut = async (parameters: (hint: string) => Fields) => {
    const application = await registerApplication(app(), { postLogoutRedirectUris: [AFTER_LOGOUT] })
    const person = await signedInPerson(app())
    const { id_token: hint } = await getTokens(app(), person, application)
    const answer = await person.get(`/oauth/logout?${encode(parameters(hint))}`)
    const after = locationOf(await person.get(authorizeUrl(application, newPkce(), { prompt: 'none' })))
    return { answer, signedOut: after.searchParams.get('error') === 'login_required' }
  }
  const modify = (hint: string) => {
    const [header = '', , signature = ''] = hint.split('.')
    const payload = { iss: ORIGIN, sub: 'usr_somebody', aud: 'somebody' }
    return `${header}.${Buffer.from(JSON.stringify(payload)).toString('base64url')}.${signature}`
  }

  test('oidcc-rp-initiated-logout-discovery-endpoint-verification', async () => {
    const document = (await anonymous(app()).get('/.well-known/openid-configuration')).json<Record<string, unknown>>()
    assert.equal(document['end_session_endpoint'], `${ORIGIN}/oauth/logout`)
  })

  test('oidcc-rp-initiated-logout', async () => {
    const { answer, signedOut } = await logOut((id_token_hint) => ({
      id_token_hint,
      post_logout_redirect_uri: AFTER_LOGOUT,
      state: 'xyz',
    }))
    assert.equal(answer.headers.location, `${AFTER_LOGOUT}?state=xyz`)
    assert.equal(signedOut, true)
  })

  test('oidcc-rp-initiated-logout-no-state', async () => {
    const { answer, signedOut } = await logOut((id_token_hint) => ({
      id_token_hint,
      post_logout_redirect_uri: AFTER_LOGOUT,
    }))
    assert.equal(answer.headers.location, AFTER_LOGOUT)
    assert.equal(signedOut, true)
  })

  test('oidcc-rp-initiated-logout-no-post-logout-redirect-uri', async () => {
    const { answer, signedOut } = await logOut((id_token_hint) => ({ id_token_hint, state: 'xyz' }))
    assert.equal(answer.headers.location, `${ORIGIN}/login`)
    assert.equal(signedOut, true)
  })

  const confirmed: [string, Fields][] = [
    ['oidcc-rp-initiated-logout-no-id-token-hint', { post_logout_redirect_uri: AFTER_LOGOUT, state: 'xyz' }],
    ['oidcc-rp-initiated-logout-no-params', {}],
    ['oidcc-rp-initiated-logout-only-state', { state: 'xyz' }],
  ]
  for (const [module, fields] of confirmed) {
    test(`${module}: the dashboard asks for confirmation`, async () => {
      const { answer, signedOut } = await logOut(() => fields)
      assert.equal(answer.headers.location, `${ORIGIN}/logout`)
      assert.equal(signedOut, false)
    })
  }

  const refused: [string, (hint: string) => Fields][] = [
    [
      'oidcc-rp-initiated-logout-bad-post-logout-redirect-uri',
      (id_token_hint) => ({ id_token_hint, post_logout_redirect_uri: 'https://app.example/other' }),
    ],
    [
      'oidcc-rp-initiated-logout-query-added-to-post-logout-redirect-uri',
      (id_token_hint) => ({ id_token_hint, post_logout_redirect_uri: `${AFTER_LOGOUT}?foo=bar` }),
    ],
    [
      'oidcc-rp-initiated-logout-modified-id-token-hint',
      (hint) => ({ id_token_hint: modify(hint), post_logout_redirect_uri: AFTER_LOGOUT }),
    ],
    [
      'oidcc-rp-initiated-logout-bad-id-token-hint',
      () => ({ id_token_hint: 'eyJhbGciOiJub25lIn0.e30.', post_logout_redirect_uri: AFTER_LOGOUT }),
    ],
  ]
  for (const [module, parameters] of refused) {
    test(`${module}: an error page`, async () => {
      const { answer, signedOut } = await logOut(parameters)
      assert.deepEqual([answer.statusCode, answer.headers.location], [400, undefined])
      assert.equal(signedOut, false)
    })
  }
})
