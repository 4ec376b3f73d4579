import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Notification } from '../../../src/identity/notifications/notification-store.ts'
import { ADMIN_ROLE } from '../../../src/vocabulary/built-in-roles.ts'
import { sharedApp, type TestApp } from '../../support/app.ts'
import { onMainEngine } from '../../support/engines.ts'
import { type Person, type SignedInPerson, signedInPerson } from '../../support/people.ts'
import { actionsOf, lifecycleOf, insertActions, notificationsAbout } from './actions.ts'

const SECOND = 1000

async function setUp(app: TestApp) {
  const admin = await signedInPerson(app, { admin: true })
  const planner = await signedInPerson(app, { permissions: ['users:lifecycle'] })
  const person = await signedInPerson(app)
  return { app, admin, planner, person }
}

async function schedule({ clock }: TestApp, by: Person, action: 'enable' | 'disable', { user }: SignedInPerson) {
  const response = await by.post(lifecycleOf(user.id), { action, executeAt: clock.now() + SECOND })
  assert.equal(response.statusCode, 200, response.body)
}

const isDisabled = async (admin: Person, { user }: SignedInPerson): Promise<boolean> => {
  const response = await admin.get(`/api/admin/users/${user.id}`)
  return response.json<{ user: { disabled_at: number | null } }>().user.disabled_at !== null
}

onMainEngine('planners, the users who schedule actions', (engine) => {
  const shared = sharedApp({ engine })

  test('users can’t schedule an action for themselves, neither a disable nor an enable', async () => {
    const { app, admin, planner } = await setUp(shared())
    const executeAt = app.clock.now() + SECOND
    for (const each of [admin, planner]) {
      for (const action of ['enable', 'disable']) {
        const response = await each.post(lifecycleOf(each.user.id), { action, executeAt })
        assert.equal(response.statusCode, 409, `${action}: ${response.body}`)
      }
      assert.deepEqual(await actionsOf(admin, each.user.id), [])
    }
  })

  test('an enable that users had scheduled for themselves fails when it is due', async () => {
    const { app, admin, planner } = await setUp(shared())
    await insertActions(app, [
      {
        userId: planner.user.id,
        action: 'enable',
        executeAt: app.clock.now() + SECOND,
        requestedBy: planner.user.id,
      },
    ])
    await admin.post(lifecycleOf(planner.user.id), { action: 'disable' })
    app.clock.advance(SECOND)
    await app.tick()
    assert.equal(await isDisabled(admin, planner), true)
    assert.equal((await actionsOf(admin, planner.user.id)).find(({ action }) => action === 'enable')?.status, 'failed')
  })

  const changes: {
    name: string
    reason: RegExp
    change(fixture: Awaited<ReturnType<typeof setUp>>): Promise<unknown>
  }[] = [
    {
      name: 'was disabled',
      reason: /disabled or deleted/,
      change: ({ admin, planner }) => admin.post(lifecycleOf(planner.user.id), { action: 'disable' }),
    },
    {
      name: 'was deleted',
      reason: /disabled or deleted/,
      change: ({ admin, planner }) => admin.delete(`/api/admin/users/${planner.user.id}`),
    },
    {
      name: 'lost the permission',
      reason: /users:lifecycle/,
      change: async ({ app, planner }) =>
        app.services.db.transaction((trx) =>
          trx.deleteFrom('user_roles').where('user_id', '=', planner.user.id).execute(),
        ),
    },
    {
      name: 'has fewer permissions than the user has now',
      reason: /holds more/,
      change: async ({ admin, person }) =>
        admin.post(`/api/admin/users/${person.user.id}/roles`, { roleId: ADMIN_ROLE }),
    },
  ]
  for (const { name, reason, change } of changes) {
    test(`a scheduled enable fails when its planner ${name}, and administrators are notified`, async () => {
      const fixture = await setUp(shared())
      const { app, admin, planner, person } = fixture
      const other = await signedInPerson(app)
      for (const each of [person, other]) await admin.post(lifecycleOf(each.user.id), { action: 'disable' })
      await schedule(app, planner, 'enable', person)
      // Another action of the same second, whose planner is unchanged.
      await schedule(app, admin, 'enable', other)
      await change(fixture)
      app.clock.advance(SECOND)
      await app.tick()
      assert.equal(await isDisabled(admin, person), true)
      assert.equal(await isDisabled(admin, other), false)
      const action = (await actionsOf(admin, person.user.id)).find((each) => each.action === 'enable')
      assert.equal(action?.status, 'failed')
      assert.match(action?.failureReason ?? '', reason)
      assert.deepEqual(await notificationsAbout(admin, person.user.id), ['user.disabled', 'lifecycle.failed'])
    })
  }

  test('a scheduled disable runs even if its planner was disabled or deleted', async () => {
    const { app, admin, planner, person } = await setUp(shared())
    const deleted = await signedInPerson(app, { permissions: ['users:lifecycle'] })
    const other = await signedInPerson(app)
    await schedule(app, planner, 'disable', person)
    await schedule(app, deleted, 'disable', other)
    await admin.post(lifecycleOf(planner.user.id), { action: 'disable' })
    await admin.delete(`/api/admin/users/${deleted.user.id}`)
    app.clock.advance(SECOND)
    await app.tick()
    for (const each of [person, other]) {
      assert.equal(await isDisabled(admin, each), true)
      assert.equal(
        (await actionsOf(admin, each.user.id)).find(({ action }) => action === 'disable')?.status,
        'completed',
      )
    }
  })

  test('disabling a planner notifies administrators of the number of pending actions, if there are any', async () => {
    const { app, admin, planner, person } = await setUp(shared())
    const second = await signedInPerson(app, { admin: true })
    const other = await signedInPerson(app)
    await schedule(app, planner, 'disable', person)
    await schedule(app, planner, 'disable', other)
    app.clock.advance(SECOND)
    await app.tick()
    const third = await signedInPerson(app)
    await schedule(app, planner, 'disable', third)
    await schedule(app, planner, 'enable', other)
    await admin.post(lifecycleOf(planner.user.id), { action: 'disable' })
    for (const each of [admin, second]) {
      assert.deepEqual(await notificationsAbout(each, planner.user.id), ['user.disabled', 'lifecycle.planner_disabled'])
      assert.deepEqual(await notificationsAbout(each, person.user.id), ['user.disabled'])
    }
    const { notifications } = (await admin.get('/api/notifications')).json<{ notifications: Notification[] }>()
    assert.deepEqual(notifications.find(({ type }) => type === 'lifecycle.planner_disabled')?.data, {
      userId: planner.user.id,
      email: planner.user.email,
      displayName: null,
      actorId: admin.user.id,
      pending: 2,
    })
  })

  test('a planner who is disabled by a scheduled action is reported in the same way', async () => {
    const { app, admin, planner, person } = await setUp(shared())
    await admin.post(lifecycleOf(planner.user.id), { action: 'disable', executeAt: app.clock.now() + SECOND })
    const later = { action: 'disable', executeAt: app.clock.now() + 10 * SECOND }
    assert.equal((await planner.post(lifecycleOf(person.user.id), later)).statusCode, 200)
    app.clock.advance(SECOND)
    await app.tick()
    assert.deepEqual(await notificationsAbout(admin, planner.user.id), ['user.disabled', 'lifecycle.planner_disabled'])
  })
})
