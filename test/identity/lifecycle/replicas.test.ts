import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { ADMIN_ROLE } from '../../../src/vocabulary/built-in-roles.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { signedInPerson } from '../../support/people.ts'
import { REAL_CLOCK, startReplica, until } from '../../support/replicas.ts'
import { assertWithin } from '../../support/speed.ts'
import { insertActions } from './actions.ts'

/** One PostgreSQL with two administrators; the service runs in separate processes. */
async function setUp(t: TestContext) {
  const app = await startApp(t, { engine: 'postgres', clock: REAL_CLOCK })
  const admins = [await signedInPerson(app, { admin: true }), await signedInPerson(app, { admin: true })]
  return { app, admins, storage: app.storage, db: app.services.db }
}

async function addPeople({ services }: TestApp, count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, (_, index) => `usr_many${index}`)
  const rows = ids.map((id) => ({
    id,
    email: `${id}@example.com`,
    email_verified: 0,
    preferred_username: id,
    created_at: services.now(),
  }))
  for (let from = 0; from < rows.length; from += 500) {
    await services.db.transaction((trx) =>
      trx
        .insertInto('users')
        .values(rows.slice(from, from + 500))
        .execute(),
    )
  }
  return ids
}

const countCompleted = async ({ services }: TestApp): Promise<number> =>
  (await services.db.read.selectFrom('lifecycle_actions').select('id').where('status', '=', 'completed').execute())
    .length

/** Every account is disabled, and each administrator has exactly one notification for each of them. */
async function assertDisabledOnce(
  { services }: TestApp,
  admins: { user: { id: string } }[],
  count: number,
): Promise<void> {
  const { db } = services
  const disabled = await db.read.selectFrom('users').select('id').where('disabled_at', 'is not', null).execute()
  assert.equal(disabled.length, count)
  for (const { user } of admins) {
    const notifications = await db.read
      .selectFrom('notifications')
      .select('data')
      .where('user_id', '=', user.id)
      .execute()
    assert.equal(notifications.length, count)
    assert.equal(new Set(notifications.map(({ data }) => data)).size, count)
  }
  const audited = await db.read
    .selectFrom('audit_events')
    .select('target_id')
    .where('action', '=', 'user.disabled')
    .execute()
  assert.equal(audited.length, count)
}

test('two processes run 500 actions of one second exactly once each, and send no notification twice', async (t) => {
  const { app, admins, storage } = await setUp(t)
  await Promise.all([startReplica(t, storage), startReplica(t, storage)])
  const people = await addPeople(app, 500)
  const from = Date.now() + 500
  await insertActions(
    app,
    people.map((userId, index) => ({ userId, executeAt: from + index * 2 })),
  )
  await until(async () => (await countCompleted(app)) === 500)
  await assertDisabledOnce(app, admins, 500)
})

test('an action runs not before its time, and at most two seconds after it', async (t) => {
  const { app, storage, db } = await setUp(t)
  await startReplica(t, storage)
  const [userId = ''] = await addPeople(app, 1)
  const executeAt = Date.now() + 1500
  await insertActions(app, [{ userId, executeAt }])
  await until(async () => (await countCompleted(app)) === 1)
  const done = await db.read.selectFrom('lifecycle_actions').select('finished_at').executeTakeFirstOrThrow()
  const late = (done.finished_at ?? 0) - executeAt
  assert.ok(late >= 0, `${-late} ms early`)
  assertWithin(2000, late, 'the action')
})

test('after kill -9 while actions run, every action is completed exactly once', async (t) => {
  const { app, admins, storage, db } = await setUp(t)
  const people = await addPeople(app, 1500)
  await insertActions(
    app,
    people.map((userId) => ({ userId, executeAt: Date.now() })),
  )
  const victim = await startReplica(t, storage)
  await until(async () => (await countCompleted(app)) > 0)
  await victim.kill()
  const left = await db.read
    .selectFrom('lifecycle_actions')
    .select('status')
    .where('status', '!=', 'completed')
    .execute()
  assert.ok(left.length > 0, 'The process was killed too late to show anything.')
  // Unfinished actions are claimed again when their lease expires: this moves that time into the past.
  await db.transaction((trx) =>
    trx
      .updateTable('lifecycle_actions')
      .set((eb) => ({ claimed_at: eb('claimed_at', '-', 10_000) }))
      .where('status', '=', 'running')
      .execute(),
  )
  await Promise.all([startReplica(t, storage), startReplica(t, storage)])
  await until(async () => (await countCompleted(app)) === 1500)
  await assertDisabledOnce(app, admins, 1500)
})

test('an action whose process died between claiming and completing it is run by another process', async (t) => {
  const { app, admins, storage } = await setUp(t)
  const people = await addPeople(app, 3)
  await insertActions(
    app,
    people.map((userId) => ({
      userId,
      executeAt: Date.now() - 60_000,
      status: 'running',
      attempts: 1,
      claimedAt: Date.now() - 11_000,
    })),
  )
  await startReplica(t, storage)
  await until(async () => (await countCompleted(app)) === 3)
  await assertDisabledOnce(app, admins, 3)
})

test('actions that became due while the service was down run when it starts', async (t) => {
  const { app, admins, storage } = await setUp(t)
  const first = await startReplica(t, storage)
  const people = await addPeople(app, 5)
  await first.stop()
  await insertActions(
    app,
    people.map((userId) => ({ userId, executeAt: Date.now() - 3_600_000 })),
  )
  await startReplica(t, storage)
  await until(async () => (await countCompleted(app)) === 5)
  await assertDisabledOnce(app, admins, 5)
})

test('removing a role takes effect at the next request, on every replica', async (t) => {
  const { admins, storage } = await setUp(t)
  const replicas = await Promise.all([startReplica(t, storage), startReplica(t, storage)])
  const [admin, former] = admins
  if (!admin || !former) throw new Error('There are two.')
  const getUsers = (cookie: string, address: string) =>
    fetch(`${address}/api/admin/users`, { headers: { cookie: `session=${cookie}` } })
  for (const { address } of replicas) assert.equal((await getUsers(former.cookie, address)).status, 200)
  const removed = await fetch(`${replicas[0]?.address}/api/admin/users/${former.user.id}/roles/${ADMIN_ROLE}`, {
    method: 'DELETE',
    headers: { cookie: `session=${admin.cookie}` },
  })
  assert.equal(removed.status, 200)
  for (const { address } of replicas) assert.equal((await getUsers(former.cookie, address)).status, 403)
})
