import assert from 'node:assert/strict'
import { test } from 'node:test'
import { tellOwner } from '../../../src/identity/sign-in/tell-owner.ts'
import { createSite, TRUSTING } from '../../proxy/visits.ts'
import { newPublicKey, saveKey } from '../../ssh/public-keys.ts'
import { sharedApp } from '../../support/app.ts'
import { onMainEngine } from '../../support/engines.ts'
import { sentMails } from '../../support/mail.ts'
import { anonymous, signedInPerson, signIn } from '../../support/people.ts'
import { confirmedPerson, move, newEmail, NEW_PASSWORD, PASSWORD, tokenFor } from '../account/moved-address.ts'
import { newAuthenticator, register } from '../passkeys/ceremonies.ts'
import { notificationsOf, securityMails } from './disowned.ts'

const FIREFOX = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0' }

onMainEngine('a mail about the security of an account', (engine) => {
  const shared = sharedApp({ engine, config: TRUSTING })
  const app = () => shared()
  const subjectsTo = async (to: string) => (await securityMails(app(), to)).map(({ subject }) => subject)

  test('is sent at once for each event, once, with one link', async () => {
    const admin = await signedInPerson(app(), { admin: true })
    const who = await confirmedPerson(app())
    const { id, email } = who.user
    const site = await createSite(admin, { basic: true })
    const passkey = (await register(who, newAuthenticator())).json().passkey
    await saveKey(who)
    const made = await who.post('/api/account/app-passwords', { name: 'Calendar', client_id: site.id })
    assert.equal(made.statusCode, 201, made.body)
    await who.delete(`/api/account/app-passwords/${made.json().appPassword.id}`)
    const other = await signIn(app(), who.user)
    await admin.delete(`/api/admin/users/${id}/sessions/${other.sessionId}`)
    await who.delete(`/api/passkeys/${passkey.id}`)
    await who.post('/api/account/password', { currentPassword: PASSWORD, newPassword: NEW_PASSWORD })
    await admin.post(`/api/admin/users/${id}/password-reset`)
    await admin.post(`/api/admin/users/${id}/sign-out`)
    const login = (headers: Record<string, string>) =>
      anonymous(app()).post('/api/auth/login', { email, password: NEW_PASSWORD }, headers)
    assert.equal((await login({ 'user-agent': 'first' })).statusCode, 200)
    assert.equal((await login(FIREFOX)).statusCode, 200)

    const mails = await securityMails(app(), email)
    const told = await notificationsOf(await signIn(app(), who.user))
    const events = told.filter(({ type }) => type.startsWith('security.')).map(({ type }) => type)
    assert.equal(new Set(events).size, events.length, 'every type once')
    assert.equal(mails.length, events.length)
    // In its plain part; the other one says the same.
    for (const { text } of mails) assert.equal(text.split('<!doctype')[0]?.match(/\/not-me#token=/g)?.length, 1)
    // The reset that an administrator sent is one mail with both links.
    const resets = (await sentMails(app())).filter((mail) => mail.to === email && mail.text.includes('/reset-password'))
    assert.equal(resets.length, 1)
    assert.ok(mails.some(({ text }) => text === resets[0]?.text))
  })

  test('says what happened, when, where and with which device, and who did it where that was an administrator', async () => {
    const admin = await signedInPerson(app(), { admin: true })
    const who = await confirmedPerson(app())
    await anonymous(app()).post('/api/auth/login', { email: who.user.email, password: PASSWORD }, { 'user-agent': 'a' })
    await anonymous(app()).post('/api/auth/login', { email: who.user.email, password: PASSWORD }, FIREFOX)
    await admin.post(`/api/admin/users/${who.user.id}/sign-out`)
    const mails = await securityMails(app(), who.user.email)
    const [login, signedOut] = [/A sign-in/, /signed out/].map((says) =>
      mails.find(({ subject }) => says.test(subject)),
    )
    assert.match(login?.text ?? '', /signed in to your account person\d+@example\.com/)
    assert.match(login?.text ?? '', /When: 15 January 2026 at \d\d:\d\d \(UTC\)/)
    assert.match(login?.text ?? '', /Where: 127\.0\.0\.1/)
    assert.match(login?.text ?? '', /Device: Firefox, Linux/)
    assert.match(signedOut?.text ?? '', /By: an administrator/)
    assert.doesNotMatch(signedOut?.text ?? '', /Where|Device|127\.0\.0\.1/)
  })

  test('is in the language of the person', async () => {
    const who = await confirmedPerson(app())
    assert.equal((await who.patch('/api/account/profile', { locale: 'de' })).statusCode, 200)
    await register(who, newAuthenticator(), {}, 'Mein Telefon')
    const [mail] = await securityMails(app(), who.user.email)
    assert.match(mail?.subject ?? '', /Passkey/)
    assert.match(mail?.text ?? '', /Wann: 15\. Januar 2026/)
    assert.match(mail?.text ?? '', /Das war|nicht waren/)
  })

  test('leaves out a name that a mail program would make a link of: whoever took an account over chooses it', async () => {
    const who = await confirmedPerson(app())
    for (const name of ['Call https://evil.example now', 'evil.example', 'me@evil', 'Laptop (v. 2)'])
      await register(who, newAuthenticator(), {}, name)
    const texts = (await securityMails(app(), who.user.email)).map(({ text }) => text)
    assert.equal(texts.length, 4)
    assert.equal(texts.filter((text) => /evil/.test(text)).length, 0)
    assert.equal(texts.filter((text) => text.includes('Laptop (v. 2)')).length, 1)
  })

  test('is not sent for an ephemeral SSH key, which is not a notification either', async () => {
    const who = await confirmedPerson(app())
    const answer = await who.post('/api/ssh/keys', { name: 'x', publicKey: newPublicKey(), ephemeral: true })
    assert.equal(answer.statusCode, 201, answer.body)
    assert.deepEqual(await subjectsTo(who.user.email), [])
    assert.deepEqual(await notificationsOf(who), [])
  })

  test('is not sent to an address that was never confirmed', async () => {
    const who = await signedInPerson(app(), { password: PASSWORD })
    await register(who, newAuthenticator())
    assert.equal((await notificationsOf(who)).length, 1)
    assert.deepEqual(
      (await sentMails(app())).filter(({ to }) => to === who.user.email),
      [],
    )
  })

  test('goes to the address that was confirmed before: not to one that the event itself confirms', async () => {
    const who = await signedInPerson(app())
    await anonymous(app()).post('/api/auth/password-reset', { email: who.user.email })
    const token = await tokenFor(app(), who.user.email, '/reset-password')
    const reset = await anonymous(app()).post('/api/auth/password-reset/confirm', { token, newPassword: PASSWORD })
    assert.equal(reset.statusCode, 200, reset.body)
    assert.deepEqual(await subjectsTo(who.user.email), [])
  })

  test('goes to the last confirmed address, after an administrator has set another one', async () => {
    const admin = await signedInPerson(app(), { admin: true })
    const who = await confirmedPerson(app())
    const given = newEmail()
    assert.equal((await admin.patch(`/api/admin/users/${who.user.id}`, { email: given })).statusCode, 200)
    await register(who, newAuthenticator())
    assert.equal((await securityMails(app(), who.user.email)).length, 1)
    assert.deepEqual(await subjectsTo(given), [])
  })

  test('about a changed address is one mail, to the old one, whose link restores it', async () => {
    const who = await confirmedPerson(app())
    const to = newEmail()
    const token = await move(app(), who, who.user.email, to)
    assert.match(token, /^er_/)
    assert.equal((await securityMails(app(), who.user.email)).length, 1)
    assert.deepEqual(await subjectsTo(to), [])
  })

  test('is sent at most a hundred times an hour: whoever adds keys without end keeps nobody else’s mail waiting', async () => {
    const who = await confirmedPerson(app())
    const { services } = app()
    const happen = () =>
      services.db.transaction((trx) =>
        tellOwner(services, trx, who.user.id, {
          type: 'security.signed_out',
          data: {},
          actor: { id: null, source: null },
        }),
      )
    for (let at = 0; at < 102; at++) await happen()
    const queued = async () =>
      (
        await services.db.read
          .selectFrom('outgoing_mail')
          .select('id')
          .where('recipient', '=', who.user.email)
          .execute()
      ).length
    assert.equal(await queued(), 100)
    assert.equal((await who.get('/api/notifications')).json().unreadCount, 102)
    app().clock.advance(3_600_000)
    await happen()
    assert.equal(await queued(), 101)
  })

  test('keeps no token in the database or the log', async () => {
    const who = await confirmedPerson(app())
    await register(who, newAuthenticator())
    const [mail] = await securityMails(app(), who.user.email)
    const rows = await app().services.db.read.selectFrom('email_tokens').selectAll().execute()
    assert.ok(rows.some(({ purpose, email }) => purpose === 'not_me' && email === who.user.email))
    assert.ok(mail?.token)
    assert.ok(!JSON.stringify(rows).includes(mail.token))
    const logged = app()
      .logged()
      .split('\n')
      .filter((line) => !line.includes('Mail written to the outbox.'))
    assert.ok(!logged.some((line) => line.includes(mail.token)))
  })
})
