import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MAX_COUNTED_AT_ONCE } from '../../../src/operations/overview/overview-store.ts'
import type { Overview } from '../../../src/operations/overview/overview.ts'
import { recordAlone, THE_SERVICE } from '../../../src/platform/audit/record-event.ts'
import { markBackup } from '../../../src/platform/config/data-files.ts'
import type { SignInMethod } from '../../../src/vocabulary/sign-in-methods.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { credentials, getTokens, postForm, registerApplication } from '../../support/application.ts'
import { onEachEngine } from '../../support/engines.ts'
import { addAccessTokens } from '../../support/many-rows.ts'
import { anonymous, signedInPerson } from '../../support/people.ts'

const DAY = 86_400_000
const PASSWORD = 'correct horse battery staple'

onEachEngine('the overview', (engine) => {
  test('counts users, sessions and scheduled actions', async (t) => {
    const app = await startApp(t, { engine })
    const admin = await signedInPerson(app, { admin: true })
    const disabled = await signedInPerson(app)
    const scheduled = await signedInPerson(app)
    await admin.post(`/api/admin/users/${disabled.user.id}/lifecycle`, { action: 'disable' })
    const executeAt = app.clock.now() + DAY
    await admin.post(`/api/admin/users/${scheduled.user.id}/lifecycle`, { action: 'disable', executeAt })
    const overview = (await admin.get('/api/admin/overview')).json<Overview>()
    assert.deepEqual(overview.users, { active: 2, disabled: 1, administrators: 1 })
    assert.deepEqual(overview.sessions, { active: 2 })
    assert.deepEqual(overview.tokens, { active: 0 })
    assert.deepEqual(overview.certificates, { issued: 0 })
    const { pending, failed, next } = overview.lifecycle ?? assert.fail('An administrator sees planned actions.')
    assert.deepEqual([pending, failed], [1, 0])
    assert.deepEqual(
      next.map(({ userId, email, executeAt: at }) => ({ userId, email, at })),
      [{ userId: scheduled.user.id, email: scheduled.user.email, at: executeAt }],
    )
  })

  test('tells what went wrong in the last week, and what a new installation still needs', async (t) => {
    const app = await startApp(t, { engine })
    const admin = await signedInPerson(app, { admin: true })
    const read = async () => {
      app.clock.advance(10_000)
      return (await admin.get('/api/admin/overview')).json<Overview>()
    }
    const first = await read()
    assert.deepEqual(first.attention, { delayedMail: 0, failedMail: [], failedJobs: [], failedActions: [] })
    const { backup, ...rest } = first.setup
    assert.equal(backup, engine === 'sqlite' ? 'missing' : 'unknown')
    const { application, host, secondAdministrator } = rest
    assert.deepEqual([application, host, secondAdministrator], [false, false, false])

    await recordAlone(app.services, {
      action: 'mail.failed',
      outcome: 'refused',
      actor: THE_SERVICE,
      data: { recipient: 'gone@example.com', subject: 'Hello', reason: '550 No such user' },
    })
    await registerApplication(app)
    await signedInPerson(app, { admin: true })
    await markBackup(app.services.config.dataDir, app.clock.now())
    const second = await read()
    assert.equal(second.attention.failedMail[0]?.reason, '550 No such user')
    assert.deepEqual([second.setup.application, second.setup.secondAdministrator], [true, true])
    assert.equal(second.setup.backup, engine === 'sqlite' ? 'made' : 'unknown')
    app.clock.advance(8 * DAY)
    assert.deepEqual(
      (
        await anonymous(app, (await signedInPerson(app, { admin: true })).cookie).get('/api/admin/overview')
      ).json<Overview>().attention.failedMail,
      [],
    )
  })

  test('counts access tokens as live only while they work', async (t) => {
    const app = await startApp(t, { engine })
    const admin = await signedInPerson(app, { admin: true })
    const [kept, deleted] = [await registerApplication(app), await registerApplication(app)]
    const [person, disabled] = [await signedInPerson(app), await signedInPerson(app)]
    const live = async () => {
      app.clock.advance(10_000)
      return (await admin.get('/api/admin/overview')).json<Overview>().tokens.active
    }
    const tokens = await getTokens(app, person, kept)
    await getTokens(app, disabled, kept)
    await getTokens(app, person, deleted)
    await postForm(app, '/oauth/token', { grant_type: 'client_credentials', ...credentials(kept) })
    assert.equal(await live(), 4)
    await admin.post(`/api/admin/users/${disabled.user.id}/lifecycle`, { action: 'disable' })
    assert.equal(await live(), 3)
    await admin.delete(`/oauth/clients/${deleted.clientId}`)
    assert.equal(await live(), 2)
    await postForm(app, '/oauth/revoke', { token: tokens.refresh_token, ...credentials(kept) })
    assert.equal(await live(), 1)
    app.clock.advance(DAY)
    assert.equal(await live(), 0)
  })

  test('counts many access tokens in the background, and says meanwhile that it does not know', async (t) => {
    const app = await startApp(t, { engine })
    const admin = await signedInPerson(app, { admin: true })
    const { clientId } = await registerApplication(app)
    const now = app.clock.now()
    await addAccessTokens(
      app.services.db,
      { clientId, issuedAt: now, expiresAt: now + DAY },
      MAX_COUNTED_AT_ONCE.oauth_access_tokens + 1,
    )
    const live = async () => (await admin.get('/api/admin/overview')).json<Overview>().tokens.active
    assert.equal(await live(), null)
    let counted: number | null = null
    while (counted === null) {
      app.clock.advance(5000)
      counted = await live()
    }
    assert.equal(counted, MAX_COUNTED_AT_ONCE.oauth_access_tokens + 1)
  })

  test('counts issued access tokens by day, across restarts', async (t) => {
    const app = await startApp(t, { engine })
    const admin = await signedInPerson(app, { admin: true })
    const application = await registerApplication(app)
    const issue = (on: TestApp) =>
      postForm(on, '/oauth/token', { grant_type: 'client_credentials', ...credentials(application) })
    const today = async () => (await admin.get('/api/admin/overview')).json<Overview>().days.at(-1)?.tokens
    await issue(app)
    await issue(app)
    await app.tick()
    assert.equal(await today(), 2)
    await issue(app)
    await app.close()
    const again = await startApp(t, { engine, storage: app.storage, clock: app.clock })
    await issue(again)
    await again.tick()
    const days = (await anonymous(again, admin.cookie).get('/api/admin/overview')).json<Overview>().days
    assert.equal(days.at(-1)?.tokens, 4)
  })

  test('counts sign-ins by day and method for thirty days, oldest first', async (t) => {
    const app = await startApp(t, { engine })
    const admin = await signedInPerson(app, { admin: true })
    const started = (method: SignInMethod) =>
      recordAlone(app.services, {
        action: 'session.started',
        outcome: 'success',
        method,
        actor: THE_SERVICE,
      })
    await started('password')
    await started('passkey')
    app.clock.advance(DAY)
    await started('passkey')
    await signedInPerson(app, { email: 'enters@example.com', password: PASSWORD })
    await anonymous(app).post('/api/auth/login', { email: 'enters@example.com', password: PASSWORD })
    await anonymous(app).post('/api/auth/login', { email: 'enters@example.com', password: 'a wrong password' })
    const read = async () => (await admin.get('/api/admin/overview')).json<Overview>().days
    const days = await read()
    assert.equal(days.length, 30)
    assert.deepEqual(days.slice(-2), [
      { day: '2026-01-15', password: 1, passkey: 1, refused: 0, certificates: 0, tokens: 0 },
      { day: '2026-01-16', password: 1, passkey: 1, refused: 1, certificates: 0, tokens: 0 },
    ])
    await started('passkey')
    app.clock.advance(5000)
    assert.equal((await read()).at(-1)?.passkey, 2)
    app.clock.advance(28 * DAY)
    const later = await read()
    assert.deepEqual(later[0], { day: '2026-01-15', password: 1, passkey: 1, refused: 0, certificates: 0, tokens: 0 })
    assert.equal(later[1]?.passkey, 2)
    assert.equal(later.at(-1)?.day, '2026-02-13')
  })
})
