import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { Response } from 'light-my-request'
import { sharedApp, startApp } from '../../support/app.ts'
import { claimsOf, getTokens, refresh, registerApplication, type Tokens } from '../../support/application.ts'
import type { Authenticator } from '../../support/authenticator.ts'
import { onEachEngine } from '../../support/engines.ts'
import { anonymous, cookieOf, type Person, signedInPerson, signIn } from '../../support/people.ts'
import { enrol, login, loginOptions, newAuthenticator, register, verifyLogin } from '../passkeys/ceremonies.ts'

const PASSWORD = 'four unusual words here'
const MINUTE = 60_000
const FRESH_MS = 10 * MINUTE

interface Options {
  challengeId: string
  options: Parameters<Authenticator['authenticate']>[0]
}

onEachEngine('a fresh sign-in', (engine) => {
  const app = sharedApp({ engine })
  let application: Awaited<ReturnType<typeof registerApplication>>
  before(async () => {
    application = await registerApplication(app())
    const admin = await signedInPerson(app(), { admin: true })
    assert.equal((await admin.patch('/api/admin/settings', { freshSignIn: true })).statusCode, 200)
  })
  const signedIn = () => signedInPerson(app(), { password: PASSWORD })
  const freshUntil = async (person: Person): Promise<number | null> =>
    (await person.get('/api/auth/me')).json<{ session: { freshUntil: number | null } }>().session.freshUntil
  /** Something that needs one. */
  const attempt = async (person: Person): Promise<number> =>
    (await person.post('/api/passkeys/register/options', {})).statusCode
  const optionsOf = async (person: Person): Promise<Options> => {
    const answer = await person.post('/api/auth/fresh/options', {})
    assert.equal(answer.statusCode, 200, answer.body)
    return answer.json<Options>()
  }
  const assertWrong = (answer: Response) => {
    assert.equal(answer.statusCode, 401, answer.body)
    assert.equal(answer.json<{ code: string }>().code, 'wrong_proof')
  }
  const stale = () => app().clock.advance(FRESH_MS)

  test('is every sign-in and registration, for ten minutes', async () => {
    const visitor = anonymous(app())
    const email = `${engine}-new@example.com`
    const registered = await visitor.post('/api/auth/register', { email, password: PASSWORD })
    const person = anonymous(app(), cookieOf(registered))
    assert.equal(await freshUntil(person), app().clock.now() + FRESH_MS)
    app().clock.advance(FRESH_MS - 1)
    assert.equal(await attempt(person), 200)
    app().clock.advance(1)
    assert.equal(await freshUntil(person), null)
    assert.equal(await attempt(person), 403)
    const again = anonymous(app(), cookieOf(await visitor.post('/api/auth/login', { email, password: PASSWORD })))
    assert.equal(await attempt(again), 200)
    // The other session of the same person gains nothing by it.
    assert.equal(await attempt(person), 403)
  })

  test('is made of a session with the password, on every replica, and of no other session', async (t) => {
    const others = { engine, storage: app().storage, clock: app().clock }
    // A file of SQLite has one process.
    const replica = engine === 'postgres' ? await startApp(t, others) : app()
    const person = await signedIn()
    const elsewhere = await signIn(app(), person.user)
    stale()
    assert.equal(await attempt(person), 403)
    const proved = await anonymous(replica, person.cookie).post('/api/auth/fresh', { password: PASSWORD })
    assert.deepEqual(proved.json(), { freshUntil: app().clock.now() + FRESH_MS })
    assert.equal(await attempt(person), 200)
    assert.equal(await attempt(elsewhere), 403)
    assert.equal(await freshUntil(elsewhere), null)
  })

  test('needs the right password, and a wrong one leaves the session and counts like a failed sign-in', async () => {
    const person = await signedIn()
    stale()
    for (let guess = 0; guess < 10; guess++)
      assertWrong(await person.post('/api/auth/fresh', { password: `wrong ${guess}` }))
    const limited = await person.post('/api/auth/fresh', { password: PASSWORD })
    assert.equal(limited.statusCode, 429, limited.body)
    const login = await anonymous(app()).post('/api/auth/login', { email: person.user.email, password: PASSWORD })
    assert.equal(login.statusCode, 429)
    assert.equal((await person.get('/api/auth/me')).statusCode, 200)
    assert.equal(await freshUntil(person), null)
    const events = await app()
      .services.db.read.selectFrom('audit_events')
      .select(['outcome', 'method'])
      .where('action', '=', 'session.proved')
      .where('actor_id', '=', person.user.id)
      .execute()
    assert.deepEqual(
      events,
      Array.from({ length: 10 }, () => ({ outcome: 'refused', method: 'password' })),
    )
  })

  test('is not to be had without a session, nor with a password where there is none', async () => {
    assert.equal((await anonymous(app()).post('/api/auth/fresh', { password: PASSWORD })).statusCode, 401)
    assert.equal((await anonymous(app()).post('/api/auth/fresh/options', {})).statusCode, 401)
    const { person } = await enrol(app())
    assertWrong(await person.post('/api/auth/fresh', { password: PASSWORD }))
    assert.equal((await (await signedIn()).post('/api/auth/fresh/options', {})).statusCode, 404)
    for (const body of [{}, { password: PASSWORD, challengeId: 'x' }, { password: '' }])
      assert.equal((await person.post('/api/auth/fresh', body)).statusCode, 400)
  })

  test('is made with a passkey, whose challenge serves once and in this session alone', async () => {
    const { person, authenticator } = await enrol(app())
    const elsewhere = await signIn(app(), person.user)
    stale()
    const borrowed = await optionsOf(elsewhere)
    assertWrong(
      await person.post('/api/auth/fresh', {
        challengeId: borrowed.challengeId,
        response: authenticator.authenticate(borrowed.options),
      }),
    )
    const { challengeId, options } = await optionsOf(person)
    const response = authenticator.authenticate(options)
    const proved = await person.post('/api/auth/fresh', { challengeId, response })
    assert.deepEqual(proved.json(), { freshUntil: app().clock.now() + FRESH_MS })
    assert.equal(await attempt(person), 200)
    assert.equal(await attempt(elsewhere), 403)
    assertWrong(await person.post('/api/auth/fresh', { challengeId, response }))
    const late = await optionsOf(person)
    app().clock.advance(5 * MINUTE)
    assertWrong(
      await person.post('/api/auth/fresh', {
        challengeId: late.challengeId,
        response: authenticator.authenticate(late.options),
      }),
    )
  })

  test('is made by an authenticator that leaves out the user handle, and by no passkey of somebody else', async () => {
    const { person, authenticator } = await enrol(app())
    const other = await enrol(app())
    stale()
    const theirs = await optionsOf(person)
    const credential = { ...theirs.options, allowCredentials: [] }
    const { challengeId } = theirs
    assertWrong(
      await person.post('/api/auth/fresh', { challengeId, response: other.authenticator.authenticate(credential) }),
    )
    const own = await optionsOf(person)
    const response = authenticator.authenticate(own.options, { userHandle: null })
    const proved = await person.post('/api/auth/fresh', { challengeId: own.challengeId, response })
    assert.equal(proved.statusCode, 200, proved.body)
  })

  test('and a sign-in with a passkey do not take each other’s challenges', async () => {
    const { person, authenticator, visitor } = await enrol(app())
    stale()
    const proof = await optionsOf(person)
    const signedIn = await verifyLogin(visitor, proof.challengeId, authenticator.authenticate(proof.options))
    assert.equal(signedIn.statusCode, 401)
    const options = await loginOptions(visitor)
    const response = authenticator.authenticate(options)
    assertWrong(await person.post('/api/auth/fresh', { challengeId: options.challengeId, response }))
  })

  test('proved twice at once with one response is proved once', async () => {
    const { person, authenticator } = await enrol(app(), { counts: false })
    stale()
    const { challengeId, options } = await optionsOf(person)
    const response = authenticator.authenticate(options)
    const prove = () => person.post('/api/auth/fresh', { challengeId, response })
    const statuses = (await Promise.all([prove(), prove(), prove()])).map(({ statusCode }) => statusCode)
    assert.deepEqual(
      statuses.toSorted((a, b) => a - b),
      [200, 401, 401],
    )
  })

  test('raises what applications are told from then on, and no token that was issued before', async () => {
    const person = await signedIn()
    const authenticator = newAuthenticator()
    assert.equal((await register(person, authenticator)).statusCode, 200)
    const signedInAt = Math.floor(app().clock.now() / 1000)
    const earlier = await getTokens(app(), person, application, { prompt: 'consent' })
    const facts = ({ id_token }: Tokens) => {
      const { acr, amr, auth_time } = claimsOf(id_token)
      return { acr, amr, auth_time }
    }
    assert.deepEqual(facts(earlier), { acr: '1', amr: ['pwd'], auth_time: signedInAt })
    stale()
    const { challengeId, options } = await optionsOf(person)
    const response = authenticator.authenticate(options)
    assert.equal((await person.post('/api/auth/fresh', { challengeId, response })).statusCode, 200)
    const raisedAt = Math.floor(app().clock.now() / 1000)
    const raised = { acr: 'phr', amr: claimsOf((await getTokens(app(), person, application)).id_token)['amr'] }
    assert.deepEqual(facts(await getTokens(app(), person, application)), { ...raised, auth_time: raisedAt })
    assert.ok((raised.amr as string[]).includes('user'))
    const renewed = (await refresh(app(), application, earlier.refresh_token)).json<Tokens>()
    assert.deepEqual(facts(renewed), { acr: '1', amr: ['pwd'], auth_time: signedInAt })

    stale()
    assert.equal((await person.post('/api/auth/fresh', { password: PASSWORD })).statusCode, 200)
    const later = await getTokens(app(), person, application, { max_age: '60' })
    assert.deepEqual(facts(later), { ...raised, auth_time: Math.floor(app().clock.now() / 1000) })
  })

  test('counts as a sign-in with a passkey where somebody without a password changes the address', async () => {
    const { person: first, authenticator } = await enrol(app())
    const change = (person: Person) => person.post('/api/account/email', { email: `${engine}-moved@example.net` })
    // The session of this person did not begin with the passkey.
    assert.equal((await change(first)).statusCode, 403)
    const { challengeId, options } = await optionsOf(first)
    const response = authenticator.authenticate(options)
    assert.equal((await first.post('/api/auth/fresh', { challengeId, response })).statusCode, 200)
    assert.equal((await change(first)).statusCode, 200)
    stale()
    const refused = await change(first)
    assert.deepEqual(refused.json<{ methods: string[] }>().methods, ['passkey'])
    const person = anonymous(app(), cookieOf(await login(anonymous(app()), authenticator)))
    assert.equal((await change(person)).statusCode, 200)
  })

  test('was not made in a session from before, nor in one from a clock that was ahead', async () => {
    const person = await signedIn()
    const store = (proved_at: number | null) =>
      app().services.db.transaction((trx) =>
        trx.updateTable('sessions').set({ proved_at }).where('id', '=', person.sessionId).execute(),
      )
    await store(null)
    assert.equal(await attempt(person), 403)
    assert.equal((await person.get('/api/auth/me')).statusCode, 200)
    await store(app().clock.now() + 365 * 24 * 60 * MINUTE)
    assert.equal(await attempt(person), 403)
    assert.equal((await person.post('/api/auth/fresh', { password: PASSWORD })).statusCode, 200)
    assert.equal(await attempt(person), 200)
  })

  test('lets somebody without a password set the first one, whatever the setting', async () => {
    const { person, authenticator } = await enrol(app())
    const set = (body: object) => person.post('/api/account/password', { newPassword: PASSWORD, ...body })
    stale()
    for (const freshSignIn of [false, true]) {
      const admin = await signedInPerson(app(), { admin: true })
      assert.equal((await admin.patch('/api/admin/settings', { freshSignIn })).statusCode, 200)
      const refused = await set({})
      assert.equal(refused.statusCode, 403, refused.body)
      assert.deepEqual(refused.json<{ methods: string[] }>().methods, ['passkey'])
    }
    const { challengeId, options } = await optionsOf(person)
    const response = authenticator.authenticate(options)
    assert.equal((await person.post('/api/auth/fresh', { challengeId, response })).statusCode, 200)
    assert.equal((await set({ currentPassword: PASSWORD })).statusCode, 400)
    const elsewhere = await signIn(app(), person.user)
    const both = await Promise.all([set({}), set({})])
    assert.deepEqual(
      both.map(({ statusCode }) => statusCode).toSorted((a, b) => a - b),
      [200, 400],
    )
    assert.equal((await elsewhere.get('/api/auth/me')).statusCode, 401)
    const login = await anonymous(app()).post('/api/auth/login', { email: person.user.email, password: PASSWORD })
    assert.equal(login.statusCode, 200)
    const missing = await set({ newPassword: 'another four unusual words' })
    assert.deepEqual(missing.json<{ issues: { path: string }[] }>().issues[0]?.path, 'currentPassword')
  })

  test('is not enough for a first password after the address was taken back', async () => {
    const { person } = await enrol(app())
    await app().services.db.transaction((trx) =>
      trx.updateTable('users').set({ review_access: 1 }).where('id', '=', person.user.id).execute(),
    )
    const refused = await person.post('/api/account/password', { newPassword: PASSWORD })
    assert.equal(refused.statusCode, 403)
    assert.equal(refused.json<{ reason: string }>().reason, 'password_needed_after_restore')
  })
})
