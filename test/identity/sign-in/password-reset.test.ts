import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ORIGIN, sharedApp, startApp, type TestApp } from '../../support/app.ts'
import { MAIN_ENGINE, onEachEngine } from '../../support/engines.ts'
import { sentMails, lastMailTo } from '../../support/mail.ts'
import { anonymous, cookieOf, signedInPerson } from '../../support/people.ts'

const OLD_PASSWORD = 'correct horse battery staple'
const NEW_PASSWORD = 'a different thing entirely'
const HOUR = 3_600_000

onEachEngine('password reset and email verification', (engine) => {
  const shared = sharedApp({ engine })
  const request = (app: TestApp, email: string, headers = {}) =>
    anonymous(app).post('/api/auth/password-reset', { email }, headers)
  const confirm = (app: TestApp, token: string, newPassword = NEW_PASSWORD) =>
    anonymous(app).post('/api/auth/password-reset/confirm', { token, newPassword })
  const login = (app: TestApp, email: string, password: string) =>
    anonymous(app).post('/api/auth/login', { email, password })

  test('of 20 concurrent uses of one link, exactly one succeeds', async () => {
    await signedInPerson(shared(), { email: 'race@example.com', password: OLD_PASSWORD })
    await request(shared(), 'race@example.com')
    const { token } = await lastMailTo(shared(), 'race@example.com', '/reset-password')
    const answers = await Promise.all(Array.from({ length: 20 }, () => confirm(shared(), token)))
    assert.equal(answers.filter(({ statusCode }) => statusCode === 200).length, 1)
  })

  // The rest is the same on every engine.
  if (engine !== MAIN_ENGINE) return

  test('POST /api/auth/password-reset gives the same answer for a known and an unknown email', async () => {
    await signedInPerson(shared(), { email: 'known@example.com', password: OLD_PASSWORD })
    const [known, unknown] = [
      await request(shared(), 'known@example.com'),
      await request(shared(), 'nobody@example.com'),
    ]
    assert.equal(known.statusCode, 200)
    assert.equal(known.body, unknown.body)
    const mails = await sentMails(shared())
    assert.ok(mails.some(({ to }) => to === 'known@example.com'))
    assert.ok(!mails.some(({ to }) => to === 'nobody@example.com'))
  })

  test('the link sets a new password, ends every session, and works once', async () => {
    const person = await signedInPerson(shared(), { email: 'reset@example.com', password: OLD_PASSWORD })
    await request(shared(), 'Reset@Example.com')
    const { token, link } = await lastMailTo(shared(), 'reset@example.com', '/reset-password')
    assert.match(token, /^pr_[A-Za-z0-9_-]{43}$/)
    assert.equal(link.origin, ORIGIN)
    assert.equal((await confirm(shared(), token)).statusCode, 200)
    assert.equal((await person.get('/api/auth/me')).statusCode, 401)
    assert.equal((await login(shared(), 'reset@example.com', OLD_PASSWORD)).statusCode, 401)
    assert.equal((await login(shared(), 'reset@example.com', NEW_PASSWORD)).statusCode, 200)
    const again = await confirm(shared(), token, 'yet another password')
    assert.equal(again.statusCode, 400)
    assert.equal(again.json().code, 'invalid_token')
  })

  test('a link is invalid after an hour, after a newer one was used, and after a password change', async (t) => {
    const app = await startApp(t, { engine })
    const person = await signedInPerson(app, { email: 'dies@example.com', password: OLD_PASSWORD })
    const newToken = async () => {
      await request(app, 'dies@example.com')
      return (await lastMailTo(app, 'dies@example.com', '/reset-password')).token
    }
    const first = await newToken()
    await person.post('/api/account/password', { currentPassword: OLD_PASSWORD, newPassword: 'changed meanwhile' })
    assert.equal((await confirm(app, first)).statusCode, 400, 'the password was changed')
    const [second, third] = [await newToken(), await newToken()]
    assert.equal((await confirm(app, third)).statusCode, 200)
    assert.equal((await confirm(app, second)).statusCode, 400, 'a newer one was used')
    const fourth = await newToken()
    app.clock.advance(HOUR)
    assert.equal((await confirm(app, fourth)).statusCode, 400, 'an hour has passed')
  })

  test('a newer link that was not used leaves the older one valid', async (t) => {
    const app = await startApp(t, { engine })
    await signedInPerson(app, { email: 'open@example.com', password: OLD_PASSWORD })
    await request(app, 'open@example.com')
    const { token } = await lastMailTo(app, 'open@example.com', '/reset-password')
    await request(app, 'open@example.com')
    const newer = await lastMailTo(app, 'open@example.com', '/reset-password')
    assert.notEqual(newer.token, token)
    assert.equal((await confirm(app, token)).statusCode, 200)
    assert.equal((await confirm(app, newer.token)).statusCode, 400, 'its use invalidates all others')
  })

  test('a weak new password is refused, and the link stays valid', async () => {
    await signedInPerson(shared(), { email: 'weak@example.com', password: OLD_PASSWORD })
    await request(shared(), 'weak@example.com')
    const { token } = await lastMailTo(shared(), 'weak@example.com', '/reset-password')
    assert.equal((await confirm(shared(), token, 'password1')).json().code, 'weak_password')
    assert.equal((await confirm(shared(), token)).statusCode, 200)
  })

  test('a link for an account that was disabled meanwhile is invalid', async () => {
    const { user } = await signedInPerson(shared(), { email: 'off@example.com', password: OLD_PASSWORD })
    await request(shared(), 'off@example.com')
    const { token } = await lastMailTo(shared(), 'off@example.com', '/reset-password')
    await shared().services.db.transaction((trx) =>
      trx.updateTable('users').set({ disabled_at: 1 }).where('id', '=', user.id).execute(),
    )
    assert.equal((await confirm(shared(), token)).statusCode, 400)
  })

  test('links ignore Host, X-Forwarded-Host and Forwarded', async () => {
    await signedInPerson(shared(), { email: 'host@example.com', password: OLD_PASSWORD })
    const evil = { host: 'evil.example', 'x-forwarded-host': 'evil.example', forwarded: 'host=evil.example' }
    await request(shared(), 'host@example.com', evil)
    const mail = await lastMailTo(shared(), 'host@example.com', '/reset-password')
    assert.equal(mail.link.origin, ORIGIN)
    assert.doesNotMatch(mail.text, /evil/)
  })

  test('an email that is not a string, or has line breaks, answers 400 and sends nothing', async () => {
    const before = (await sentMails(shared())).length
    for (const email of [
      ['a@example.com', 'b@example.com'],
      { $ne: null },
      'a@example.com\r\nBcc: b@example.com',
      'a@example.com%0aBcc:b',
    ]) {
      const response = await anonymous(shared()).post('/api/auth/password-reset', { email })
      assert.ok([200, 400].includes(response.statusCode))
      if (typeof email !== 'string' || /[\r\n]/.test(email)) assert.equal(response.statusCode, 400)
    }
    assert.equal((await sentMails(shared())).length, before)
  })

  test('more than 5 requests for one email from one IP address in an hour are silently dropped', async (t) => {
    const app = await startApp(t, { engine })
    await signedInPerson(app, { email: 'often@example.com', password: OLD_PASSWORD })
    for (let n = 0; n < 8; n++) assert.equal((await request(app, 'often@example.com')).statusCode, 200)
    assert.equal((await sentMails(app)).length, 5)
    app.clock.advance(HOUR)
    await request(app, 'often@example.com')
    assert.equal((await sentMails(app)).length, 6)
  })

  test('more than 30 requests from one IP address in an hour are silently dropped, for any email', async (t) => {
    const app = await startApp(t, { engine, config: { trustProxy: ['127.0.0.1'] } })
    await signedInPerson(app, { email: 'last@example.com', password: OLD_PASSWORD })
    const from = (address: string) => ({ 'x-forwarded-for': address })
    for (let n = 0; n < 30; n++) await request(app, `nobody${n}@example.com`, from(`2001:db8::${n}`))
    await request(app, 'last@example.com', from('2001:db8::ff'))
    assert.equal((await sentMails(app)).length, 0)
    await request(app, 'last@example.com', from('192.0.2.1'))
    assert.equal((await sentMails(app)).length, 1)
  })

  test("requests by others neither count against the limit of the owner nor invalidate the owner's link", async (t) => {
    const app = await startApp(t, { engine, config: { trustProxy: ['127.0.0.1'] } })
    await signedInPerson(app, { email: 'owner@example.com', password: OLD_PASSWORD })
    const from = (address: string) => ({ 'x-forwarded-for': address })
    await request(app, 'owner@example.com', from('192.0.2.1'))
    const open = await lastMailTo(app, 'owner@example.com', '/reset-password')
    for (let n = 0; n < 8; n++) await request(app, 'owner@example.com', from('203.0.113.1'))
    const before = (await sentMails(app)).length
    await request(app, 'owner@example.com', from('192.0.2.1'))
    assert.equal((await sentMails(app)).length, before + 1)
    assert.equal((await confirm(app, open.token)).statusCode, 200)
  })

  test('a known browser of an account gets a link in spite of the limit of its IP address, for that account only', async (t) => {
    const app = await startApp(t, { engine })
    await signedInPerson(app, { email: 'somebody@example.com', password: OLD_PASSWORD })
    const answer = await anonymous(app).post('/api/auth/register', {
      email: 'known@example.com',
      password: OLD_PASSWORD,
    })
    const cookie = [answer.headers['set-cookie'] ?? []].flat().at(-1)?.split(';')[0] ?? ''
    assert.match(cookie, /^known_browser=/)
    const mailsTo = async (email: string) => (await sentMails(app)).filter(({ to }) => to === email).length
    for (let n = 0; n < 30; n++) await request(app, `nobody${n}@example.com`)
    const before = await mailsTo('known@example.com')
    await request(app, 'known@example.com')
    assert.equal(await mailsTo('known@example.com'), before, 'another browser at this address gets none')
    for (let n = 0; n < 6; n++) await request(app, 'known@example.com', { cookie })
    assert.equal(await mailsTo('known@example.com'), before + 6)
    await request(app, 'somebody@example.com', { cookie })
    assert.equal(await mailsTo('somebody@example.com'), 0)
  })

  test('registration sends a mail whose link verifies the email, once', async () => {
    const registered = await anonymous(shared()).post('/api/auth/register', {
      email: 'verify@example.com',
      password: OLD_PASSWORD,
    })
    const person = anonymous(shared(), cookieOf(registered))
    const { token, link } = await lastMailTo(shared(), 'verify@example.com', '/verify-email')
    assert.equal(link.origin, ORIGIN)
    assert.equal((await person.post('/api/auth/verify-email', { token })).statusCode, 200)
    assert.equal((await person.get('/api/account/profile')).json().email_verified, true)
    assert.equal((await person.post('/api/auth/verify-email', { token })).json().code, 'invalid_token')
  })

  test('the verification mail can be sent again, and a reset link verifies nothing', async () => {
    const registered = await anonymous(shared()).post('/api/auth/register', {
      email: 'resend@example.com',
      password: OLD_PASSWORD,
    })
    const person = anonymous(shared(), cookieOf(registered))
    const first = await lastMailTo(shared(), 'resend@example.com', '/verify-email')
    assert.equal((await anonymous(shared()).post('/api/auth/verify-email/resend')).statusCode, 401)
    assert.equal((await person.post('/api/auth/verify-email/resend')).statusCode, 200)
    const second = await lastMailTo(shared(), 'resend@example.com', '/verify-email')
    assert.notEqual(first.token, second.token)
    await request(shared(), 'resend@example.com')
    const reset = await lastMailTo(shared(), 'resend@example.com', '/reset-password')
    assert.equal((await person.post('/api/auth/verify-email', { token: reset.token })).statusCode, 400)
    assert.equal((await confirm(shared(), second.token)).statusCode, 400)
    assert.equal((await person.post('/api/auth/verify-email', { token: second.token })).statusCode, 200)
  })
})
