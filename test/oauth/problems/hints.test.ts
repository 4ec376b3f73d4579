import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DEVICE_CODE } from '../../../src/oauth/clients/grant-types.ts'
import { sharedApp, startApp, type TestApp } from '../../support/app.ts'
import {
  type Application,
  authorize,
  authorizeUrl,
  basic,
  exchangeCode,
  type Fields,
  getCode,
  getTokens,
  newPkce,
  postForm,
  refresh,
  registerApplication,
} from '../../support/application.ts'
import { onMainEngine } from '../../support/engines.ts'
import { signedInPerson, type SignedInPerson } from '../../support/people.ts'
import { askForDevice, errorOf, poll, registerDeviceClient, startDevice } from '../device/devices.ts'

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

onMainEngine('the hint of a refusal', (engine) => {
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

  test('says of a verifier that is missing that the application lost it, and not to turn PKCE on', async (t) => {
    const expected = {
      hint: 'The application sent a code_challenge when it asked for the code; let it send the code_verifier of it here.',
      details: { sent: 'no code_verifier', expected: 'the code_verifier of the code_challenge' },
    }
    const find = async (at: TestApp, application: Application) => {
      const [{ hint, details }] = (await list(at, application)) as [Refusal]
      return { hint, details }
    }
    const lost: Fields = { code_verifier: undefined }
    const application = await registerApplication(app())
    const pkce = newPkce()
    const code = await getCode(await signedInPerson(app()), application, pkce)
    const refused = await exchangeCode(app(), application, code, pkce, lost)
    assert.deepEqual([refused.statusCode, refused.json<{ error: string }>().error], [400, 'invalid_request'])
    assert.deepEqual(await find(app(), application), expected)

    // PKCE is optional for this one, so only its code tells that it has sent a challenge.
    const open = await startApp(t, { engine, config: { allowMissingPkce: true } })
    const optional = await registerApplication(open, { pkce: 'optional' })
    const codeOfOptional = await getCode(await signedInPerson(open), optional, pkce)
    const answer = await exchangeCode(open, optional, codeOfOptional, pkce, lost)
    assert.deepEqual(answer.json(), { error: 'invalid_grant', error_description: 'The code_verifier is missing.' })
    assert.deepEqual(await find(open, optional), expected)

    const television = await registerDeviceClient(app())
    const { verifier: _, challenge } = newPkce()
    const asked = { code_challenge: challenge, code_challenge_method: 'S256' }
    const started = await startDevice(app(), television, asked)
    assert.equal(await errorOf(poll(app(), television, started.device_code)), 'invalid_grant')
    assert.deepEqual(await find(app(), television), expected)
  })

  test('says of a verifier whose code was requested without a challenge that the challenge is missing', async (t) => {
    const open = await startApp(t, { engine, config: { allowMissingPkce: true } })
    const application = await registerApplication(open, { pkce: 'optional' })
    const person = await signedInPerson(open)
    const without = { code_challenge: undefined, code_challenge_method: undefined, nonce: 'n' }
    const code = (await authorize(person, application, newPkce(), without)).searchParams.get('code') ?? ''
    await exchangeCode(open, application, code, newPkce())
    const television = await registerDeviceClient(open)
    const started = await startDevice(open, television)
    await poll(open, television, started.device_code, { code_verifier: newPkce().verifier })
    for (const asking of [application, television]) {
      const [refusal] = await list(open, asking)
      assert.equal(refusal?.error, 'invalid_grant')
      assert.equal(refusal.description, 'The code was requested without a code_challenge.')
      assert.match(refusal.hint, /^Let the application send a code_challenge when it asks for the code, or no/)
      assert.deepEqual(refusal.details, { sent: 'a code_verifier', expected: 'no code_verifier' })
    }
  })

  test('says that no scope was sent, also to a client that may ask for one of that name', async () => {
    const application = await registerApplication(app(), { scopes: ['openid', 'scope'], grantTypes: [DEVICE_CODE] })
    for (const scope of [undefined, ' ']) {
      await askForDevice(app(), application, { scope })
      const [refusal] = await list(app(), application)
      assert.deepEqual(refusal?.details, { sent: 'no scope', expected: 'openid scope' })
    }
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
    const empty = await registerApplication(app())
    const authorization = basic({ ...empty, secret: '' })
    await postForm(app(), '/oauth/token', { grant_type: 'client_credentials' }, { authorization })
    const [refused] = await list(app(), empty)
    assert.deepEqual(refused?.details, missing.details)
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
