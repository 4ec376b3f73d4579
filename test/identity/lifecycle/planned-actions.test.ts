import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sharedApp, startApp } from '../../support/app.ts'
import { onEachEngine } from '../../support/engines.ts'
import { actionsOf, lifecycleOf, insertActions, notificationsAbout } from './actions.ts'
import { SECOND, YEAR, setUp } from './plan-set-up.ts'

onEachEngine('scheduled actions', (engine) => {
  const shared = sharedApp({ engine })

  test('a disable scheduled in five seconds leaves the account active until then, and each administrator gets one notification', async () => {
    const { app, admin, second, person, schedule, now } = await setUp(shared())
    const executeAt = now() + 5 * SECOND
    const scheduled = await schedule(executeAt)
    assert.deepEqual({ ...scheduled, lifecycleActionId: '' }, { scheduled: true, lifecycleActionId: '', executeAt })
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
    // The receipt is completed by the next run.
    await app.tick()
    assert.deepEqual(await actionsOf(admin, person.user.id), [
      {
        id: scheduled.lifecycleActionId,
        userId: person.user.id,
        action: 'disable',
        status: 'completed',
        executeAt,
        requestedBy: { id: admin.user.id, email: admin.user.email },
        reason: null,
        discreet: false,
        receipt: { sessions: 1, tokens: 0, certificates: 0, told: [], outstanding: 0, completedAt: now() },
        createdAt: executeAt - 5 * SECOND,
        finishedAt: now(),
        failureReason: null,
      },
    ])
    await app.tick()
    for (const each of [admin, second])
      assert.deepEqual(await notificationsAbout(each, person.user.id), ['user.disabled'])
    const { notifications } = (await admin.get('/api/notifications')).json<{
      notifications: { data: { actorId: string } }[]
    }>()
    assert.equal(notifications[0]?.data.actorId, admin.user.id)
  })

  test('an action can be scheduled decades ahead', async () => {
    const { app, person, schedule, now } = await setUp(shared())
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

  test('a scheduled enable enables a disabled account', async () => {
    const { app, admin, person, schedule, now } = await setUp(shared())
    await admin.post(lifecycleOf(person.user.id), { action: 'disable' })
    await schedule(now() + SECOND, 'enable')
    app.clock.advance(SECOND)
    await app.tick()
    assert.deepEqual(await notificationsAbout(admin, person.user.id), ['user.disabled', 'user.enabled'])
    const details = await admin.get(`/api/admin/users/${person.user.id}`)
    assert.equal(details.json<{ user: { disabled_at: number | null } }>().user.disabled_at, null)
  })

  test('a time that is past or invalid answers 400, and the error says so when it is in seconds', async () => {
    const { admin, person, now } = await setUp(shared())
    const post = (executeAt: unknown) => admin.post(lifecycleOf(person.user.id), { action: 'disable', executeAt })
    for (const executeAt of [0, -1, 1.5, '1', null, 1e18, now() - 1, true, [now() + 1]]) {
      assert.equal((await post(executeAt)).statusCode, 400, String(executeAt))
    }
    assert.match((await post(Math.floor(now() / 1000) + 60)).json<{ error: string }>().error, /seconds/)
    assert.doesNotMatch((await post(now() - 1)).json<{ error: string }>().error, /seconds/)
    assert.deepEqual(await actionsOf(admin, person.user.id), [])
  })

  test('a pending action can be cancelled once, any other status answers 409, and an action of another user 404', async () => {
    const { app, admin, person, second, schedule, now } = await setUp(shared())
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

  test('a batch that would disable every administrator leaves one', async (t) => {
    const { app, admin, second, now } = await setUp(await startApp(t, { engine }))
    await insertActions(
      app,
      [admin, second].map(({ user }) => ({ userId: user.id, executeAt: now() })),
    )
    await app.tick()
    const statuses = (await app.services.db.read.selectFrom('lifecycle_actions').select('status').execute()).map(
      ({ status }) => status,
    )
    assert.deepEqual(statuses.toSorted(), ['completed', 'failed'])
  })

  test('the list of actions is paged, newest first', async () => {
    const { app, admin, person, schedule, now } = await setUp(shared())
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
})
