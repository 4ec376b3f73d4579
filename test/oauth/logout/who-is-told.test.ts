import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sharedApp } from '../../support/app.ts'
import {
  claimsOf,
  consent,
  encode,
  getTokens,
  locationOf,
  refresh,
  registerApplication,
  type Tokens,
} from '../../support/application.ts'
import { onEachEngine } from '../../support/engines.ts'
import { signedInPerson, type SignedInPerson, signIn } from '../../support/people.ts'
import { endAccess, giveAccess } from '../../support/ways-access-ends.ts'
import { LOGOUT_URI, toldOf, waitingLogouts } from './logouts.ts'

const DAY = 86_400_000
const TOLD = { backchannelLogoutUri: LOGOUT_URI }
const STRICT = { ...TOLD, backchannelLogoutSessionRequired: true }

onEachEngine('applications that are told', (engine) => {
  const app = sharedApp({ engine, sends: false })
  /** Signed in anew: these tests let weeks go by. */
  const newAdmin = () => signedInPerson(app(), { admin: true })
  const signOut = async (person: SignedInPerson) =>
    assert.equal((await person.post('/api/auth/logout')).statusCode, 200)
  const lifecycle = async ({ user }: SignedInPerson, action: 'enable' | 'disable') =>
    assert.equal((await (await newAdmin()).post(`/api/admin/users/${user.id}/lifecycle`, { action })).statusCode, 200)
  /** As if everything had been sent. */
  const acknowledgeAll = () =>
    app().services.db.transaction((trx) =>
      trx.updateTable('outbox_deliveries').set({ state: 'acknowledged', finished_at: 0 }).execute(),
    )

  test('are told of a session whose tokens have expired, as long as it lasts', async () => {
    const person = await signedInPerson(app())
    const application = await registerApplication(app(), TOLD)
    const tokens = await getTokens(app(), person, application, { scope: 'openid' })
    for (let day = 0; day < 20; day++) {
      app().clock.advance(DAY)
      await app().tick()
    }
    await signOut(person)
    assert.deepEqual(await toldOf(app(), application, person), [{ sid: claimsOf(tokens.id_token)['sid'] }])
  })

  test('are told nothing of a session that expired, and still its sid when all ends a little later', async () => {
    const person = await signedInPerson(app())
    const application = await registerApplication(app(), STRICT)
    const tokens = await getTokens(app(), person, application, { scope: 'openid' })
    for (let day = 0; day < 45; day++) {
      app().clock.advance(DAY)
      await app().tick()
    }
    assert.deepEqual(await toldOf(app(), application, person), [])
    await lifecycle(person, 'disable')
    assert.deepEqual(await toldOf(app(), application, person), [{ sid: claimsOf(tokens.id_token)['sid'] }])
  })

  test('are told again only when they got something since', async () => {
    const person = await signedInPerson(app(), { password: 'four unusual words here' })
    const application = await registerApplication(app(), TOLD)
    await getTokens(app(), person, application)
    const passwords = { currentPassword: 'four unusual words here', newPassword: 'entirely new words now' }
    assert.equal((await person.post('/api/account/password', passwords)).statusCode, 200)
    assert.deepEqual(await toldOf(app(), application, person), [{}])
    await acknowledgeAll()
    const later = await signIn(app(), person.user)
    await signOut(person)
    await lifecycle(person, 'disable')
    assert.deepEqual(await toldOf(app(), application, person), [], 'of the session that went on')

    await lifecycle(person, 'enable')
    const again = await signIn(app(), later.user)
    const { id_token: idToken } = await getTokens(app(), again, application)
    await signOut(again)
    assert.deepEqual(await toldOf(app(), application, person), [{ sid: claimsOf(idToken)['sid'] }])
    await acknowledgeAll()
    await lifecycle(person, 'disable')
    assert.deepEqual(await toldOf(app(), application, person), [{}], 'a sid alone does not say that all has ended')
  })

  test('a disable repeats what was not acknowledged, so that its receipt waits for that', async () => {
    const person = await signedInPerson(app(), { password: 'four unusual words here' })
    const [application, strict] = [await registerApplication(app(), TOLD), await registerApplication(app(), STRICT)]
    const tokens = await getTokens(app(), person, strict)
    await getTokens(app(), person, application)
    const passwords = { currentPassword: 'four unusual words here', newPassword: 'entirely new words now' }
    assert.equal((await person.post('/api/account/password', passwords)).statusCode, 200)
    await lifecycle(person, 'disable')
    for (const [{ clientId }, fact] of [
      [application, {}],
      [strict, { sid: claimsOf(tokens.id_token)['sid'] }],
    ] as const) {
      assert.deepEqual(await toldOf(app(), { clientId }, person), [fact])
      assert.ok((await waitingLogouts(app(), clientId)).at(-1)?.actionId)
    }
  })

  test('enabling an account tells nobody', async () => {
    const person = await signedInPerson(app())
    const application = await registerApplication(app(), TOLD)
    await getTokens(app(), person, application)
    await lifecycle(person, 'disable')
    await acknowledgeAll()
    await lifecycle(person, 'enable')
    assert.deepEqual(await toldOf(app(), application, person), [])
  })

  test('one token without sid replaces what waits for that person, but not what is being sent', async () => {
    const [person, other] = [await signedInPerson(app()), await signedInPerson(app())]
    const application = await registerApplication(app(), TOLD)
    for (const each of [person, other]) {
      const elsewhere = await signIn(app(), each.user)
      for (const session of [each, elsewhere]) await getTokens(app(), session, application)
      for (const session of [each, elsewhere]) await signOut(session)
    }
    const [first, second] = await waitingLogouts(app(), application.clientId)
    await app().services.db.transaction((trx) =>
      trx
        .updateTable('outbox_deliveries')
        .set({ claim: 'sending' })
        .where('number', '=', first?.number ?? 0)
        .execute(),
    )
    await lifecycle(person, 'disable')
    const [sending, replaced, ...rest] = await waitingLogouts(app(), application.clientId)
    assert.deepEqual([sending?.number, sending?.replacedBy], [first?.number, null])
    assert.deepEqual([replaced?.number, replaced?.replacedBy], [second?.number, rest.at(-1)?.number])
    assert.deepEqual(rest.at(-1)?.fact, {})
    assert.deepEqual(
      rest.slice(0, 2).map(({ personId, replacedBy }) => [personId, replacedBy]),
      [0, 1].map(() => [other.user.id, null]),
    )
    const disabled = rest.at(-1)?.number
    await lifecycle(person, 'enable')
    await getTokens(app(), await signIn(app(), person.user), application)
    await lifecycle(person, 'disable')
    const now = await waitingLogouts(app(), application.clientId)
    const newest = now.at(-1)?.number
    assert.deepEqual(
      now.filter(({ number }) => [second?.number, disabled].includes(number)).map(({ replacedBy }) => replacedBy),
      [newest, newest],
      'the newest one covers all',
    )
  })

  test('a sid that waits is not said twice', async () => {
    const person = await signedInPerson(app())
    const application = await registerApplication(app(), STRICT)
    const { id_token: idToken } = await getTokens(app(), person, application)
    await signOut(person)
    await lifecycle(person, 'disable')
    assert.deepEqual(await toldOf(app(), application, person), [{ sid: claimsOf(idToken)['sid'] }])
    assert.equal((await waitingLogouts(app(), application.clientId)).length, 2)
  })

  test('after the reuse of one refresh token they are told again of what is left', async () => {
    const access = await giveAccess(app(), await newAdmin(), TOLD)
    await getTokens(app(), access.elsewhere, access.application)
    await endAccess(access, 'refresh_token_reused')
    assert.deepEqual(await toldOf(app(), access.application, access.person), [{}])
    await acknowledgeAll()
    await endAccess(access, 'signed_out_by_administrator')
    assert.deepEqual(await toldOf(app(), access.application, access.person), [{}])
    await acknowledgeAll()
    await endAccess(access, 'disabled')
    assert.deepEqual(await toldOf(app(), access.application, access.person), [])
  })

  test('a trial of a sign-in tells nobody', async () => {
    const { clientId } = await registerApplication(app(), TOLD)
    const person = await signedInPerson(app(), { permissions: ['oauth_clients:read'] })
    const trial = (await person.post(`/oauth/clients/${clientId}/trial`)).json<Record<string, string>>()
    const page = await consent(person, locationOf(await person.get(trial['authorizeUrl'] ?? '')))
    const result = await person.post(`/oauth/clients/${clientId}/trial/result`, {
      code: page.searchParams.get('code'),
      codeVerifier: trial['codeVerifier'],
    })
    assert.equal(result.statusCode, 200, result.body)
    await signOut(person)
    await lifecycle(person, 'disable')
    assert.deepEqual(await toldOf(app(), { clientId }, person), [])
  })

  test('what was there before this version is told without sid', async () => {
    const person = await signedInPerson(app())
    const [application, strict] = [await registerApplication(app(), TOLD), await registerApplication(app(), STRICT)]
    for (const each of [application, strict]) await getTokens(app(), person, each)
    await app().services.db.transaction(async (trx) => {
      await trx
        .updateTable('oauth_authorization_codes')
        .set({ session_id: null })
        .where('user_id', '=', person.user.id)
        .execute()
      await trx.deleteFrom('oauth_client_sessions').where('user_id', '=', person.user.id).execute()
    })
    await signOut(person)
    assert.deepEqual(await toldOf(app(), application, person), [])
    await lifecycle(person, 'disable')
    assert.deepEqual(await toldOf(app(), application, person), [{}])
    assert.deepEqual(await toldOf(app(), strict, person), [], 'it has no sid to be told')
  })

  test('a client that asks to be told later is told of the sessions that it refreshes in', async () => {
    const person = await signedInPerson(app())
    const application = await registerApplication(app())
    const tokens = await getTokens(app(), person, application)
    assert.equal((await (await newAdmin()).patch(`/oauth/clients/${application.clientId}`, TOLD)).statusCode, 200)
    const refreshed = (await refresh(app(), application, tokens.refresh_token)).json<Tokens>()
    const { sid } = claimsOf(refreshed.id_token)
    assert.match(String(sid), /^[\w-]{32}$/)
    const noted = await app()
      .services.db.read.selectFrom('oauth_client_sessions')
      .select('session_id')
      .where('client_id', '=', application.clientId)
      .execute()
    assert.deepEqual(noted, [{ session_id: person.sessionId }])
    assert.equal((await person.get(`/oauth/logout?${encode({ id_token_hint: refreshed.id_token })}`)).statusCode, 302)
    assert.deepEqual(await toldOf(app(), application, person), [{ sid }])
  })
})
