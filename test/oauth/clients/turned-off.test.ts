import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { DEVICE_CODE } from '../../../src/oauth/clients/grant-types.ts'
import { authorizeDevice } from '../../../src/oauth/device/authorize-device.ts'
import { createProvider } from '../../../src/oauth/provider.ts'
import { sharedApp, startApp, type TestApp } from '../../support/app.ts'
import {
  type Application,
  authorizationQuery,
  authorize,
  authorizeUrl,
  basic,
  exchangeCode,
  getCode,
  getTokens,
  introspect,
  isLive,
  locationOf,
  newPkce,
  postForm,
  refresh,
  registerApplication,
  type Tokens,
  userinfo,
} from '../../support/application.ts'
import { onMainEngine } from '../../support/engines.ts'
import { signedInPerson, type SignedInPerson } from '../../support/people.ts'
import { askForDevice, decide, details, errorOf, poll, startDevice } from '../device/devices.ts'

const OFF = 'An administrator has turned this application off.'

const GRANTS = {
  grantTypes: ['authorization_code', 'refresh_token', 'client_credentials', DEVICE_CODE],
} satisfies Parameters<typeof registerApplication>[1]

const clientToken = (app: TestApp, application: Application) =>
  postForm(
    app,
    '/oauth/token',
    { grant_type: 'client_credentials', scope: 'openid' },
    { authorization: basic(application) },
  )

const turn = async (admin: SignedInPerson, { clientId }: Application, disabled: boolean) => {
  const answer = await admin.patch(`/oauth/clients/${clientId}`, { disabled })
  assert.equal(answer.statusCode, 200, answer.body)
  assert.equal(answer.json<{ client: { disabled: boolean } }>().client.disabled, disabled)
}

onMainEngine('an application that is turned off', (engine) => {
  const app = sharedApp({ engine })
  let admin: SignedInPerson
  let person: SignedInPerson
  before(async () => {
    admin = await signedInPerson(app(), { admin: true })
    person = await signedInPerson(app())
  })

  test('gets no code, token, refresh or device code, and no token of it is live', async () => {
    const application = await registerApplication(app(), GRANTS)
    const resource = await registerApplication(app())
    const tokens = await getTokens(app(), person, application)
    const machine = (await clientToken(app(), application)).json<Tokens>()
    const pkce = newPkce()
    const code = await getCode(person, application, pkce)
    const started = await startDevice(app(), application)
    await turn(admin, application, true)

    for (const token of [tokens.access_token, tokens.refresh_token, machine.access_token])
      assert.deepEqual((await introspect(app(), resource, token)).json(), { active: false })
    assert.equal((await userinfo(app(), tokens.access_token)).statusCode, 401)
    for (const answer of [
      exchangeCode(app(), application, code, pkce),
      refresh(app(), application, tokens.refresh_token),
      clientToken(app(), application),
      askForDevice(app(), application),
      poll(app(), application, started.device_code),
      introspect(app(), application, tokens.access_token),
    ])
      assert.equal(await errorOf(answer), 'unauthorized_client')
    assert.equal((await details(person, started.user_code)).statusCode, 404)
    assert.equal((await decide(person, started.user_code)).statusCode, 404)
  })

  test('stays without what was revoked when it is turned on again, and works with what is new', async () => {
    const application = await registerApplication(app(), GRANTS)
    const tokens = await getTokens(app(), person, application)
    const machine = (await clientToken(app(), application)).json<Tokens>()
    const pkce = newPkce()
    const code = await getCode(person, application, pkce)
    const waiting = await startDevice(app(), application)
    const approved = await startDevice(app(), application)
    assert.equal((await decide(person, approved.user_code)).statusCode, 200)
    await turn(admin, application, true)
    await turn(admin, application, false)

    for (const token of [tokens.access_token, tokens.refresh_token, machine.access_token])
      assert.equal(await isLive(app(), application, token), false)
    assert.equal((await userinfo(app(), tokens.access_token)).statusCode, 401)
    for (const answer of [
      exchangeCode(app(), application, code, pkce),
      refresh(app(), application, tokens.refresh_token),
      poll(app(), application, waiting.device_code),
      poll(app(), application, approved.device_code),
    ])
      assert.equal(await errorOf(answer), 'invalid_grant')
    assert.equal((await decide(person, waiting.user_code)).statusCode, 404)

    // Consent stays: the person is not asked again.
    const next = newPkce()
    const answer = locationOf(await person.get(authorizeUrl(application, next, { scope: 'openid offline_access' })))
    const fresh = (await exchangeCode(app(), application, answer.searchParams.get('code') ?? '', next)).json<Tokens>()
    const renewed = (await refresh(app(), application, fresh.refresh_token)).json<Tokens>()
    for (const token of [fresh.access_token, renewed.access_token, renewed.refresh_token])
      assert.equal(await isLive(app(), application, token), true)
    assert.equal(
      await isLive(app(), application, (await clientToken(app(), application)).json<Tokens>().access_token),
      true,
    )
    const device = await startDevice(app(), application)
    assert.equal((await decide(person, device.user_code)).statusCode, 200)
    assert.equal((await poll(app(), application, device.device_code)).statusCode, 200)
  })

  test('sends the browser back with unauthorized_client, before anybody has to sign in', async () => {
    const application = await registerApplication(app())
    await turn(admin, application, true)
    const url = authorizeUrl(application, newPkce())
    for (const sent of [await person.get(url), await app().app.inject(url)]) {
      const { searchParams, origin } = locationOf(sent)
      assert.equal(origin, 'https://app.example')
      assert.equal(searchParams.get('error'), 'unauthorized_client')
      assert.equal(searchParams.get('error_description'), OFF)
    }
    const { refusals } = (await admin.get(`/oauth/clients/${application.clientId}/refusals`)).json<{
      refusals: { error: string; hint: string }[]
    }>()
    assert.deepEqual(
      [refusals[0]?.error, refusals[0]?.hint],
      ['unauthorized_client', 'Turn the application on again if people should use it.'],
    )
  })

  test('is told on a consent page that was open, as the API describes it', async () => {
    const application = await registerApplication(app())
    const query = authorizationQuery(application, newPkce())
    assert.equal((await person.get(`/oauth/details?${query}`)).statusCode, 200)
    await turn(admin, application, true)
    const parameters = Object.fromEntries(new URLSearchParams(query))
    const { paths } = app().app.swagger() as unknown as { paths: Record<string, Record<string, { responses: object }>> }
    for (const [method, path, answer] of [
      ['get', '/oauth/application', await person.get(`/oauth/application?${query}`)],
      ['get', '/oauth/details', await person.get(`/oauth/details?${query}`)],
      ['post', '/oauth/approve', await person.post('/oauth/approve', parameters)],
      ['post', '/oauth/approve', await person.post('/oauth/approve', { ...parameters, approve: false })],
    ] as const) {
      assert.deepEqual(
        [answer.statusCode, answer.json()],
        [403, { error: OFF, code: 'application_off', reason: 'application_turned_off' }],
      )
      assert.ok('403' in (paths[path]?.[method]?.responses ?? {}), `the description of ${path} has this status`)
    }
  })

  test('leaves nothing of a device that asked before it was turned off and is answered while it is off', async () => {
    const application = await registerApplication(app(), GRANTS)
    const { services } = app()
    const isChecked = Promise.withResolvers<void>()
    const isOff = Promise.withResolvers<boolean>()
    const fail = () => {
      isChecked.resolve()
      return isOff.promise
    }
    const asked = authorizeDevice(createProvider({ ...services, limits: { ...services.limits, fail } }), {
      url: '/oauth/device_authorization',
      authorization: basic(application),
      form: { scope: 'openid' },
      source: () => ({
        ipAddress: '127.0.0.1',
        userAgent: null,
        requestId: 'test',
        geolocation: { country: null, city: null, region: null },
      }),
    })
    await isChecked.promise
    await turn(admin, application, true)
    isOff.resolve(true)
    const { device_code, user_code } = await asked
    await turn(admin, application, false)
    assert.equal((await decide(person, user_code)).statusCode, 404)
    assert.equal(await errorOf(poll(app(), application, device_code)), 'invalid_grant')
  })

  test('gets no code by a request that was checked before', async () => {
    const application = await registerApplication(app())
    const pkce = newPkce()
    await authorize(person, application, pkce)
    // The cache of this replica still has the client as it was.
    await app().services.db.transaction((trx) =>
      trx.updateTable('oauth_clients').set({ disabled_at: 1 }).where('client_id', '=', application.clientId).execute(),
    )
    const { searchParams } = locationOf(await person.get(authorizeUrl(application, pkce)))
    assert.equal(searchParams.get('error'), 'unauthorized_client')
  })

  test('is not among the applications of people while it is off', async () => {
    const application = await registerApplication(app(), { launchUrl: 'https://app.example/' })
    const isOffered = async () => {
      const { apps } = (await person.get('/api/account/apps')).json<{ apps: { client_id: string }[] }>()
      return apps.some(({ client_id }) => client_id === application.clientId)
    }
    assert.equal(await isOffered(), true)
    await turn(admin, application, true)
    assert.equal(await isOffered(), false)
    await turn(admin, application, false)
    assert.equal(await isOffered(), true)
  })

  test('is recorded each time it is turned, and only then; other settings can be changed with it', async () => {
    const application = await registerApplication(app())
    const url = `/oauth/clients/${application.clientId}`
    await turn(admin, application, true)
    await turn(admin, application, true)
    const both = await admin.patch(url, { disabled: false, name: 'Renamed' })
    const { client } = both.json<{ client: { disabled: boolean; name: string } }>()
    assert.deepEqual([client.disabled, client.name], [false, 'Renamed'])
    const entries = await app()
      .services.db.read.selectFrom('audit_events')
      .select('data')
      .where('action', '=', 'oauth_client.updated')
      .where('target_id', '=', application.clientId)
      .orderBy('id')
      .execute()
    assert.deepEqual(
      entries.map(({ data }) => JSON.parse(data ?? '{}') as unknown),
      [{ disabled: true }, { disabled: false, name: 'Renamed' }],
    )
    const reader = await signedInPerson(app(), { permissions: ['oauth_clients:read'] })
    assert.equal((await reader.patch(url, { disabled: true })).statusCode, 403)
  })
})

test('an application that is turned off on one replica is off on the other one at once', async (t) => {
  const first = await startApp(t, { engine: 'postgres' })
  const second = await startApp(t, { engine: 'postgres', storage: first.storage, clock: first.clock })
  const admin = await signedInPerson(first, { admin: true })
  const resource = await registerApplication(first)
  const application = await registerApplication(first)
  const tokens = await getTokens(first, await signedInPerson(first), application)
  assert.equal(await isLive(second, resource, tokens.access_token), true)
  await turn(admin, application, true)
  assert.equal(await isLive(second, resource, tokens.access_token), false)
  assert.equal((await userinfo(second, tokens.access_token)).statusCode, 401)
  await turn(admin, application, false)
  assert.equal(await isLive(second, resource, tokens.access_token), false)
})
