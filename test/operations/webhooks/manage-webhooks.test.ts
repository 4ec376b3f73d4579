import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Webhook } from '../../../src/operations/webhooks/webhook.ts'
import { numberAll } from '../../../src/platform/outbox/webhook-store.ts'
import { sharedApp, startApp } from '../../support/app.ts'
import { sendWithDelayedBody } from '../../support/delayed-body.ts'
import { onEachEngine, onMainEngine } from '../../support/engines.ts'
import { anonymous, signedInPerson } from '../../support/people.ts'
import { happens, RECEIVER, webhookManager, WEBHOOKS } from './webhook-people.ts'

onEachEngine('webhooks', (engine) => {
  const shared = sharedApp({ engine, sends: false })

  test('are added, listed, read, changed and deleted', async () => {
    const app = shared()
    const { manager, add } = await webhookManager(app)
    const { webhook, secret } = await add({ events: ['user.*', 'session.refused'], description: 'For the pager' })
    assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
    assert.deepEqual(webhook, {
      id: webhook.id,
      url: RECEIVER,
      events: ['user.*', 'session.refused'],
      description: 'For the pager',
      enabled: true,
      createdAt: app.clock.now(),
      lastStatus: null,
      lastAt: null,
    })
    const own = `${WEBHOOKS}/${webhook.id}`
    assert.deepEqual((await manager.get(own)).json(), { webhook })
    const { webhooks, nextCursor } = (await manager.get(WEBHOOKS)).json<{ webhooks: Webhook[]; nextCursor: null }>()
    assert.deepEqual([webhooks.filter(({ id }) => id === webhook.id), nextCursor], [[webhook], null])
    const changes = { url: 'https://other.example/', events: ['*'], description: '', enabled: false }
    assert.deepEqual((await manager.patch(own, changes)).json(), { webhook: { ...webhook, ...changes } })
    assert.deepEqual((await manager.get(own)).json(), { webhook: { ...webhook, ...changes } })
    assert.deepEqual((await manager.delete(own)).json(), { success: true })
    assert.equal((await manager.get(own)).statusCode, 404)
  })

  test('are recorded with the host of their address alone, and only where something changes', async (t) => {
    const app = await startApp(t, { engine, sends: false })
    const { manager, add } = await webhookManager(app)
    const { webhook } = await add()
    const own = `${WEBHOOKS}/${webhook.id}`
    await manager.patch(own, { url: RECEIVER, events: ['user.*'], enabled: true })
    await manager.patch(own, {})
    await manager.patch(own, { events: ['role.*'], url: 'https://other.example/elsewhere' })
    await manager.post(`${own}/secret`)
    await manager.delete(own)
    const { events } = (await manager.get(`/api/admin/audit?target=${webhook.id}`)).json()
    assert.deepEqual(
      events.map(({ action, data }: Record<string, unknown>) => [action, data]),
      [
        ['webhook.deleted', { host: 'other.example' }],
        ['webhook.secret_rotated', {}],
        ['webhook.updated', { host: 'other.example', events: ['role.*'] }],
        ['webhook.created', { host: 'receiver.example', events: ['user.*'], description: '', enabled: true }],
      ],
    )
    for (const { targetType, actorId } of events) assert.deepEqual([targetType, actorId], ['webhook', manager.user.id])
  })

  test('have a secret that is shown once, sealed in the database, and in no log and no entry', async (t) => {
    const app = await startApp(t, { engine, sends: false, logLevel: 'debug' })
    const { manager, add, deliveries } = await webhookManager(app)
    const { webhook, secret } = await add({ events: ['*'] })
    const own = `${WEBHOOKS}/${webhook.id}`
    const second = (await manager.post(`${own}/secret`)).json()
    assert.match(second.secret, /^whsec_/)
    assert.notEqual(second.secret, secret)
    assert.deepEqual(second.webhook, webhook)
    await manager.post(`${own}/test`)
    const answers = [
      (await manager.get(WEBHOOKS)).body,
      (await manager.get(own)).body,
      (await manager.patch(own, { description: 'x' })).body,
      JSON.stringify(await deliveries(webhook.id)),
      (await manager.get('/api/admin/audit')).body,
      JSON.stringify(await app.services.db.read.selectFrom('webhooks').selectAll().execute()),
      app.logged(),
    ]
    for (const shown of [secret, second.secret])
      for (const answer of answers) assert.ok(!answer.includes(shown.slice(6)), answer)
    for (const answer of answers.slice(-3, -2).concat(app.logged()))
      assert.ok(!answer.includes('known-to-the-receiver'))
  })

  test('that are turned off give up what waits, count nothing, and go on with the next number', async (t) => {
    const app = await startApp(t, { engine, sends: false })
    const { manager, add, deliveries } = await webhookManager(app)
    const { webhook } = await add()
    const own = `${WEBHOOKS}/${webhook.id}`
    await happens(app)
    await numberAll(app.services)
    await happens(app)
    await manager.patch(own, { enabled: false })
    await happens(app)
    await numberAll(app.services)
    await manager.patch(own, { enabled: true })
    await happens(app)
    await numberAll(app.services)
    const told = (await deliveries(webhook.id)).deliveries.map(({ sequence, state, lastError, nextAttemptAt }) => [
      sequence,
      state,
      lastError,
      nextAttemptAt,
    ])
    assert.deepEqual(told, [
      [3, 'waiting', null, app.clock.now()],
      [2, 'given_up', 'turned off', null],
      [1, 'given_up', 'turned off', null],
    ])
  })

  test('that are turned off and on while others write count without a gap, and leave nothing behind', async (t) => {
    const app = await startApp(t, { engine, sends: false })
    const { manager, add } = await webhookManager(app)
    const { webhook } = await add()
    const over = new AbortController()
    const writers = Array.from({ length: 8 }, async (_, writer) => {
      while (!over.signal.aborted) await happens(app, 'user.updated', `usr_${writer}`)
    })
    for (let change = 0; change < 10; change++) {
      await numberAll(app.services)
      const answer = await manager.patch(`${WEBHOOKS}/${webhook.id}`, { enabled: change % 2 === 1 })
      assert.equal(answer.statusCode, 200, answer.body)
    }
    await manager.patch(`${WEBHOOKS}/${webhook.id}`, { enabled: false })
    over.abort()
    await Promise.all(writers)
    await numberAll(app.services)
    const rows = await app.services.db.read
      .selectFrom('outbox_deliveries')
      .select(['sequence', 'state'])
      .orderBy('sequence')
      .execute()
    assert.deepEqual([...new Set(rows.map(({ state }) => state))], ['given_up'])
    const numbers = rows.flatMap(({ sequence }) => (sequence === null ? [] : [sequence]))
    assert.ok(numbers.length > 10)
    assert.deepEqual(
      numbers,
      numbers.map((_, at) => at + 1),
    )
  })

  test('that are deleted give up what waits, however much it is, and keep it for receipts', async (t) => {
    const app = await startApp(t, { engine, sends: false })
    const { db } = app.services
    const { manager, add } = await webhookManager(app)
    const { webhook } = await add()
    await happens(app)
    const [first] = await db.read.selectFrom('outbox_deliveries').selectAll().execute()
    const { number: _number, ...row } = first!
    await db.transaction(async (trx) => {
      for (let slice = 0; slice < 25; slice++) {
        const rows = Array.from({ length: 50 }, (_, at) => ({ ...row, id: `${slice} ${at}` }))
        await trx.insertInto('outbox_deliveries').values(rows).execute()
      }
      const receiver = { kind: 'webhook' as const, receiver_id: webhook.id, failing_since: 1, paused_until: null }
      const failed = { last_status: 500, last_error: 'x', last_at: 1, notified_at: null }
      await trx
        .insertInto('outbox_receivers')
        .values({ ...receiver, ...failed })
        .execute()
    })
    assert.equal((await manager.delete(`${WEBHOOKS}/${webhook.id}`)).statusCode, 200)
    const left = await db.read
      .selectFrom('outbox_deliveries')
      .select(['state', 'last_error'])
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .groupBy(['state', 'last_error'])
      .execute()
    assert.deepEqual(left, [{ state: 'given_up', last_error: 'deleted', count: 1251 }])
    assert.deepEqual(await db.read.selectFrom('outbox_receivers').selectAll().execute(), [])
    await happens(app)
    await numberAll(app.services)
    assert.equal((await db.read.selectFrom('outbox_deliveries').select('id').execute()).length, 1251)
  })

  test('with another address, or turned on again, are no longer counted as failing', async (t) => {
    const app = await startApp(t, { engine, sends: false })
    const { db } = app.services
    const { manager, add, deliveries } = await webhookManager(app)
    const { webhook } = await add()
    await happens(app)
    const failing = { failing_since: 1, paused_until: app.clock.now() + 60_000, last_error: 'x', notified_at: 2 }
    await db.transaction(async (trx) => {
      const row = { kind: 'webhook' as const, receiver_id: webhook.id, last_status: 500, last_at: 3 }
      await trx
        .insertInto('outbox_receivers')
        .values({ ...row, ...failing })
        .execute()
      await trx
        .updateTable('outbox_deliveries')
        .set({ next_attempt_at: app.clock.now() + 3_600_000 })
        .execute()
    })
    await manager.patch(`${WEBHOOKS}/${webhook.id}`, { description: 'x' })
    assert.equal((await deliveries(webhook.id)).deliveries[0]?.nextAttemptAt, app.clock.now() + 3_600_000)
    const answer = await manager.patch(`${WEBHOOKS}/${webhook.id}`, { url: 'https://other.example/' })
    assert.deepEqual([answer.json().webhook.lastStatus, answer.json().webhook.lastAt], [500, 3])
    assert.equal((await deliveries(webhook.id)).deliveries[0]?.nextAttemptAt, app.clock.now())
    const { failing_since, paused_until } = await db.read
      .selectFrom('outbox_receivers')
      .selectAll()
      .executeTakeFirstOrThrow()
    assert.deepEqual([failing_since, paused_until], [null, null])
  })

  test('are at most 50, also when two are added at once', async (t) => {
    const app = await startApp(t, { engine, sends: false })
    const { manager, add } = await webhookManager(app)
    for (let each = 0; each < 49; each++) await add()
    const answers = await Promise.all(
      [1, 2, 3].map(() => manager.post(WEBHOOKS, { url: RECEIVER, events: ['user.*'] })),
    )
    assert.deepEqual(answers.map(({ statusCode }) => String(statusCode)).toSorted(), ['201', '409', '409'])
    assert.equal(answers.find(({ statusCode }) => statusCode === 409)?.json().reason, 'too_many_webhooks')
    const { webhooks } = (await manager.get(WEBHOOKS)).json()
    assert.equal(webhooks.length, 50)
    const page = (await manager.get(`${WEBHOOKS}?limit=30`)).json()
    const rest = (await manager.get(`${WEBHOOKS}?limit=30&cursor=${page.nextCursor}`)).json()
    assert.deepEqual([...page.webhooks, ...rest.webhooks], webhooks)
    assert.equal(rest.nextCursor, null)
  })
})

onMainEngine('what is refused of webhooks', (engine) => {
  const shared = sharedApp({ engine, sends: false })

  test('is everything to whoever has only one of the two permissions, or none', async () => {
    const app = shared()
    const { add } = await webhookManager(app)
    const { webhook } = await add()
    const own = `${WEBHOOKS}/${webhook.id}`
    const requests: ['get' | 'post' | 'patch' | 'delete', string, object?][] = [
      ['get', WEBHOOKS],
      ['post', WEBHOOKS, { url: RECEIVER, events: ['*'] }],
      ['get', own],
      ['patch', own, { enabled: false }],
      ['delete', own],
      ['post', `${own}/secret`],
      ['post', `${own}/test`],
      ['get', `${own}/deliveries`],
      ['post', `${own}/deliveries/x/redeliver`],
    ]
    const some = [
      [await signedInPerson(app, { permissions: ['webhooks:manage'] }), 'audit:read'],
      [await signedInPerson(app, { permissions: ['audit:read'] }), 'webhooks:manage'],
    ] as const
    for (const [method, url, body] of requests) {
      assert.equal((await anonymous(app)[method](url, body)).statusCode, 401)
      for (const [person, missing] of some) {
        const answer = await person[method](url, body)
        assert.equal(answer.statusCode, 403, `${method} ${url}`)
        assert.deepEqual(answer.json().values, { permission: missing })
      }
    }
  })

  test('is a change by whoever loses one of the permissions before its body arrives', async () => {
    const app = shared()
    const { add, manager: other } = await webhookManager(app)
    const { webhook } = await add()
    const admin = await signedInPerson(app, { admin: true })
    for (const permission of ['audit:read', 'webhooks:manage']) {
      const { manager } = await webhookManager(app)
      const { roles } = (await admin.get(`/api/admin/users/${manager.user.id}/roles`)).json()
      const own = roles.find(({ builtIn }: { builtIn: boolean }) => !builtIn)
      const request = { method: 'PATCH' as const, url: `${WEBHOOKS}/${webhook.id}`, body: { enabled: false } }
      const answer = await sendWithDelayedBody(app, manager, request, async () => {
        await admin.delete(`/api/admin/roles/${own.id}/permissions/${permission}`)
      })
      assert.deepEqual([answer.statusCode, answer.json().values], [403, { permission }])
    }
    assert.deepEqual((await other.get(`${WEBHOOKS}/${webhook.id}`)).json(), { webhook })
  })

  test('is an event that nothing has, and one about webhooks', async () => {
    const { manager, add } = await webhookManager(shared())
    const { webhook } = await add()
    for (const event of [
      'user.nothing',
      'users.*',
      'user.',
      'user',
      '.*',
      'webhook.*',
      'webhook.test',
      'USER.*',
      '**',
    ]) {
      const events = ['user.*', event]
      for (const answer of [
        await manager.post(WEBHOOKS, { url: RECEIVER, events }),
        await manager.patch(`${WEBHOOKS}/${webhook.id}`, { events }),
      ]) {
        assert.equal(answer.statusCode, 400, event)
        assert.deepEqual(answer.json().issues[0].path, 'events.1')
        assert.equal(answer.json().reason, 'webhook_event_unknown')
      }
    }
    assert.deepEqual((await manager.get(`${WEBHOOKS}/${webhook.id}`)).json(), { webhook })
  })

  test('is a body that has the wrong form', async () => {
    const { manager } = await webhookManager(shared())
    const good = { url: RECEIVER, events: ['user.*'] }
    const wrong: object[] = [
      {},
      { ...good, url: undefined },
      { ...good, events: [] },
      { ...good, events: 'user.*' },
      { ...good, events: ['user.*', 'user.*'] },
      { ...good, events: Array.from({ length: 101 }, (_, at) => `user.${at}`) },
      { ...good, events: ['x'.repeat(65)] },
      { ...good, description: 'x'.repeat(201) },
      { ...good, description: 'a\r\nb' },
      { ...good, description: null },
      { ...good, enabled: 'yes' },
      { ...good, secret: 'whsec_chosen' },
      { ...good, url: '' },
      { ...good, url: `https://receiver.example/${'x'.repeat(2000)}` },
      { ...good, url: 'https://receiver.example/\r\nX-Injected: yes' },
      { ...good, url: 'https://user:password@receiver.example/' },
      { ...good, url: 'https://receiver.example/#fragment' },
      { ...good, url: 'http://receiver.example/' },
      { ...good, url: 'ftp://receiver.example/' },
      { ...good, url: '/relative' },
    ]
    for (const body of wrong) {
      const answer = await manager.post(WEBHOOKS, body)
      assert.equal(answer.statusCode, 400, JSON.stringify(body).slice(0, 200))
    }
  })

  test('is an address that is not public', async () => {
    const { manager, add } = await webhookManager(shared())
    const { webhook } = await add()
    for (const url of [
      'https://127.0.0.1/',
      'https://localhost/',
      'https://169.254.169.254/latest',
      'https://10.0.0.1/',
      'https://[::1]/',
      'https://[::ffff:127.0.0.1]/',
      'https://2130706433/',
    ])
      for (const answer of [
        await manager.post(WEBHOOKS, { url, events: ['user.*'] }),
        await manager.patch(`${WEBHOOKS}/${webhook.id}`, { url }),
      ]) {
        assert.deepEqual([answer.statusCode, answer.json().code], [409, 'address_not_allowed'], url)
        assert.match(answer.json().error, /OUTGOING_ALLOW/)
      }
  })

  test('is whatever there is not: 404', async () => {
    const app = shared()
    const { manager, add, deliveries } = await webhookManager(app)
    const [one, other] = [(await add()).webhook, (await add({ events: ['role.*'] })).webhook]
    await happens(app)
    const [delivery] = (await deliveries(one.id)).deliveries
    const nowhere = `${WEBHOOKS}/00000000-0000-4000-8000-000000000000`
    const answers = [
      await manager.get(nowhere),
      await manager.patch(nowhere, { enabled: false }),
      await manager.delete(nowhere),
      await manager.post(`${nowhere}/secret`),
      await manager.post(`${nowhere}/test`),
      await manager.get(`${nowhere}/deliveries`),
      await manager.post(`${nowhere}/deliveries/${delivery?.id}/redeliver`),
      await manager.post(`${WEBHOOKS}/${one.id}/deliveries/nothing/redeliver`),
      await manager.post(`${WEBHOOKS}/${other.id}/deliveries/${delivery?.id}/redeliver`),
    ]
    assert.deepEqual(
      answers.map(({ statusCode }) => statusCode),
      answers.map(() => 404),
    )
  })
})
