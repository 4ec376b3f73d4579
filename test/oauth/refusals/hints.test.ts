import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DEVICE_CODE } from '../../../src/oauth/clients/client.ts'
import { sharedApp, startApp, type TestApp } from '../../support/app.ts'
import {
  type Application,
  authorizeUrl,
  basic,
  consent,
  exchangeCode,
  getCode,
  getTokens,
  introspect,
  locationOf,
  newPkce,
  postForm,
  refresh,
  registerApplication,
} from '../../support/application.ts'
import { onEachEngine } from '../../support/engines.ts'
import { signedInPerson, type SignedInPerson } from '../../support/people.ts'
import { askForDevice } from '../device/devices.ts'

interface Refusal {
  error: string
  description: string
  hint: string
  details: { sent: string | null; expected: string | null }
}

const list = async (app: TestApp, { clientId }: Application): Promise<Refusal[]> => {
  const reader: SignedInPerson = await signedInPerson(app, { permissions: ['oauth_clients:read'] })
  return (await reader.get(`/oauth/clients/${clientId}/refusals`)).json<{ refusals: Refusal[] }>().refusals
}

onEachEngine('the hint of a refusal', (engine) => {
  const app = sharedApp({ engine })

  test('lists every scope that a client may not ask for with what it asked for and what it may', async () => {
    const application = await registerApplication(app(), {
      scopes: ['openid', 'offline_access', 'reports'],
      grantTypes: ['authorization_code', 'refresh_token', 'client_credentials', DEVICE_CODE],
    })
    const authorization = basic(application)
    for (let at = 0; at < 20; at++)
      await postForm(
        app(),
        '/oauth/token',
        { grant_type: 'client_credentials', scope: `reports s${at}` },
        { authorization },
      )
    await askForDevice(app(), application, { scope: 'openid device' })
    const { refresh_token } = await getTokens(app(), await signedInPerson(app()), application)
    assert.equal((await refresh(app(), application, refresh_token, { scope: 'openid reports' })).statusCode, 400)
    const refusals = await list(app(), application)
    const sent = refusals.map(({ details }) => String(details.sent)).toSorted()
    assert.deepEqual(sent, ['device', 'reports', ...Array.from({ length: 20 }, (_, at) => `s${at}`)].toSorted())
    assert.deepEqual(
      new Set(refusals.map(({ details }) => details.expected)),
      new Set(['openid offline_access reports', 'openid offline_access']),
    )
    await askForDevice(app(), application, { scope: 'x'.repeat(90).concat(' ').repeat(5) })
    assert.ok((await list(app(), application)).every(({ details }) => (details.sent ?? '').length <= 200))
  })

  test('tells a verifier of a wrong form from one that does not match, and from a code that was used', async () => {
    const application = await registerApplication(app())
    const pkce = newPkce()
    const code = await getCode(await signedInPerson(app()), application, pkce)
    for (const [verifier, description, sent] of [
      ['short', 'The code_verifier has a wrong form.', '5 characters'],
      ['a'.repeat(129), 'The code_verifier has a wrong form.', '129 characters'],
      [`${'a'.repeat(43)}!`, 'The code_verifier has a wrong form.', '44 characters, of which some are not allowed'],
      [newPkce().verifier, 'The code_verifier does not match the code_challenge.', 'another code_verifier'],
      [pkce.challenge, 'The code_verifier does not match the code_challenge.', 'the code_challenge'],
    ] as const) {
      const answer = await exchangeCode(app(), application, code, { ...pkce, verifier })
      assert.deepEqual(answer.json(), { error: 'invalid_grant', error_description: description })
      const refusal = (await list(app(), application)).find(({ details }) => details.sent === sent)
      assert.equal(refusal?.description, description)
      assert.doesNotMatch(refusal.hint, /was used|sign in again/)
      assert.ok(!JSON.stringify(refusal).includes(verifier), 'the verifier is not shown')
    }
    assert.equal((await exchangeCode(app(), application, code, pkce)).statusCode, 200, 'none of them used the code')
  })

  test('says that the secret is wrong, and not which methods there are', async () => {
    const application = await registerApplication(app())
    const wrong = { ...application, secret: 'cs_wrong' }
    await postForm(app(), '/oauth/token', { grant_type: 'client_credentials' }, { authorization: basic(wrong) })
    const [refusal] = await list(app(), application)
    assert.deepEqual(refusal?.details, {
      sent: 'client_secret_basic with a wrong secret',
      expected: 'the current secret',
    })
    const none = await registerApplication(app())
    await postForm(app(), '/oauth/token', { grant_type: 'client_credentials', client_id: none.clientId })
    const [missing] = await list(app(), none)
    assert.deepEqual(missing?.details, { sent: 'no secret', expected: 'client_secret_basic or client_secret_post' })
  })

  test('names the exception for software that cannot send PKCE', async (t) => {
    const application = await registerApplication(app())
    const person = await signedInPerson(app())
    await person.get(
      authorizeUrl(application, newPkce(), { code_challenge: undefined, code_challenge_method: undefined }),
    )
    const [off] = await list(app(), application)
    assert.match(off?.hint ?? '', /ALLOW_MISSING_PKCE=on.*pkce: optional/)
    const open = await startApp(t, { engine, config: { allowMissingPkce: true } })
    const other = await registerApplication(open)
    await (await signedInPerson(open)).get(authorizeUrl(other, newPkce(), { code_challenge: undefined }))
    const [on] = await list(open, other)
    assert.match(on?.hint ?? '', /make PKCE optional for it here \(pkce: optional\)/)
    const browser = await registerApplication(app(), { clientType: 'public' })
    await person.get(authorizeUrl(browser, newPkce(), { code_challenge: undefined }))
    assert.match((await list(app(), browser))[0]?.hint ?? '', /A public client always needs it/)
  })
})

onEachEngine('an answer in the fragment', (engine) => {
  const app = sharedApp({ engine })

  test('has the code or the error, with state and issuer, also after consent, and nothing in the query', async () => {
    const application = await registerApplication(app())
    const person = await signedInPerson(app())
    const pkce = newPkce()
    const change = { response_mode: 'fragment' }
    const page = locationOf(await person.get(authorizeUrl(application, pkce, change)))
    const granted = await consent(person, page)
    const silent = locationOf(await person.get(authorizeUrl(application, newPkce(), change)))
    const refused = locationOf(await person.get(authorizeUrl(application, pkce, { ...change, scope: 'other' })))
    const denied = await consent(
      person,
      locationOf(await person.get(authorizeUrl(application, pkce, { ...change, prompt: 'consent' }))),
      false,
    )
    for (const url of [granted, silent, refused, denied]) {
      assert.equal(url.search, '')
      const fields = new URLSearchParams(url.hash.slice(1))
      assert.deepEqual([fields.get('state'), fields.get('iss')], ['some-state', 'http://localhost:3000'])
    }
    assert.equal(new URLSearchParams(refused.hash.slice(1)).get('error'), 'invalid_scope')
    assert.equal(new URLSearchParams(denied.hash.slice(1)).get('error'), 'access_denied')
    const code = new URLSearchParams(granted.hash.slice(1)).get('code') ?? ''
    assert.equal((await exchangeCode(app(), application, code, pkce)).statusCode, 200)
  })
})

onEachEngine('claims at introspection', (engine) => {
  const app = sharedApp({ engine })

  test('are those of the scopes of the token, for a client that is set to get them, and for no other', async () => {
    const application = await registerApplication(app())
    const mail = await registerApplication(app(), { introspectionClaims: true })
    const other = await registerApplication(app())
    const person = await signedInPerson(app())
    const scope = 'openid email offline_access'
    const { access_token, refresh_token } = await getTokens(app(), person, application, { scope })
    for (const token of [access_token, refresh_token]) {
      const told = (await introspect(app(), mail, token)).json<Record<string, unknown>>()
      assert.deepEqual([told['email'], told['email_verified'], told['name']], [person.user.email, false, undefined])
      assert.deepEqual([told['active'], told['client_id']], [true, application.clientId])
      for (const asking of [other, application])
        assert.equal('email' in (await introspect(app(), asking, token)).json<object>(), false)
    }
    const machine = await postForm(
      app(),
      '/oauth/token',
      { grant_type: 'client_credentials', scope: 'email' },
      { authorization: basic(application) },
    )
    const own = (await introspect(app(), mail, machine.json<{ access_token: string }>().access_token)).json<object>()
    assert.equal('email' in own, false, 'a token of a client is about nobody')
    const admin = await signedInPerson(app(), { admin: true })
    const url = `/oauth/clients/${mail.clientId}`
    assert.equal(
      (await admin.patch(url, { introspectionClaims: false })).json<{ client: { introspectionClaims: boolean } }>()
        .client.introspectionClaims,
      false,
    )
    assert.equal('email' in (await introspect(app(), mail, access_token)).json<object>(), false)
  })
})
