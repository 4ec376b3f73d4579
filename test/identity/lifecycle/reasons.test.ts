import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sharedApp } from '../../support/app.ts'
import { getTokens, registerApplication } from '../../support/application.ts'
import { onMainEngine } from '../../support/engines.ts'
import { signedInPerson } from '../../support/people.ts'
import { actionsOf, lifecycleOf } from './actions.ts'

const REASON = 'Left the company.'

onMainEngine('the reason and the receipt of an action', (engine) => {
  const shared = sharedApp({ engine })

  test('an action that was carried out at once is listed with its reason, who asked for it and what it ended', async () => {
    const admin = await signedInPerson(shared(), { admin: true })
    const person = await signedInPerson(shared())
    await getTokens(shared(), person, await registerApplication(shared()))
    const body = { action: 'disable', reason: REASON }
    assert.equal((await admin.post(lifecycleOf(person.user.id), body)).statusCode, 200)
    const [action, ...others] = await actionsOf(admin, person.user.id)
    assert.deepEqual(others, [])
    assert.equal(action?.status, 'completed')
    assert.equal(action?.reason, REASON)
    assert.deepEqual(action?.requestedBy, { id: admin.user.id, email: admin.user.email })
    const nobody = { told: [], outstanding: 0, completedAt: null }
    assert.deepEqual(action?.receipt, { sessions: 1, tokens: 1, certificates: 0, ...nobody })
    assert.equal(action?.finishedAt, action?.executeAt)
  })

  test('a planned action has no receipt until it is carried out, and keeps the name of a planner who is deleted', async () => {
    const admin = await signedInPerson(shared(), { admin: true })
    const planner = await signedInPerson(shared(), { permissions: ['users:lifecycle'] })
    const person = await signedInPerson(shared())
    const executeAt = shared().clock.now() + 5000
    await planner.post(lifecycleOf(person.user.id), { action: 'disable', executeAt, reason: REASON })
    assert.equal((await actionsOf(admin, person.user.id))[0]?.receipt, null)
    assert.equal((await admin.delete(`/api/admin/users/${planner.user.id}`)).statusCode, 200)
    shared().clock.advance(5000)
    await shared().tick()
    await shared().tick()
    const [action] = await actionsOf(admin, person.user.id)
    assert.equal(action?.status, 'completed')
    const nobody = { told: [], outstanding: 0, completedAt: executeAt }
    assert.deepEqual(action?.receipt, { sessions: 1, tokens: 0, certificates: 0, ...nobody })
    assert.deepEqual(action?.requestedBy, { id: planner.user.id, email: planner.user.email })
    assert.equal(action?.reason, REASON)
  })

  test('a person never sees the reason of an action about them, also as an administrator', async () => {
    const admin = await signedInPerson(shared(), { admin: true })
    const subject = await signedInPerson(shared(), { admin: true })
    const executeAt = shared().clock.now() + 3_600_000
    await admin.post(lifecycleOf(subject.user.id), { action: 'disable', executeAt, reason: REASON })
    await admin.post(lifecycleOf(subject.user.id), { action: 'enable', reason: REASON })
    assert.equal(
      (await actionsOf(admin, subject.user.id)).every(({ reason }) => reason === REASON),
      true,
    )
    for (const url of [
      lifecycleOf(subject.user.id),
      `/api/admin/users/${subject.user.id}/access`,
      `/api/admin/audit?target=${subject.user.id}`,
      '/api/notifications',
    ]) {
      const answer = await subject.get(url)
      assert.equal(answer.statusCode, 200)
      assert.ok(!answer.body.includes(REASON), url)
    }
  })

  test('a reason of more than 500 characters is refused', async () => {
    const admin = await signedInPerson(shared(), { admin: true })
    const person = await signedInPerson(shared())
    const post = (reason: string) => admin.post(lifecycleOf(person.user.id), { action: 'disable', reason })
    assert.equal((await post('x'.repeat(501))).statusCode, 400)
    assert.deepEqual(await actionsOf(admin, person.user.id), [])
    assert.equal((await post('x'.repeat(500))).statusCode, 200)
  })
})
