import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PublicKeyCredentialCreationOptionsJSON } from '@simplewebauthn/server'
import type { Response } from 'light-my-request'
import { sharedApp, startApp, type TestApp } from '../../support/app.ts'
import { onEachEngine, MAIN_ENGINE } from '../../support/engines.ts'
import { lastMailTo } from '../../support/mail.ts'
import { anonymous, type Person, signedInPerson, type SignedInPerson } from '../../support/people.ts'
import { addApp, beginLogin, finishLogin } from '../second-step/authenticator-app.ts'
import { assertRefused, login, newAuthenticator, register, tally, verifyRegistration } from './ceremonies.ts'

const PASSWORD = 'correct horse battery staple'
const MINUTE = 60_000
const FIVE_MINUTES = 5 * MINUTE
const SEVEN_DAYS = 7 * 24 * 60 * MINUTE
const OPTIONS = '/api/passkeys/register/options'

/** What a browser makes that asks nobody: neither user presence nor user verification. */
const ASKED_NOBODY = { flags: { UP: false, UV: false } }

const cookiesOf = (answer: Response): string[] =>
  [answer.headers['set-cookie'] ?? ''].flat().map((each) => each.split(';')[0] ?? '')
const cookieNamed = (name: string, answer: Response): string =>
  cookiesOf(answer).find((cookie) => cookie.startsWith(`${name}=`)) ?? ''

interface Browser extends Person {
  /** Its cookie as a known browser. */
  known: string
}

const browserOf = (app: TestApp, answer: Response): Browser => {
  assert.equal(answer.statusCode, 200, answer.body)
  const token = cookieNamed('session', answer).slice('session='.length)
  return Object.assign(anonymous(app, token), { known: cookieNamed('known_browser', answer) })
}

/** Signs in with the password, in a new browser or in one that is known. */
const signIn = async (app: TestApp, { email }: { email: string }, known = ''): Promise<Browser> =>
  browserOf(app, await anonymous(app).post('/api/auth/login', { email, password: PASSWORD }, { cookie: known }))

/** Signs in with the password, in a browser that did so for the first time that long ago. */
async function signInAfter(app: TestApp, person: { email: string }, since = SEVEN_DAYS): Promise<Browser> {
  const { known } = await signIn(app, person)
  app.clock.advance(since)
  return signIn(app, person, known)
}

async function conditionalOptions(person: Person): Promise<PublicKeyCredentialCreationOptionsJSON> {
  const answer = await person.post(OPTIONS, { conditional: true })
  assert.equal(answer.statusCode, 200, answer.body)
  return answer.json()
}

const mayCreate = async (person: Person): Promise<boolean> =>
  (await person.get('/api/passkeys/signals')).json<{ mayCreate: boolean }>().mayCreate

/** That the browser can't make a passkey by itself, and is told so beforehand. */
async function assertNotOffered(person: Person): Promise<void> {
  assert.equal(await mayCreate(person), false)
  const answer = await person.post(OPTIONS, { conditional: true })
  assert.deepEqual([answer.statusCode, answer.json().reason], [403, 'no_conditional_passkey'], answer.body)
}

onEachEngine('passkeys that a browser makes by itself', (engine) => {
  const shared = sharedApp({ engine, config: { rateLimits: false } })
  const somebody = async (): Promise<SignedInPerson['user']> =>
    (await signedInPerson(shared(), { password: PASSWORD })).user

  test('are made once after a sign-in with the password in a browser known for seven days, without presence and verification', async () => {
    const app = shared()
    const user = await somebody()
    await app.services.db.transaction((trx) =>
      trx.updateTable('users').set({ confirmed_email: user.email }).where('id', '=', user.id).execute(),
    )
    const browser = await signInAfter(app, user)
    assert.equal(await mayCreate(browser), true)
    const authenticator = newAuthenticator()
    const options = await conditionalOptions(browser)
    const made = await verifyRegistration(browser, authenticator.register(options, ASKED_NOBODY))
    assert.equal(made.statusCode, 200, made.body)
    const { passkey } = made.json<{ passkey: { id: string; name: string } }>()
    assert.equal((await login(anonymous(app), authenticator)).statusCode, 200)
    await assertNotOffered(browser)

    // The person is told, and can say that it was somebody else.
    const { notifications } = (await browser.get('/api/notifications')).json<{
      notifications: { id: string; type: string; data: object }[]
    }>()
    const told = notifications.find(({ type }) => type === 'security.passkey_added')
    assert.deepEqual(told?.data, { passkeyId: passkey.id, name: passkey.name, conditional: true })
    const mail = await lastMailTo(app, user.email, '/not-me')
    assert.match(mail.text, /the browser made the passkey .*Passkey.* for your account .* by itself/)
    const undone = await anonymous(app).post('/api/auth/not-me/confirm', { token: mail.token })
    assert.equal(undone.statusCode, 200, undone.body)
    assert.deepEqual(
      undone.json<{ removes: { kind: string }[] }>().removes.map(({ kind }) => kind),
      ['passkey'],
    )
    assert.equal((await login(anonymous(app), authenticator)).statusCode, 401)
  })

  test('are made once even when 20 requests for options come at once, and 20 answers', async (t) => {
    const app = shared()
    const user = await somebody()
    const browser = await signInAfter(app, user)
    // On PostgreSQL at two replicas.
    const { storage, clock } = app
    const replica =
      engine === 'postgres' ? await startApp(t, { engine, storage, clock, config: { rateLimits: false } }) : app
    const elsewhere = anonymous(replica, browser.cookie)
    const at = (index: number) => (index % 2 ? browser : elsewhere)
    const begun = await Promise.all(
      Array.from({ length: 20 }, (_, index) => at(index).post(OPTIONS, { conditional: true })),
    )
    assert.deepEqual(tally(begun), { 200: 1, 403: 19 })
    const options = begun.find(({ statusCode }) => statusCode === 200)?.json()
    const response = newAuthenticator().register(options, ASKED_NOBODY)
    const answers = await Promise.all(Array.from({ length: 20 }, (_, index) => verifyRegistration(at(index), response)))
    assert.deepEqual(tally(answers), { 200: 1, 401: 19 })
    const { passkeys } = (await browser.get('/api/passkeys')).json<{ passkeys: object[] }>()
    assert.equal(passkeys.length, 1)
  })

  test('are not made in a browser that has been known for less than seven days, or that is not known', async () => {
    const app = shared()
    const user = await somebody()
    const { known } = await signIn(app, user)
    app.clock.advance(SEVEN_DAYS - 1)
    const early = await signIn(app, user, known)
    await assertNotOffered(early)
    app.clock.advance(1)
    await assertNotOffered(early)
    await assertNotOffered(await signIn(app, user))
    // That of another account of this browser does not count.
    const other = await somebody()
    await assertNotOffered(await signIn(app, other, known))
    assert.equal(await mayCreate(await signIn(app, user, known)), true)
  })

  test('are made within five minutes of that sign-in, and not by a session that was only proved again', async () => {
    const app = shared()
    const user = await somebody()
    const browser = await signInAfter(app, user)
    app.clock.advance(FIVE_MINUTES - 1)
    const options = await conditionalOptions(browser)
    assert.equal(options.timeout, 1)
    const authenticator = newAuthenticator()
    app.clock.advance(1)
    assertRefused(await verifyRegistration(browser, authenticator.register(options, ASKED_NOBODY)))
    const late = await signIn(app, user, browser.known)
    app.clock.advance(FIVE_MINUTES)
    await assertNotOffered(late)
    const proved = await late.post(
      '/api/auth/fresh',
      { password: PASSWORD },
      { cookie: `session=${late.cookie}; ${late.known}` },
    )
    assert.equal(proved.statusCode, 200, proved.body)
    await assertNotOffered(late)
  })

  // The rest is the same on every engine.
  if (engine !== MAIN_ENGINE) return

  test('are not made after a sign-in with a passkey', async () => {
    const app = shared()
    const user = await somebody()
    const { known } = await signIn(app, user)
    const person = await signIn(app, user, known)
    const authenticator = newAuthenticator()
    assert.equal((await register(person, authenticator)).statusCode, 200)
    app.clock.advance(SEVEN_DAYS)
    const begun = await anonymous(app).post('/api/passkeys/login/options', {})
    const response = authenticator.authenticate(begun.json())
    const body = { challengeId: begun.json().challengeId, response }
    await assertNotOffered(
      browserOf(app, await anonymous(app).post('/api/passkeys/login/verify', body, { cookie: known })),
    )
  })

  test('with a second step are made after that, and not between the steps', async () => {
    const app = shared()
    const user = await somebody()
    const browser = await signIn(app, user)
    const { recoveryCodes, code } = await addApp(app, Object.assign(browser, { user, sessionId: '' }))
    app.clock.advance(SEVEN_DAYS)
    const given = { email: user.email, password: PASSWORD }
    const waiting = await beginLogin(anonymous(app), given, { cookie: browser.known })
    assert.equal(
      (await anonymous(app).post(OPTIONS, { conditional: true }, { cookie: waiting.cookie })).statusCode,
      401,
    )
    const cookie = `${browser.known}; ${waiting.cookie}`
    const finished = browserOf(app, await finishLogin(anonymous(app), waiting, { code: code() }, { cookie }))
    const made = await verifyRegistration(
      finished,
      newAuthenticator().register(await conditionalOptions(finished), ASKED_NOBODY),
    )
    assert.equal(made.statusCode, 200, made.body)
    const again = await beginLogin(anonymous(app), given, { cookie: browser.known })
    const recovered = await finishLogin(
      anonymous(app),
      again,
      { recoveryCode: recoveryCodes[0] },
      { cookie: `${browser.known}; ${again.cookie}` },
    )
    assert.equal(await mayCreate(browserOf(app, recovered)), true)
    // A stranger who knows both steps is none.
    app.clock.advance(MINUTE)
    const elsewhere = await beginLogin(anonymous(app), given)
    await assertNotOffered(browserOf(app, await finishLogin(anonymous(app), elsewhere, { code: code() })))
  })

  test('no other challenge may be answered without user presence', async () => {
    const app = shared()
    const user = await somebody()
    const browser = await signInAfter(app, user)
    const authenticator = newAuthenticator()
    for (const body of [undefined, {}, { conditional: false }]) {
      const options = (await browser.post(OPTIONS, body)).json()
      assertRefused(await verifyRegistration(browser, authenticator.register(options, ASKED_NOBODY)))
    }
    assert.equal(await mayCreate(browser), true)
    // While one of both kinds is waiting, each answer is held to its own.
    const asked = (await browser.post(OPTIONS)).json()
    const byItself = await conditionalOptions(browser)
    assertRefused(await verifyRegistration(browser, authenticator.register(asked, ASKED_NOBODY)))
    assert.equal((await verifyRegistration(browser, authenticator.register(byItself, ASKED_NOBODY))).statusCode, 200)
  })

  test('the challenge serves in its session alone, for no proof and no sign-in, and ends with a failed attempt', async () => {
    const app = shared()
    const user = await somebody()
    const browser = await signInAfter(app, user)
    const elsewhere = await signIn(app, user)
    const stranger = await signedInPerson(app)
    const authenticator = newAuthenticator()
    const options = await conditionalOptions(browser)
    for (const person of [elsewhere, stranger]) {
      assertRefused(
        await verifyRegistration(person, authenticator.register(options, { ...ASKED_NOBODY, ignoreExclusions: true })),
      )
    }
    const own = newAuthenticator()
    assert.equal((await register(browser, own)).statusCode, 200)
    const { id } = await app.services.db.read
      .selectFrom('passkey_challenges')
      .select('id')
      .where('challenge', '=', options.challenge)
      .executeTakeFirstOrThrow()
    const assertion = own.authenticate({ challenge: options.challenge, rpId: 'localhost' })
    const proof = await browser.post('/api/auth/fresh', { challengeId: id, response: assertion })
    assert.deepEqual([proof.statusCode, proof.json().code], [401, 'wrong_proof'])
    assertRefused(await anonymous(app).post('/api/passkeys/login/verify', { challengeId: id, response: assertion }))

    const response = authenticator.register(options, { ...ASKED_NOBODY, origin: 'https://evil.example' })
    assertRefused(await verifyRegistration(browser, response))
    assertRefused(await verifyRegistration(browser, authenticator.register(options, ASKED_NOBODY)))
    await assertNotOffered(browser)
  })

  test('are not made by somebody who holds a role that requires a passkey, and are by who holds one that requires less', async () => {
    const app = shared()
    const admin = await signedInPerson(app, { admin: true })
    const begin = async (requires: string) => {
      const user = await somebody()
      const browser = await signInAfter(app, user)
      const made = await admin.post('/api/admin/roles', { name: `requires ${requires}`, requires })
      const { role } = made.json<{ role: { id: string } }>()
      const given = await admin.post(`/api/admin/users/${user.id}/roles`, { roleId: role.id })
      assert.equal(given.statusCode, 200, given.body)
      return browser.post(OPTIONS, { conditional: true })
    }
    const answer = await begin('passkey')
    assert.deepEqual([answer.statusCode, answer.json().reason], [403, 'no_conditional_passkey'], answer.body)
    assert.equal((await begin('none')).statusCode, 200)
  })

  test('a session that has ended makes none', async () => {
    const app = shared()
    const browser = await signInAfter(app, await somebody())
    const options = await conditionalOptions(browser)
    assert.equal((await browser.post('/api/auth/logout')).statusCode, 200)
    const response = newAuthenticator().register(options, ASKED_NOBODY)
    assert.equal((await verifyRegistration(browser, response)).statusCode, 401)
    assert.equal((await browser.post(OPTIONS, { conditional: true })).statusCode, 401)
  })

  test('a session of an earlier version, and one that began under a wrong clock, offer none', async () => {
    const app = shared()
    const user = await somebody()
    const browser = await signInAfter(app, user)
    const setSessions = (values: { offers_passkey?: number; created_at?: number }) =>
      app.services.db.transaction((trx) =>
        trx.updateTable('sessions').set(values).where('user_id', '=', user.id).execute(),
      )
    await setSessions({ created_at: app.clock.now() + 60 * MINUTE })
    await assertNotOffered(browser)
    await setSessions({ created_at: app.clock.now() })
    assert.equal(await mayCreate(browser), true)
    await setSessions({ offers_passkey: 0 })
    await assertNotOffered(browser)
  })
})
