import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ACCESS_ENDS, type AccessEnd } from '../../../src/vocabulary/access-ends.ts'
import { sharedApp, type TestApp } from '../../support/app.ts'
import { getTokens, isLive, refresh, registerApplication, type Tokens } from '../../support/application.ts'
import { onEachEngine } from '../../support/engines.ts'
import { signedInPerson, type SignedInPerson } from '../../support/people.ts'
import { endAccess, giveAccess } from '../../support/ways-access-ends.ts'
import { decide, poll, registerDeviceClient, startDevice } from '../device/devices.ts'
import { waitingLogouts } from './logouts.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** The session ends when it is unused for 12 hours. */
const forget = ({ services }: TestApp, { sessionId }: SignedInPerson) =>
  services.db.transaction((trx) =>
    trx
      .updateTable('sessions')
      .set({ remembered: 0, expires_at: services.now() + DAY })
      .where('id', '=', sessionId)
      .execute(),
  )
const lastUse = async ({ services }: TestApp, { sessionId }: SignedInPerson): Promise<number | undefined> =>
  (await services.db.read.selectFrom('sessions').select('last_used_at').where('id', '=', sessionId).execute())[0]
    ?.last_used_at

onEachEngine('refresh tokens of a client', (engine) => {
  const app = sharedApp({ engine, sends: false })
  const ways = (Object.keys(ACCESS_ENDS) as AccessEnd[]).filter((way) => ACCESS_ENDS[way].reach === 'session')

  for (const way of ways)
    test(`${way}: they end with the session, and outlive it where that is not set`, async () => {
      const admin = await signedInPerson(app(), { admin: true })
      const access = await giveAccess(app(), admin, { refreshTokens: 'session' })
      const { application, tokens, elsewhere, person } = access
      const offline = await registerApplication(app())
      const kept = await getTokens(app(), person, offline)
      const inOtherSession = await registerApplication(app(), { refreshTokens: 'session' })
      const alsoKept = await getTokens(app(), elsewhere, inOtherSession)

      await endAccess(access, way)

      assert.equal((await refresh(app(), application, tokens.refresh_token)).statusCode, 400)
      for (const token of [tokens.access_token, tokens.refresh_token])
        assert.equal(await isLive(app(), application, token), false)
      assert.equal((await refresh(app(), offline, kept.refresh_token)).statusCode, 200)
      assert.equal((await refresh(app(), inOtherSession, alsoKept.refresh_token)).statusCode, 200)
    })

  const SETTINGS = { refreshTokens: 'session', backchannelLogoutUri: 'https://app.example/logout' } as const
  const assertNobodyTold = async (application: { clientId: string }) =>
    assert.deepEqual(await waitingLogouts(app(), application.clientId), [])

  test('a session that was not used for too long ends them, in silence', async () => {
    const person = await signedInPerson(app())
    await forget(app(), person)
    const application = await registerApplication(app(), SETTINGS)
    const { refresh_token: token } = await getTokens(app(), person, application)
    app().clock.advance(12 * HOUR - 1)
    assert.equal(await isLive(app(), application, token), true)
    app().clock.advance(1)
    assert.equal(await isLive(app(), application, token), false)
    assert.equal((await refresh(app(), application, token)).statusCode, 400)
    await assertNobodyTold(application)
  })

  test('a session that expired ends them, and the sweep revokes what is left, in silence', async () => {
    const person = await signedInPerson(app())
    await forget(app(), person)
    const [application, offline] = [await registerApplication(app(), SETTINGS), await registerApplication(app())]
    for (let hours = 0; hours < 22; hours += 11) {
      app().clock.advance(11 * HOUR)
      assert.equal((await person.get('/api/auth/me')).statusCode, 200)
    }
    app().clock.advance(1.5 * HOUR)
    const tokens = await getTokens(app(), person, application)
    const kept = await getTokens(app(), person, offline)
    app().clock.advance(HOUR / 2)
    assert.equal((await refresh(app(), application, tokens.refresh_token)).statusCode, 400)
    await app().tick()
    assert.equal(await isLive(app(), application, tokens.access_token), false)
    assert.equal(await isLive(app(), offline, kept.access_token), true)
    assert.equal((await refresh(app(), offline, kept.refresh_token)).statusCode, 200)
    await assertNobodyTold(application)
  })

  test('a refresh counts as use of the session, once a minute, and only where they end with it', async () => {
    for (const refreshTokens of ['session', 'offline'] as const) {
      const person = await signedInPerson(app())
      const application = await registerApplication(app(), { refreshTokens })
      let { refresh_token: token } = await getTokens(app(), person, application)
      await forget(app(), person)
      const before = await lastUse(app(), person)
      const renew = async () => {
        token = (await refresh(app(), application, token)).json<Tokens>().refresh_token
      }
      app().clock.advance(MINUTE - 1)
      await renew()
      assert.equal(await lastUse(app(), person), before)
      app().clock.advance(11 * HOUR)
      await renew()
      assert.equal(await lastUse(app(), person), refreshTokens === 'session' ? app().clock.now() : before)
      app().clock.advance(11 * HOUR)
      const { statusCode } = await person.get('/api/auth/me')
      assert.equal(statusCode, refreshTokens === 'session' ? 200 : 401)
    }
  })

  test('those of a device have no session to end with', async () => {
    const person = await signedInPerson(app())
    const television = await registerDeviceClient(app(), { refreshTokens: 'session' })
    const started = await startDevice(app(), television, { scope: 'openid offline_access' })
    assert.equal((await decide(person, started.user_code)).statusCode, 200)
    const tokens = (await poll(app(), television, started.device_code)).json<Tokens>()
    assert.equal((await person.post('/api/auth/logout')).statusCode, 200)
    assert.equal((await refresh(app(), television, tokens.refresh_token)).statusCode, 200)
  })
})
