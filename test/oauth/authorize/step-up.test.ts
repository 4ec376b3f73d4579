import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { newAuthenticator, register } from '../../identity/passkeys/ceremonies.ts'
import { addApp } from '../../identity/second-step/authenticator-app.ts'
import { ORIGIN, sharedApp } from '../../support/app.ts'
import {
  type Application,
  authorize,
  authorizeUrl,
  claimsOf,
  consent,
  exchangeCode,
  type Fields,
  getCode,
  getTokens,
  introspect,
  isLive,
  locationOf,
  newPkce,
  postForm,
  credentials,
  refresh,
  registerApplication,
  type Tokens,
} from '../../support/application.ts'
import type { Authenticator } from '../../support/authenticator.ts'
import { onEachEngine } from '../../support/engines.ts'
import { anonymous, cookieOf, type Person, signedInPerson, type SignedInPerson, signIn } from '../../support/people.ts'
import { decide, deviceTokens, poll, registerDeviceClient, startDevice } from '../device/devices.ts'
import { returnFromStepUp, returnTo } from './login-page.ts'

const PASSWORD = 'four unusual words here'
const OFFLINE = { scope: 'openid offline_access' }

onEachEngine('what an application demands of a sign-in', (engine) => {
  const app = sharedApp({ engine })
  let admin: SignedInPerson
  before(async () => {
    admin = await signedInPerson(app(), { admin: true })
  })
  const visit = async (person: Person, url: string): Promise<URL> => locationOf(await person.get(url))
  const change = async ({ clientId }: Application, settings: object) => {
    const answer = await admin.patch(`/oauth/clients/${clientId}`, settings)
    assert.equal(answer.statusCode, 200, answer.body)
  }
  const signedIn = () => signedInPerson(app(), { password: PASSWORD })
  /** Signed in with the password, and has a passkey. */
  const withPasskey = async () => {
    const person = await signedIn()
    const authenticator = newAuthenticator()
    assert.equal((await register(person, authenticator)).statusCode, 200)
    return { person, authenticator }
  }
  /** Signed in with the password alone, and has an authenticator app. */
  const withApp = async () => {
    const person = await signedIn()
    return { person, ...(await addApp(app(), person)) }
  }
  const proveWithPasskey = async (person: Person, authenticator: Authenticator) => {
    const { challengeId, options } = (await person.post('/api/auth/fresh/options', {})).json()
    const proof = { challengeId, response: authenticator.authenticate(options) }
    assert.equal((await person.post('/api/auth/fresh', proof)).statusCode, 200)
  }
  const prove = async (person: Person, second: object = {}) => {
    const answer = await person.post('/api/auth/fresh', { password: PASSWORD, ...second })
    assert.equal(answer.statusCode, 200, answer.body)
  }
  const errorAt = async (person: Person, url: string) => (await visit(person, url)).searchParams.get('error')
  const requestFor = (application: Application, asked: Fields = {}) => authorizeUrl(application, newPkce(), asked)
  const essential = (...values: string[]) => ({
    claims: JSON.stringify({ id_token: { acr: { essential: true, values } } }),
  })

  test('requiredAcr is asked for in place: the session is raised, and the ID token says so', async () => {
    const application = await registerApplication(app(), { requiredAcr: 'phr' })
    const { person, authenticator } = await withPasskey()
    const pkce = newPkce()
    const url = authorizeUrl(application, pkce)
    const page = await visit(person, url)
    assert.ok(page.href.startsWith(`${ORIGIN}/step-up?return_to=%2Foauth%2Fauthorize%3F`), page.href)
    assert.equal(page.searchParams.get('acr'), 'phr')
    const back = returnFromStepUp(page)
    // Any other proof is not enough.
    await prove(person)
    assert.equal(returnFromStepUp(await visit(person, back)), back)
    assert.equal(await errorAt(person, requestFor(application, { prompt: 'none' })), 'login_required')
    await proveWithPasskey(person, authenticator)
    assert.equal((await person.get('/api/auth/fresh')).json().acr, 'phr')
    const code = (await consent(person, await visit(person, back))).searchParams.get('code') ?? ''
    const { id_token } = (await exchangeCode(app(), application, code, pkce)).json<Tokens>()
    assert.equal(claimsOf(id_token)['acr'], 'phr')
    // Somebody without a session signs in first.
    returnTo(await visit(anonymous(app()), url))
  })

  test('what this person has nothing for is answered unmet_authentication_requirements, with every prompt', async () => {
    const application = await registerApplication(app(), { requiredAcr: '2' })
    const person = await signedIn()
    const { person: other } = await withApp()
    const unmet = 'unmet_authentication_requirements'
    assert.equal(await errorAt(person, requestFor(application)), unmet)
    assert.equal(await errorAt(person, requestFor(application, { prompt: 'none' })), unmet)
    assert.equal(await errorAt(other, requestFor(application, essential('phr'))), unmet)
    assert.equal(await errorAt(other, requestFor(application, { ...essential('phr'), prompt: 'none' })), unmet)
    assert.equal(await errorAt(other, requestFor(application, essential('urn:unknown'))), unmet)
    assert.equal(await errorAt(other, requestFor(application, { prompt: 'none' })), 'login_required')
  })

  test('a second step is proved with a code of the app, and not with a recovery code', async () => {
    const application = await registerApplication(app(), { requiredAcr: '2' })
    const { person, code, recoveryCodes } = await withApp()
    const page = await visit(person, requestFor(application))
    assert.equal(page.searchParams.get('acr'), '2')
    await prove(person, { recoveryCode: recoveryCodes[0] })
    returnFromStepUp(await visit(person, returnFromStepUp(page)))
    await prove(person, { code: code() })
    assert.equal((await visit(person, returnFromStepUp(page))).pathname, '/consent')
    // A recovery code does not lower it again.
    await prove(person, { recoveryCode: recoveryCodes[1] })
    assert.equal((await visit(person, returnFromStepUp(page))).pathname, '/consent')
  })

  test('one of acr_values, or a stronger one, is enough, and those that this person can’t have are ignored', async () => {
    const application = await registerApplication(app())
    const plain = await signedIn()
    const { person: passkeyOwner, authenticator } = await withPasskey()
    const { person: appOwner } = await withApp()
    const acrFor = async (person: Person, acr_values: string) => {
      const page = await visit(person, requestFor(application, { acr_values }))
      return page.pathname === '/consent' ? 'enough' : `${page.pathname} ${page.searchParams.get('acr')}`
    }
    assert.equal(await acrFor(plain, 'phr 2'), 'enough')
    assert.equal(await acrFor(plain, 'urn:unknown'), 'enough')
    assert.equal(await acrFor(appOwner, 'phr'), 'enough')
    assert.equal(await acrFor(appOwner, 'phr 2'), '/step-up 2')
    assert.equal(await acrFor(appOwner, 'phr 2 1'), 'enough')
    assert.equal(await acrFor(passkeyOwner, '  2   phr '), '/step-up 2')
    assert.equal(await acrFor(passkeyOwner, 'phr urn:unknown'), '/step-up phr')
    const none = requestFor(application, { acr_values: 'phr', prompt: 'none' })
    assert.equal(await errorAt(passkeyOwner, none), 'login_required')
    await proveWithPasskey(passkeyOwner, authenticator)
    assert.equal(await acrFor(passkeyOwner, '2'), 'enough')
  })

  test('maxAuthAge is asked for in place, also where the request allows more', async () => {
    const application = await registerApplication(app(), { maxAuthAge: 60 })
    const person = await signedIn()
    await authorize(person, application, newPkce())
    app().clock.advance(60_000)
    assert.match((await visit(person, requestFor(application))).searchParams.get('code') ?? '', /^ac_/)
    app().clock.advance(1)
    const page = await visit(person, requestFor(application, { max_age: '86400' }))
    assert.equal(page.searchParams.get('acr'), null)
    await prove(person)
    assert.match((await visit(person, returnFromStepUp(page))).searchParams.get('code') ?? '', /^ac_/)
  })

  test('what is demanded between the consent page and the decision is asked for before anything is granted', async () => {
    const application = await registerApplication(app())
    const { person, authenticator } = await withPasskey()
    const page = await visit(person, requestFor(application))
    await change(application, { requiredAcr: 'phr' })
    const answer = await person.post('/oauth/approve', Object.fromEntries(page.searchParams))
    const back = returnFromStepUp(new URL(answer.json<{ redirectTo: string }>().redirectTo))
    assert.deepEqual((await person.get('/api/account/oauth/grants')).json(), { grants: [] })
    await proveWithPasskey(person, authenticator)
    assert.equal((await visit(person, back)).pathname, '/consent')
  })

  test('raising a demand ends no token, but no code and no refresh that falls short is honoured', async () => {
    const application = await registerApplication(app())
    const { person, authenticator } = await withPasskey()
    const tokens = await getTokens(app(), person, application)
    const pkce = newPkce()
    const code = await getCode(person, application, pkce, OFFLINE)
    await change(application, { requiredAcr: 'phr' })
    assert.equal(await isLive(app(), application, tokens.access_token), true)
    const exchanged = await exchangeCode(app(), application, code, pkce)
    assert.deepEqual([exchanged.statusCode, exchanged.json<{ error: string }>().error], [400, 'invalid_grant'])
    const refused = await refresh(app(), application, tokens.refresh_token)
    assert.deepEqual([refused.statusCode, refused.json<{ error: string }>().error], [400, 'invalid_grant'])
    // Raising the session changes nothing about tokens that were given before.
    await proveWithPasskey(person, authenticator)
    assert.equal((await refresh(app(), application, tokens.refresh_token)).statusCode, 400)
    const stronger = await getTokens(app(), person, application)
    assert.equal((await refresh(app(), application, stronger.refresh_token)).statusCode, 200)
    // Nothing was used up: once less is demanded, the refresh works.
    await change(application, { requiredAcr: null })
    assert.equal((await refresh(app(), application, tokens.refresh_token)).statusCode, 200)
  })

  test('a refresh after maxAuthAge is invalid_grant', async () => {
    const application = await registerApplication(app())
    const person = await signedIn()
    const { refresh_token } = await getTokens(app(), person, application)
    await change(application, { maxAuthAge: 3600 })
    app().clock.advance(3_600_000)
    const renewed = await refresh(app(), application, refresh_token)
    assert.equal(renewed.statusCode, 200, renewed.body)
    app().clock.advance(1000)
    const refused = await refresh(app(), application, renewed.json<Tokens>().refresh_token)
    assert.equal(refused.json<{ error: string }>().error, 'invalid_grant')
  })

  test('tokens live as long as the application says', async () => {
    const settings = { accessTokenLifetime: 60, refreshTokenLifetime: 300, refreshMaxAge: 400 }
    const grantTypes = ['authorization_code' as const, 'refresh_token' as const, 'client_credentials' as const]
    const application = await registerApplication(app(), { ...settings, grantTypes })
    const person = await signedIn()
    const first = await getTokens(app(), person, application)
    assert.equal(first.expires_in, 60)
    const ofClient = await postForm(app(), '/oauth/token', {
      grant_type: 'client_credentials',
      scope: 'email',
      ...credentials(application),
    })
    assert.equal(ofClient.json<Tokens>().expires_in, 60)
    app().clock.advance(59_999)
    assert.equal(await isLive(app(), application, first.access_token), true)
    app().clock.advance(1)
    assert.equal(await isLive(app(), application, first.access_token), false)
    app().clock.advance(239_999)
    const second = (await refresh(app(), application, first.refresh_token)).json<Tokens>()
    assert.equal(await isLive(app(), application, second.refresh_token), true)
    // 400 seconds after the sign-in, although it was issued 100 seconds ago.
    app().clock.advance(100_001)
    assert.equal(await isLive(app(), application, second.refresh_token), false)
    assert.equal((await refresh(app(), application, second.refresh_token)).statusCode, 400)
    // Unused for longer than one lives.
    const { refresh_token } = await getTokens(app(), person, application)
    app().clock.advance(300_000)
    assert.equal((await refresh(app(), application, refresh_token)).statusCode, 400)
    const { exp, iat } = (
      await introspect(app(), application, (await getTokens(app(), person, application)).refresh_token)
    ).json<{ exp: number; iat: number }>()
    assert.equal(exp - iat, 300)
  })

  test('introspection says how and when the person signed in, and nothing of it for a client', async () => {
    const grantTypes = ['authorization_code' as const, 'refresh_token' as const, 'client_credentials' as const]
    const application = await registerApplication(app(), { grantTypes })
    const { person, authenticator } = await withPasskey()
    const weak = await getTokens(app(), person, application)
    const signedInAt = Math.floor(app().clock.now() / 1000)
    app().clock.advance(5000)
    await proveWithPasskey(person, authenticator)
    const strong = await getTokens(app(), person, application)
    const told = async (token: string) => {
      const { acr, auth_time } = (await introspect(app(), application, token)).json()
      return { acr, auth_time }
    }
    for (const token of [weak.access_token, weak.refresh_token])
      assert.deepEqual(await told(token), { acr: '1', auth_time: signedInAt })
    for (const token of [strong.access_token, strong.refresh_token])
      assert.deepEqual(await told(token), { acr: 'phr', auth_time: signedInAt + 5 })
    const ofClient = await postForm(app(), '/oauth/token', {
      grant_type: 'client_credentials',
      scope: 'email',
      ...credentials(application),
    })
    const none = { acr: undefined, auth_time: undefined }
    assert.deepEqual(await told(ofClient.json<Tokens>().access_token), none)
  })

  test('a device is let in only by a sign-in that is enough, and waits until then', async () => {
    const client = await registerDeviceClient(app(), { requiredAcr: '2', maxAuthAge: 60 })
    const { person, code } = await withApp()
    const { user_code, device_code } = await startDevice(app(), client)
    const refused = await decide(person, user_code)
    assert.equal(refused.statusCode, 403, refused.body)
    const { error: _, ...told } = refused.json()
    const reason = 'device_needs_step_up'
    assert.deepEqual(told, { code: 'step_up_needed', reason, acr: '2', methods: ['password', 'second_step'] })
    assert.equal((await poll(app(), client, device_code)).json().error, 'authorization_pending')
    await prove(person, { code: code() })
    app().clock.advance(60_001)
    const tooOld = await decide(person, user_code)
    assert.deepEqual([tooOld.json().code, tooOld.json().acr], ['step_up_needed', '1'])
    await prove(person, { code: code() })
    assert.equal((await decide(person, user_code)).statusCode, 200)
    const tokens = await poll(app(), client, device_code)
    assert.equal((await introspect(app(), client, tokens.json<Tokens>().access_token)).json().acr, '2')
    // Refusing a device demands nothing.
    const other = await startDevice(app(), client)
    assert.equal((await decide(await signIn(app(), person.user), other.user_code, false)).statusCode, 200)
  })

  test('a device that was let in before the demand gets no token by it', async () => {
    const client = await registerDeviceClient(app())
    const person = await signedIn()
    const { user_code, device_code } = await startDevice(app(), client)
    assert.equal((await decide(person, user_code)).statusCode, 200)
    await change(client, { requiredAcr: '2' })
    assert.equal((await poll(app(), client, device_code)).json().error, 'invalid_grant')
    await change(client, { requiredAcr: null })
    await deviceTokens(app(), person, client)
  })

  test('the settings are refused where they are out of range, or of the other kind of application', async () => {
    const application = await registerApplication(app())
    const site = (
      await admin.post('/oauth/clients', { clientType: 'proxied', name: 'Wiki', hosts: [`wiki-${engine}.example.com`] })
    ).json<{ client_id: string }>()
    const statusOf = async (id: string, settings: object) =>
      (await admin.patch(`/oauth/clients/${id}`, settings)).statusCode
    const ranges = {
      maxAuthAge: [60, 2_592_000],
      accessTokenLifetime: [60, 3600],
      refreshTokenLifetime: [300, 2_592_000],
      refreshMaxAge: [300, 7_776_000],
    }
    for (const [name, [min = 0, max = 0]] of Object.entries(ranges)) {
      for (const good of [min, max, null]) assert.equal(await statusOf(application.clientId, { [name]: good }), 200)
      for (const bad of [min - 1, max + 1, min + 0.5, String(min), true])
        assert.equal(await statusOf(application.clientId, { [name]: bad }), 400, `${name} ${bad}`)
    }
    for (const bad of ['3', '', 1, 'PHR']) assert.equal(await statusOf(application.clientId, { requiredAcr: bad }), 400)
    assert.equal(await statusOf(application.clientId, { sessionMaxAge: 60 }), 400)
    assert.equal(await statusOf(site.client_id, { accessTokenLifetime: 60 }), 400)
    assert.equal(await statusOf(site.client_id, { requiredAcr: '2', maxAuthAge: 60, sessionMaxAge: 60 }), 200)
    const { client } = (await admin.get(`/oauth/clients/${site.client_id}`)).json()
    assert.deepEqual([client.requiredAcr, client.maxAuthAge, client.sessionMaxAge], ['2', 60, 60])
  })

  test('the metadata lists the strengths', async () => {
    const { acr_values_supported } = (await anonymous(app()).get('/.well-known/openid-configuration')).json()
    assert.deepEqual(acr_values_supported, ['phr', '2', '1'])
  })

  test('GET /api/auth/fresh says what a person can prove with, and needs a session', async () => {
    const { person } = await withApp()
    const answer = (await person.get('/api/auth/fresh')).json()
    assert.deepEqual([answer.acr, answer.methods], ['1', ['password', 'second_step']])
    assert.equal((await anonymous(app()).get('/api/auth/fresh')).statusCode, 401)
    const visitor = anonymous(app())
    assert.equal(cookieOf(await visitor.get('/api/auth/fresh')), undefined)
  })
})
