import assert from 'node:assert/strict'
import { test } from 'node:test'
import { digest } from '../../../src/platform/crypto/digest.ts'
import { sharedApp, startApp, type TestApp } from '../../support/app.ts'
import {
  type Application,
  claimsOf,
  exchangeCode,
  getCode,
  getTokens,
  newPkce,
  refresh,
  registerApplication,
  type Tokens,
} from '../../support/application.ts'
import { onEachEngine } from '../../support/engines.ts'
import { signedInPerson, type SignedInPerson, signIn } from '../../support/people.ts'
import { decide, poll, registerDeviceClient, startDevice } from '../device/devices.ts'
import { LOGOUT_URI } from './logouts.ts'

const TOLD = { backchannelLogoutUri: LOGOUT_URI }
const EVERYTHING = { ...TOLD, sessionExpiry: true }

const claimsAfterRefresh = async (app: TestApp, application: Application, { refresh_token: token }: Tokens) =>
  claimsOf((await refresh(app, application, token)).json<Tokens>().id_token)
const sidFor = async (app: TestApp, person: SignedInPerson, application: Application): Promise<unknown> =>
  claimsOf((await getTokens(app, person, application)).id_token)['sid']

onEachEngine('sid and session_expiry in ID tokens', (engine) => {
  const app = sharedApp({ engine, sends: false })

  test('sid is one for a session and a client, the same at every sign-in and refresh', async () => {
    const person = await signedInPerson(app())
    const again = await signIn(app(), person.user)
    const [photos, notes] = [await registerApplication(app(), TOLD), await registerApplication(app(), TOLD)]
    const tokens = await getTokens(app(), person, photos)
    const { sid } = claimsOf(tokens.id_token)
    assert.match(String(sid), /^[\w-]{32}$/)
    assert.equal(await sidFor(app(), person, photos), sid)
    assert.equal((await claimsAfterRefresh(app(), photos, tokens))['sid'], sid)
    const others = [await sidFor(app(), person, notes), await sidFor(app(), again, photos)]
    assert.equal(new Set([sid, ...others]).size, 3)
    const told = JSON.stringify([tokens.id_token, sid])
    for (const secret of [person.sessionId, person.cookie, digest(person.cookie)]) assert.ok(!told.includes(secret))
  })

  test('sid is the same on another replica, with another secret key', async (t) => {
    const person = await signedInPerson(app())
    const application = await registerApplication(app(), TOLD)
    const tokens = await getTokens(app(), person, application)
    const { sid } = claimsOf(tokens.id_token)
    if (engine === 'sqlite') return
    const second = await startApp(t, { storage: app().storage, clock: app().clock, engine })
    assert.equal((await claimsAfterRefresh(second, application, tokens))['sid'], sid)
  })

  test('clients that are told nothing get no sid; one with a stream of shared signals does', async () => {
    const person = await signedInPerson(app())
    const [silent, streaming] = [await registerApplication(app()), await registerApplication(app())]
    const now = app().clock.now()
    await app().services.db.transaction((trx) =>
      trx
        .insertInto('signal_streams')
        .values({
          client_id: streaming.clientId,
          id: streaming.clientId,
          status: 'enabled',
          delivery_method: 'poll',
          endpoint_url: null,
          authorization_sealed: null,
          events_requested: '[]',
          description: null,
          created_at: now,
          updated_at: now,
        })
        .execute(),
    )
    assert.equal(await sidFor(app(), person, silent), undefined)
    assert.match(String(await sidFor(app(), person, streaming)), /^[\w-]{32}$/)
  })

  test('session_expiry is the latest end of the session, for clients that want it', async () => {
    const person = await signedInPerson(app())
    const wanting = await registerApplication(app(), { sessionExpiry: true })
    const { expiresAt } = (await person.get('/api/auth/sessions'))
      .json<{ sessions: { current: boolean; expiresAt: number }[] }>()
      .sessions.find(({ current }) => current) ?? { expiresAt: 0 }
    const tokens = await getTokens(app(), person, wanting)
    for (const claims of [claimsOf(tokens.id_token), await claimsAfterRefresh(app(), wanting, tokens)]) {
      assert.equal(claims['session_expiry'], Math.floor(expiresAt / 1000))
      assert.ok(!('sid' in claims))
    }
    const other = await registerApplication(app(), TOLD)
    assert.ok(!('session_expiry' in claimsOf((await getTokens(app(), person, other)).id_token)))
  })

  test('a refresh after the end of the session carries neither', async () => {
    const person = await signedInPerson(app())
    const application = await registerApplication(app(), EVERYTHING)
    const tokens = await getTokens(app(), person, application)
    assert.equal((await person.post('/api/auth/logout')).statusCode, 200)
    const claims = await claimsAfterRefresh(app(), application, tokens)
    assert.equal(claims['sub'], person.user.id)
    assert.deepEqual([claims['sid'], claims['session_expiry']], [undefined, undefined])
  })

  test('tokens of devices never carry them', async () => {
    const person = await signedInPerson(app())
    const television = await registerDeviceClient(app(), EVERYTHING)
    const started = await startDevice(app(), television, { scope: 'openid offline_access' })
    assert.equal((await decide(person, started.user_code)).statusCode, 200)
    const tokens = (await poll(app(), television, started.device_code)).json<Tokens>()
    for (const claims of [claimsOf(tokens.id_token), await claimsAfterRefresh(app(), television, tokens)])
      assert.deepEqual([claims['sub'], claims['sid'], claims['session_expiry']], [person.user.id, undefined, undefined])
  })

  test('a code of a session that has ended is refused where the client was told of that', async () => {
    for (const [settings, status] of [
      [{}, 200],
      [TOLD, 400],
      [{ refreshTokens: 'session' }, 400],
    ] as const) {
      const person = await signedInPerson(app())
      const application = await registerApplication(app(), settings)
      const pkce = newPkce()
      const code = await getCode(person, application, pkce)
      assert.equal((await person.post('/api/auth/logout')).statusCode, 200)
      assert.equal((await exchangeCode(app(), application, code, pkce)).statusCode, status, JSON.stringify(settings))
    }
  })
})
