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
import { onEachEngine } from '../../support/engines.ts'
import { anonymous, cookieOf, type SignedInPerson, signedInPerson, signIn } from '../../support/people.ts'

const AFTERWARDS = 'https://app.example/bye'

onEachEngine('RP-initiated logout', (engine) => {
  const app = sharedApp({ engine })

  const prepare = async (): Promise<{ application: Application; person: SignedInPerson; hint: string }> => {
    const application = await registerApplication(app(), { postLogoutRedirectUris: [AFTERWARDS] })
    const person = await signedInPerson(app())
    return { application, person, hint: (await getTokens(app(), person, application)).id_token }
  }
  const logoutUrl = (fields: Fields) => `/oauth/logout?${encode(fields)}`
  const isSignedIn = async (person: SignedInPerson) =>
    (await person.get('/api/account/oauth/grants')).statusCode === 200

  test('with a hint of the signed-in user the session ends and the redirect follows, with state', async () => {
    const { person, hint } = await prepare()
    const url = logoutUrl({ id_token_hint: hint, post_logout_redirect_uri: AFTERWARDS, state: 'a b&c' })
    const answer = await person.get(url)
    assert.equal(answer.statusCode, 302)
    const next = locationOf(answer)
    assert.equal(next.origin + next.pathname, AFTERWARDS)
    assert.equal(next.searchParams.get('state'), 'a b&c')
    assert.equal(cookieOf(answer), '')
    assert.equal(await isSignedIn(person), false)
  })

  test('other sessions of the user go on', async () => {
    const { person, hint } = await prepare()
    const elsewhere = await signIn(app(), person.user)
    await person.get(logoutUrl({ id_token_hint: hint }))
    assert.equal(await isSignedIn(elsewhere), true)
  })

  test('a form works as a query does', async () => {
    const { person, hint } = await prepare()
    const fields = { id_token_hint: hint, post_logout_redirect_uri: AFTERWARDS }
    const answer = await postForm(app(), '/oauth/logout', fields, { cookie: `session=${person.cookie}` })
    assert.equal(answer.headers.location, AFTERWARDS)
    assert.equal(await isSignedIn(person), false)
  })

  test('an expired hint is as good as a fresh one', async () => {
    const { person, hint } = await prepare()
    app().clock.advance(7_200_000)
    await person.get(logoutUrl({ id_token_hint: hint, post_logout_redirect_uri: AFTERWARDS }))
    assert.equal(await isSignedIn(person), false)
  })

  test('whoever is signed out already is redirected all the same', async () => {
    const { hint } = await prepare()
    const answer = await anonymous(app()).get(logoutUrl({ id_token_hint: hint, post_logout_redirect_uri: AFTERWARDS }))
    assert.equal(answer.headers.location, AFTERWARDS)
  })

  test('without a redirect URL the user ends at the login page', async () => {
    const { person, hint } = await prepare()
    assert.equal((await person.get(logoutUrl({ id_token_hint: hint }))).headers.location, `${ORIGIN}/login`)
  })

  test('without a hint the dashboard asks first, and there is no redirect to the application', async () => {
    const { person, application } = await prepare()
    for (const fields of [
      {},
      { post_logout_redirect_uri: AFTERWARDS },
      { client_id: application.clientId, post_logout_redirect_uri: AFTERWARDS },
    ]) {
      const answer = await person.get(logoutUrl(fields))
      assert.equal(answer.headers.location, `${ORIGIN}/logout`)
      assert.equal(await isSignedIn(person), true)
    }
  })

  test('a hint of somebody else: the dashboard asks first', async () => {
    const { hint } = await prepare()
    const { person } = await prepare()
    const answer = await person.get(logoutUrl({ id_token_hint: hint, post_logout_redirect_uri: AFTERWARDS }))
    assert.equal(answer.headers.location, `${ORIGIN}/logout`)
    assert.equal(await isSignedIn(person), true)
  })

  test('an unregistered redirect URL is an error page and nothing happens', async () => {
    const { person, hint } = await prepare()
    for (const uri of [`${AFTERWARDS}/`, `${AFTERWARDS}?x=1`, 'https://evil.example/', 'https://app.example/cb']) {
      const answer = await person.get(logoutUrl({ id_token_hint: hint, post_logout_redirect_uri: uri }))
      assert.deepEqual([answer.statusCode, answer.headers.location], [400, undefined])
    }
    assert.equal(await isSignedIn(person), true)
  })

  test('a hint that this server did not sign is an error page and nothing happens', async () => {
    const { person, hint, application } = await prepare()
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
      const answer = await person.get(logoutUrl({ id_token_hint, post_logout_redirect_uri: AFTERWARDS }))
      assert.deepEqual([answer.statusCode, answer.headers.location], [400, undefined], id_token_hint)
    }
    assert.equal(await isSignedIn(person), true)
  })

  test('a client_id that is not the one of the hint is refused', async () => {
    const { person, hint } = await prepare()
    const { application: other } = await prepare()
    const answer = await person.get(logoutUrl({ id_token_hint: hint, client_id: other.clientId }))
    assert.equal(answer.statusCode, 400)
    assert.equal(await isSignedIn(person), true)
  })
})
