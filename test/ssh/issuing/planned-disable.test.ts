import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sharedApp } from '../../support/app.ts'
import { onMainEngine } from '../../support/engines.ts'
import { signedInPerson } from '../../support/people.ts'
import { issue, saveKey, signInCertificateUser } from '../public-keys.ts'

const HOUR = 3_600_000

onMainEngine('a certificate that is issued while a disable is planned', (engine) => {
  const shared = sharedApp({ engine })

  async function setUp(plan: { action: 'disable' | 'enable'; inMs: number; discreet?: boolean }) {
    const admin = await signedInPerson(shared(), { admin: true })
    const person = await signInCertificateUser(shared())
    const { inMs, ...action } = plan
    const executeAt = shared().clock.now() + inMs
    const url = `/api/admin/users/${person.user.id}/lifecycle`
    const planned = await admin.post(url, { ...action, executeAt })
    assert.equal(planned.statusCode, 200, planned.body)
    const issueOne = async (ttl?: number) => issue(person, await saveKey(person), ttl)
    const cancel = () => admin.delete(`${url}/${planned.json().lifecycleActionId}`)
    return { issueOne, cancel, executeAt, now: Math.floor(shared().clock.now() / 1000) }
  }

  test('ends with the disable at the latest', async () => {
    const { issueOne, executeAt, now } = await setUp({ action: 'disable', inMs: HOUR })
    assert.equal((await issueOne()).validBefore, Math.floor(executeAt / 1000))
    assert.equal((await issueOne(600)).validBefore, now + 600)
  })

  test('is valid for 60 seconds at least', async () => {
    const { issueOne, now } = await setUp({ action: 'disable', inMs: 5000 })
    assert.equal((await issueOne()).validBefore, now + 60)
  })

  test('is as long as requested when the action is discreet, or enables', async () => {
    for (const plan of [
      { action: 'disable', inMs: HOUR, discreet: true },
      { action: 'enable', inMs: HOUR },
    ] as const) {
      const { issueOne, now } = await setUp(plan)
      assert.equal((await issueOne(7200)).validBefore, now + 7200)
    }
  })

  test('stays as short when the action is cancelled, and the next one is not', async () => {
    const { issueOne, cancel, executeAt, now } = await setUp({ action: 'disable', inMs: HOUR })
    const before = await issueOne(7200)
    assert.equal((await cancel()).statusCode, 200)
    assert.equal(before.validBefore, Math.floor(executeAt / 1000))
    assert.equal((await issueOne(7200)).validBefore, now + 7200)
  })
})
