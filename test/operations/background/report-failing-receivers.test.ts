import assert from 'node:assert/strict'
import { test } from 'node:test'
import { reportFailingReceivers } from '../../../src/operations/background/report-failing-receivers.ts'
import { markAnswering, markFailing } from '../../../src/platform/outbox/receiver-store.ts'
import type { ReceiverKind } from '../../../src/vocabulary/receivers.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { registerApplication } from '../../support/application.ts'
import { onEachEngine } from '../../support/engines.ts'
import { signedInPerson } from '../../support/people.ts'
import { webhookManager } from '../webhooks/webhook-people.ts'

const DAY_MS = 24 * 3_600_000

const fail = ({ services: { db, now } }: TestApp, kind: ReceiverKind, receiverId: string) =>
  db.transaction((trx) =>
    markFailing(trx, { kind, receiverId }, { now: now(), status: 500, error: 'HTTP 500', pausedUntil: undefined }),
  )
const answer = ({ services: { db, now } }: TestApp, kind: ReceiverKind, receiverId: string) =>
  db.transaction((trx) => markAnswering(trx, { kind, receiverId }, { now: now(), status: 200 }))

onEachEngine('receivers that fail', (engine) => {
  test('for three days are reported to administrators, once; a webhook is turned off, an application never', async (t) => {
    const app = await startApp(t, { engine })
    const admin = await signedInPerson(app, { admin: true })
    const { webhook } = await (await webhookManager(app)).add()
    const { clientId } = await registerApplication(app)
    const told = async () => {
      await reportFailingReceivers(app.services)
      const { notifications } = (await admin.get('/api/notifications')).json<{
        notifications: { type: string; data: { id: string; turnedOff: boolean; error: string } }[]
      }>()
      return notifications
        .filter(({ type }) => type === 'receiver.failing')
        .map(({ data: { id, turnedOff, error } }) => ({ id, turnedOff, error }))
    }
    await fail(app, 'webhook', webhook.id)
    await fail(app, 'logout', clientId)
    app.clock.advance(3 * DAY_MS - 1)
    await fail(app, 'logout', clientId)
    assert.deepEqual(await told(), [])
    app.clock.advance(1)
    const reported = [
      { id: clientId, turnedOff: false, error: 'HTTP 500' },
      { id: webhook.id, turnedOff: true, error: 'HTTP 500' },
    ]
    const byId = (one: { id: string }, other: { id: string }) => one.id.localeCompare(other.id)
    assert.deepEqual((await told()).toSorted(byId), reported.toSorted(byId))
    assert.deepEqual((await told()).length, 2)
    const stored = await app.services.db.read.selectFrom('webhooks').select('enabled').execute()
    assert.deepEqual(stored, [{ enabled: 0 }])
  })

  test('are reported again when they fail anew, and not when they have answered', async (t) => {
    const app = await startApp(t, { engine })
    const { clientId } = await registerApplication(app)
    const count = async () => {
      await reportFailingReceivers(app.services)
      const rows = await app.services.db.read.selectFrom('outbox_receivers').select('notified_at').execute()
      return rows.filter(({ notified_at }) => notified_at !== null).length
    }
    await fail(app, 'logout', clientId)
    await answer(app, 'logout', clientId)
    app.clock.advance(4 * DAY_MS)
    assert.equal(await count(), 0)
    await fail(app, 'logout', clientId)
    app.clock.advance(3 * DAY_MS)
    assert.equal(await count(), 1)
    await answer(app, 'logout', clientId)
    assert.equal(await count(), 0)
  })
})
