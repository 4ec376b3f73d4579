import assert from 'node:assert/strict'
import { test } from 'node:test'
import { markEmailConfirmed } from '../../../src/identity/users/user-store.ts'
import type { Permission } from '../../../src/vocabulary/permissions.ts'
import { issue, saveKey } from '../../ssh/public-keys.ts'
import { sharedApp, startApp } from '../../support/app.ts'
import { getTokens, isLive, registerApplication } from '../../support/application.ts'
import { onMainEngine } from '../../support/engines.ts'
import { lastMailTo, sentMails } from '../../support/mail.ts'
import { anonymous, cookieOf, signedInPerson, type SignedInPerson, signIn } from '../../support/people.ts'
import { enrol, login, newAuthenticator, register } from '../passkeys/ceremonies.ts'

const PASSWORD = 'four unusual words here'
const DAY = 86_400_000
let count = 0
const newEmail = () => `moved${++count}@example.com`

onMainEngine('changing one’s email', (engine) => {
  const shared = sharedApp({ engine })
  const person = () => confirmed(signedInPerson(shared(), { password: PASSWORD }))
  /** With an address that was confirmed: only such a one gets a link that restores it. */
  async function confirmed(signedIn: Promise<SignedInPerson>): Promise<SignedInPerson> {
    const who = await signedIn
    await shared().services.db.transaction((trx) => markEmailConfirmed(trx, who.user.id))
    return who
  }
  const request = (who: SignedInPerson, email: string, currentPassword = PASSWORD) =>
    who.post('/api/account/email', { email, currentPassword })
  const confirm = (who: SignedInPerson, token: string) => who.post('/api/account/email/confirm', { token })
  const tokenFor = async (email: string, page = '/verify-email') => (await lastMailTo(shared(), email, page)).token

  /** Requests a change and confirms it. Returns the token that restores the old address. */
  async function move(who: SignedInPerson, from: string, to: string): Promise<string> {
    assert.equal((await request(who, to)).statusCode, 200)
    const answer = await confirm(who, await tokenFor(to))
    assert.equal(answer.statusCode, 200, answer.body)
    return tokenFor(from, '/not-me')
  }

  test('happens when the new address is confirmed, and not before', async () => {
    const who = await person()
    const to = newEmail()
    assert.deepEqual((await request(who, to.toUpperCase())).json(), { success: true })
    assert.equal((await who.get('/api/account/profile')).json().email, who.user.email)
    const answer = await confirm(who, await tokenFor(to))
    assert.equal(answer.statusCode, 200, answer.body)
    const profile = (await who.get('/api/account/profile')).json()
    assert.deepEqual([profile.email, profile.email_verified], [to, true])
    const { notifications } = (await who.get('/api/notifications')).json()
    assert.equal(notifications[0].type, 'security.email_changed')
    assert.deepEqual(notifications[0].data, { from: who.user.email, to })
    const mail = await lastMailTo(shared(), who.user.email, '/not-me')
    assert.match(mail.text, new RegExp(to))
    const session = await anonymous(shared()).post('/api/auth/login', { email: to, password: PASSWORD })
    assert.equal(session.statusCode, 200)
    const old = { email: who.user.email, password: PASSWORD }
    assert.equal((await anonymous(shared()).post('/api/auth/login', old)).statusCode, 401)
  })

  test('needs the current password, where there is one', async () => {
    const who = await person()
    const wrong = await request(who, newEmail(), 'not the password')
    assert.deepEqual([wrong.statusCode, wrong.json().code], [400, 'wrong_password'])
    assert.equal((await who.post('/api/account/email', { email: newEmail() })).statusCode, 400)
    assert.equal((await anonymous(shared()).post('/api/account/email', { email: newEmail() })).statusCode, 401)
  })

  test('without a password needs a sign-in with a passkey within the last ten minutes', async () => {
    const { person: owner, authenticator, visitor } = await enrol(shared())
    const refused = await owner.post('/api/account/email', { email: newEmail() })
    assert.deepEqual([refused.statusCode, refused.json().code], [403, 'fresh_sign_in_needed'])
    visitor.cookie = cookieOf(await login(visitor, authenticator)) ?? ''
    assert.equal((await visitor.post('/api/account/email', { email: newEmail() })).statusCode, 200)
    shared().clock.advance(600_000)
    assert.equal((await visitor.post('/api/account/email', { email: newEmail() })).statusCode, 403)
  })

  test('to an address that is taken, or one’s own, is 409; also when it was taken meanwhile', async () => {
    const [who, other] = [await person(), await person()]
    assert.equal((await request(who, other.user.email)).statusCode, 409)
    assert.equal((await request(who, who.user.email)).statusCode, 409)
    const to = newEmail()
    await request(who, to)
    const token = await tokenFor(to)
    const body = { email: to, password: PASSWORD }
    assert.equal((await anonymous(shared()).post('/api/auth/register', body)).statusCode, 201)
    assert.equal((await confirm(who, token)).statusCode, 409)
    assert.equal((await who.get('/api/account/profile')).json().email, who.user.email)
  })

  test('is confirmed only by a session of that account, within 24 hours, once, with the newest link', async () => {
    const [who, other] = [await person(), await person()]
    const [first, second] = [newEmail(), newEmail()]
    await request(who, first)
    const replaced = await tokenFor(first)
    await request(who, second)
    const token = await tokenFor(second)
    assert.equal((await confirm(who, replaced)).json().code, 'invalid_token')
    assert.equal((await confirm(other, token)).statusCode, 403)
    const nobody = anonymous(shared())
    assert.equal((await nobody.post('/api/account/email/confirm', { token })).statusCode, 401)
    assert.equal((await confirm(who, token)).statusCode, 200)
    assert.equal((await confirm(who, token)).json().code, 'invalid_token')
    const late = newEmail()
    await request(who, late)
    const expired = await tokenFor(late)
    shared().clock.advance(DAY)
    assert.equal((await confirm(await signIn(shared(), who.user), expired)).json().code, 'invalid_token')
  })

  test('ends reset links that were open', async () => {
    const who = await person()
    await who.post('/api/auth/password-reset', { email: who.user.email })
    const reset = await tokenFor(who.user.email, '/reset-password')
    await move(who, who.user.email, newEmail())
    const body = { token: reset, newPassword: 'entirely new words now' }
    assert.equal((await anonymous(shared()).post('/api/auth/password-reset/confirm', body)).statusCode, 400)
  })

  test('is reverted by the link in the old mailbox, which ends what was added since', async () => {
    const permissions: Permission[] = ['ssh:keys:manage', 'ssh:cert:issue']
    const who = await confirmed(signedInPerson(shared(), { password: PASSWORD, permissions }))
    const application = await registerApplication(shared())
    const [before, since] = [newAuthenticator(), newAuthenticator()]
    await register(who, before)
    const oldKey = await saveKey(who)
    shared().clock.advance(8 * DAY)
    who.cookie = (await signIn(shared(), who.user)).cookie
    const token = await move(who, who.user.email, newEmail())
    shared().clock.advance(1000)
    await register(who, since)
    const certificate = await issue(who, await saveKey(who))
    const { access_token } = await getTokens(shared(), who, application)
    const answer = await anonymous(shared()).post('/api/account/email/revert', { token })
    assert.deepEqual([answer.statusCode, answer.json()], [200, { success: true }])
    assert.equal((await who.get('/api/auth/me')).statusCode, 401)
    assert.equal(await isLive(shared(), application, access_token), false)
    const again = await signIn(shared(), who.user)
    const profile = (await again.get('/api/account/profile')).json()
    assert.deepEqual([profile.email, profile.email_verified], [who.user.email, true])
    assert.equal((await again.get('/api/passkeys')).json().passkeys.length, 1)
    assert.deepEqual(
      (await again.get('/api/ssh/keys')).json().keys.map(({ id }: { id: string }) => id),
      [oldKey],
    )
    assert.deepEqual((await again.get('/api/account/oauth/grants')).json().grants, [])
    const [mine] = (await again.get('/api/ssh/certs/mine')).json().certificates
    assert.equal(mine.id, certificate.id)
    assert.notEqual(mine.revokedAt, null)
    const old = { email: who.user.email, password: PASSWORD }
    assert.equal((await anonymous(shared()).post('/api/auth/login', old)).statusCode, 401)
    const reset = { token: await tokenFor(who.user.email, '/reset-password'), newPassword: 'entirely new words now' }
    assert.equal((await anonymous(shared()).post('/api/auth/password-reset/confirm', reset)).statusCode, 200)
    assert.equal((await anonymous(shared()).post('/api/account/email/revert', { token })).statusCode, 400)
  })

  test('can be reverted after a second change, which ends the link of the second', async () => {
    const who = await person()
    const [second, third] = [newEmail(), newEmail()]
    const first = await move(who, who.user.email, second)
    shared().clock.advance(1000)
    const later = await move(who, second, third)
    assert.equal((await anonymous(shared()).post('/api/account/email/revert', { token: first })).statusCode, 200)
    assert.equal((await anonymous(shared()).post('/api/account/email/revert', { token: later })).statusCode, 400)
    const again = await signIn(shared(), who.user)
    assert.equal((await again.get('/api/account/profile')).json().email, who.user.email)
  })

  test('keeps the old address from others for seven days, and then ends the link', async () => {
    const [who, other] = [await person(), await person()]
    const admin = await signedInPerson(shared(), { admin: true })
    const from = who.user.email
    const token = await move(who, from, newEmail())
    const register = () => anonymous(shared()).post('/api/auth/register', { email: from, password: PASSWORD })
    assert.equal((await register()).statusCode, 409)
    assert.equal((await admin.post('/api/admin/users', { email: from })).statusCode, 409)
    assert.equal((await admin.patch(`/api/admin/users/${other.user.id}`, { email: from })).statusCode, 409)
    assert.equal((await request(other, from)).statusCode, 409)
    shared().clock.advance(7 * DAY)
    assert.equal((await anonymous(shared()).post('/api/account/email/revert', { token })).statusCode, 400)
    assert.equal((await register()).statusCode, 201)
  })

  test('can be reverted after the account was disabled and enabled again, and keeps the old address meanwhile', async () => {
    const who = await person()
    const admin = await signedInPerson(shared(), { admin: true })
    const token = await move(who, who.user.email, newEmail())
    const turn = (action: string) => admin.post(`/api/admin/users/${who.user.id}/lifecycle`, { action })
    const revert = () => anonymous(shared()).post('/api/account/email/revert', { token })
    await turn('disable')
    assert.equal((await revert()).json().code, 'invalid_token')
    const register = () => anonymous(shared()).post('/api/auth/register', { email: who.user.email, password: PASSWORD })
    assert.equal((await register()).statusCode, 409)
    await turn('enable')
    assert.equal((await revert()).statusCode, 200)
    const { user } = (await admin.get(`/api/admin/users/${who.user.id}`)).json()
    assert.equal(user.email, who.user.email)
    // A deleted account keeps no address.
    const other = await person()
    await move(other, other.user.email, newEmail())
    assert.equal((await admin.delete(`/api/admin/users/${other.user.id}`)).statusCode, 200)
    const again = { email: other.user.email, password: PASSWORD }
    assert.equal((await anonymous(shared()).post('/api/auth/register', again)).statusCode, 201)
  })

  test('by an administrator ends both links, and is not for one’s own account', async () => {
    const [who, admin] = [await person(), await signedInPerson(shared(), { admin: true, password: PASSWORD })]
    const revert = await move(who, who.user.email, newEmail())
    const pending = newEmail()
    await request(who, pending)
    const token = await tokenFor(pending)
    assert.equal((await admin.patch(`/api/admin/users/${who.user.id}`, { email: newEmail() })).statusCode, 200)
    assert.equal((await confirm(who, token)).statusCode, 400)
    assert.equal((await anonymous(shared()).post('/api/account/email/revert', { token: revert })).statusCode, 400)
    assert.equal((await admin.patch(`/api/admin/users/${admin.user.id}`, { email: newEmail() })).statusCode, 409)
    const same = await admin.patch(`/api/admin/users/${admin.user.id}`, { email: admin.user.email, displayName: 'A' })
    assert.equal(same.statusCode, 200)
  })

  test('tells of taken addresses only as often as a sign-in may fail', async (t) => {
    const app = await startApp(t, { engine })
    const [who, other] = [await signedInPerson(app, { password: PASSWORD }), await signedInPerson(app)]
    const codes: number[] = []
    for (let time = 0; time < 12; time++) codes.push((await request(who, other.user.email)).statusCode)
    assert.deepEqual(codes, [...Array.from({ length: 10 }, () => 409), 429, 429])
    // What was asked too often is not told either way, and counts for a sign-in to the account of whoever asked.
    assert.equal((await request(who, 'free@example.com')).statusCode, 429)
    const login = { email: who.user.email, password: PASSWORD }
    assert.equal((await anonymous(app).post('/api/auth/login', login)).statusCode, 429)
    assert.equal((await request(await signedInPerson(app, { password: PASSWORD }), 'free@example.com')).statusCode, 200)
    app.clock.advance(15 * 60_000)
    assert.equal((await request(who, other.user.email)).statusCode, 409)
    // Many at once get no more answers than one after the other.
    const third = await signedInPerson(app, { password: PASSWORD })
    const burst = await Promise.all(Array.from({ length: 30 }, () => request(third, other.user.email)))
    assert.ok(burst.filter(({ statusCode }) => statusCode === 409).length <= 10)
  })

  test('tells of taken addresses no more often after a new sign-in, and one’s own is no guess', async (t) => {
    const app = await startApp(t, { engine })
    const [who, other] = [await signedInPerson(app, { password: PASSWORD }), await signedInPerson(app)]
    const guess = (headers: Record<string, string>, email = other.user.email) =>
      anonymous(app).post('/api/account/email', { email, currentPassword: PASSWORD }, headers)
    /** A browser without cookies, which is a known one afterwards. */
    const newBrowser = async () => {
      const login = await anonymous(app).post('/api/auth/login', { email: who.user.email, password: PASSWORD })
      assert.equal(login.statusCode, 200, login.body)
      const cookies = [login.headers['set-cookie'] ?? []].flat().map((each) => each.split(';')[0])
      return { cookie: cookies.join('; ') }
    }
    const first = await newBrowser()
    for (let time = 0; time < 12; time++) assert.equal((await guess(first, who.user.email)).statusCode, 409)
    const codes: number[] = []
    for (let time = 0; time < 10; time++) codes.push((await guess(first)).statusCode)
    for (let browsers = 0; browsers < 3; browsers++) {
      const refused = await guess(await newBrowser())
      codes.push(refused.statusCode)
      assert.ok(Number(refused.headers['retry-after']) > 0)
    }
    assert.deepEqual(codes, [...Array.from({ length: 10 }, () => 409), 429, 429, 429])
    app.clock.advance(15 * 60_000)
    assert.equal((await guess(await newBrowser(), 'free@example.com')).statusCode, 200)
  })

  test('to a taken address counts for somebody without a password too', async (t) => {
    const app = await startApp(t, { engine })
    const other = await signedInPerson(app)
    const { authenticator, visitor } = await enrol(app)
    visitor.cookie = cookieOf(await login(visitor, authenticator)) ?? ''
    const codes: number[] = []
    for (let time = 0; time < 12; time++)
      codes.push((await visitor.post('/api/account/email', { email: other.user.email })).statusCode)
    assert.deepEqual(codes.slice(-2), [429, 429])
    assert.equal(codes.filter((code) => code === 409).length, 10)
  })

  test('sends at most five mails an hour to an address, and limits wrong passwords like a sign-in', async (t) => {
    const app = await startApp(t, { engine })
    const who = await signedInPerson(app, { password: PASSWORD })
    const to = 'often@example.com'
    for (let time = 0; time < 7; time++) assert.equal((await request(who, to)).statusCode, 200)
    assert.equal((await sentMails(app)).filter((mail) => mail.to === to).length <= 5, true)
    const codes: number[] = []
    for (let time = 0; time < 12; time++) codes.push((await request(who, 'x@example.com', 'wrong')).statusCode)
    assert.equal(codes[0], 400)
    assert.equal(codes.at(-1), 429)
  })
})
