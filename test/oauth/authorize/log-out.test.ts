import assert from 'node:assert/strict'
import { generateKeyPairSync, sign } from 'node:crypto'
import { test } from 'node:test'
import { ORIGIN, sharedApp } from '../../support/app.ts'
import {
  type Application,
  encode,
  type Fields,
  getTokens,
  locationOf,
  postForm,
  registerApplication,
} from '../../support/application.ts'
import { onMainEngine } from '../../support/engines.ts'
import { anonymous, cookieOf, type SignedInPerson, signedInPerson, signIn } from '../../support/people.ts'

const AFTER_LOGOUT = 'https://app.example/bye'

onMainEngine('RP-initiated logout', (engine) => {
  const app = sharedApp({ engine })

  const setUp = async (): Promise<{ application: Application; person: SignedInPerson; hint: string }> => {
    const application = await registerApplication(app(), { postLogoutRedirectUris: [AFTER_LOGOUT] })
    const person = await signedInPerson(app())
    return { application, person, hint: (await getTokens(app(), person, application)).id_token }
  }
  const logoutUrl = (fields: Fields) => `/oauth/logout?${encode(fields)}`
  const isSignedIn = async (person: SignedInPerson) =>
    (await person.get('/api/account/oauth/grants')).statusCode === 200

  test('with a hint of the signed-in user ends the session and redirects with state', async () => {
    const { person, hint } = await setUp()
    const url = logoutUrl({ id_token_hint: hint, post_logout_redirect_uri: AFTER_LOGOUT, state: 'a b&c' })
    const answer = await person.get(url)
    assert.equal(answer.statusCode, 302)
    const next = locationOf(answer)
    assert.equal(next.origin + next.pathname, AFTER_LOGOUT)
    assert.equal(next.searchParams.get('state'), 'a b&c')
    assert.equal(cookieOf(answer), '')
    assert.equal(await isSignedIn(person), false)
  })

  test('keeps the other sessions of the user', async () => {
    const { person, hint } = await setUp()
    const elsewhere = await signIn(app(), person.user)
    await person.get(logoutUrl({ id_token_hint: hint }))
    assert.equal(await isSignedIn(elsewhere), true)
  })

  test('accepts a form like a query', async () => {
    const { person, hint } = await setUp()
    const fields = { id_token_hint: hint, post_logout_redirect_uri: AFTER_LOGOUT }
    const answer = await postForm(app(), '/oauth/logout', fields, { cookie: `session=${person.cookie}` })
    assert.equal(answer.headers.location, AFTER_LOGOUT)
    assert.equal(await isSignedIn(person), false)
  })

  test('accepts an expired hint', async () => {
    const { person, hint } = await setUp()
    app().clock.advance(7_200_000)
    await person.get(logoutUrl({ id_token_hint: hint, post_logout_redirect_uri: AFTER_LOGOUT }))
    assert.equal(await isSignedIn(person), false)
  })

  test('redirects a user who is already signed out', async () => {
    const { hint } = await setUp()
    const answer = await anonymous(app()).get(
      logoutUrl({ id_token_hint: hint, post_logout_redirect_uri: AFTER_LOGOUT }),
    )
    assert.equal(answer.headers.location, AFTER_LOGOUT)
  })

  test('without a redirect URL redirects to the login page', async () => {
    const { person, hint } = await setUp()
    assert.equal((await person.get(logoutUrl({ id_token_hint: hint }))).headers.location, `${ORIGIN}/login`)
  })

  test('without a hint asks for confirmation in the dashboard, and does not redirect to the application', async () => {
    const { person, application } = await setUp()
    for (const fields of [
      {},
      { post_logout_redirect_uri: AFTER_LOGOUT },
      { client_id: application.clientId, post_logout_redirect_uri: AFTER_LOGOUT },
    ]) {
      const answer = await person.get(logoutUrl(fields))
      assert.equal(answer.headers.location, `${ORIGIN}/logout`)
      assert.equal(await isSignedIn(person), true)
    }
  })

  test('with a hint of another user asks for confirmation in the dashboard', async () => {
    const { hint } = await setUp()
    const { person } = await setUp()
    const answer = await person.get(logoutUrl({ id_token_hint: hint, post_logout_redirect_uri: AFTER_LOGOUT }))
    assert.equal(answer.headers.location, `${ORIGIN}/logout`)
    assert.equal(await isSignedIn(person), true)
  })

  test('with an unregistered redirect URL shows an error page and keeps the session', async () => {
    const { person, hint } = await setUp()
    for (const uri of [`${AFTER_LOGOUT}/`, `${AFTER_LOGOUT}?x=1`, 'https://evil.example/', 'https://app.example/cb']) {
      const answer = await person.get(logoutUrl({ id_token_hint: hint, post_logout_redirect_uri: uri }))
      assert.deepEqual([answer.statusCode, answer.headers.location], [400, undefined])
    }
    assert.equal(await isSignedIn(person), true)
  })

  test('with a hint that this server did not sign shows an error page and keeps the session', async () => {
    const { person, hint, application } = await setUp()
    const [header = '', payload = '', signature = ''] = hint.split('.')
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as object
    const encodePart = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const foreign = sign('sha256', Buffer.from(`${header}.${payload}`), { key: privateKey, dsaEncoding: 'ieee-p1363' })
    const hints = [
      `${header}.${encodePart({ ...claims, sub: 'usr_other' })}.${signature}`,
      `${header}.${payload}.${foreign.toString('base64url')}`,
      `${header}.${payload}.`,
      `${encodePart({ alg: 'none' })}.${payload}.`,
      `${encodePart({ alg: 'HS256', kid: 'service-id-1' })}.${payload}.${signature}`,
      `${encodePart({ alg: 'ES256', kid: 'service-id-9' })}.${payload}.${signature}`,
      app().services.signingKeys.sign({
        iss: 'https://other.example',
        sub: person.user.id,
        aud: application.clientId,
      }),
      'not-a-token',
    ]
    for (const id_token_hint of hints) {
      const answer = await person.get(logoutUrl({ id_token_hint, post_logout_redirect_uri: AFTER_LOGOUT }))
      assert.deepEqual([answer.statusCode, answer.headers.location], [400, undefined], id_token_hint)
    }
    assert.equal(await isSignedIn(person), true)
  })

  test('with a client_id that differs from that of the hint is refused', async () => {
    const { person, hint } = await setUp()
    const { application: other } = await setUp()
    const answer = await person.get(logoutUrl({ id_token_hint: hint, client_id: other.clientId }))
    assert.equal(answer.statusCode, 400)
    assert.equal(await isSignedIn(person), true)
  })
})
