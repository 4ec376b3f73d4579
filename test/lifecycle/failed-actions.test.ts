import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { Notification } from '../../src/notifications/notification.ts'
import { startApp, type TestApp } from '../support/app.ts'
import { breakTable } from '../support/broken-table.ts'
import { type EngineName, onEachEngine } from '../support/engines.ts'
import { type Person, signedInPerson } from '../support/people.ts'
import { actionsOf, lifecycleOf, toldAbout } from './scene.ts'

const SECOND = 1000
const LEASE_MS = 10 * SECOND

async function setUp(t: TestContext, engine: EngineName) {
  const app = await startApp(t, { engine })
  const admins = [await signedInPerson(app, { admin: true }), await signedInPerson(app, { admin: true })] as const
  const person = await signedInPerson(app)
  const planned = await admins[0].post(lifecycleOf(person.user.id), {
    action: 'disable',
    executeAt: app.clock.now() + SECOND,
  })
  assert.equal(planned.statusCode, 200, planned.body)
  app.clock.advance(SECOND)
  return { app, admins, person, actionId: planned.json<{ lifecycleActionId: string }>().lifecycleActionId }
}

const notDisabled = (userId: string, errorCode?: string) => ({
  table: 'users' as const,
  on: 'update' as const,
  when: `new.id = '${userId}' and new.disabled_at is not null`,
  ...(errorCode === undefined ? {} : { errorCode }),
})

/** Runs what is due, and lets the time pass after which it is tried again. */
async function tryOnce({ tick, clock }: TestApp): Promise<void> {
  await tick()
  clock.advance(LEASE_MS)
}

const statusOf = async (admin: Person, userId: string) => (await actionsOf(admin, userId))[0]?.status

onEachEngine('planned actions that fail', (engine) => {
  test('one that fails for another reason is tried five times, is failed then, and administrators are notified once', async (t) => {
    const { app, admins, person, actionId } = await setUp(t, engine)
    const bystander = await signedInPerson(app)
    await breakTable(app, engine, notDisabled(person.user.id))
    for (let round = 1; round <= 4; round++) {
      await tryOnce(app)
      assert.equal(await statusOf(admins[0], person.user.id), 'running', `try ${round}`)
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
      assert.deepEqual(await toldAbout(admin, person.user.id), ['lifecycle.failed'])
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

  test('one that failed four times and then works is completed, and no failure is reported', async (t) => {
    const { app, admins, person } = await setUp(t, engine)
    const mend = await breakTable(app, engine, notDisabled(person.user.id))
    for (let round = 1; round <= 4; round++) await tryOnce(app)
    await mend()
    await app.tick()
    assert.equal(await statusOf(admins[0], person.user.id), 'completed')
    assert.deepEqual(await toldAbout(admins[0], person.user.id), ['user.disabled'])
  })
})

test('a planned disable waits for a database that is unavailable for as long as it takes', async (t) => {
  const { app, admins, person } = await setUp(t, 'postgres')
  // What PostgreSQL answers when a lock is not to be had in time, and when it shuts down or recovers.
  for (const errorCode of ['55P03', '57014', '57P01', '57P03', '40P01', '53300']) {
    const mend = await breakTable(app, 'postgres', notDisabled(person.user.id, errorCode))
    for (let round = 0; round < 3; round++) await tryOnce(app)
    await mend()
  }
  assert.equal(await statusOf(admins[0], person.user.id), 'pending')
  await app.tick()
  assert.equal(await statusOf(admins[0], person.user.id), 'completed')
  assert.equal((await person.get('/api/auth/me')).statusCode, 401)
  for (const admin of admins) assert.deepEqual(await toldAbout(admin, person.user.id), ['user.disabled'])
})
