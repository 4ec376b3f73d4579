import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sharedApp } from '../../support/app.ts'
import { MAIN_ENGINE, onEachEngine } from '../../support/engines.ts'
import { lastMailTo } from '../../support/mail.ts'
import { anonymous, cookieOf, signedInPerson } from '../../support/people.ts'
import { loginOptions, newAuthenticator, verifyLogin } from '../passkeys/ceremonies.ts'

const PASSWORD = 'four unusual words here'
const DAY = 86_400_000
let count = 0

onEachEngine('an invitation', (engine) => {
  const shared = sharedApp({ engine })

  async function invite() {
    const admin = await signedInPerson(shared(), { permissions: ['users:write'] })
    const email = `guest${++count}@example.com`
    const made = await admin.post('/api/admin/users', { email })
    assert.equal(made.statusCode, 201, made.body)
    const { token, link, text } = await lastMailTo(shared(), email, '/invitation')
    return { admin, email, userId: made.json().user.id as string, token, link, text, guest: anonymous(shared()) }
  }

  test('that two accept at the same time lets one of them in', async () => {
    const { token } = await invite()
    const answers = await Promise.all(
      ['first of the four words', 'second of the four words'].map((password) =>
        anonymous(shared()).post('/api/auth/invitation/accept', { token, password }),
      ),
    )
    assert.deepEqual(
      answers.map(({ statusCode }) => statusCode).toSorted((a, b) => a - b),
      [200, 400],
    )
  })

  // The rest is the same on every engine.
  if (engine !== MAIN_ENGINE) return

  test('is a mail that says who invites, with a link whose token browsers do not send', async () => {
    const { admin, link, text, token } = await invite()
    assert.equal(link.hash, `#token=${token}`)
    assert.equal(link.search, '')
    assert.match(text, new RegExp(`${admin.user.email} invites you`))
  })

  test('says which address it is for and who invites, by name where there is one', async () => {
    const { admin, email, token, guest } = await invite()
    const look = () => guest.post('/api/auth/invitation', { token })
    assert.deepEqual((await look()).json(), { email, invitedBy: admin.user.email })
    await admin.patch('/api/account/profile', { displayName: 'Ada' })
    assert.deepEqual((await look()).json(), { email, invitedBy: 'Ada' })
    const boss = await signedInPerson(shared(), { admin: true })
    assert.equal((await boss.delete(`/api/admin/users/${admin.user.id}`)).statusCode, 200)
    assert.deepEqual((await look()).json(), { email, invitedBy: null })
  })

  test('is accepted with a name and a password: the person is signed in, and the address is confirmed', async () => {
    const { admin, email, userId, token, guest } = await invite()
    const body = { token, displayName: 'Guest', password: PASSWORD }
    const answer = await guest.post('/api/auth/invitation/accept', body)
    assert.equal(answer.statusCode, 200, answer.body)
    const { user } = answer.json()
    assert.deepEqual([user.id, user.email, user.displayName, user.email_verified], [userId, email, 'Guest', true])
    guest.cookie = cookieOf(answer) ?? ''
    assert.equal((await guest.get('/api/auth/me')).json().user.lastLoginAt, shared().clock.now())
    assert.deepEqual((await guest.get('/api/notifications')).json().notifications, [])
    const again = await anonymous(shared()).post('/api/auth/login', { email, password: PASSWORD })
    assert.equal(again.statusCode, 200)
    const once = await anonymous(shared()).post('/api/auth/invitation/accept', body)
    assert.deepEqual([once.statusCode, once.json().code], [400, 'invalid_token'])
    assert.equal((await admin.post(`/api/admin/users/${userId}/invitation`)).statusCode, 409)
  })

  test('is accepted with a passkey, which signs in from then on', async () => {
    const { userId, token, guest } = await invite()
    const options = await guest.post('/api/auth/invitation/passkey-options', { token })
    assert.equal(options.statusCode, 200, options.body)
    const authenticator = newAuthenticator()
    const response = authenticator.register(options.json())
    const answer = await guest.post('/api/auth/invitation/accept', { token, response, name: 'Phone' })
    assert.equal(answer.statusCode, 200, answer.body)
    guest.cookie = cookieOf(answer) ?? ''
    const { passkeys } = (await guest.get('/api/passkeys')).json()
    assert.equal(passkeys[0].name, 'Phone')
    const visitor = anonymous(shared())
    const login = await loginOptions(visitor)
    const verified = await verifyLogin(visitor, login.challengeId, authenticator.authenticate(login))
    assert.equal(verified.json().user.id, userId)
  })

  test('is still accepted by the reset of a password', async () => {
    const { token, guest } = await invite()
    const body = { token, newPassword: PASSWORD }
    assert.equal((await guest.post('/api/auth/password-reset/confirm', body)).statusCode, 200)
    assert.equal((await guest.post('/api/auth/invitation', { token })).statusCode, 400)
  })

  test('is refused with both or neither of password and passkey, with other fields, and with a weak password', async () => {
    const { token, guest } = await invite()
    for (const fields of [
      {},
      { password: PASSWORD, response: {} },
      { password: PASSWORD, name: 'Phone' },
      { password: PASSWORD, email: 'other@example.com' },
      { password: PASSWORD, email_verified: true },
      { password: 'password' },
    ]) {
      const answer = await guest.post('/api/auth/invitation/accept', { token, ...fields })
      assert.equal(answer.statusCode, 400, JSON.stringify(fields))
    }
    assert.equal((await guest.post('/api/auth/invitation', { token })).statusCode, 200)
  })

  test('is refused with a passkey that answers no challenge, and stays valid', async () => {
    const { token, guest } = await invite()
    const other = await invite()
    const options = (await guest.post('/api/auth/invitation/passkey-options', { token: other.token })).json()
    const response = newAuthenticator().register(options)
    const answer = await guest.post('/api/auth/invitation/accept', { token, response })
    assert.deepEqual([answer.statusCode, answer.json().code], [401, 'passkey_refused'])
    assert.equal(cookieOf(answer), undefined)
    assert.equal((await guest.post('/api/auth/invitation', { token })).statusCode, 200)
  })

  test('ends after seven days, when a newer one is sent and when the account is disabled', async () => {
    const [old, replaced, disabled] = [await invite(), await invite(), await invite()]
    assert.equal((await replaced.admin.post(`/api/admin/users/${replaced.userId}/invitation`)).statusCode, 200)
    const boss = await signedInPerson(shared(), { admin: true })
    await boss.post(`/api/admin/users/${disabled.userId}/lifecycle`, { action: 'disable' })
    for (const { token, guest } of [replaced, disabled])
      assert.equal((await guest.post('/api/auth/invitation', { token })).json().code, 'invalid_token')
    shared().clock.advance(7 * DAY)
    for (const path of ['', '/passkey-options', '/accept']) {
      const body = { token: old.token, ...(path === '/accept' ? { password: PASSWORD } : {}) }
      const answer = await old.guest.post(`/api/auth/invitation${path}`, body)
      assert.deepEqual([answer.statusCode, answer.json().code], [400, 'invalid_token'], path)
    }
  })

  test('lets no other link in: those for resets and confirmations are refused', async () => {
    const person = await signedInPerson(shared(), { password: PASSWORD })
    await person.post('/api/auth/verify-email/resend')
    await person.post('/api/auth/password-reset', { email: person.user.email })
    for (const page of ['/verify-email', '/reset-password']) {
      const { token } = await lastMailTo(shared(), person.user.email, page)
      const body = { token, password: PASSWORD }
      assert.equal((await anonymous(shared()).post('/api/auth/invitation/accept', body)).statusCode, 400)
    }
  })

  test('of an account that has signed in is not sent again', async () => {
    const admin = await signedInPerson(shared(), { admin: true })
    const { db, now } = shared().services
    const person = await signedInPerson(shared())
    await db.transaction((trx) =>
      trx.updateTable('users').set({ last_login_at: now() }).where('id', '=', person.user.id).execute(),
    )
    assert.equal((await admin.post(`/api/admin/users/${person.user.id}/invitation`)).statusCode, 409)
  })
})
