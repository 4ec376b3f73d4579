import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ADMIN_ROLE } from '../../../src/vocabulary/built-in-roles.ts'
import { sharedApp, startApp } from '../../support/app.ts'
import { onEachEngine } from '../../support/engines.ts'
import { signedInPerson } from '../../support/people.ts'
import { actionsOf, lifecycleOf, insertActions, notificationsAbout } from './actions.ts'
import { SECOND, setUp } from './plan-set-up.ts'

onEachEngine('scheduled actions', (engine) => {
  const shared = sharedApp({ engine })

  test('an action that becomes due while the service is down runs when it is back', async (t) => {
    const { app, schedule, person, now } = await setUp(await startApp(t, { engine }))
    await schedule(now() + SECOND)
    await app.close()
    app.clock.advance(3600 * SECOND)
    const again = await startApp(t, { engine, storage: app.storage, clock: app.clock })
    await again.tick()
    const admin = await signedInPerson(again, { admin: true })
    assert.deepEqual(
      (await actionsOf(admin, person.user.id)).map(({ status, finishedAt }) => [status, finishedAt]),
      [['completed', now()]],
    )
  })

  test('overdue actions of one account run in the order of their scheduled times', async () => {
    const { app, admin, person, schedule, now } = await setUp(shared())
    await schedule(now() + 3 * SECOND, 'enable')
    await schedule(now() + SECOND, 'disable')
    await schedule(now() + 5 * SECOND, 'disable')
    await schedule(now() + 7 * SECOND, 'enable')
    app.clock.advance(60 * SECOND)
    await Promise.all([app.tick(), app.tick()])
    assert.deepEqual(await notificationsAbout(admin, person.user.id), [
      'user.disabled',
      'user.enabled',
      'user.disabled',
      'user.enabled',
    ])
  })

  test('an action cancelled while it becomes due is either cancelled or run, never both', async () => {
    const { app, admin, schedule, now } = await setUp(shared())
    for (let round = 0; round < 10; round++) {
      const person = await signedInPerson(app)
      const { lifecycleActionId } = await schedule(now(), 'disable', person.user.id)
      const [answer] = await Promise.all([
        admin.delete(`${lifecycleOf(person.user.id)}/${lifecycleActionId}`),
        app.tick(),
      ])
      const [action] = await actionsOf(admin, person.user.id)
      assert.equal(action?.status, answer.statusCode === 200 ? 'cancelled' : 'completed')
      assert.equal((await person.get('/api/auth/me')).statusCode, answer.statusCode === 200 ? 200 : 401)
    }
  })

  test('an action whose user was deleted, disabled or enabled meanwhile does not delay other actions', async () => {
    const { app, admin, person, schedule, now } = await setUp(shared())
    const [deleted, disabled, enabled] = [
      await signedInPerson(app),
      await signedInPerson(app),
      await signedInPerson(app),
    ]
    await schedule(now() + SECOND, 'disable', deleted.user.id)
    await schedule(now() + SECOND, 'disable', disabled.user.id)
    await schedule(now() + SECOND, 'enable', enabled.user.id)
    await schedule(now() + SECOND)
    await admin.delete(`/api/admin/users/${deleted.user.id}`)
    await admin.post(lifecycleOf(disabled.user.id), { action: 'disable' })
    app.clock.advance(SECOND)
    await app.tick()
    for (const { user } of [disabled, enabled, person]) {
      assert.deepEqual(
        (await actionsOf(admin, user.id)).filter(({ executeAt }) => executeAt === now()).map(({ status }) => status),
        ['completed'],
      )
    }
    assert.deepEqual(await notificationsAbout(admin, disabled.user.id), ['user.disabled'])
    assert.deepEqual(await notificationsAbout(admin, enabled.user.id), [])
    assert.deepEqual(await notificationsAbout(admin, person.user.id), ['user.disabled'])
    assert.equal(app.logged().includes('"level":"error"'), false)
  })

  test('a disable of a user who has become the last active administrator fails with its reason, and the account stays enabled', async (t) => {
    const { app, admin, second, person, schedule, now } = await setUp(await startApp(t, { engine }))
    await schedule(now() + SECOND, 'disable', second.user.id)
    await schedule(now() + SECOND)
    await app.services.db.transaction((trx) =>
      trx.deleteFrom('user_roles').where('user_id', '=', admin.user.id).where('role_id', '=', ADMIN_ROLE).execute(),
    )
    app.clock.advance(SECOND)
    await app.tick()
    assert.equal((await second.get('/api/admin/users')).statusCode, 200)
    // Not to the person whom it was planned for.
    const reader = await signedInPerson(app, { permissions: ['users:lifecycle'] })
    const [action] = await actionsOf(reader, second.user.id)
    assert.equal(action?.status, 'failed')
    assert.match(action?.failureReason ?? '', /last active administrator/)
    // The other action of the same batch ran.
    assert.equal((await person.get('/api/auth/me')).statusCode, 401)
  })

  test('an action of a process that died is claimed again when its lease has expired, and not before', async () => {
    const { app, admin, person, now } = await setUp(shared())
    const other = await signedInPerson(app)
    await insertActions(app, [
      { userId: person.user.id, executeAt: now() - 60_000, status: 'running', attempts: 1, claimedAt: now() - 10_000 },
      { userId: other.user.id, executeAt: now() - 60_000, status: 'running', attempts: 1, claimedAt: now() - 9_999 },
    ])
    await app.tick()
    assert.equal((await person.get('/api/auth/me')).statusCode, 401)
    assert.equal((await other.get('/api/auth/me')).statusCode, 200)
    app.clock.advance(1)
    await app.tick()
    assert.equal((await other.get('/api/auth/me')).statusCode, 401)
    assert.deepEqual(await notificationsAbout(admin, person.user.id), ['user.disabled'])
  })

  test('an action whose process died is claimed again, however often that happens', async () => {
    const { app, admin, person, now } = await setUp(shared())
    await insertActions(app, [
      { userId: person.user.id, executeAt: now(), status: 'running', attempts: 9, claimedAt: now() - 10_000 },
    ])
    await app.tick()
    assert.equal((await actionsOf(admin, person.user.id))[0]?.status, 'completed')
    assert.deepEqual(await notificationsAbout(admin, person.user.id), ['user.disabled'])
  })

  test('a claim made while the clock was far ahead does not count once the clock is correct', async () => {
    const { app, admin, person, now } = await setUp(shared())
    const other = await signedInPerson(app)
    const executeAt = now() - SECOND
    await insertActions(app, [
      { userId: person.user.id, executeAt, status: 'running', claimedAt: now() + 400 * 24 * 3600 * SECOND },
      // Claimed by a running replica whose clock is slightly ahead.
      { userId: other.user.id, executeAt, status: 'running', claimedAt: now() + 60 * SECOND },
    ])
    await app.tick()
    assert.equal((await actionsOf(admin, person.user.id))[0]?.status, 'completed')
    assert.equal((await actionsOf(admin, other.user.id))[0]?.status, 'running')
    app.clock.adjust(-SECOND)
    await app.tick()
    assert.equal((await actionsOf(admin, other.user.id))[0]?.status, 'completed')
  })

  test('two replicas run 500 due actions exactly once each, and send no notification twice', async (t) => {
    const { app, admin, second, now } = await setUp(await startApp(t, { engine }))
    const replica = engine === 'postgres' ? await startApp(t, { engine, storage: app.storage, clock: app.clock }) : app
    const { services } = app
    const users = Array.from({ length: 500 }, (_, index) => {
      const id = `usr_many${index}`
      return {
        id,
        email: `${id}@example.com`,
        email_verified: 0,
        preferred_username: id,
        created_at: now(),
      }
    })
    await services.db.transaction((trx) => trx.insertInto('users').values(users).execute())
    await insertActions(
      app,
      users.map(({ id }, index) => ({ userId: id, executeAt: now() + (index % 1000) })),
    )
    app.clock.advance(SECOND)
    await Promise.all([app.tick(), replica.tick(), app.tick(), replica.tick()])
    await Promise.all([app.tick(), replica.tick()])
    const { db } = services
    const statuses = await db.read.selectFrom('lifecycle_actions').select('status').distinct().execute()
    assert.deepEqual(
      statuses.map(({ status }) => status),
      ['completed'],
    )
    const disabled = await db.read.selectFrom('users').select('id').where('disabled_at', 'is not', null).execute()
    assert.equal(disabled.length, 500)
    for (const { user } of [admin, second]) {
      const notifications = await db.read
        .selectFrom('notifications')
        .select(['id', 'data'])
        .where('user_id', '=', user.id)
        .execute()
      assert.equal(notifications.length, 500)
      assert.equal(new Set(notifications.map(({ data }) => data)).size, 500)
      assert.equal(new Set(notifications.map(({ id }) => id)).size, 500)
    }
  })
})
