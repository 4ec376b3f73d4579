import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ClaimedDelivery, endDelivery } from '../../../src/platform/outbox/claim-store.ts'
import { LOGOUT_URI } from '../../oauth/logout/logouts.ts'
import { fetchSets, newStream } from '../../oauth/signals/receiver.ts'
import { webhookManager } from '../../operations/webhooks/webhook-people.ts'
import { startReceiver } from '../../platform/outgoing/receiver.ts'
import { startApp } from '../../support/app.ts'
import { claimsOf, getTokens, registerApplication } from '../../support/application.ts'
import { createClock } from '../../support/clock.ts'
import { onEachEngine } from '../../support/engines.ts'
import { signedInPerson, signIn } from '../../support/people.ts'
import { until } from '../../support/replicas.ts'
import { actionsOf, lifecycleOf } from '../lifecycle/actions.ts'
import { disable, proofOf, receiptOf } from './receivers.ts'

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

onEachEngine('a receipt with real receivers', (engine) => {
  test('lists webhook, logout token and stream, at once and as planned, and is proved when each has answered', async (t) => {
    const config = { outgoingAllow: ['127.0.0.1'] }
    const app = await startApp(t, { engine, config, clock: createClock(Date.now()) })
    const admin = await signedInPerson(app, { admin: true })
    const server = await startReceiver(t, { answer: (_request, response) => response.writeHead(200).end() })
    const uri = `http://127.0.0.1:${server.port}/in`
    const wiki = await registerApplication(app, { name: 'Wiki', backchannelLogoutUri: uri })
    const { webhook } = await (await webhookManager(app)).add({ url: uri, description: 'Tickets' })
    const { receiver, stream } = await newStream(app, { name: 'Files', signalSubjects: 'all' })
    const expected = [
      ['application', wiki.clientId, 'Wiki'],
      ['webhook', webhook.id, 'Tickets'],
      ['signals', receiver.clientId, 'Files'],
    ]
    for (const isPlanned of [false, true]) {
      const person = await signedInPerson(app)
      await getTokens(app, person, wiki)
      const url = lifecycleOf(person.user.id)
      const executeAt = app.clock.now() + 1000
      const preview = (await admin.post(`${url}/preview`, { action: 'disable' })).json<{
        tells: { kind: string; id: string; name: string }[]
      }>()
      assert.deepEqual(
        preview.tells.map(({ kind, id, name }) => [kind, id, name]),
        expected,
      )
      await admin.post(url, { action: 'disable', ...(isPlanned && { executeAt }) })
      if (isPlanned) app.clock.advance(1000)
      await app.tick()
      const [action] = await actionsOf(admin, person.user.id)
      assert.deepEqual(
        action?.receipt?.told.map(({ kind, id, name }) => [kind, id, name]),
        expected,
      )
      const { sets } = await fetchSets(app, receiver, stream, { returnImmediately: true })
      await fetchSets(app, receiver, stream, { ack: Object.keys(sets), returnImmediately: true })
      await until(async () => {
        await app.tick()
        return (await receiptOf(admin, person.user.id)).completedAt !== null
      })
      const proof = claimsOf(await proofOf(admin, person.user.id, action?.id ?? ''))
      assert.deepEqual([proof['complete'], (proof['told'] as object[]).length], [true, 3])
    }
  })

  test('counts a logout token that a later one replaced as that one', async (t) => {
    const app = await startApp(t, { engine, sends: false })
    const admin = await signedInPerson(app, { admin: true })
    const wiki = await registerApplication(app, { name: 'Wiki', backchannelLogoutUri: LOGOUT_URI })
    const person = await signedInPerson(app)
    await getTokens(app, person, wiki)
    const first = await disable(admin, person.user.id)
    await admin.post(lifecycleOf(person.user.id), { action: 'enable' })
    await getTokens(app, await signIn(app, person.user), wiki)
    const second = await disable(admin, person.user.id)
    assert.deepEqual([first.receipt.outstanding, second.receipt.outstanding], [1, 1])
    const rows = await app.services.db.read
      .selectFrom('outbox_deliveries')
      .select(['action_id', 'replaced_by'])
      .orderBy('number')
      .execute()
    assert.ok(rows[0]?.replaced_by)
    const claim = 'test'
    await app.services.db.transaction(async (trx) => {
      await trx
        .updateTable('outbox_deliveries')
        .set({ claim })
        .where('number', '=', rows[0]?.replaced_by ?? 0)
        .execute()
      const ended = { state: 'acknowledged', now: app.clock.now(), status: 200, error: undefined } as const
      await endDelivery(trx, { number: rows[0]?.replaced_by ?? 0, claim } as ClaimedDelivery, ended)
    })
    await app.tick()
    const receipts = (await actionsOf(admin, person.user.id)).flatMap(({ action, receipt }) =>
      action === 'disable' && receipt ? [receipt] : [],
    )
    assert.deepEqual(
      receipts.map(({ outstanding, told }) => [outstanding, told.map(({ state }) => state)]),
      [
        [0, ['acknowledged']],
        [0, ['acknowledged']],
      ],
    )
  })

  test('is complete at last: what is never fetched is given up after 7 days', async (t) => {
    const app = await startApp(t, { engine })
    const { receiver } = await newStream(app, { name: 'Files', signalSubjects: 'all' })
    const { user } = await signedInPerson(app)
    const { lifecycleActionId } = await disable(await signedInPerson(app, { admin: true }), user.id)
    const admin = async () => signedInPerson(app, { admin: true })
    app.clock.advance(7 * DAY - MINUTE)
    await app.tick()
    assert.equal((await receiptOf(await admin(), user.id)).outstanding, 1)
    app.clock.advance(MINUTE)
    await app.tick()
    const proof = claimsOf(await proofOf(await admin(), user.id, lifecycleActionId))
    const [told] = proof['told'] as { id: string; state: string }[]
    assert.deepEqual([told?.id, told?.state, proof['complete']], [receiver.clientId, 'given_up', false])
  })

  for (const how of ['deleted', 'turned off'] as const)
    test(`does not wait for an application that was ${how} and can fetch nothing any more`, async (t) => {
      const app = await startApp(t, { engine })
      const admin = await signedInPerson(app, { admin: true })
      const { receiver } = await newStream(app, { name: 'Files', signalSubjects: 'all' })
      const { user } = await signedInPerson(app)
      await disable(admin, user.id)
      const url = `/oauth/clients/${receiver.clientId}`
      const answer = how === 'deleted' ? await admin.delete(url) : await admin.patch(url, { disabled: true })
      assert.equal(answer.statusCode, 200, answer.body)
      app.clock.advance(MINUTE)
      await app.tick()
      const { told, outstanding } = await receiptOf(admin, user.id)
      assert.deepEqual([told[0]?.name, told[0]?.state, outstanding], ['Files', 'given_up', 0])
    })
})
