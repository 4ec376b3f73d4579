import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { decide, errorOf, poll, registerDeviceClient, startDevice } from '../../oauth/device/devices.ts'
import { createSite, TRUSTING } from '../../proxy/visits.ts'
import { issue, saveKey } from '../../ssh/public-keys.ts'
import { sharedApp, startApp, type TestApp } from '../../support/app.ts'
import { exchangeCode, getCode, getTokens, newPkce, registerApplication } from '../../support/application.ts'
import { createClock } from '../../support/clock.ts'
import { onEachEngine } from '../../support/engines.ts'
import { sentMails } from '../../support/mail.ts'
import { anonymous, cookieOf, signedInPerson, type SignedInPerson, signIn } from '../../support/people.ts'
import { enrol, login, newAuthenticator, register } from '../passkeys/ceremonies.ts'
import {
  PASSWORD,
  NEW_PASSWORD,
  DAY,
  newEmail,
  confirmedPerson,
  request,
  tokenFor,
  confirm,
  revert,
  reset,
  move,
  idsOf,
} from './moved-address.ts'

onEachEngine('an address that is taken back', (engine) => {
  const shared = sharedApp({ engine, config: TRUSTING })
  const app = () => shared()
  /** SQLite has one process; its clock may go back as well. */
  const secondReplica = async (t: TestContext): Promise<TestApp> => {
    if (engine === 'sqlite') return app()
    const clock = createClock(app().clock.now())
    return startApp(t, { engine, storage: app().storage, clock, config: TRUSTING })
  }
  const emailOf = async (who: SignedInPerson): Promise<string> =>
    (await (await signIn(app(), who.user)).get('/api/account/profile')).json().email

  test('that was never confirmed is told of the change without a link, and is free for its owner', async () => {
    const victim = newEmail()
    const stranger = anonymous(app())
    const registered = await stranger.post('/api/auth/register', { email: victim, password: PASSWORD })
    assert.equal(registered.statusCode, 201, registered.body)
    stranger.cookie = cookieOf(registered) ?? ''
    const authenticator = newAuthenticator()
    await register(stranger, authenticator)
    const elsewhere = newEmail()
    const asked = await stranger.post('/api/account/email', { email: elsewhere, currentPassword: PASSWORD })
    assert.equal(asked.statusCode, 200, asked.body)
    const token = await tokenFor(app(), elsewhere)
    assert.equal((await stranger.post('/api/account/email/confirm', { token })).statusCode, 200)

    const told = (await sentMails(app())).filter((mail) => mail.to === victim && /was changed/.test(mail.subject))
    assert.equal(told.length, 1)
    assert.doesNotMatch(told[0]?.text ?? '', /https?:\/\/\S+token=/)
    // Whoever reads mail there may have nothing to do with the account.
    assert.doesNotMatch(told[0]?.text ?? '', new RegExp(elsewhere))
    const own = await anonymous(app()).post('/api/auth/register', { email: victim, password: NEW_PASSWORD })
    assert.equal(own.statusCode, 201, own.body)
    const signedIn = await login(anonymous(app()), authenticator)
    assert.notEqual(signedIn.json().user.id, own.json().user.id)
    assert.equal(signedIn.json().user.email, elsewhere)
  })

  test('that was confirmed once gets its link, also when an administrator has taken the confirmation back', async () => {
    const admin = await signedInPerson(app(), { admin: true })
    const who = await confirmedPerson(app())
    const unverify = () => admin.patch(`/api/admin/users/${who.user.id}`, { email_verified: false })
    assert.equal((await unverify()).statusCode, 200)
    const link = await move(app(), who, who.user.email, newEmail())
    assert.equal((await revert(app(), link)).statusCode, 200)
    assert.equal(await emailOf(who), who.user.email)
    // It holds for that address alone: an administrator's own choice was never confirmed.
    const other = await confirmedPerson(app())
    const given = newEmail()
    const changes = [{ email_verified: false }, { email: given }]
    for (const change of changes)
      assert.equal((await admin.patch(`/api/admin/users/${other.user.id}`, change)).statusCode, 200)
    const to = newEmail()
    await request(other, to)
    assert.equal((await confirm(app(), other, to)).statusCode, 200)
    const links = (await sentMails(app())).filter((mail) => mail.to === given && mail.link?.pathname === '/not-me')
    assert.deepEqual(links, [])
  })

  test('keeps nothing that was added from seven days before the change was asked for', async () => {
    const who = await confirmedPerson(app())
    const admin = await signedInPerson(app(), { admin: true })
    const site = await createSite(admin, { basic: true })
    const [older, newer] = [await registerApplication(app()), await registerApplication(app())]
    const [kept, week, between] = [newAuthenticator(), newAuthenticator(), newAuthenticator()]
    await register(who, kept)
    const keptKey = await saveKey(who)
    const keptCertificate = await issue(who, keptKey)
    await getTokens(app(), who, older)
    app().clock.advance(8 * DAY)
    const thief = await signIn(app(), who.user)
    await register(thief, week)
    app().clock.advance(6 * DAY)
    const asking = await signIn(app(), who.user)
    await request(asking, newEmail())
    const to = newEmail()
    await request(asking, to)
    app().clock.advance(1000)
    await register(asking, between)
    const certificate = await issue(asking, await saveKey(asking))
    await getTokens(app(), asking, newer)
    assert.equal((await asking.post('/api/account/app-passwords', { name: 'x', client_id: site.id })).statusCode, 201)
    app().clock.advance(1000)
    assert.equal((await confirm(app(), asking, to)).statusCode, 200)
    const answer = await revert(app(), await tokenFor(app(), who.user.email, '/not-me'))
    assert.deepEqual([answer.statusCode, answer.json()], [200, { success: true }])

    for (const gone of [week, between]) assert.equal((await login(anonymous(app()), gone)).statusCode, 401)
    const again = await signIn(app(), who.user)
    assert.equal((await again.get('/api/passkeys')).json().passkeys.length, 1)
    assert.deepEqual(idsOf((await again.get('/api/ssh/keys')).json().keys), [keptKey])
    assert.deepEqual(
      (await again.get('/api/account/oauth/grants'))
        .json()
        .grants.map((grant: { client_id: string }) => grant.client_id),
      [older.clientId],
    )
    assert.deepEqual((await again.get('/api/account/app-passwords')).json().appPasswords, [])
    const { certificates } = (await again.get('/api/ssh/certs/mine')).json()
    const revokedAt = (id: string) => certificates.find((each: { id: string }) => each.id === id).revokedAt
    assert.notEqual(revokedAt(certificate.id), null)
    assert.equal(revokedAt(keptCertificate.id), null)
    assert.equal((await login(anonymous(app()), kept)).statusCode, 200)
  })

  test('keeps nothing that was added since the session began that asked for the change', async () => {
    const who = await confirmedPerson(app())
    const before = newAuthenticator()
    await register(who, before)
    app().clock.advance(DAY)
    const thief = await signIn(app(), who.user)
    const authenticator = newAuthenticator()
    await register(thief, authenticator)
    app().clock.advance(20 * DAY)
    const token = await move(app(), thief, who.user.email, newEmail())
    assert.equal((await revert(app(), token)).statusCode, 200)
    assert.equal((await login(anonymous(app()), authenticator)).statusCode, 401)
    assert.equal((await login(anonymous(app()), before)).statusCode, 200)
  })

  test('takes away what was added to an older grant', async () => {
    const who = await confirmedPerson(app())
    const application = await registerApplication(app())
    await getTokens(app(), who, application, { scope: 'openid' })
    app().clock.advance(20 * DAY)
    const asking = await signIn(app(), who.user)
    const token = await move(app(), asking, who.user.email, newEmail())
    await getTokens(app(), asking, application, { scope: 'openid email' })
    assert.equal((await revert(app(), token)).statusCode, 200)
    const again = await signIn(app(), who.user)
    assert.deepEqual((await again.get('/api/account/oauth/grants')).json().grants, [])
  })

  test('is reached from the end of a chain of changes, and ends the links of the later ones whatever the clocks said', async (t) => {
    const behind = await secondReplica(t)
    const who = await confirmedPerson(app())
    const [second, third] = [newEmail(), newEmail()]
    const first = await move(app(), who, who.user.email, second)
    const thief = Object.assign(anonymous(behind, who.cookie), { user: who.user, sessionId: who.sessionId })
    behind.clock.advance(-20_000)
    const later = await move(behind, thief, second, third)
    behind.clock.advance(20_000)
    assert.equal((await revert(app(), first)).statusCode, 200)
    assert.equal((await revert(app(), later)).statusCode, 400)
    assert.equal((await revert(behind, later)).statusCode, 400)
    assert.equal(await emailOf(who), who.user.email)
  })

  test('in the middle of a chain leaves the link of the address before it', async () => {
    const who = await confirmedPerson(app())
    const second = newEmail()
    const first = await move(app(), who, who.user.email, second)
    const later = await move(app(), who, second, newEmail())
    assert.equal((await revert(app(), later)).statusCode, 200)
    assert.equal(await emailOf(who), second)
    const body = { token: await tokenFor(app(), second, '/reset-password'), newPassword: NEW_PASSWORD }
    assert.equal((await revert(app(), first)).statusCode, 200)
    assert.equal(await emailOf(who), who.user.email)
    // The link to set a password, which went to the second address, ended with the second restoring.
    assert.equal((await reset(app(), body)).json().code, 'invalid_token')
  })

  test('ends at the first address, whoever comes first: its link, the link of a later one, or another change', async (t) => {
    const replica = await secondReplica(t)
    for (let round = 0; round < 6; round++) {
      const who = await confirmedPerson(app())
      const [second, third, fourth] = [newEmail(), newEmail(), newEmail()]
      const first = await move(app(), who, who.user.email, second)
      const later = await move(app(), who, second, third)
      await request(who, fourth)
      const change = { token: await tokenFor(app(), fourth) }
      const there = anonymous(replica, who.cookie)
      const authenticator = newAuthenticator()
      const attempts = [
        () => revert(app(), first),
        () => revert(replica, later),
        () => there.post('/api/account/email/confirm', change),
        async () => void (await register(there, authenticator).catch(() => undefined)),
        () => who.post('/api/account/password', { currentPassword: PASSWORD, newPassword: NEW_PASSWORD }),
      ]
      const shifted = [...attempts.slice(round % attempts.length), ...attempts.slice(0, round % attempts.length)]
      for (const each of await Promise.all(shifted.map((attempt) => attempt()))) {
        if (each) assert.ok(each.statusCode < 500, each.body)
      }
      assert.equal(await emailOf(who), who.user.email, `round ${round}`)
      assert.equal((await who.get('/api/auth/me')).statusCode, 401)
      const again = await signIn(app(), who.user)
      assert.deepEqual((await again.get('/api/passkeys')).json().passkeys, [])
      for (const password of [PASSWORD, NEW_PASSWORD]) {
        const old = { email: who.user.email, password }
        assert.equal((await anonymous(app()).post('/api/auth/login', old)).statusCode, 401)
      }
      for (const email of [second, third, fourth]) {
        const links = (await sentMails(app())).filter((mail) => mail.to === email && mail.link.pathname === '/not-me')
        for (const { token } of links) assert.equal((await revert(app(), token)).statusCode, 400)
      }
    }
  })

  test('is not restored by a link once an administrator has changed the address', async () => {
    const who = await confirmedPerson(app())
    const admin = await signedInPerson(app(), { admin: true })
    const token = await move(app(), who, who.user.email, newEmail())
    const to = newEmail()
    assert.equal((await admin.patch(`/api/admin/users/${who.user.id}`, { email: to })).statusCode, 200)
    assert.equal((await revert(app(), token)).json().code, 'invalid_token')
    assert.equal(await emailOf(who), to)
  })

  test('leaves nothing to a code or to a device that was approved before and not used yet', async () => {
    const who = await confirmedPerson(app())
    const revertToken = await move(app(), who, who.user.email, newEmail())
    const client = await registerDeviceClient(app())
    const device = await startDevice(app(), client)
    assert.equal((await decide(who, device.user_code)).statusCode, 200)
    const application = await registerApplication(app())
    const pkce = newPkce()
    const code = await getCode(who, application, pkce)
    assert.equal((await revert(app(), revertToken)).statusCode, 200)
    assert.equal(await errorOf(poll(app(), client, device.device_code)), 'invalid_grant')
    assert.equal(await errorOf(exchangeCode(app(), application, code, pkce)), 'invalid_grant')
  })

  test('removes everything when the link was sent by a version that did not note when the change was asked for', async () => {
    const { person, authenticator } = await enrol(app())
    const who = await confirmedPerson(app())
    await register(who, newAuthenticator())
    app().clock.advance(20 * DAY)
    const asking = await signIn(app(), who.user)
    const token = await move(app(), asking, who.user.email, newEmail())
    await app().services.db.transaction((trx) =>
      trx
        .updateTable('email_tokens')
        .set({ access_since: null, change_number: null })
        .where('user_id', '=', who.user.id)
        .execute(),
    )
    assert.equal((await revert(app(), token)).statusCode, 200)
    const again = await signIn(app(), who.user)
    assert.deepEqual((await again.get('/api/passkeys')).json().passkeys, [])
    assert.equal((await login(anonymous(app()), authenticator)).json().user.id, person.user.id)
  })
})
