import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { ADMIN_ROLE } from '../../src/access/built-in-roles.ts'
import { startApp } from '../support/app.ts'
import { type EngineName, onEachEngine } from '../support/engines.ts'
import { signedInPerson } from '../support/people.ts'
import { actionsOf, lifecycleOf, plan, toldAbout } from './scene.ts'

const SECOND = 1000
const YEAR = 365 * 24 * 3600 * SECOND

async function setUp(t: TestContext, engine: EngineName) {
  const app = await startApp(t, { engine })
  const admin = await signedInPerson(app, { admin: true })
  const second = await signedInPerson(app, { admin: true })
  const person = await signedInPerson(app)
  const schedule = async (executeAt: number, action: 'disable' | 'enable' = 'disable', userId = person.user.id) => {
    const response = await admin.post(lifecycleOf(userId), { action, executeAt })
    assert.equal(response.statusCode, 200, response.body)
    return response.json<{ scheduled: boolean; lifecycleActionId: string; executeAt: number }>()
  }
  return { app, admin, second, person, schedule, now: app.clock.now }
}

onEachEngine('planned actions', (engine) => {
  test('scheduled for five seconds ahead: active before, disabled after, completed, one notification each', async (t) => {
    const { app, admin, second, person, schedule, now } = await setUp(t, engine)
    const executeAt = now() + 5 * SECOND
    const planned = await schedule(executeAt)
    assert.deepEqual({ ...planned, lifecycleActionId: '' }, { scheduled: true, lifecycleActionId: '', executeAt })
    app.clock.advance(4999)
    await app.tick()
    assert.equal((await person.get('/api/auth/me')).statusCode, 200)
    assert.deepEqual(
      (await actionsOf(admin, person.user.id)).map(({ status }) => status),
      ['pending'],
    )
    app.clock.advance(1)
    await app.tick()
    assert.equal((await person.get('/api/auth/me')).statusCode, 401)
    assert.deepEqual(await actionsOf(admin, person.user.id), [
      {
        id: planned.lifecycleActionId,
        userId: person.user.id,
        action: 'disable',
        status: 'completed',
        executeAt,
        requestedBy: admin.user.id,
        createdAt: executeAt - 5 * SECOND,
        finishedAt: now(),
        failureReason: null,
      },
    ])
    await app.tick()
    for (const each of [admin, second]) assert.deepEqual(await toldAbout(each, person.user.id), ['user.disabled'])
    const { notifications } = (await admin.get('/api/notifications')).json<{
      notifications: { data: { actorId: string } }[]
    }>()
    assert.equal(notifications[0]?.data.actorId, admin.user.id)
  })

  test('years ahead is as good as seconds', async (t) => {
    const { app, person, schedule, now } = await setUp(t, engine)
    const { lifecycleActionId } = await schedule(now() + 30 * YEAR)
    app.clock.advance(30 * YEAR - 1)
    await app.tick()
    const read = async () =>
      (
        await app.services.db.read
          .selectFrom('users')
          .select('disabled_at')
          .where('id', '=', person.user.id)
          .executeTakeFirst()
      )?.disabled_at
    assert.equal(await read(), null)
    app.clock.advance(1)
    await app.tick()
    assert.equal(await read(), now())
    const action = await app.services.db.read
      .selectFrom('lifecycle_actions')
      .select(['status', 'finished_at'])
      .where('id', '=', lifecycleActionId)
      .executeTakeFirst()
    assert.deepEqual({ ...action }, { status: 'completed', finished_at: now() })
  })

  test('what is due while the service is down runs when it is back', async (t) => {
    const { app, schedule, person, now } = await setUp(t, engine)
    await schedule(now() + SECOND)
    await app.close()
    app.clock.advance(3600 * SECOND)
    const again = await startApp(t, { engine, place: app.place, clock: app.clock })
    await again.tick()
    const admin = await signedInPerson(again, { admin: true })
    assert.deepEqual(
      (await actionsOf(admin, person.user.id)).map(({ status, finishedAt }) => [status, finishedAt]),
      [['completed', now()]],
    )
  })

  test('a planned enable ends a disable', async (t) => {
    const { app, admin, person, schedule, now } = await setUp(t, engine)
    await admin.post(lifecycleOf(person.user.id), { action: 'disable' })
    await schedule(now() + SECOND, 'enable')
    app.clock.advance(SECOND)
    await app.tick()
    assert.deepEqual(await toldAbout(admin, person.user.id), ['user.disabled', 'user.enabled'])
    const details = await admin.get(`/api/admin/users/${person.user.id}`)
    assert.equal(details.json<{ user: { disabled_at: number | null } }>().user.disabled_at, null)
  })

  test('overdue actions of one account run in the order they were planned for', async (t) => {
    const { app, admin, person, schedule, now } = await setUp(t, engine)
    await schedule(now() + 3 * SECOND, 'enable')
    await schedule(now() + SECOND, 'disable')
    await schedule(now() + 5 * SECOND, 'disable')
    await schedule(now() + 7 * SECOND, 'enable')
    app.clock.advance(60 * SECOND)
    await Promise.all([app.tick(), app.tick()])
    assert.deepEqual(await toldAbout(admin, person.user.id), [
      'user.disabled',
      'user.enabled',
      'user.disabled',
      'user.enabled',
    ])
  })

  test('a time that is past, or none at all, is 400, and seconds are recognized', async (t) => {
    const { admin, person, now } = await setUp(t, engine)
    const ask = (executeAt: unknown) => admin.post(lifecycleOf(person.user.id), { action: 'disable', executeAt })
    for (const executeAt of [0, -1, 1.5, '1', null, 1e18, now() - 1, true, [now() + 1]]) {
      assert.equal((await ask(executeAt)).statusCode, 400, String(executeAt))
    }
    assert.match((await ask(Math.floor(now() / 1000) + 60)).json<{ error: string }>().error, /seconds/)
    assert.doesNotMatch((await ask(now() - 1)).json<{ error: string }>().error, /seconds/)
    assert.deepEqual(await actionsOf(admin, person.user.id), [])
  })

  test('a pending action is cancelled once; one that is not pending is 409; a foreign one 404', async (t) => {
    const { app, admin, person, second, schedule, now } = await setUp(t, engine)
    const { lifecycleActionId: id } = await schedule(now() + SECOND)
    const url = `${lifecycleOf(person.user.id)}/${id}`
    assert.equal((await admin.delete(`${lifecycleOf(second.user.id)}/${id}`)).statusCode, 404)
    assert.equal((await admin.delete(`${lifecycleOf(person.user.id)}/nothing`)).statusCode, 404)
    const cancelled = (await second.delete(url)).json<{ success: boolean; action: { status: string } }>()
    assert.deepEqual([cancelled.success, cancelled.action.status], [true, 'cancelled'])
    assert.equal((await admin.delete(url)).statusCode, 409)
    app.clock.advance(10 * SECOND)
    await app.tick()
    assert.equal((await person.get('/api/auth/me')).statusCode, 200)
    const done = await schedule(now())
    await app.tick()
    assert.equal((await admin.delete(`${lifecycleOf(person.user.id)}/${done.lifecycleActionId}`)).statusCode, 409)
  })

  test('cancelling while it becomes due either cancels or runs, never both', async (t) => {
    const { app, admin, schedule, now } = await setUp(t, engine)
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

  test('a target deleted, disabled or enabled meanwhile does not hold the others up', async (t) => {
    const { app, admin, person, schedule, now } = await setUp(t, engine)
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
        (await actionsOf(admin, user.id)).map(({ status }) => status),
        ['completed'],
      )
    }
    assert.deepEqual(await toldAbout(admin, disabled.user.id), ['user.disabled'])
    assert.deepEqual(await toldAbout(admin, enabled.user.id), [])
    assert.deepEqual(await toldAbout(admin, person.user.id), ['user.disabled'])
    assert.equal(app.logged().includes('"level":"error"'), false)
  })

  test('a user who has become the last administrator meanwhile stays, and the action fails with its reason', async (t) => {
    const { app, admin, second, person, schedule, now } = await setUp(t, engine)
    await schedule(now() + SECOND, 'disable', second.user.id)
    await schedule(now() + SECOND)
    await app.services.db.transaction((trx) =>
      trx.deleteFrom('user_roles').where('user_id', '=', admin.user.id).where('role_id', '=', ADMIN_ROLE).execute(),
    )
    app.clock.advance(SECOND)
    await app.tick()
    assert.equal((await second.get('/api/admin/users')).statusCode, 200)
    const [action] = await actionsOf(second, second.user.id)
    assert.equal(action?.status, 'failed')
    assert.match(action?.failureReason ?? '', /last active administrator/)
    // The other action of the same batch ran.
    assert.equal((await person.get('/api/auth/me')).statusCode, 401)
  })

  test('a batch that would disable every administrator leaves one', async (t) => {
    const { app, admin, second, now } = await setUp(t, engine)
    await plan(
      app,
      [admin, second].map(({ user }) => ({ userId: user.id, executeAt: now() })),
    )
    await app.tick()
    const statuses = (await app.services.db.read.selectFrom('lifecycle_actions').select('status').execute()).map(
      ({ status }) => status,
    )
    assert.deepEqual(statuses.toSorted(), ['completed', 'failed'])
  })

  test('an action that was running when its process died is taken up again, and only then', async (t) => {
    const { app, admin, person, now } = await setUp(t, engine)
    const other = await signedInPerson(app)
    await plan(app, [
      { userId: person.user.id, executeAt: now() - 60_000, status: 'running', attempts: 1, claimedAt: now() - 10_000 },
      { userId: other.user.id, executeAt: now() - 60_000, status: 'running', attempts: 1, claimedAt: now() - 9_999 },
    ])
    await app.tick()
    assert.equal((await person.get('/api/auth/me')).statusCode, 401)
    assert.equal((await other.get('/api/auth/me')).statusCode, 200)
    app.clock.advance(1)
    await app.tick()
    assert.equal((await other.get('/api/auth/me')).statusCode, 401)
    assert.deepEqual(await toldAbout(admin, person.user.id), ['user.disabled'])
  })

  test('an action whose process died is taken up again, however often that was', async (t) => {
    const { app, admin, person, now } = await setUp(t, engine)
    await plan(app, [
      { userId: person.user.id, executeAt: now(), status: 'running', attempts: 9, claimedAt: now() - 10_000 },
    ])
    await app.tick()
    assert.equal((await actionsOf(admin, person.user.id))[0]?.status, 'completed')
    assert.deepEqual(await toldAbout(admin, person.user.id), ['user.disabled'])
  })

  test('a take of an action under a clock that was ahead is no take, once the clock is right', async (t) => {
    const { app, admin, person, now } = await setUp(t, engine)
    const other = await signedInPerson(app)
    const executeAt = now() - SECOND
    await plan(app, [
      { userId: person.user.id, executeAt, status: 'running', claimedAt: now() + 400 * 24 * 3600 * SECOND },
      // The clock of another replica is a little ahead, and it is at work.
      { userId: other.user.id, executeAt, status: 'running', claimedAt: now() + 60 * SECOND },
    ])
    await app.tick()
    assert.equal((await actionsOf(admin, person.user.id))[0]?.status, 'completed')
    assert.equal((await actionsOf(admin, other.user.id))[0]?.status, 'running')
    app.clock.adjust(-SECOND)
    await app.tick()
    assert.equal((await actionsOf(admin, other.user.id))[0]?.status, 'completed')
  })

  test('the list is paged, newest first', async (t) => {
    const { app, admin, person, schedule, now } = await setUp(t, engine)
    const ids: string[] = []
    for (let index = 0; index < 5; index++) {
      app.clock.advance(1)
      ids.unshift((await schedule(now() + SECOND)).lifecycleActionId)
    }
    const first = (await admin.get(`${lifecycleOf(person.user.id)}?limit=3`)).json()
    const rest = (await admin.get(`${lifecycleOf(person.user.id)}?limit=3&cursor=${first.nextCursor}`)).json()
    assert.deepEqual(
      [...first.actions, ...rest.actions].map(({ id }: { id: string }) => id),
      ids,
    )
    assert.equal(rest.nextCursor, null)
    assert.equal((await admin.get(lifecycleOf('usr_nobody'))).statusCode, 404)
  })

  test('two replicas and 500 actions at once: 500 disables, no notification twice', async (t) => {
    const { app, admin, second, now } = await setUp(t, engine)
    const copy = engine === 'postgres' ? await startApp(t, { engine, place: app.place, clock: app.clock }) : app
    const { services } = app
    const users = Array.from({ length: 500 }, (_, index) => `usr_many${index}`)
    for (const id of users) {
      await services.db.transaction((trx) =>
        trx
          .insertInto('users')
          .values({
            id,
            email: `${id}@example.com`,
            email_verified: 0,
            preferred_username: id,
            created_at: now(),
          })
          .execute(),
      )
    }
    await plan(
      app,
      users.map((userId, index) => ({ userId, executeAt: now() + (index % 1000) })),
    )
    app.clock.advance(SECOND)
    await Promise.all([app.tick(), copy.tick(), app.tick(), copy.tick()])
    await Promise.all([app.tick(), copy.tick()])
    const { db } = services
    const statuses = await db.read.selectFrom('lifecycle_actions').select('status').distinct().execute()
    assert.deepEqual(
      statuses.map(({ status }) => status),
      ['completed'],
    )
    const disabled = await db.read.selectFrom('users').select('id').where('disabled_at', 'is not', null).execute()
    assert.equal(disabled.length, 500)
    for (const { user } of [admin, second]) {
      const told = await db.read
        .selectFrom('notifications')
        .select(['id', 'data'])
        .where('user_id', '=', user.id)
        .execute()
      assert.equal(told.length, 500)
      assert.equal(new Set(told.map(({ data }) => data)).size, 500)
      assert.equal(new Set(told.map(({ id }) => id)).size, 500)
    }
  })
})
