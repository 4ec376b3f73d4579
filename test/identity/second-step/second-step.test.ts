import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { before, test } from 'node:test'
import type { Response } from 'light-my-request'
import { base32, codeOf, stepAt } from '../../../src/identity/second-step/totp.ts'
import { createVault } from '../../../src/platform/crypto/vault.ts'
import { resealKeys } from '../../../src/platform/keys/reseal-keys.ts'
import { SECRET_KEY, sharedApp, startApp } from '../../support/app.ts'
import { claimsOf, getTokens, registerApplication } from '../../support/application.ts'
import { onEachEngine } from '../../support/engines.ts'
import { lastMailTo } from '../../support/mail.ts'
import { anonymous, cookieOf, type Person, signedInPerson, type SignedInPerson, signIn } from '../../support/people.ts'
import { login as loginWithPasskey, newAuthenticator, register } from '../passkeys/ceremonies.ts'
import { addApp, beginLogin, finishLogin, oathCode, STEP_MS } from './authenticator-app.ts'

const PASSWORD = 'four unusual words here'
const MINUTE = 60_000

test('codes are those of oathtool, for every length of a counter', () => {
  for (const at of [59_000, 1_111_111_109_000, 2_000_000_000_000, 20_000_000_000_000]) {
    const secret = randomBytes(20)
    assert.equal(codeOf(secret, stepAt(at)), oathCode(base32(secret), at))
  }
  // RFC 4648 section 10.
  assert.deepEqual(
    ['', 'f', 'fo', 'foo', 'foob', 'fooba', 'foobar'].map((text) => base32(Buffer.from(text))),
    ['', 'MY', 'MZXQ', 'MZXW6', 'MZXW6YQ', 'MZXW6YTB', 'MZXW6YTBOI'],
  )
})

onEachEngine('the second step of a sign-in', (engine) => {
  const app = sharedApp({ engine })
  let admin: SignedInPerson
  before(async () => {
    admin = await signedInPerson(app(), { admin: true })
  })
  const visitor = () => anonymous(app())
  const withApp = async () => {
    const person = await signedInPerson(app(), { password: PASSWORD })
    const { email } = person.user
    return { person, email, password: PASSWORD, ...(await addApp(app(), person)) }
  }
  const assertWrong = (answer: Response, reason = 'second_step_wrong') => {
    assert.equal(answer.statusCode, 401, answer.body)
    const { code, reason: given } = answer.json<{ code: string; reason: string }>()
    assert.deepEqual([code, given], ['wrong_proof', reason])
    assert.equal(answer.headers['set-cookie'], undefined)
  }
  const typesOf = async (person: Person): Promise<string[]> =>
    (await person.get('/api/notifications')).json().notifications.map(({ type }: { type: string }) => type)

  test('is turned on with a first code, and told', async () => {
    const person = await signedInPerson(app(), { password: PASSWORD })
    await app().services.db.transaction((trx) =>
      trx.updateTable('users').set({ email_verified: 1 }).where('id', '=', person.user.id).execute(),
    )
    const off = { enabled: false, recoveryCodesLeft: 0 }
    assert.deepEqual((await person.get('/api/account/totp')).json(), off)
    assert.equal((await person.post('/api/account/totp/confirm', { code: '000000' })).statusCode, 409)
    const first = (await person.post('/api/account/totp')).json<{ secret: string }>()
    const begun = (await person.post('/api/account/totp')).json<{ secret: string; uri: string; qr: string }>()
    assert.match(begun.secret, /^[A-Z2-7]{32}$/)
    const uri = new URL(begun.uri)
    assert.equal(uri.protocol, 'otpauth:')
    assert.deepEqual(Object.fromEntries(uri.searchParams), {
      secret: begun.secret,
      issuer: 'Latchkey',
      algorithm: 'SHA1',
      digits: '6',
      period: '30',
    })
    assert.match(begun.qr, /^<svg/)
    assert.ok(!/<script|href|on\w+=/i.test(begun.qr))
    // The first secret was replaced, and nothing counts yet.
    const replaced = await person.post('/api/account/totp/confirm', { code: oathCode(first.secret, app().clock.now()) })
    assert.equal(replaced.statusCode, 400)
    assert.equal(replaced.json<{ code: string }>().code, 'wrong_code')
    assert.deepEqual((await person.get('/api/account/totp')).json(), off)
    const { email } = person.user
    assert.ok('user' in (await visitor().post('/api/auth/login', { email, password: PASSWORD })).json())

    const code = oathCode(begun.secret, app().clock.now())
    const confirmed = await person.post('/api/account/totp/confirm', { code })
    const { recoveryCodes } = confirmed.json<{ recoveryCodes: string[] }>()
    assert.equal(new Set(recoveryCodes).size, 10)
    for (const each of recoveryCodes) assert.match(each, /^[a-z2-7]{4}-[a-z2-7]{4}-[a-z2-7]{4}$/)
    assert.deepEqual((await person.get('/api/account/totp')).json(), { enabled: true, recoveryCodesLeft: 10 })
    assert.ok((await typesOf(person)).includes('security.totp_added'))
    assert.match((await lastMailTo(app(), email, '/not-me')).text, /authenticator app/)
    for (const again of ['/api/account/totp', '/api/account/totp/confirm'])
      assert.equal((await person.post(again, again.endsWith('confirm') ? { code } : undefined)).statusCode, 409)
    // The session that was there stays; the code that turned it on is used up.
    const waiting = await beginLogin(visitor(), { email, password: PASSWORD })
    assertWrong(await finishLogin(visitor(), waiting, { code }))
  })

  test('is asked for after the right password, with no session and no known browser until it is done', async () => {
    const { email, password, code } = await withApp()
    const waiting = await beginLogin(visitor(), { email, password })
    assert.deepEqual(waiting.methods, ['totp', 'recovery_code'])
    const [cookie, ...others] = [waiting.answer.headers['set-cookie'] ?? ''].flat()
    assert.deepEqual(others, [])
    assert.match(cookie ?? '', /^second_step=[\w-]{43}; Path=\/; HttpOnly; Secure; SameSite=Strict; Max-Age=300$/)
    const wrong = await visitor().post('/api/auth/login', { email, password: 'wrong' })
    assert.equal(wrong.statusCode, 401)
    const done = await finishLogin(visitor(), waiting, { code: code() })
    assert.equal(done.statusCode, 200, done.body)
    assert.equal(done.json<{ user: { email: string } }>().user.email, email)
    const cookies = [done.headers['set-cookie'] ?? ''].flat()
    assert.ok(cookies.some((each) => each.startsWith('known_browser=')))
    assert.ok(cookies.some((each) => each.startsWith('second_step=; ') && each.endsWith('Max-Age=0')))
    const session = anonymous(app(), cookieOf(done))
    const me = (await session.get('/api/auth/me')).json<{ session: { freshUntil: number } }>()
    assert.equal(me.session.freshUntil, app().clock.now() + 10 * MINUTE)
    const application = await registerApplication(app())
    const { acr, amr } = claimsOf((await getTokens(app(), session, application)).id_token)
    assert.deepEqual({ acr, amr }, { acr: '2', amr: ['pwd', 'otp'] })
    // It satisfies what demands less, and not what demands more.
    const demand = (values: string[]) => ({
      claims: JSON.stringify({ id_token: { acr: { essential: true, values } } }),
    })
    await getTokens(app(), session, application, demand(['1']))
    await assert.rejects(getTokens(app(), session, application, { ...demand(['phr']), prompt: 'none' }))
    assertWrong(await finishLogin(visitor(), waiting, { code: code(1) }), 'sign_in_over')
  })

  test('takes a code one step either side, each once, in whatever order', async () => {
    const { email, password, code } = await withApp()
    app().clock.advance(5 * STEP_MS)
    const attempt = async (given: string) =>
      finishLogin(visitor(), await beginLogin(visitor(), { email, password }), { code: given })
    for (const steps of [2, -2]) assertWrong(await attempt(code(steps)))
    for (const steps of [1, -1, 0]) assert.equal((await attempt(code(steps))).statusCode, 200, String(steps))
    for (const steps of [1, -1, 0]) assertWrong(await attempt(code(steps)))
    for (const given of ['12345', '1234567', 'abcdef', '']) assert.equal((await attempt(given)).statusCode, 400, given)
  })

  test('taken with one code by two at once, on two replicas, lets one in', async (t) => {
    const others = { engine, storage: app().storage, clock: app().clock }
    const replica = engine === 'postgres' ? await startApp(t, others) : app()
    const { email, password, code } = await withApp()
    const [one, other] = [visitor(), anonymous(replica)]
    const waiting = [await beginLogin(one, { email, password }), await beginLogin(other, { email, password })] as const
    const given = { code: code() }
    const answers = await Promise.all([finishLogin(one, waiting[0], given), finishLogin(other, waiting[1], given)])
    assert.deepEqual(
      answers.map(({ statusCode }) => statusCode).toSorted((a, b) => a - b),
      [200, 401],
    )
    // The same for one sign-in and two recovery codes.
    const { recoveryCodes, ...second } = await withApp()
    const once = await beginLogin(one, second)
    const both = await Promise.all(
      [one, other].map((each, at) => finishLogin(each, once, { recoveryCode: recoveryCodes[at] })),
    )
    assert.deepEqual(
      both.map(({ statusCode }) => statusCode).toSorted((a, b) => a - b),
      [200, 401],
    )
    const left = (await second.person.get('/api/account/totp')).json<{ recoveryCodesLeft: number }>()
    assert.equal(left.recoveryCodesLeft, 9)
  })

  test('belongs to the browser that gave the password, for five minutes and five tries', async () => {
    const { email, password, code } = await withApp()
    const [mine, theirs] = [
      await beginLogin(visitor(), { email, password }),
      await beginLogin(visitor(), { email, password }),
    ]
    for (const cookie of ['', theirs.cookie, 'second_step=', `second_step=${'x'.repeat(43)}`])
      assertWrong(await finishLogin(visitor(), { id: mine.id, cookie }, { code: code() }), 'sign_in_over')
    assertWrong(await finishLogin(visitor(), { id: 'unknown', cookie: mine.cookie }, { code: code() }), 'sign_in_over')
    for (let tries = 0; tries < 4; tries++) assertWrong(await finishLogin(visitor(), mine, { code: code(7) }))
    assert.equal((await finishLogin(visitor(), mine, { code: code() })).statusCode, 200)
    for (let tries = 0; tries < 5; tries++) assertWrong(await finishLogin(visitor(), theirs, { code: code(7) }))
    assertWrong(await finishLogin(visitor(), theirs, { code: code(1) }), 'sign_in_over')
    const late = await beginLogin(visitor(), { email, password })
    app().clock.advance(5 * MINUTE)
    assertWrong(await finishLogin(visitor(), late, { code: code() }), 'sign_in_over')
  })

  test('can be guessed 20 times an hour, from all addresses together, which neither a known browser nor a recovery code minds', async () => {
    const { person, email, password, code, recoveryCodes } = await withApp()
    const known = await finishLogin(visitor(), await beginLogin(visitor(), { email, password }), { code: code() })
    const browser = /known_browser=[^;]*/.exec([known.headers['set-cookie'] ?? ''].flat().join('\n'))?.[0] ?? ''
    for (let guess = 0; guess < 20; guess++) {
      const waiting = await beginLogin(visitor(), { email, password })
      assertWrong(
        await finishLogin(visitor(), waiting, guess % 4 ? { code: code(9) } : { recoveryCode: 'aaaa-bbbb-cccc' }),
      )
    }
    app().clock.advance(STEP_MS)
    const waiting = await beginLogin(visitor(), { email, password })
    const refused = await finishLogin(visitor(), waiting, { code: code() })
    assert.equal(refused.statusCode, 429, refused.body)
    assert.ok(Number(refused.headers['retry-after']) > 3000)
    const guessed = await finishLogin(visitor(), waiting, { recoveryCode: 'aaaa-bbbb-cccc' })
    assert.equal(guessed.statusCode, 429)
    const recovered = await finishLogin(visitor(), waiting, { recoveryCode: recoveryCodes[0] })
    assert.equal(recovered.statusCode, 200, recovered.body)
    const own = await beginLogin(visitor(), { email, password }, { cookie: browser })
    const cookie = `${own.cookie}; ${browser}`
    assert.equal((await finishLogin(visitor(), { id: own.id, cookie }, { code: code() })).statusCode, 200)
    // A session and the password do not help to guess on.
    const proof = await person.post('/api/auth/fresh', { password, code: code(1) })
    assert.equal(proof.statusCode, 429)
  })

  test('can be guessed no more often by somebody who makes one browser after the other a known one', async () => {
    const { email, password, code } = await withApp()
    const guesses: number[] = []
    for (let browsers = 0; browsers < 3; browsers++) {
      await visitor().post('/api/auth/password-reset', { email })
      await app().tick()
      const { token } = await lastMailTo(app(), email, '/reset-password')
      const reset = await visitor().post('/api/auth/password-reset/confirm', { token, newPassword: password })
      const browser = /known_browser=[^;]*/.exec([reset.headers['set-cookie'] ?? ''].flat().join('\n'))?.[0] ?? ''
      for (let guess = 0; guess < 20; guess++) {
        const waiting = await beginLogin(visitor(), { email, password }, { cookie: browser })
        const cookie = `${waiting.cookie}; ${browser}`
        guesses.push((await finishLogin(visitor(), { id: waiting.id, cookie }, { code: code(9) })).statusCode)
      }
    }
    assert.deepEqual([guesses.indexOf(429), guesses.lastIndexOf(401)], [40, 39])
  })

  test('may be a recovery code, once, however it is typed, which proves no more than a password and is told', async () => {
    const { person, email, password, recoveryCodes } = await withApp()
    const [first = '', second = ''] = recoveryCodes
    const begin = () => beginLogin(visitor(), { email, password })
    const typed = ` ${first.toUpperCase().replaceAll('-', ' ')} `
    const done = await finishLogin(visitor(), await begin(), { recoveryCode: typed })
    assert.equal(done.statusCode, 200, done.body)
    assertWrong(await finishLogin(visitor(), await begin(), { recoveryCode: first }))
    const session = anonymous(app(), cookieOf(done))
    const { acr, amr } = claimsOf((await getTokens(app(), session, await registerApplication(app()))).id_token)
    assert.deepEqual({ acr, amr }, { acr: '1', amr: ['pwd'] })
    const { notifications } = (await person.get('/api/notifications')).json()
    const used = notifications.find(({ type }: { type: string }) => type === 'security.recovery_code_used')
    assert.deepEqual(used.data, { left: 9 })
    // One of somebody else is worth nothing, and new ones replace the rest.
    const other = await withApp()
    assertWrong(await finishLogin(visitor(), await beginLogin(visitor(), other), { recoveryCode: second }))
    const renewed = (await person.post('/api/account/recovery-codes')).json<{ recoveryCodes: string[] }>().recoveryCodes
    assertWrong(await finishLogin(visitor(), await begin(), { recoveryCode: second }))
    assert.equal((await finishLogin(visitor(), await begin(), { recoveryCode: renewed[9] })).statusCode, 200)
  })

  test('is part of the proof that makes a session fresh', async () => {
    const { person, password, code, recoveryCodes } = await withApp()
    const application = await registerApplication(app())
    const acr = async () => claimsOf((await getTokens(app(), person, application)).id_token)['acr']
    app().clock.advance(10 * MINUTE)
    const alone = await person.post('/api/auth/fresh', { password })
    assert.equal(alone.statusCode, 401)
    assert.equal(alone.json<{ code: string }>().code, 'second_step_needed')
    assertWrong(await person.post('/api/auth/fresh', { password: 'wrong', code: code() }), 'proof_wrong')
    assertWrong(await person.post('/api/auth/fresh', { password, code: code(5) }))
    assert.equal(await acr(), '1')
    const app403 = await person.post('/api/account/app-passwords', { name: 'x', client_id: 'x' })
    assert.deepEqual(app403.json<{ methods: string[] }>().methods, ['password', 'second_step'])
    // A recovery code makes it fresh and raises nothing; a code of the app does, and is used up for a sign-in too.
    const recovered = await person.post('/api/auth/fresh', { password, recoveryCode: recoveryCodes[0] })
    assert.deepEqual(recovered.json(), { freshUntil: app().clock.now() + 10 * MINUTE })
    assert.equal(await acr(), '1')
    const given = { code: code() }
    assert.equal((await person.post('/api/auth/fresh', { password, ...given })).statusCode, 200)
    assert.equal(await acr(), '2')
    assertWrong(
      await finishLogin(visitor(), await beginLogin(visitor(), { email: person.user.email, password }), given),
    )
    app().clock.advance(MINUTE)
    assert.equal((await person.post('/api/auth/fresh', { password, recoveryCode: recoveryCodes[1] })).statusCode, 200)
    assert.equal(await acr(), '2')
  })

  test('is not asked of a passkey', async () => {
    const { person } = await withApp()
    const authenticator = newAuthenticator()
    assert.equal((await register(person, authenticator)).statusCode, 200)
    const signedIn = await loginWithPasskey(visitor(), authenticator)
    assert.equal(signedIn.statusCode, 200)
    assert.ok(cookieOf(signedIn))
  })

  test('stays through a reset by mail, which makes no session without it', async () => {
    const { person, email, password, code } = await withApp()
    const waiting = await beginLogin(visitor(), { email, password })
    await visitor().post('/api/auth/password-reset', { email })
    await app().tick()
    const { token } = await lastMailTo(app(), email, '/reset-password')
    const newPassword = 'another four unusual words'
    const reset = await visitor().post('/api/auth/password-reset/confirm', { token, newPassword })
    assert.equal(reset.statusCode, 200, reset.body)
    assert.equal((await person.get('/api/auth/me')).statusCode, 401)
    // What waited was begun with the old password.
    assertWrong(await finishLogin(visitor(), waiting, { code: code() }), 'sign_in_over')
    const again = await beginLogin(visitor(), { email, password: newPassword })
    assert.equal((await finishLogin(visitor(), again, { code: code() })).statusCode, 200)
  })

  test('that a stranger added goes with the first proof of the address, and by “this was not me”', async () => {
    const email = `${engine}-squatted@example.com`
    const registered = await visitor().post('/api/auth/register', { email, password: PASSWORD })
    const stranger = Object.assign(anonymous(app(), cookieOf(registered)), {
      sessionId: '',
      user: registered.json().user,
    })
    await addApp(app(), stranger)
    await visitor().post('/api/auth/password-reset', { email })
    await app().tick()
    const { token } = await lastMailTo(app(), email, '/reset-password')
    const newPassword = 'another four unusual words'
    await visitor().post('/api/auth/password-reset/confirm', { token, newPassword })
    assert.ok('user' in (await visitor().post('/api/auth/login', { email, password: newPassword })).json())

    const { person } = await withApp()
    const { notifications } = (await person.get('/api/notifications')).json()
    const { id } = notifications.find(({ type }: { type: string }) => type === 'security.totp_added')
    const undone = await person.post(`/api/notifications/${id}/not-me`, { currentPassword: PASSWORD })
    assert.equal(undone.statusCode, 200, undone.body)
    assert.deepEqual(undone.json<{ removes: object[] }>().removes, [{ kind: 'totp', name: null, count: 1 }])
    const signedIn = await signIn(app(), person.user)
    assert.deepEqual((await signedIn.get('/api/account/totp')).json(), { enabled: false, recoveryCodesLeft: 0 })
  })

  test('is removed by its owner, and by an administrator who holds no less, and what waited for it is over', async () => {
    const { person, email, password, code } = await withApp()
    const waiting = await beginLogin(visitor(), { email, password })
    const url = `/api/admin/users/${person.user.id}/totp`
    const details = async () =>
      (await admin.get(`/api/admin/users/${person.user.id}`)).json<{ hasSecondStep: boolean }>().hasSecondStep
    assert.equal(await details(), true)
    assert.equal((await person.delete(url)).statusCode, 403)
    assert.equal((await admin.delete(url)).statusCode, 200)
    assert.equal((await admin.delete(url)).statusCode, 409)
    assert.equal(await details(), false)
    assert.ok((await typesOf(person)).includes('security.totp_removed'))
    assertWrong(await finishLogin(visitor(), waiting, { code: code() }), 'sign_in_over')
    assert.ok('user' in (await visitor().post('/api/auth/login', { email, password })).json())
    const lifecycle = await signedInPerson(app(), { permissions: ['users:lifecycle'] })
    const strong = await signedInPerson(app(), { admin: true, password: PASSWORD })
    await addApp(app(), strong)
    assert.equal((await lifecycle.delete(`/api/admin/users/${strong.user.id}/totp`)).statusCode, 403)
    assert.equal((await strong.delete('/api/account/totp')).statusCode, 200)
    assert.equal((await strong.delete('/api/account/totp')).statusCode, 409)
    assert.equal((await strong.post('/api/account/recovery-codes')).statusCode, 409)
  })

  test('does not let in who was disabled meanwhile', async () => {
    const { person, email, password, code } = await withApp()
    const waiting = await beginLogin(visitor(), { email, password })
    await admin.post(`/api/admin/users/${person.user.id}/lifecycle`, { action: 'disable' })
    const refused = await finishLogin(visitor(), waiting, { code: code() })
    assert.equal(refused.statusCode, 403)
    assert.deepEqual(refused.json(), { error: 'Your account has been disabled.' })
  })

  test('has its secret sealed and its codes hashed in the database, and neither in the log', async () => {
    const { person, secret, recoveryCodes } = await withApp()
    const { db } = app().services
    const user = await db.read.selectFrom('users').selectAll().where('id', '=', person.user.id).executeTakeFirst()
    const codes = await db.read.selectFrom('recovery_codes').selectAll().where('user_id', '=', person.user.id).execute()
    const stored = JSON.stringify([user, codes])
    for (const hidden of [secret, ...recoveryCodes, ...recoveryCodes.map((code) => code.replaceAll('-', ''))])
      assert.ok(!stored.includes(hidden) && !app().logged().includes(hidden))
  })

  test('works after everything was sealed with another SECRET_KEY', async (t) => {
    const own = await startApp(t, { engine })
    const person = await signedInPerson(own, { password: PASSWORD })
    const { code } = await addApp(own, person)
    const other = 'another secret key of at least thirty-two characters'
    const resealed = await resealKeys(own.services, createVault(SECRET_KEY), createVault(other))
    assert.equal(resealed.authenticatorApps, 1)
    const { totp_sealed: sealed } = await own.services.db.read
      .selectFrom('users')
      .select('totp_sealed')
      .where('id', '=', person.user.id)
      .executeTakeFirstOrThrow()
    const secret = createVault(other).open(`totp:${person.user.id}`, sealed ?? '')
    assert.equal(codeOf(secret, stepAt(own.clock.now())), code())
    assert.throws(() => createVault(other).open('totp:somebody-else', sealed ?? ''))
  })
})
