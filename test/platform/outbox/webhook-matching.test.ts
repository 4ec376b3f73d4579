import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { recordAlone, recordEvents } from '../../../src/platform/audit/record-event.ts'
import { newId } from '../../../src/platform/ids.ts'
import { isKnownEvent, isWanted } from '../../../src/platform/outbox/webhook-matching.ts'
import { numberAll } from '../../../src/platform/outbox/webhook-store.ts'
import type { AuditAction } from '../../../src/vocabulary/audit-actions.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { onEachEngine } from '../../support/engines.ts'

describe('what a webhook is told', () => {
  const wants = (events: string[], action: AuditAction, outcome: 'success' | 'refused' = 'success') =>
    isWanted(events, { action, outcome })

  test('is what it names: an action, or all that begin alike', () => {
    assert.ok(wants(['user.disabled'], 'user.disabled'))
    assert.ok(wants(['user.*'], 'user.disabled'))
    assert.ok(!wants(['user.*'], 'role.created'))
    assert.ok(!wants(['user.disabled'], 'user.enabled'))
    assert.ok(!wants(['session.*'], 'user.disabled'))
    assert.ok(!wants([], 'user.disabled'))
  })

  test('is with * all but what was refused, which has to be named', () => {
    assert.ok(wants(['*'], 'user.disabled'))
    assert.ok(!wants(['*'], 'session.refused', 'refused'))
    assert.ok(wants(['*', 'session.refused'], 'session.refused', 'refused'))
    assert.ok(wants(['session.*'], 'session.refused', 'refused'))
  })

  test('is never about webhooks', () => {
    for (const events of [['*'], ['webhook.*'], ['webhook.created']]) assert.ok(!wants(events, 'webhook.created'))
    assert.ok(!isKnownEvent('webhook.*') && !isKnownEvent('webhook.created'))
  })

  test('is known only where an action exists', () => {
    for (const event of ['*', 'user.*', 'ssh_certificate.revoked', 'session.refused']) assert.ok(isKnownEvent(event))
    for (const event of [
      '',
      '.*',
      'user',
      'user.',
      'users.*',
      'use*',
      'User.*',
      'user.dis*',
      '**',
      '*.*',
      'user.nothing',
    ])
      assert.ok(!isKnownEvent(event), event)
  })
})

async function addWebhook({ services: { db, now } }: TestApp, events: string[], enabled = 1): Promise<string> {
  const id = newId()
  const row = { id, url: 'https://receiver.example', events: JSON.stringify(events), description: '', enabled }
  await db.transaction((trx) =>
    trx
      .insertInto('webhooks')
      .values({
        ...row,
        secret_sealed: '',
        previous_secret_sealed: null,
        previous_secret_until: null,
        created_at: now(),
      })
      .execute(),
  )
  return id
}

const deliveriesTo = ({ services: { db } }: TestApp, webhookId: string) =>
  db.read.selectFrom('outbox_deliveries').selectAll().where('receiver_id', '=', webhookId).orderBy('number').execute()

const about = (userId: string) => ({
  action: 'user.updated' as const,
  outcome: 'success' as const,
  actor: { id: 'usr_actor', email: 'actor@example.com', source: null },
  target: { type: 'user', id: userId },
})

onEachEngine('deliveries of webhooks', (engine) => {
  test('are written with the entry, for the webhooks that are on and want it', async (t) => {
    const app = await startApp(t, { engine, sends: false })
    const wants = await addWebhook(app, ['user.*'])
    const others = [await addWebhook(app, ['role.*']), await addWebhook(app, ['*'], 0)]
    await recordAlone(app.services, about('usr_a'))
    const [delivery, ...more] = await deliveriesTo(app, wants)
    const entry = await app.services.db.read.selectFrom('audit_events').select(['id', 'at']).executeTakeFirstOrThrow()
    assert.deepEqual(JSON.parse(delivery?.fact ?? ''), { audit: { id: entry.id, at: entry.at } })
    assert.deepEqual(
      [delivery?.kind, delivery?.type, delivery?.person_id, delivery?.state, delivery?.sequence],
      ['webhook', 'user.updated', 'usr_a', 'waiting', null],
    )
    assert.equal(delivery?.expires_at, app.clock.now() + 24 * 3_600_000)
    assert.equal(more.length, 0)
    for (const other of others) assert.deepEqual(await deliveriesTo(app, other), [])
  })

  test('are not written where the change is undone', async (t) => {
    const app = await startApp(t, { engine, sends: false })
    const webhook = await addWebhook(app, ['*'])
    await assert.rejects(
      app.services.db.transaction(async (trx) => {
        await recordEvents(app.services, trx, [about('usr_a'), about('usr_b')])
        throw new Error('undone')
      }),
      /undone/,
    )
    assert.deepEqual(await deliveriesTo(app, webhook), [])
  })

  test('are about the person of the entry: its target, its owner, or else who acted', async (t) => {
    const app = await startApp(t, { engine, sends: false })
    const { actor } = about('')
    const webhook = await addWebhook(app, ['*'])
    await app.services.db.transaction((trx) =>
      recordEvents(app.services, trx, [
        about('usr_target'),
        { ...about(''), target: { type: 'session', id: 's' }, data: { userId: 'usr_owner' } },
        { ...about(''), target: { type: 'role', id: 'r' } },
        { ...about(''), actor: { ...actor, id: null, email: null }, target: { type: 'mail', id: 'm' } },
      ]),
    )
    assert.deepEqual(
      (await deliveriesTo(app, webhook)).map(({ person_id }) => person_id),
      ['usr_target', 'usr_owner', 'usr_actor', ''],
    )
  })

  test('of a disable name it, so that its receipt lists them', async (t) => {
    const app = await startApp(t, { engine, sends: false })
    const webhook = await addWebhook(app, ['*'])
    const data = { lifecycleActionId: 'the disable' }
    await recordAlone(app.services, { ...about('usr_a'), action: 'user.disabled', data })
    await recordAlone(app.services, { ...about('usr_a'), action: 'lifecycle.scheduled', data })
    assert.deepEqual(
      (await deliveriesTo(app, webhook)).map(({ action_id }) => action_id),
      ['the disable', null],
    )
  })

  test('get consecutive numbers after the commit, whoever numbers them', async (t) => {
    const first = await startApp(t, { engine, sends: false })
    const webhooks = [await addWebhook(first, ['*']), await addWebhook(first, ['user.*'])]
    const apps =
      engine === 'sqlite' ? [first] : [first, await startApp(t, { engine, sends: false, storage: first.storage })]
    await Promise.all(
      Array.from({ length: 8 }, async (_, writer) => {
        const app = apps[writer % apps.length]!
        for (let each = 0; each < 10; each++) {
          await recordAlone(app.services, about(`usr_${writer}`))
          await numberAll(app.services)
        }
      }),
    )
    await numberAll(first.services)
    for (const webhook of webhooks) {
      const rows = await deliveriesTo(first, webhook)
      const inOrder = rows.map(({ sequence }) => Number(sequence)).toSorted((one, other) => one - other)
      assert.deepEqual(
        inOrder,
        Array.from({ length: 80 }, (_, at) => at + 1),
      )
      for (const own of Map.groupBy(rows, ({ person_id }) => person_id).values()) {
        const sequences = own.map(({ sequence }) => Number(sequence))
        assert.deepEqual(
          sequences,
          sequences.toSorted((one, other) => one - other),
        )
      }
    }
  })

  test('that were written while their webhook was turned off or deleted are not counted', async (t) => {
    const app = await startApp(t, { engine, sends: false })
    const { db, now } = app.services
    const [off, deleted] = [await addWebhook(app, ['*']), await addWebhook(app, ['*'])]
    await recordAlone(app.services, about('usr_a'))
    await db.transaction(async (trx) => {
      await trx.updateTable('webhooks').set({ enabled: 0 }).where('id', '=', off).execute()
      await trx.deleteFrom('webhooks').where('id', '=', deleted).execute()
    })
    await numberAll(app.services)
    for (const webhookId of [off, deleted]) {
      const [delivery] = await deliveriesTo(app, webhookId)
      assert.deepEqual(
        [delivery?.state, delivery?.sequence, delivery?.next_attempt_at, delivery?.finished_at],
        ['given_up', null, null, now()],
      )
    }
  })
})
