import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { LifecycleAction } from '../../../src/identity/lifecycle/lifecycle-action.ts'
import type { Overview } from '../../../src/operations/overview/overview.ts'
import { startApp } from '../../support/app.ts'
import { onEachEngine } from '../../support/engines.ts'
import { signedInPerson, type SignedInPerson } from '../../support/people.ts'
import { actionsOf, insertActions, lifecycleOf } from './actions.ts'

const HOUR = 3_600_000
const overviewFor = async (viewer: SignedInPerson): Promise<Overview> =>
  (await viewer.get('/api/admin/overview')).json()

onEachEngine('what is planned for an account', (engine) => {
  test('is in the overview only with users:lifecycle, and never for the person whom it is about', async (t) => {
    const app = await startApp(t, { engine })
    const admin = await signedInPerson(app, { admin: true })
    const subject = await signedInPerson(app, { admin: true })
    const reader = await signedInPerson(app, { permissions: ['users:read'] })
    const other = await signedInPerson(app)
    const executeAt = app.clock.now() + HOUR
    for (const { user } of [subject, other]) {
      const body = { action: 'disable', executeAt, discreet: true }
      assert.equal((await admin.post(lifecycleOf(user.id), body)).statusCode, 200)
    }
    await insertActions(app, [{ userId: subject.user.id, executeAt, status: 'failed' }])
    await app.services.db.transaction((trx) =>
      trx
        .updateTable('lifecycle_actions')
        .set({ finished_at: app.clock.now() })
        .where('status', '=', 'failed')
        .execute(),
    )
    const all = await overviewFor(admin)
    assert.deepEqual([all.lifecycle?.pending, all.lifecycle?.failed], [2, 1])
    assert.deepEqual(
      all.lifecycle?.next.map(({ userId }) => userId).toSorted(),
      [subject.user.id, other.user.id].toSorted(),
    )
    assert.equal(all.attention.failedActions?.length, 1)

    const own = await overviewFor(subject)
    assert.deepEqual([own.lifecycle?.pending, own.lifecycle?.failed], [1, 0])
    assert.deepEqual(
      own.lifecycle?.next.map(({ userId }) => userId),
      [other.user.id],
    )
    assert.deepEqual(own.attention.failedActions, [])

    const without = await overviewFor(reader)
    assert.equal(without.lifecycle, null)
    assert.equal(without.attention.failedActions, null)
    assert.deepEqual(without.users, all.users)
  })

  test('is not listed for the person whom it is about, nor when it was cancelled or has failed', async (t) => {
    const app = await startApp(t, { engine })
    const admin = await signedInPerson(app, { admin: true })
    const subject = await signedInPerson(app, { admin: true })
    const { id } = subject.user
    await admin.post(lifecycleOf(id), { action: 'enable' })
    const plan = async (): Promise<string> => {
      const body = { action: 'disable', executeAt: app.clock.now() + HOUR, discreet: true }
      return (await admin.post(lifecycleOf(id), body)).json().lifecycleActionId
    }
    const cancelled = await plan()
    assert.equal((await admin.delete(`${lifecycleOf(id)}/${cancelled}`)).statusCode, 200)
    const pending = await plan()
    await insertActions(app, [{ userId: id, executeAt: 1, status: 'failed' }])
    const access = async (viewer: SignedInPerson): Promise<LifecycleAction[]> =>
      (await viewer.get(`/api/admin/users/${id}/access`)).json().pendingActions
    assert.equal((await actionsOf(admin, id)).length, 4)
    assert.deepEqual(
      (await actionsOf(subject, id)).map(({ status }) => status),
      ['completed'],
    )
    assert.equal((await access(admin)).length, 1)
    assert.deepEqual(await access(subject), [])

    // Whether there is such an action is not told either.
    for (const actionId of [pending, cancelled, 'nothing'])
      assert.equal((await subject.delete(`${lifecycleOf(id)}/${actionId}`)).statusCode, 403)

    const scheduled = async (viewer: SignedInPerson) => (await viewer.get('/api/admin/users?status=scheduled')).json()
    assert.deepEqual(
      (await scheduled(admin)).users.map((user: { id: string }) => user.id),
      [id],
    )
    const own = await scheduled(subject)
    assert.deepEqual([own.users, own.total], [[], 0])
    const file = await subject.get('/api/admin/users?status=scheduled&format=csv')
    assert.equal(file.statusCode, 200)
    assert.ok(!file.body.includes(subject.user.email), file.body)
  })

  test('is not in the audit trail that the person reads whom it is about, in whatever form', async (t) => {
    const app = await startApp(t, { engine })
    const admin = await signedInPerson(app, { admin: true })
    const subject = await signedInPerson(app, { permissions: ['audit:read'] })
    const other = await signedInPerson(app)
    const { id } = subject.user
    for (const userId of [id, other.user.id]) {
      const executeAt = app.clock.now() + HOUR
      const planned = await admin.post(lifecycleOf(userId), { action: 'disable', executeAt })
      await admin.delete(`${lifecycleOf(userId)}/${planned.json().lifecycleActionId}`)
    }
    const about = (userId: string) => [
      '',
      `target=${userId}`,
      `about=${userId}`,
      'action=lifecycle.*',
      'action=lifecycle.scheduled',
      `actor=${admin.user.id}`,
    ]
    const trail = '/api/admin/audit'
    for (const query of about(id)) {
      for (const format of ['json', 'csv', 'jsonl']) {
        const url = `${trail}?${query}&format=${format}`.replace('?&', '?')
        const [seen, hidden] = [await admin.get(url), await subject.get(url)]
        assert.equal(hidden.statusCode, 200, hidden.body)
        const lines = (body: string) => (format === 'json' ? body.split('{"id"') : body.split('\n'))
        const isPlan = (line: string) => line.includes('lifecycle.') && line.includes(id)
        assert.ok(lines(seen.body).some(isPlan), url)
        assert.ok(!lines(hidden.body).some(isPlan), url)
      }
    }
    const others = (await subject.get(`${trail}?action=lifecycle.*`)).json().events
    assert.deepEqual(
      others.map(({ targetId }: { targetId: string }) => targetId),
      [other.user.id, other.user.id],
    )
    const all = (await subject.get(trail)).json().events
    assert.ok(all.length >= 2)
  })

  test('is not told to the person whom it is about, when it fails or its planner is disabled', async (t) => {
    const app = await startApp(t, { engine })
    const admin = await signedInPerson(app, { admin: true })
    const subject = await signedInPerson(app, { admin: true })
    const planner = await signedInPerson(app, { admin: true })
    const other = await signedInPerson(app)
    const now = app.clock.now()
    await planner.post(lifecycleOf(subject.user.id), { action: 'disable', executeAt: now + 9 * HOUR, discreet: true })
    await planner.post(lifecycleOf(other.user.id), { action: 'disable', executeAt: now + 9 * HOUR })
    await planner.post(lifecycleOf(subject.user.id), { action: 'enable', executeAt: now + 1000 })
    assert.equal((await admin.post(lifecycleOf(planner.user.id), { action: 'disable' })).statusCode, 200)
    const pendingOf = async (viewer: SignedInPerson): Promise<number | undefined> =>
      (await viewer.get('/api/notifications'))
        .json()
        .notifications.find(({ type }: { type: string }) => type === 'lifecycle.planner_disabled')?.data.pending
    assert.deepEqual([await pendingOf(admin), await pendingOf(subject)], [3, 1])
    app.clock.advance(1000)
    await app.tick()
    const failed = async (viewer: SignedInPerson): Promise<number> =>
      (await viewer.get('/api/notifications'))
        .json()
        .notifications.filter(({ type }: { type: string }) => type === 'lifecycle.failed').length
    assert.deepEqual([await failed(admin), await failed(subject)], [1, 0])
  })
})
