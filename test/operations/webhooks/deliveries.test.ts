import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sweepExpired } from '../../../src/operations/background/sweep-expired.ts'
import type { WebhookDelivery } from '../../../src/operations/webhooks/webhook.ts'
import { numberAll } from '../../../src/platform/outbox/webhook-store.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { onEachEngine, onMainEngine } from '../../support/engines.ts'
import { happens, webhookManager, WEBHOOKS } from './webhook-people.ts'

const DAY_MS = 24 * 3_600_000

/** As if the receiver had answered. */
async function acknowledge({ services: { db, now } }: TestApp, id: string): Promise<void> {
  const ended = { state: 'acknowledged' as const, finished_at: now(), next_attempt_at: null }
  const attempted = { attempts: 3, last_status: 204, last_error: null }
  await db.transaction((trx) =>
    trx
      .updateTable('outbox_deliveries')
      .set({ ...ended, ...attempted })
      .where('id', '=', id)
      .execute(),
  )
}

const redeliverPath = (webhookId: string, deliveryId = 'nothing') =>
  `${WEBHOOKS}/${webhookId}/deliveries/${deliveryId}/redeliver`

onEachEngine('deliveries of a webhook', (engine) => {
  test('are listed newest first, in pages, and found by their sequence', async (t) => {
    const app = await startApp(t, { engine, sends: false })
    const { manager, add, deliveries } = await webhookManager(app)
    const { webhook } = await add()
    const other = await add({ events: ['user.updated'] })
    for (let each = 0; each < 5; each++) await happens(app)
    await numberAll(app.services)
    const { deliveries: all, nextCursor } = await deliveries(webhook.id)
    assert.deepEqual(
      all.map(({ sequence }) => sequence),
      [5, 4, 3, 2, 1],
    )
    assert.equal(nextCursor, null)
    assert.deepEqual(all[0], {
      id: all[0]?.id,
      sequence: 5,
      type: 'user.updated',
      createdAt: app.clock.now(),
      state: 'waiting',
      attempts: 0,
      lastStatus: null,
      lastError: null,
      nextAttemptAt: app.clock.now(),
    })
    const first = await deliveries(webhook.id, '?limit=3')
    const rest = await deliveries(webhook.id, `?limit=3&cursor=${first.nextCursor}`)
    assert.deepEqual([...first.deliveries, ...rest.deliveries], all)
    assert.deepEqual((await deliveries(webhook.id, '?sequence=2')).deliveries, [all[3]])
    assert.deepEqual((await deliveries(webhook.id, '?sequence=6')).deliveries, [])
    assert.notEqual((await deliveries(other.webhook.id, '?sequence=2')).deliveries[0]?.id, all[3]?.id)
    for (const wrong of ['sequence=0', 'sequence=x', 'sequence=1.5', 'limit=0', 'cursor=x', 'state=waiting'])
      assert.equal((await manager.get(`${WEBHOOKS}/${webhook.id}/deliveries?${wrong}`)).statusCode, 400, wrong)
  })

  test('are sent again with the id and the sequence that they have', async (t) => {
    const app = await startApp(t, { engine, sends: false })
    const { manager, add, deliveries } = await webhookManager(app)
    const { webhook } = await add()
    await happens(app)
    await happens(app)
    await numberAll(app.services)
    const [, before] = (await deliveries(webhook.id)).deliveries
    await acknowledge(app, before!.id)
    app.clock.advance(3 * DAY_MS)
    const answer = await manager.post(redeliverPath(webhook.id, before?.id))
    assert.equal(answer.statusCode, 200, answer.body)
    const { delivery } = answer.json<{ delivery: WebhookDelivery }>()
    assert.deepEqual(delivery, {
      ...before,
      attempts: 0,
      lastStatus: 204,
      state: 'waiting',
      nextAttemptAt: app.clock.now(),
    })
    await numberAll(app.services)
    assert.deepEqual((await deliveries(webhook.id)).deliveries[1], delivery)
    const row = await app.services.db.read
      .selectFrom('outbox_deliveries')
      .selectAll()
      .where('id', '=', delivery.id)
      .executeTakeFirstOrThrow()
    assert.deepEqual([row.expires_at, row.finished_at, row.claim], [app.clock.now() + DAY_MS, null, null])
    const [entry] = (await manager.get(`/api/admin/audit?action=webhook.redelivered`)).json().events
    assert.deepEqual(entry.data, { deliveryId: delivery.id, sequence: 1, type: 'user.updated' })
    assert.equal((await deliveries(webhook.id)).deliveries.length, 2)
  })

  test('that wait are sent at once when they are sent again', async (t) => {
    const app = await startApp(t, { engine, sends: false })
    const { manager, add, deliveries } = await webhookManager(app)
    const { webhook } = await add()
    await happens(app)
    const later = { next_attempt_at: app.clock.now() + 3_600_000, attempts: 7 }
    await app.services.db.transaction((trx) => trx.updateTable('outbox_deliveries').set(later).execute())
    const [before] = (await deliveries(webhook.id)).deliveries
    const { delivery } = (await manager.post(redeliverPath(webhook.id, before?.id))).json()
    assert.deepEqual(delivery, { ...before, attempts: 0, nextAttemptAt: app.clock.now() })
  })

  test('are not sent again once their entry was archived', async (t) => {
    const app = await startApp(t, { engine, sends: false })
    const { manager, add, deliveries } = await webhookManager(app)
    const { webhook } = await add()
    await happens(app)
    const [before] = (await deliveries(webhook.id)).deliveries
    await acknowledge(app, before!.id)
    const [done] = (await deliveries(webhook.id)).deliveries
    await app.services.db.transaction((trx) => trx.deleteFrom('audit_events').execute())
    const answer = await manager.post(redeliverPath(webhook.id, before?.id))
    assert.deepEqual([answer.statusCode, answer.json().reason], [409, 'webhook_entry_gone'])
    assert.deepEqual((await deliveries(webhook.id)).deliveries, [done])
  })

  test('are kept for 30 days after they ended, and while they wait', async (t) => {
    const app = await startApp(t, { engine, sends: false })
    const { add, deliveries } = await webhookManager(app)
    const { webhook } = await add()
    await happens(app)
    await happens(app)
    const [waiting, done] = (await deliveries(webhook.id)).deliveries
    app.clock.advance(DAY_MS)
    await acknowledge(app, done!.id)
    app.clock.advance(30 * DAY_MS - 1)
    await sweepExpired(app.services)
    const rows = () => app.services.db.read.selectFrom('outbox_deliveries').select('id').orderBy('number').execute()
    assert.deepEqual(await rows(), [{ id: done!.id }, { id: waiting!.id }])
    app.clock.advance(1)
    await sweepExpired(app.services)
    assert.deepEqual(await rows(), [{ id: waiting!.id }])
  })

  test('of a test are sent whatever the webhook wants to be told, and counted', async (t) => {
    const app = await startApp(t, { engine, sends: false })
    const { manager, add, deliveries } = await webhookManager(app)
    const { webhook } = await add({ events: ['role.created'] })
    const other = await add({ events: ['*'] })
    const answer = await manager.post(`${WEBHOOKS}/${webhook.id}/test`)
    assert.equal(answer.statusCode, 201, answer.body)
    await numberAll(app.services)
    const [delivery, ...more] = (await deliveries(webhook.id)).deliveries
    assert.deepEqual(answer.json(), { delivery: { ...delivery, sequence: null } })
    assert.deepEqual([delivery?.type, delivery?.state, delivery?.sequence], ['webhook.test', 'waiting', 1])
    assert.deepEqual([more, (await deliveries(other.webhook.id)).deliveries], [[], []])
  })

  test('are not made by tests and repetitions while the webhook is off', async (t) => {
    const app = await startApp(t, { engine, sends: false })
    const { manager, add, deliveries } = await webhookManager(app)
    const { webhook } = await add()
    await happens(app)
    await manager.patch(`${WEBHOOKS}/${webhook.id}`, { enabled: false })
    const before = await deliveries(webhook.id)
    for (const url of [`${WEBHOOKS}/${webhook.id}/test`, redeliverPath(webhook.id, before.deliveries[0]?.id)]) {
      const answer = await manager.post(url)
      assert.deepEqual([answer.statusCode, answer.json().reason], [409, 'webhook_off'])
    }
    assert.deepEqual(await deliveries(webhook.id), before)
  })
})

onMainEngine('tests and repeated deliveries', (engine) => {
  test('are 10 a minute for a webhook, together', async (t) => {
    const app = await startApp(t, { engine, sends: false, config: { rateLimits: true } })
    const { manager, add, deliveries } = await webhookManager(app)
    const [one, other] = [(await add()).webhook, (await add()).webhook]
    const test = (id: string) => manager.post(`${WEBHOOKS}/${id}/test`)
    for (let each = 0; each < 5; each++) assert.equal((await test(one.id)).statusCode, 201)
    const [delivery] = (await deliveries(one.id)).deliveries
    const again = () => manager.post(redeliverPath(one.id, delivery?.id))
    for (let each = 0; each < 5; each++) assert.equal((await again()).statusCode, 200)
    for (const refused of [await test(one.id), await again()]) {
      assert.equal(refused.statusCode, 429)
      assert.equal(refused.json().reason, 'too_many_webhook_requests')
      assert.ok(Number(refused.headers['retry-after']) >= 1)
    }
    assert.equal((await test(other.id)).statusCode, 201)
    assert.equal((await deliveries(one.id)).deliveries.length, 5)
    app.clock.advance(60_000)
    assert.equal((await test(one.id)).statusCode, 201)
  })

  test('have no such limit with RATE_LIMITS=off', async (t) => {
    const app = await startApp(t, { engine, sends: false, config: { rateLimits: false } })
    const { manager, add } = await webhookManager(app)
    const { webhook } = await add()
    for (let each = 0; each < 15; each++)
      assert.equal((await manager.post(`${WEBHOOKS}/${webhook.id}/test`)).statusCode, 201)
  })
})
