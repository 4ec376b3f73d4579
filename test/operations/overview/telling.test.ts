import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Overview } from '../../../src/operations/overview/overview.ts'
import type { ReceiverKind } from '../../../src/vocabulary/receivers.ts'
import { disable, newApplication, newWebhook, settle, tellOf } from '../../identity/receipts/receivers.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { onEachEngine } from '../../support/engines.ts'
import { type Person, signedInPerson } from '../../support/people.ts'

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

onEachEngine('the overview of telling', (engine) => {
  const read = async (app: TestApp, admin: Person) => {
    app.clock.advance(10_000)
    return (await admin.get('/api/admin/overview')).json<Overview>()
  }

  test('says how long it takes until nothing is left: p50 and p99 of the last 30 days, null without any', async (t) => {
    const app = await startApp(t, { engine })
    const admin = await signedInPerson(app, { admin: true })
    const lead = () => read(app, admin).then(({ timeToNothingLeft }) => timeToNothingLeft)
    assert.equal(await lead(), null)
    tellOf(app, [await newApplication(app, 'Wiki')])
    // The first is refused, and is not counted.
    for (const seconds of [1000, 4, 1, 3, 2]) {
      await disable(admin, (await signedInPerson(app)).user.id)
      app.clock.advance(seconds * 1000)
      await settle(app, seconds === 1000 ? 'refused' : 'acknowledged')
      await app.tick()
    }
    assert.deepEqual(await lead(), { p50: 2, p99: 4 })
    app.clock.advance(31 * DAY)
    const later = await signedInPerson(app, { admin: true })
    assert.equal((await read(app, later)).timeToNothingLeft, null)
  })

  test('lists receivers that have failed for an hour, with what they answered in 200 printable characters', async (t) => {
    const app = await startApp(t, { engine })
    const admin = await signedInPerson(app, { admin: true })
    const [wiki, files, off] = [
      await newApplication(app, 'Wiki'),
      await newApplication(app, 'Files', 'signals'),
      await newApplication(app, 'Off'),
    ]
    const hook = await newWebhook(app, 'Ticket system')
    const start = app.clock.now()
    const { db } = app.services
    const failing = (
      kind: ReceiverKind,
      receiver_id: string,
      failing_since: number | null,
      last_error: string | null,
    ) => ({ kind, receiver_id, failing_since, last_status: 503, last_error, last_at: start }) as const
    await db.transaction(async (trx) => {
      await trx.updateTable('webhooks').set({ enabled: 1 }).where('id', '=', hook.id).execute()
      await trx.updateTable('oauth_clients').set({ disabled_at: start }).where('client_id', '=', off.id).execute()
      await trx
        .insertInto('outbox_receivers')
        .values([
          failing('logout', wiki.id, start, `a\u001b[31m\nb\u202ec\u2028d ${'x'.repeat(300)}`),
          failing('webhook', hook.id, start - 1, null),
          failing('signals', files.id, start + MINUTE, 'too short'),
          failing('logout', off.id, start, 'off'),
          failing('webhook', 'gone', start, 'gone'),
        ])
        .execute()
    })
    app.clock.advance(59 * MINUTE)
    assert.deepEqual((await read(app, admin)).failing, [])
    app.clock.advance(MINUTE)
    const overview = await read(app, admin)
    assert.deepEqual(
      overview.failing.map(({ error: _error, ...rest }) => rest),
      [
        { kind: 'webhook', id: hook.id, name: 'Ticket system', since: start - 1, lastStatus: 503 },
        { kind: 'application', id: wiki.id, name: 'Wiki', since: start, lastStatus: 503 },
      ],
    )
    const error = overview.failing[1]?.error ?? ''
    assert.equal(error, `a [31m b c d ${'x'.repeat(300)}`.slice(0, 200))
  })
})
