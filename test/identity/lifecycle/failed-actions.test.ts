import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { Notification } from '../../../src/identity/notifications/notification-store.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { breakTable } from '../../support/broken-table.ts'
import { type EngineName, onEachEngine } from '../../support/engines.ts'
import { type Person, signedInPerson } from '../../support/people.ts'
import { actionsOf, lifecycleOf, notificationsAbout } from './actions.ts'

const SECOND = 1000
const LEASE_MS = 10 * SECOND

async function setUp(t: TestContext, engine: EngineName) {
  const app = await startApp(t, { engine })
  const admins = [await signedInPerson(app, { admin: true }), await signedInPerson(app, { admin: true })] as const
  const person = await signedInPerson(app)
  const scheduled = await admins[0].post(lifecycleOf(person.user.id), {
    action: 'disable',
    executeAt: app.clock.now() + SECOND,
  })
  assert.equal(scheduled.statusCode, 200, scheduled.body)
  app.clock.advance(SECOND)
  return { app, admins, person, actionId: scheduled.json<{ lifecycleActionId: string }>().lifecycleActionId }
}

const disablingUpdateOf = (userId: string, errorCode?: string) => ({
  table: 'users' as const,
  on: 'update' as const,
  when: `new.id = '${userId}' and new.disabled_at is not null`,
  ...(errorCode === undefined ? {} : { errorCode }),
})

/** Runs due actions, and advances the clock to the time of the next attempt. */
async function tryOnce({ tick, clock }: TestApp): Promise<void> {
  await tick()
  clock.advance(LEASE_MS)
}

const statusOf = async (admin: Person, userId: string) => (await actionsOf(admin, userId))[0]?.status

onEachEngine('scheduled actions that fail', (engine) => {
  test('an action that fails unexpectedly is tried five times, then marked failed, and administrators are notified once', async (t) => {
    const { app, admins, person, actionId } = await setUp(t, engine)
    const bystander = await signedInPerson(app)
    await breakTable(app, engine, disablingUpdateOf(person.user.id))
    for (let round = 1; round <= 4; round++) {
      await tryOnce(app)
      assert.equal(await statusOf(admins[0], person.user.id), 'running', `attempt ${round}`)
    }
    const other = { action: 'disable', executeAt: app.clock.now() }
    assert.equal((await admins[0].post(lifecycleOf(bystander.user.id), other)).statusCode, 200)
    await tryOnce(app)
    assert.equal(await statusOf(admins[0], bystander.user.id), 'completed')
    const [action] = await actionsOf(admins[0], person.user.id)
    assert.equal(action?.status, 'failed')
    assert.match(action?.failureReason ?? '', /failed 5 times/)
    await tryOnce(app)

    for (const admin of admins) {
      assert.deepEqual(await notificationsAbout(admin, person.user.id), ['lifecycle.failed'])
      const response = await admin.get('/api/notifications')
      const { notifications } = response.json<{ notifications: Notification[] }>()
      assert.deepEqual(notifications.find(({ type }) => type === 'lifecycle.failed')?.data, {
        userId: person.user.id,
        email: person.user.email,
        displayName: null,
        actorId: admins[0].user.id,
        lifecycleActionId: actionId,
        action: 'disable',
        reason: action?.failureReason,
      })
    }
    const { events } = (await admins[0].get(`/api/admin/audit?target=${person.user.id}&outcome=refused`)).json<{
      events: { action: string }[]
    }>()
    assert.deepEqual(
      events.map(({ action: name }) => name),
      ['lifecycle.disable'],
    )
  })

  test('an action that failed four times and then succeeds is completed, and no failure is reported', async (t) => {
    const { app, admins, person } = await setUp(t, engine)
    const repair = await breakTable(app, engine, disablingUpdateOf(person.user.id))
    for (let round = 1; round <= 4; round++) await tryOnce(app)
    await repair()
    await app.tick()
    assert.equal(await statusOf(admins[0], person.user.id), 'completed')
    assert.deepEqual(await notificationsAbout(admins[0], person.user.id), ['user.disabled'])
  })
})

test('a scheduled disable is retried for as long as the database is unavailable', async (t) => {
  const { app, admins, person } = await setUp(t, 'postgres')
  // PostgreSQL's codes for lock and statement timeouts, shutdown, startup, deadlocks and too many connections.
  for (const errorCode of ['55P03', '57014', '57P01', '57P03', '40P01', '53300']) {
    const repair = await breakTable(app, 'postgres', disablingUpdateOf(person.user.id, errorCode))
    for (let round = 0; round < 3; round++) await tryOnce(app)
    await repair()
  }
  assert.equal(await statusOf(admins[0], person.user.id), 'pending')
  await app.tick()
  assert.equal(await statusOf(admins[0], person.user.id), 'completed')
  assert.equal((await person.get('/api/auth/me')).statusCode, 401)
  for (const admin of admins) assert.deepEqual(await notificationsAbout(admin, person.user.id), ['user.disabled'])
})
