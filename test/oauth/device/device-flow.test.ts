import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DEVICE_CODE } from '../../../src/oauth/clients/grant-types.ts'
import { lifecycleOf } from '../../identity/lifecycle/actions.ts'
import { sharedApp, startApp } from '../../support/app.ts'
import {
  claimsOf,
  isLive,
  newPkce,
  postForm,
  refresh,
  registerApplication,
  userinfo,
} from '../../support/application.ts'
import { onEachEngine } from '../../support/engines.ts'
import { signedInPerson } from '../../support/people.ts'
import {
  askForDevice,
  decide,
  details,
  deviceTokens,
  errorOf,
  poll,
  registerDeviceClient,
  startDevice,
} from './devices.ts'

onEachEngine('device authorization', (engine) => {
  const app = sharedApp({ engine })

  test('a device gets a code for the person and one for itself, and where to type the first', async () => {
    const client = await registerDeviceClient(app())
    const answer = await askForDevice(app(), client)
    const { device_code, user_code, ...rest } = answer.json<Record<string, string>>()
    assert.match(device_code ?? '', /^dc_[A-Za-z0-9_-]{43}$/)
    assert.match(user_code ?? '', /^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/)
    assert.deepEqual(rest, {
      verification_uri: 'http://localhost:3000/device',
      verification_uri_complete: `http://localhost:3000/device?user_code=${user_code}`,
      expires_in: 600,
      interval: 5,
    })
    assert.equal(answer.headers['cache-control'], 'no-store')
    assert.equal(answer.headers['access-control-allow-origin'], '*')
  })

  test('after the person has approved, the device gets tokens of that person', async () => {
    const person = await signedInPerson(app())
    const client = await registerDeviceClient(app())
    const tokens = await deviceTokens(app(), person, client, { scope: 'openid email offline_access' })
    assert.equal(tokens.scope, 'openid email offline_access')
    assert.equal(claimsOf(tokens.id_token)['sub'], person.user.id)
    assert.equal((await userinfo(app(), tokens.access_token)).json<{ email: string }>().email, person.user.email)
    assert.equal((await refresh(app(), client, tokens.refresh_token)).statusCode, 200)
  })

  test('without offline_access there is no refresh token', async () => {
    const tokens = await deviceTokens(app(), await signedInPerson(app()), await registerDeviceClient(app()))
    assert.equal(tokens.refresh_token, undefined)
  })

  test('a confidential client has to prove itself at both endpoints', async () => {
    const client = await registerDeviceClient(app(), { clientType: 'confidential' })
    assert.equal(await errorOf(askForDevice(app(), { ...client, secret: 'wrong' })), 'invalid_client')
    const { device_code } = await startDevice(app(), client)
    assert.equal(await errorOf(poll(app(), { ...client, secret: 'wrong' }, device_code)), 'invalid_client')
  })

  test('a client without this grant, a scope beyond its own and a missing scope are refused', async () => {
    const without = await registerApplication(app(), { clientType: 'public' })
    assert.equal(await errorOf(askForDevice(app(), without)), 'unauthorized_client')
    assert.equal(await errorOf(poll(app(), without, 'dc_x')), 'unauthorized_client')
    const client = await registerDeviceClient(app())
    assert.equal(await errorOf(askForDevice(app(), client, { scope: 'openid more' })), 'invalid_scope')
    assert.equal(await errorOf(askForDevice(app(), client, { scope: undefined })), 'invalid_scope')
  })

  test('a device name has at most 64 visible characters', async () => {
    const client = await registerDeviceClient(app())
    for (const device_name of ['x'.repeat(65), 'a\nb', 'a\u202Eb'])
      assert.equal(await errorOf(askForDevice(app(), client, { device_name })), 'invalid_request', device_name)
    assert.equal((await askForDevice(app(), client, { device_name: 'x'.repeat(64) })).statusCode, 200)
  })

  test('polls answer authorization_pending; sooner than the interval slow_down, which adds 5 seconds', async () => {
    const client = await registerDeviceClient(app())
    const { device_code } = await startDevice(app(), client)
    const next = () => errorOf(poll(app(), client, device_code))
    assert.equal(await next(), 'authorization_pending')
    app().clock.advance(5000)
    assert.equal(await next(), 'authorization_pending')
    app().clock.advance(4000)
    assert.equal(await next(), 'slow_down')
    app().clock.advance(9000)
    assert.equal(await next(), 'slow_down')
    app().clock.advance(14_000)
    assert.equal(await next(), 'slow_down')
    app().clock.advance(20_000)
    assert.equal(await next(), 'authorization_pending')
  })

  test('of many polls at once one is answered as pending, and the interval grows up to a minute', async () => {
    const client = await registerDeviceClient(app())
    const { device_code } = await startDevice(app(), client)
    const answers = await Promise.all(Array.from({ length: 30 }, () => errorOf(poll(app(), client, device_code))))
    assert.equal(answers.filter((each) => each === 'authorization_pending').length, 1)
    assert.equal(answers.filter((each) => each === 'slow_down').length, 29)
    app().clock.advance(60_000)
    assert.equal(await errorOf(poll(app(), client, device_code)), 'authorization_pending')
  })

  test('a decided code is answered at any pace', async () => {
    const client = await registerDeviceClient(app())
    const person = await signedInPerson(app())
    const started = await startDevice(app(), client)
    await poll(app(), client, started.device_code)
    assert.equal(await errorOf(poll(app(), client, started.device_code)), 'slow_down')
    await decide(person, started.user_code)
    assert.equal((await poll(app(), client, started.device_code)).statusCode, 200)
  })

  test('a person who says no is answered with access_denied', async () => {
    const client = await registerDeviceClient(app())
    const person = await signedInPerson(app())
    const started = await startDevice(app(), client)
    assert.equal((await decide(person, started.user_code, false)).statusCode, 200)
    assert.equal(await errorOf(poll(app(), client, started.device_code)), 'access_denied')
    assert.deepEqual((await person.get('/api/account/oauth/grants')).json(), { grants: [] })
  })

  test('after 10 minutes a code is expired for the device and unknown to the person, decided or not', async () => {
    const client = await registerDeviceClient(app())
    const person = await signedInPerson(app())
    const [waiting, approved] = [await startDevice(app(), client), await startDevice(app(), client)]
    await decide(person, approved.user_code)
    app().clock.advance(600_000)
    for (const { device_code } of [waiting, approved])
      assert.equal(await errorOf(poll(app(), client, device_code)), 'expired_token')
    const late = await signedInPerson(app())
    assert.equal((await details(late, waiting.user_code)).statusCode, 404)
    assert.equal((await decide(late, waiting.user_code)).statusCode, 404)
    await app().tick()
    assert.equal(await errorOf(poll(app(), client, waiting.device_code)), 'expired_token')
    app().clock.advance(3_660_000)
    await app().tick()
    assert.equal(await errorOf(poll(app(), client, waiting.device_code)), 'invalid_grant')
  })

  test('a code works once: of several polls at once, one gets the tokens, which stay valid', async () => {
    const client = await registerDeviceClient(app())
    const started = await startDevice(app(), client)
    await decide(await signedInPerson(app()), started.user_code)
    const answers = await Promise.all(Array.from({ length: 8 }, () => poll(app(), client, started.device_code)))
    const [first, ...others] = answers.filter(({ statusCode }) => statusCode === 200)
    assert.equal(others.length, 0)
    assert.equal(await errorOf(poll(app(), client, started.device_code)), 'invalid_grant')
    assert.ok(await isLive(app(), client, first?.json<{ access_token: string }>().access_token ?? ''))
  })

  test('an unknown code, a code of another client and a code at the wrong grant are invalid_grant', async () => {
    const [client, other] = [await registerDeviceClient(app()), await registerDeviceClient(app())]
    const started = await startDevice(app(), client)
    await decide(await signedInPerson(app()), started.user_code)
    assert.equal(await errorOf(poll(app(), client, 'dc_unknown')), 'invalid_grant')
    assert.equal(await errorOf(poll(app(), other, started.device_code)), 'invalid_grant')
    assert.equal(await errorOf(poll(app(), client, started.user_code)), 'invalid_grant')
    assert.equal(
      await errorOf(postForm(app(), '/oauth/token', { grant_type: DEVICE_CODE, client_id: client.clientId })),
      'invalid_request',
    )
    const codes = await registerApplication(app(), { clientType: 'public' })
    const code = { grant_type: 'authorization_code', client_id: codes.clientId, code: started.device_code }
    const form = { ...code, redirect_uri: codes.redirectUri, code_verifier: newPkce().verifier }
    assert.equal(await errorOf(postForm(app(), '/oauth/token', form)), 'invalid_grant')
    assert.equal((await poll(app(), client, started.device_code)).statusCode, 200)
  })

  test('a person who is disabled before the exchange gets no tokens, and the tokens of a disabled one are dead', async () => {
    const client = await registerDeviceClient(app())
    const administrator = await signedInPerson(app(), { admin: true })
    const person = await signedInPerson(app())
    const tokens = await deviceTokens(app(), person, client, { scope: 'openid offline_access' })
    const started = await startDevice(app(), client)
    await decide(person, started.user_code)
    assert.equal((await administrator.post(lifecycleOf(person.user.id), { action: 'disable' })).statusCode, 200)
    assert.equal(await errorOf(poll(app(), client, started.device_code)), 'invalid_grant')
    assert.equal(await errorOf(refresh(app(), client, tokens.refresh_token)), 'invalid_grant')
    assert.equal(await isLive(app(), client, tokens.access_token), false)
  })

  test('revoking the grant before the exchange takes the approval back', async () => {
    const client = await registerDeviceClient(app())
    const person = await signedInPerson(app())
    const started = await startDevice(app(), client)
    await decide(person, started.user_code)
    assert.equal((await person.delete(`/api/account/oauth/grants/${client.clientId}`)).statusCode, 200)
    assert.equal(await errorOf(poll(app(), client, started.device_code)), 'invalid_grant')
  })

  test('PKCE is checked where it is sent, and a wrong or unexpected verifier uses nothing up', async () => {
    const client = await registerDeviceClient(app())
    const person = await signedInPerson(app())
    const { verifier, challenge } = newPkce()
    for (const change of [
      { code_challenge: challenge },
      { code_challenge: challenge, code_challenge_method: 'plain' },
      { code_challenge: 'short', code_challenge_method: 'S256' },
      { code_challenge_method: 'S256' },
    ])
      assert.equal(await errorOf(askForDevice(app(), client, change)), 'invalid_request', JSON.stringify(change))

    const started = await startDevice(app(), client, { code_challenge: challenge, code_challenge_method: 'S256' })
    await decide(person, started.user_code)
    assert.equal(await errorOf(poll(app(), client, started.device_code)), 'invalid_grant')
    const wrong = { code_verifier: newPkce().verifier }
    assert.equal(await errorOf(poll(app(), client, started.device_code, wrong)), 'invalid_grant')
    assert.equal((await poll(app(), client, started.device_code, { code_verifier: verifier })).statusCode, 200)

    const plain = await startDevice(app(), client)
    await decide(person, plain.user_code)
    assert.equal(await errorOf(poll(app(), client, plain.device_code, wrong)), 'invalid_grant')
    assert.equal((await poll(app(), client, plain.device_code)).statusCode, 200)
  })

  test('neither code is stored, and the user code can’t be computed from what is', async () => {
    const client = await registerDeviceClient(app())
    const started = await startDevice(app(), client)
    const rows = JSON.stringify(await app().services.db.read.selectFrom('oauth_device_codes').selectAll().execute())
    const bare = started.user_code.replace('-', '')
    assert.ok(!rows.includes(started.device_code) && !rows.includes(started.user_code) && !rows.includes(bare))
    const { digest } = await import('../../../src/platform/crypto/digest.ts')
    assert.ok(!rows.includes(digest(bare)) && !rows.includes(digest(started.user_code)))
    assert.ok(!app().logged().includes(started.device_code) && !app().logged().includes(started.user_code))
  })

  test('discovery names the endpoint and the grant', async () => {
    const document = (await app().app.inject('/.well-known/openid-configuration')).json<Record<string, unknown>>()
    assert.equal(document['device_authorization_endpoint'], 'http://localhost:3000/oauth/device_authorization')
    assert.ok((document['grant_types_supported'] as string[]).includes(DEVICE_CODE))
    const preflight = await app().app.inject({
      method: 'OPTIONS',
      url: '/oauth/device_authorization',
      headers: { origin: 'https://tv.example', 'access-control-request-method': 'POST' },
    })
    assert.equal(preflight.headers['access-control-allow-origin'], '*')
  })

  test('polls are paced on all replicas together, also without rate limits', async (t) => {
    const first = await startApp(t, { engine: 'postgres', config: { rateLimits: false } })
    const second = await startApp(t, { storage: first.storage, clock: first.clock, config: { rateLimits: false } })
    const client = await registerDeviceClient(first)
    const { device_code } = await startDevice(first, client)
    assert.equal(await errorOf(poll(first, client, device_code)), 'authorization_pending')
    assert.equal(await errorOf(poll(second, client, device_code)), 'slow_down')
    first.clock.advance(6000)
    assert.equal(await errorOf(poll(first, client, device_code)), 'slow_down')
  })
})
