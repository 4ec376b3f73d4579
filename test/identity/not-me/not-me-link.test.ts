import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { Response } from 'light-my-request'
import { createSite, TRUSTING } from '../../proxy/visits.ts'
import { issue, saveKey } from '../../ssh/public-keys.ts'
import { sharedApp, startApp, type TestApp } from '../../support/app.ts'
import { getTokens, isLive, registerApplication } from '../../support/application.ts'
import { createClock } from '../../support/clock.ts'
import { onEachEngine } from '../../support/engines.ts'
import { sentMails } from '../../support/mail.ts'
import { anonymous, cookieOf, type Person, signedInPerson, type SignedInPerson, signIn } from '../../support/people.ts'
import { confirmedPerson, DAY, move, newEmail, NEW_PASSWORD, PASSWORD, tokenFor } from '../account/moved-address.ts'
import { login, newAuthenticator, register } from '../passkeys/ceremonies.ts'
import { confirmNotMe, livesOn, notificationsOf, notMeToken, passwordWorks, preview, undoneBy } from './disowned.ts'

const NOTHING_ENDED = { sessions: 0, apps: 0, appPasswords: 0 }

onEachEngine('the link “this was not me”', (engine) => {
  const shared = sharedApp({ engine, config: TRUSTING })
  const app = () => shared()
  const secondReplica = async (t: TestContext): Promise<TestApp> =>
    engine === 'sqlite'
      ? app()
      : startApp(t, { engine, storage: app().storage, clock: createClock(app().clock.now()), config: TRUSTING })
  const tokenAfter = (who: SignedInPerson, says: RegExp) => notMeToken(app(), who.user.email, says)

  test('ends everything that somebody else may have open, removes what was added, and mails a link to set a new password', async () => {
    const admin = await signedInPerson(app(), { admin: true })
    const who = await confirmedPerson(app())
    const site = await createSite(admin, { basic: true })
    const [own, theirs] = [newAuthenticator(), newAuthenticator()]
    await register(who, own)
    await register(who, theirs, {}, 'Their phone')
    const token = await tokenAfter(who, /Their phone/)
    const application = await registerApplication(app())
    const tokens = await getTokens(app(), who, application)
    assert.equal((await who.post('/api/account/app-passwords', { name: 'x', client_id: site.id })).statusCode, 201)
    const elsewhere = await signIn(app(), who.user)

    const expected = {
      about: 'security.passkey_added',
      ends: { sessions: 2, apps: 1, appPasswords: 1 },
      removes: [{ kind: 'passkey', name: 'Their phone', count: 1 }],
      clearsPassword: true,
    }
    assert.deepEqual(undoneBy(await preview(app(), token)), expected)
    assert.deepEqual(undoneBy(await confirmNotMe(app(), token)), { success: true, ...expected })

    assert.deepEqual([await livesOn(who), await livesOn(elsewhere)], [false, false])
    assert.equal(await isLive(app(), application, tokens.access_token), false)
    assert.equal(await passwordWorks(app(), who, PASSWORD), false)
    assert.equal((await login(anonymous(app()), theirs)).statusCode, 401)
    // What the notification is not about stays.
    assert.equal((await login(anonymous(app()), own)).statusCode, 200)
    const again = await signIn(app(), who.user)
    assert.deepEqual((await again.get('/api/account/app-passwords')).json().appPasswords, [])
    const undone = (await notificationsOf(again)).filter(({ undoneAt }) => undoneAt !== undefined)
    assert.deepEqual(
      undone.map(({ data }) => data['name']),
      ['Their phone'],
    )

    const reset = { token: await tokenFor(app(), who.user.email, '/reset-password'), newPassword: NEW_PASSWORD }
    assert.equal((await anonymous(app()).post('/api/auth/password-reset/confirm', reset)).statusCode, 200)
    assert.equal(await passwordWorks(app(), who, NEW_PASSWORD), true)
  })

  test('tells the administrators and the audit trail', async () => {
    const admin = await signedInPerson(app(), { admin: true })
    const who = await confirmedPerson(app())
    await register(who, newAuthenticator())
    assert.equal((await confirmNotMe(app(), await tokenAfter(who, /passkey/))).statusCode, 200)
    const { id, email, displayName } = who.user
    const told = (await notificationsOf(admin)).filter(({ data }) => data['userId'] === id)
    const data = { userId: id, email, displayName, actorId: null, about: 'security.passkey_added' }
    assert.deepEqual(
      told.map(({ type, data }) => ({ type, data })),
      [{ type: 'user.not_me', data }],
    )
    const { events } = (await admin.get(`/api/admin/audit?action=user.not_me`)).json()
    const event = events.find((each: { targetId: string }) => each.targetId === id)
    assert.equal(event.outcome, 'success')
    assert.deepEqual(event.data.removes, [{ kind: 'passkey', name: 'Passkey', count: 1 }])
    assert.equal(event.data.by, 'link')
  })

  test('removes an SSH key with its certificates, and not those of other keys', async () => {
    const who = await confirmedPerson(app())
    const kept = await issue(who, await saveKey(who))
    await saveKey(who)
    const added = await saveKey(who, undefined, 'theirs')
    const certificate = await issue(who, added)
    assert.deepEqual(undoneBy(await confirmNotMe(app(), await tokenAfter(who, /theirs/))).removes, [
      { kind: 'ssh_key', name: 'theirs', count: 1 },
      { kind: 'certificate', name: null, count: 1 },
    ])
    const again = await signIn(app(), who.user)
    const { certificates } = (await again.get('/api/ssh/certs/mine')).json()
    const isRevoked = ({ id }: { id: string }) =>
      certificates.find((each: { id: string }) => each.id === id).revokedAt !== null
    assert.deepEqual([isRevoked(certificate), isRevoked(kept)], [true, false])
    assert.equal((await again.get('/api/ssh/keys')).json().keys.length, 2)
  })

  test('restores an address that was changed, as its own link does, and ends all app passwords', async () => {
    const admin = await signedInPerson(app(), { admin: true })
    const who = await confirmedPerson(app())
    const site = await createSite(admin, { basic: true })
    const old = newAuthenticator()
    await register(who, old)
    await who.post('/api/account/app-passwords', { name: 'old', client_id: site.id })
    app().clock.advance(20 * DAY)
    const thief = await signIn(app(), who.user)
    const added = newAuthenticator()
    const to = newEmail()
    const token = await move(app(), thief, who.user.email, to)
    await register(thief, added, {}, 'Theirs')
    const theirs = await notMeToken(app(), to, /Theirs/)
    const expected = {
      about: 'security.email_changed',
      ends: { sessions: 2, apps: 0, appPasswords: 1 },
      removes: [
        { kind: 'email', name: to, count: 1 },
        { kind: 'passkey', name: null, count: 1 },
      ],
      clearsPassword: true,
    }
    assert.deepEqual(undoneBy(await preview(app(), token)), expected)
    assert.deepEqual(undoneBy(await confirmNotMe(app(), token)), { success: true, ...expected })
    assert.equal((await login(anonymous(app()), added)).statusCode, 401)
    const back = await login(anonymous(app()), old)
    assert.equal(back.json().user.email, who.user.email)
    await tokenFor(app(), who.user.email, '/reset-password')
    // What was mailed to the address of whoever made the change is worth nothing any more.
    assert.equal((await preview(app(), theirs)).json().code, 'invalid_token')
  })

  test('keeps a password that was set since, and then mails nothing', async () => {
    const who = await confirmedPerson(app())
    await register(who, newAuthenticator())
    const token = await tokenAfter(who, /passkey/)
    const change = { currentPassword: PASSWORD, newPassword: NEW_PASSWORD }
    assert.equal((await who.post('/api/account/password', change)).statusCode, 200)
    assert.equal(undoneBy(await confirmNotMe(app(), token)).clearsPassword, false)
    assert.equal(await passwordWorks(app(), who, NEW_PASSWORD), true)
    const mails = (await sentMails(app())).filter((mail) => mail.to === who.user.email)
    assert.ok(!mails.some(({ text }) => text.includes('/reset-password')))
  })

  test('clears the password that the event itself set, also when it was hashed again since', async () => {
    const who = await confirmedPerson(app())
    await who.post('/api/account/password', { currentPassword: PASSWORD, newPassword: NEW_PASSWORD })
    const token = await tokenAfter(who, /password of your account/)
    const { db, passwords } = app().services
    const rehashed = await passwords.hash(NEW_PASSWORD, '127.0.0.1')
    await db.transaction((trx) =>
      trx.updateTable('users').set({ password_hash: rehashed }).where('id', '=', who.user.id).execute(),
    )
    assert.equal(undoneBy(await confirmNotMe(app(), token)).clearsPassword, true)
    assert.equal(await passwordWorks(app(), who, NEW_PASSWORD), false)
  })

  test('mails a way in to somebody whose only passkey it removes', async () => {
    const who = await signedInPerson(app())
    await app().services.db.transaction((trx) =>
      trx.updateTable('users').set({ email_verified: 1 }).where('id', '=', who.user.id).execute(),
    )
    await register(who, newAuthenticator())
    const undone = undoneBy(await confirmNotMe(app(), await tokenAfter(who, /passkey/)))
    assert.equal(undone.clearsPassword, false)
    await tokenFor(app(), who.user.email, '/reset-password')
  })

  test('does not lock out an installation whose only administrator uses it', async (t) => {
    const alone = await startApp(t, { engine })
    const admin = await signedInPerson(alone, { admin: true, password: PASSWORD })
    await alone.services.db.transaction((trx) =>
      trx.updateTable('users').set({ email_verified: 1 }).where('id', '=', admin.user.id).execute(),
    )
    await register(admin, newAuthenticator())
    const token = await notMeToken(alone, admin.user.email, /passkey/)
    assert.equal((await confirmNotMe(alone, token)).statusCode, 200)
    const reset = { token: await tokenFor(alone, admin.user.email, '/reset-password'), newPassword: NEW_PASSWORD }
    assert.equal((await anonymous(alone).post('/api/auth/password-reset/confirm', reset)).statusCode, 200)
    const again = await signIn(alone, admin.user)
    assert.equal((await again.get('/api/admin/users')).statusCode, 200)
  })

  test('opened by a mail scanner does nothing: GET, HEAD, and the request that the page makes', async () => {
    const who = await confirmedPerson(app())
    await register(who, newAuthenticator())
    const token = await tokenAfter(who, /passkey/)
    const before = await app().services.db.read.selectFrom('audit_events').select('id').execute()
    for (const method of ['GET', 'HEAD'] as const) {
      for (const url of [
        `/not-me?token=${token}`,
        '/not-me',
        `/api/auth/not-me?token=${token}`,
        '/api/auth/not-me/confirm',
      ])
        assert.ok((await app().app.inject({ method, url })).statusCode < 500)
    }
    for (let at = 0; at < 3; at++) assert.equal((await preview(app(), token)).statusCode, 200)
    assert.equal(await livesOn(who), true)
    assert.equal(await passwordWorks(app(), who, PASSWORD), true)
    const after = await app().services.db.read.selectFrom('audit_events').select('action').execute()
    const added = after.slice(before.length).map(({ action }) => action)
    assert.ok(!added.includes('user.not_me'))
    assert.equal((await confirmNotMe(app(), token)).statusCode, 200)
  })

  test('works once: used again, and at the same time on two replicas', async (t) => {
    const replica = await secondReplica(t)
    const who = await confirmedPerson(app())
    await register(who, newAuthenticator())
    const token = await tokenAfter(who, /passkey/)
    const answers = await Promise.all([app(), replica, app(), replica].map((each) => confirmNotMe(each, token)))
    assert.deepEqual(
      answers.map(({ statusCode }) => statusCode).toSorted((a, b) => a - b),
      [200, 400, 400, 400],
    )
    for (const use of [confirmNotMe, preview]) {
      const answer = await use(app(), token)
      assert.deepEqual([answer.statusCode, answer.json().code], [400, 'invalid_token'])
    }
    const { db } = app().services
    const events = await db.read
      .selectFrom('audit_events')
      .select('id')
      .where('action', '=', 'user.not_me')
      .where('target_id', '=', who.user.id)
      .execute()
    assert.equal(events.length, 1)
    const resets = (await sentMails(app())).filter(
      ({ to, link }) => to === who.user.email && link.pathname === '/reset-password',
    )
    assert.equal(resets.length, 1)
  })

  test('leaves nothing to what was under way: a sign-in with the password or the passkey, a new passkey', async (t) => {
    const replica = await secondReplica(t)
    for (let round = 0; round < 4; round++) {
      const who = await confirmedPerson(app())
      const theirs = newAuthenticator()
      await register(who, theirs)
      const token = await tokenAfter(who, /passkey/)
      const there = anonymous(replica, who.cookie)
      const visitors = [anonymous(app()), anonymous(replica)]
      const signInBy = async (visitor: Person, answer: Promise<Response>) => {
        visitor.cookie = cookieOf(await answer) ?? ''
      }
      const { email } = who.user
      const attempts: (() => Promise<unknown>)[] = [
        () => confirmNotMe(app(), token),
        () => signInBy(visitors[0]!, visitors[0]!.post('/api/auth/login', { email, password: PASSWORD })),
        () => signInBy(visitors[1]!, login(visitors[1]!, theirs)),
        () => register(there, newAuthenticator()).catch(() => undefined),
      ]
      const shifted = [...attempts.slice(round), ...attempts.slice(0, round)]
      await Promise.all(shifted.map((attempt) => attempt()))
      for (const visitor of [who, ...visitors]) assert.equal(await livesOn(visitor), false, `round ${round}`)
      assert.equal(await passwordWorks(app(), who, PASSWORD), false)
      assert.equal((await login(anonymous(app()), theirs)).statusCode, 401)
    }
  })

  test('is never a way in for somebody who reads the mail', async () => {
    const who = await confirmedPerson(app())
    await register(who, newAuthenticator())
    const token = await tokenAfter(who, /passkey/)
    for (const answer of [await preview(app(), token), await confirmNotMe(app(), token)]) {
      assert.equal(answer.headers['set-cookie'], undefined)
      assert.doesNotMatch(answer.body, /session"|token|pr_|secret|hash/)
    }
    // Nor is the token one of another kind.
    await register(await signIn(app(), who.user), newAuthenticator(), {}, 'Another')
    const next = await tokenAfter(who, /Another/)
    const stranger = anonymous(app())
    const uses = [
      stranger.post('/api/auth/password-reset/confirm', { token: next, newPassword: NEW_PASSWORD }),
      stranger.post('/api/auth/invitation/accept', { token: next, password: NEW_PASSWORD }),
      stranger.post('/api/account/email/revert', { token: next }),
      (await signIn(app(), who.user)).post('/api/auth/verify-email', { token: next }),
    ]
    for (const answer of await Promise.all(uses)) assert.equal(answer.statusCode, 400, answer.body)
    // And other tokens are not one of this kind.
    await stranger.post('/api/auth/password-reset', { email: who.user.email })
    const reset = await tokenFor(app(), who.user.email, '/reset-password')
    assert.equal((await confirmNotMe(app(), reset)).statusCode, 400)
  })

  test('after the thing was undone otherwise has nothing left to remove, and says so', async () => {
    const who = await confirmedPerson(app())
    const { passkey } = (await register(who, newAuthenticator())).json()
    const token = await tokenAfter(who, /passkey was added/)
    await who.delete(`/api/passkeys/${passkey.id}`)
    await who.post('/api/auth/logout')
    const change = await signIn(app(), who.user)
    await change.post('/api/account/password', { currentPassword: PASSWORD, newPassword: NEW_PASSWORD })
    await change.post('/api/auth/logout')
    const expected = { about: 'security.passkey_added', ends: NOTHING_ENDED, removes: [], clearsPassword: false }
    assert.deepEqual(undoneBy(await preview(app(), token)), expected)
    assert.deepEqual(undoneBy(await confirmNotMe(app(), token)), { success: true, ...expected })
  })

  test('of an earlier event works also after a later one was used, for what it is about', async () => {
    const who = await confirmedPerson(app())
    const [one, two] = [newAuthenticator(), newAuthenticator()]
    await register(who, one, {}, 'One')
    await register(who, two, {}, 'Two')
    const earlier = await tokenAfter(who, /One/)
    assert.equal((await confirmNotMe(app(), await tokenAfter(who, /Two/))).statusCode, 200)
    assert.deepEqual(undoneBy(await confirmNotMe(app(), earlier)).removes, [{ kind: 'passkey', name: 'One', count: 1 }])
    assert.equal((await login(anonymous(app()), one)).statusCode, 401)
  })

  test('survives a change of the address, by whoever took the account over, and ends with one by an administrator', async () => {
    const admin = await signedInPerson(app(), { admin: true })
    const who = await confirmedPerson(app())
    await register(who, newAuthenticator())
    const first = await tokenAfter(who, /passkey/)
    const moved = newEmail()
    await move(app(), who, who.user.email, moved)
    assert.equal((await preview(app(), first)).statusCode, 200)
    assert.equal((await admin.patch(`/api/admin/users/${who.user.id}`, { email: newEmail() })).statusCode, 200)
    assert.equal((await preview(app(), first)).statusCode, 400)
  })

  test('does nothing while the account is disabled, works when it is enabled again, and dies with the account', async () => {
    const admin = await signedInPerson(app(), { admin: true })
    const who = await confirmedPerson(app())
    const authenticator = newAuthenticator()
    await register(who, authenticator)
    const token = await tokenAfter(who, /passkey/)
    const act = async (action: string) =>
      assert.equal((await admin.post(`/api/admin/users/${who.user.id}/lifecycle`, { action })).statusCode, 200)
    await act('disable')
    assert.equal((await confirmNotMe(app(), token)).statusCode, 400)
    await act('enable')
    assert.equal((await preview(app(), token)).statusCode, 200)
    assert.equal((await admin.delete(`/api/admin/users/${who.user.id}`)).statusCode, 200)
    assert.equal((await confirmNotMe(app(), token)).statusCode, 400)
  })

  test('ends after seven days', async () => {
    const who = await confirmedPerson(app())
    await register(who, newAuthenticator())
    const token = await tokenAfter(who, /passkey/)
    app().clock.advance(7 * DAY - 1000)
    assert.equal((await preview(app(), token)).statusCode, 200)
    app().clock.advance(1000)
    assert.equal((await preview(app(), token)).statusCode, 400)
  })

  test('can not be guessed: after 30 wrong ones from an address in an hour even the right one waits', async (t) => {
    const limited = await startApp(t, { engine })
    const who = await confirmedPerson(limited)
    await register(who, newAuthenticator())
    const token = await notMeToken(limited, who.user.email, /passkey/)
    const wrong = (at: number) => `nm_${String(at).padStart(43, 'x')}`
    const answers = []
    // Both requests count together.
    for (let at = 0; at < 15; at++)
      answers.push(await preview(limited, wrong(at)), await confirmNotMe(limited, wrong(at)))
    for (const answer of answers) assert.deepEqual([answer.statusCode, answer.json().code], [400, 'invalid_token'])
    assert.equal(new Set(answers.map(({ body }) => body)).size, 1)
    for (const use of [preview, confirmNotMe]) {
      const refused = await use(limited, token)
      assert.equal(refused.statusCode, 429)
      assert.ok(Number(refused.headers['retry-after']) > 0)
    }
    limited.clock.advance(3_600_000)
    assert.equal((await preview(limited, token)).statusCode, 200)
  })
})
