import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Webhook as Verifier } from 'standardwebhooks'
import { createWebhookSender } from '../../../src/operations/webhooks/webhook-sender.ts'
import type { ClaimedDelivery } from '../../../src/platform/outbox/claim-store.ts'
import { numberAll } from '../../../src/platform/outbox/webhook-store.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { createClock } from '../../support/clock.ts'
import { onEachEngine } from '../../support/engines.ts'
import { happens, RECEIVER, webhookManager, WEBHOOKS } from './webhook-people.ts'

const HOUR_MS = 3_600_000

/** The verifier compares with the real time. */
const startNow = (t: Parameters<typeof startApp>[0], engine: 'sqlite' | 'postgres') =>
  startApp(t, { engine, sends: false, clock: createClock(Date.now()) })

/** The next delivery of each webhook, as it is claimed. */
async function claimed({ services: { db } }: TestApp, webhookId: string): Promise<ClaimedDelivery> {
  const row = await db.read
    .selectFrom('outbox_deliveries')
    .selectAll()
    .where('receiver_id', '=', webhookId)
    .orderBy('number', 'desc')
    .executeTakeFirstOrThrow()
  return {
    number: row.number,
    id: row.id,
    claim: 'the claim',
    kind: 'webhook',
    receiverId: webhookId,
    personId: row.person_id,
    type: row.type,
    fact: row.fact,
    sequence: row.sequence,
    attempts: 1,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
  }
}

async function prepared(app: TestApp, delivery: ClaimedDelivery) {
  const request = await createWebhookSender(app.services).prepare(delivery)
  assert.ok('url' in request, JSON.stringify(request))
  return { ...request, headers: request.headers ?? {}, body: String(request.body) }
}

const isSignedBy = (secret: string, { headers, body }: { headers: Readonly<Record<string, string>>; body: string }) => {
  try {
    new Verifier(secret).verify(body, { ...headers })
    return true
  } catch {
    return false
  }
}

onEachEngine('what a webhook gets', (engine) => {
  test('is the entry of the audit trail, signed as Standard Webhooks says', async (t) => {
    const app = await startNow(t, engine)
    const { add, manager } = await webhookManager(app)
    const { webhook, secret } = await add()
    await happens(app)
    await numberAll(app.services)
    const delivery = await claimed(app, webhook.id)
    const request = await prepared(app, delivery)
    assert.deepEqual(
      [request.url, request.method, request.headers['content-type']],
      [RECEIVER, 'POST', 'application/json'],
    )
    assert.equal(request.headers['webhook-id'], delivery.id)
    assert.ok(isSignedBy(secret, request))
    assert.ok(!isSignedBy(secret, { ...request, body: `${request.body} ` }))
    const [listed] = (await manager.get('/api/admin/audit?action=user.updated')).json().events
    const { ipAddress: _address, userAgent: _browser, ...data } = listed
    assert.deepEqual(JSON.parse(request.body), {
      type: 'user.updated',
      timestamp: new Date(app.clock.now()).toISOString(),
      data,
      sequence: 1,
    })
  })

  test('has the same id and body at each attempt, and the time and signature of the attempt', async (t) => {
    const app = await startNow(t, engine)
    const { add } = await webhookManager(app)
    const { webhook, secret } = await add()
    await happens(app)
    await numberAll(app.services)
    const delivery = await claimed(app, webhook.id)
    const first = await prepared(app, delivery)
    app.clock.advance(90_000)
    const second = await prepared(app, delivery)
    assert.deepEqual([second.body, second.headers['webhook-id']], [first.body, first.headers['webhook-id']])
    const timeOf = ({ headers }: typeof first) => Number(headers['webhook-timestamp'])
    assert.equal(timeOf(second) - timeOf(first), 90)
    assert.notEqual(second.headers['webhook-signature'], first.headers['webhook-signature'])
    assert.ok(isSignedBy(secret, first) && isSignedBy(secret, second))
  })

  test('is signed with both secrets for 24 hours after a change, and never with an older one', async (t) => {
    const app = await startNow(t, engine)
    const { add, manager } = await webhookManager(app)
    const { webhook, secret: oldest } = await add()
    const rotate = async (): Promise<string> => (await manager.post(`${WEBHOOKS}/${webhook.id}/secret`)).json().secret
    await happens(app)
    await numberAll(app.services)
    const delivery = await claimed(app, webhook.id)
    const before = await rotate()
    const current = await rotate()
    const request = await prepared(app, delivery)
    assert.equal(request.headers['webhook-signature']?.split(' ').length, 2)
    assert.match(request.headers['webhook-signature'] ?? '', /^v1,[A-Za-z0-9+/]{43}= v1,[A-Za-z0-9+/]{43}=$/)
    assert.deepEqual(
      [oldest, before, current].map((secret) => isSignedBy(secret, request)),
      [false, true, true],
    )
    app.clock.advance(24 * HOUR_MS - 1000)
    assert.equal((await prepared(app, delivery)).headers['webhook-signature']?.split(' ').length, 2)
    app.clock.advance(1000)
    assert.equal((await prepared(app, delivery)).headers['webhook-signature']?.split(' ').length, 1)
  })

  test('ends without being sent where the webhook is off or deleted, or the entry archived', async (t) => {
    const app = await startNow(t, engine)
    const { add, manager } = await webhookManager(app)
    const { webhook } = await add()
    await happens(app)
    await numberAll(app.services)
    const delivery = await claimed(app, webhook.id)
    const prepare = () => createWebhookSender(app.services).prepare(delivery)
    await manager.patch(`${WEBHOOKS}/${webhook.id}`, { enabled: false })
    assert.deepEqual(await prepare(), { state: 'given_up', error: 'turned off' })
    await manager.patch(`${WEBHOOKS}/${webhook.id}`, { enabled: true })
    await app.services.db.transaction((trx) => trx.deleteFrom('audit_events').execute())
    assert.deepEqual(await prepare(), { state: 'given_up', error: 'its entry was archived' })
    await manager.delete(`${WEBHOOKS}/${webhook.id}`)
    assert.deepEqual(await prepare(), { state: 'given_up', error: 'deleted' })
  })

  test('is acknowledged with 2xx, refused with 410, and tried again after anything else', async (t) => {
    const app = await startNow(t, engine)
    const { add } = await webhookManager(app)
    const { webhook } = await add()
    await happens(app)
    const delivery = await claimed(app, webhook.id)
    const { judge } = createWebhookSender(app.services)
    const judged = (status: number) => judge(delivery, { status, headers: {}, body: Buffer.alloc(0), isCut: false })
    for (const status of [200, 201, 202, 204, 299]) assert.equal(judged(status), 'acknowledged')
    assert.equal(judged(410), 'refused')
    for (const status of [199, 301, 302, 307, 400, 401, 404, 409, 429, 500, 503]) assert.equal(judged(status), 'retry')
  })

  test('turns the webhook off when it was answered with 410, and says so in the audit trail', async (t) => {
    const app = await startNow(t, engine)
    const { add, manager, deliveries } = await webhookManager(app)
    const { webhook } = await add({ events: ['*'] })
    await happens(app)
    await numberAll(app.services)
    await happens(app)
    const delivery = await claimed(app, webhook.id)
    const { settled } = createWebhookSender(app.services)
    const settle = (status: number, outcome: 'refused' | 'retry') =>
      app.services.db.transaction(async (trx) => settled?.(trx, delivery, { outcome, status }))
    await settle(500, 'retry')
    assert.equal((await manager.get(`${WEBHOOKS}/${webhook.id}`)).json().webhook.enabled, true)
    await settle(410, 'refused')
    await settle(410, 'refused')
    assert.equal((await manager.get(`${WEBHOOKS}/${webhook.id}`)).json().webhook.enabled, false)
    const told = (await deliveries(webhook.id)).deliveries.map(({ state, sequence }) => [state, sequence])
    assert.deepEqual(told, [
      ['given_up', 2],
      ['given_up', 1],
    ])
    const { events } = (await manager.get('/api/admin/audit?action=webhook.turned_off')).json()
    assert.deepEqual(
      events.map(({ data, actorId }: { data: object; actorId: null }) => [data, actorId]),
      [[{ host: 'receiver.example', reason: 'gone' }, null]],
    )
  })
})
