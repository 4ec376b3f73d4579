import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sharedApp, startApp } from '../../support/app.ts'
import { claimsOf } from '../../support/application.ts'
import { onEachEngine } from '../../support/engines.ts'
import { signedInPerson } from '../../support/people.ts'
import { actionsOf, insertActions, lifecycleOf } from '../lifecycle/actions.ts'
import {
  disable,
  newApplication,
  newWebhook,
  proofOf,
  proofPath,
  receiptOf,
  settle,
  tellOf,
  type TestReceiver,
} from './receivers.ts'

onEachEngine('the receipt of a disable', (engine) => {
  const shared = sharedApp({ engine })

  /** An app of its own, with receivers. */
  async function setUp(t: Parameters<typeof startApp>[0]) {
    const app = await startApp(t, { engine })
    const admin = await signedInPerson(app, { admin: true })
    const wiki = await newApplication(app, 'Wiki')
    const files = await newApplication(app, 'Files', 'signals')
    const hook = await newWebhook(app, 'Ticket system')
    tellOf(app, [{ ...wiki, times: 2 }, files, hook])
    return { app, admin, wiki, files, hook }
  }

  test('names who is told, by kind and name, with the state of each', async (t) => {
    const { app, admin, wiki, files, hook } = await setUp(t)
    const { user } = await signedInPerson(app)
    const at = app.clock.now()
    const expected = {
      sessions: 1,
      tokens: 0,
      certificates: 0,
      told: [
        { kind: 'application', id: wiki.id, name: 'Wiki', state: 'waiting', at: null },
        { kind: 'webhook', id: hook.id, name: 'Ticket system', state: 'waiting', at: null },
        { kind: 'signals', id: files.id, name: 'Files', state: 'waiting', at: null },
      ],
      outstanding: 3,
      completedAt: null,
    }
    const { lifecycleActionId, receipt } = await disable(admin, user.id)
    assert.deepEqual(receipt, expected)
    assert.deepEqual(await receiptOf(admin, user.id), expected)

    app.clock.advance(250)
    await settle(app, 'acknowledged', { receiver: hook })
    const later = await receiptOf(admin, user.id)
    assert.deepEqual([later.outstanding, later.told[1]?.state, later.told[1]?.at], [2, 'acknowledged', at + 250])
    await app.tick()
    assert.equal((await receiptOf(admin, user.id)).completedAt, null)

    app.clock.advance(250)
    await settle(app, 'acknowledged')
    app.clock.advance(5000)
    await app.tick()
    const complete = await receiptOf(admin, user.id)
    // When the last receiver had acknowledged, not when that was noticed.
    assert.deepEqual([complete.outstanding, complete.completedAt], [0, at + 500])
    const proof = claimsOf(await proofOf(admin, user.id, lifecycleActionId))
    assert.deepEqual([proof['seconds'], proof['complete'], proof['completedAt']], [0.5, true, at + 500])
  })

  test('a receiver with several deliveries waits while one of them does, and is what the worst of them became', async (t) => {
    const { app, admin, wiki, files, hook } = await setUp(t)
    const stateOf = async (userId: string, { id }: TestReceiver) =>
      (await receiptOf(admin, userId)).told.find((each) => each.id === id)?.state
    const { user } = await signedInPerson(app)
    await disable(admin, user.id)
    await settle(app, 'refused', { receiver: wiki, limit: 1 })
    assert.equal(await stateOf(user.id, wiki), 'waiting')
    app.clock.advance(1000)
    await settle(app, 'acknowledged', { receiver: wiki })
    assert.equal(await stateOf(user.id, wiki), 'refused')
    await settle(app, 'acknowledged', { receiver: files })
    await settle(app, 'given_up', { receiver: hook })
    await app.tick()
    const receipt = await receiptOf(admin, user.id)
    assert.equal(receipt.outstanding, 0)
    assert.equal(receipt.completedAt, app.clock.now())
    const [action] = await actionsOf(admin, user.id)
    const proof = claimsOf(await proofOf(admin, user.id, action?.id ?? ''))
    assert.deepEqual([proof['complete'], proof['seconds']], [false, null])
  })

  test('without anybody to tell it is complete at once', async () => {
    const app = shared()
    const admin = await signedInPerson(app, { admin: true })
    const { user } = await signedInPerson(app)
    const { lifecycleActionId, receipt } = await disable(admin, user.id)
    assert.deepEqual([receipt.told, receipt.outstanding], [[], 0])
    const proof = claimsOf(await proofOf(admin, user.id, lifecycleActionId))
    assert.deepEqual([proof['told'], proof['complete'], proof['seconds']], [[], true, 0])
    assert.equal((await receiptOf(admin, user.id)).completedAt, app.clock.now())
  })

  test('is there for a planned disable and for each person of a batch', async (t) => {
    const { app, admin } = await setUp(t)
    const { user } = await signedInPerson(app)
    const planned = await admin.post(lifecycleOf(user.id), { action: 'disable', executeAt: app.clock.now() + 1000 })
    const { lifecycleActionId } = planned.json<{ lifecycleActionId: string }>()
    assert.equal((await admin.get(proofPath(user.id, lifecycleActionId))).statusCode, 409)
    const many = [await signedInPerson(app), await signedInPerson(app)]
    const batch = { action: 'disable', ids: many.map((each) => each.user.id) }
    assert.equal((await admin.post('/api/admin/users/batch', batch)).statusCode, 200)
    const requestedAt = app.clock.now()
    app.clock.advance(1000)
    await app.tick()
    for (const { id } of [user, ...many.map((each) => each.user)]) {
      const receipt = await receiptOf(admin, id)
      assert.deepEqual([receipt.told.length, receipt.outstanding], [3, 3])
    }
    await settle(app, 'acknowledged')
    await app.tick()
    const proof = claimsOf(await proofOf(admin, user.id, lifecycleActionId))
    assert.deepEqual([proof['requestedAt'], proof['completedAt']], [requestedAt, requestedAt + 1000])
    assert.deepEqual(proof['action'], { id: lifecycleActionId, name: 'disable', executedAt: requestedAt + 1000 })
    for (const each of many) assert.equal((await receiptOf(admin, each.user.id)).outstanding, 0)
  })

  test('200 people in one batch are all proved, with numbers without a gap', async (t) => {
    const app = await startApp(t, { engine })
    const admin = await signedInPerson(app, { admin: true })
    tellOf(app, [await newApplication(app, 'Wiki')])
    const ids = Array.from({ length: 200 }, (_, index) => `usr_many${index}`)
    const rows = ids.map((id) => ({
      id,
      email: `${id}@example.com`,
      email_verified: 0,
      preferred_username: id,
      created_at: app.clock.now(),
    }))
    await app.services.db.transaction((trx) => trx.insertInto('users').values(rows).execute())
    const answer = await admin.post('/api/admin/users/batch', { action: 'disable', ids })
    assert.equal(answer.statusCode, 200, answer.body)
    await settle(app, 'acknowledged')
    await app.tick()
    const proofs = await app.services.db.read
      .selectFrom('leaving_proofs')
      .select(['number', 'user_id'])
      .orderBy('number')
      .execute()
    assert.deepEqual(
      proofs.map(({ number }) => number),
      ids.map((_, index) => index + 1),
    )
    assert.deepEqual(new Set(proofs.map(({ user_id }) => user_id)), new Set(ids))
  })

  test('goes on when the person is deleted in the middle, and the proof can be had then', async (t) => {
    const { app, admin } = await setUp(t)
    const { user } = await signedInPerson(app, { email: 'gone@example.com' })
    const { lifecycleActionId } = await disable(admin, user.id)
    assert.equal((await admin.delete(`/api/admin/users/${user.id}`)).statusCode, 200)
    app.clock.advance(20_000)
    await app.tick()
    assert.equal((await admin.get(`/api/admin/users/${user.id}`)).statusCode, 404)
    assert.equal((await admin.get(proofPath(user.id, lifecycleActionId))).json<{ code: string }>().code, 'not_complete')
    await settle(app, 'acknowledged')
    await app.tick()
    const proof = claimsOf(await proofOf(admin, user.id, lifecycleActionId))
    assert.deepEqual(proof['person'], { id: user.id, email: 'gone@example.com' })
    assert.equal(proof['complete'], true)
  })

  test('keeps the name of an application or webhook that is deleted in the middle', async (t) => {
    const { app, admin, wiki, files, hook } = await setUp(t)
    const { user } = await signedInPerson(app)
    await disable(admin, user.id)
    await app.services.db.transaction(async (trx) => {
      await trx.deleteFrom('webhooks').where('id', '=', hook.id).execute()
      await trx.deleteFrom('oauth_clients').where('client_id', 'in', [wiki.id, files.id]).execute()
    })
    assert.deepEqual(
      (await receiptOf(admin, user.id)).told.map(({ name }) => name),
      ['Wiki', 'Ticket system', 'Files'],
    )
    await settle(app, 'given_up')
    await app.tick()
    const { told, outstanding } = await receiptOf(admin, user.id)
    assert.deepEqual([told.map(({ name }) => name), outstanding], [['Wiki', 'Ticket system', 'Files'], 0])
  })

  test('a webhook without a description is called by its host, never by its path', async (t) => {
    const app = await startApp(t, { engine })
    const admin = await signedInPerson(app, { admin: true })
    tellOf(app, [await newWebhook(app, '')])
    const { user } = await signedInPerson(app)
    assert.equal((await disable(admin, user.id)).receipt.told[0]?.name, 'hooks.example.com')
  })

  test('disabling a disabled account again tells nobody, and an enable has no proof', async (t) => {
    const { app, admin } = await setUp(t)
    const { user } = await signedInPerson(app)
    const { lifecycleActionId: first } = await disable(admin, user.id)
    const again = await disable(admin, user.id)
    assert.deepEqual([again.receipt.told, again.receipt.outstanding], [[], 0])
    const enabled = await admin.post(lifecycleOf(user.id), { action: 'enable' })
    const { lifecycleActionId } = enabled.json<{ lifecycleActionId: string }>()
    const answer = await admin.get(proofPath(user.id, lifecycleActionId))
    assert.deepEqual([answer.statusCode, answer.json<{ code: string }>().code], [404, 'not_found'])
    // The first disable is still being told.
    const actions = await actionsOf(admin, user.id)
    assert.equal(actions.find(({ id }) => id === first)?.receipt?.outstanding, 3)
  })

  test('a disable of an earlier version tells nothing, stays as it is and has no proof', async () => {
    const app = shared()
    const admin = await signedInPerson(app, { admin: true })
    const { user } = await signedInPerson(app)
    const [id = ''] = await insertActions(app, [{ userId: user.id, executeAt: app.clock.now(), status: 'completed' }])
    const receipt = JSON.stringify({ sessions: 1, tokens: 2, certificates: 3 })
    await app.services.db.transaction((trx) =>
      trx.updateTable('lifecycle_actions').set({ receipt }).where('id', '=', id).execute(),
    )
    await app.tick()
    assert.deepEqual(await receiptOf(admin, user.id), {
      sessions: 1,
      tokens: 2,
      certificates: 3,
      told: [],
      outstanding: 0,
      completedAt: null,
    })
    assert.equal((await admin.get(proofPath(user.id, id))).statusCode, 404)
  })

  test('the preview names who would be told, and writes nothing', async (t) => {
    const { app, admin, wiki, files, hook } = await setUp(t)
    const { user } = await signedInPerson(app)
    const tells = [
      { kind: 'application', id: wiki.id, name: 'Wiki' },
      { kind: 'webhook', id: hook.id, name: 'Ticket system' },
      { kind: 'signals', id: files.id, name: 'Files' },
    ]
    const url = `${lifecycleOf(user.id)}/preview`
    const lifecycle = await signedInPerson(app, { permissions: ['users:lifecycle'] })
    for (const viewer of [admin, lifecycle])
      assert.deepEqual((await viewer.post(url, { action: 'disable' })).json<{ tells: object[] }>().tells, tells)
    assert.deepEqual((await admin.post(url, { action: 'enable' })).json<{ tells: object[] }>().tells, [])
    assert.deepEqual(await app.services.db.read.selectFrom('outbox_deliveries').select('id').execute(), [])
  })
})
