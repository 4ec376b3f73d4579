import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compactVerify, importJWK } from 'jose'
import { checkProofs } from '../../../src/identity/receipts/check-proofs.ts'
import { completeThese } from '../../../src/identity/receipts/complete-receipts.ts'
import { recover } from '../../../src/operations/backup/recover.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { claimsOf } from '../../support/application.ts'
import { onEachEngine } from '../../support/engines.ts'
import { anonymous, type Person, signedInPerson } from '../../support/people.ts'
import { lifecycleOf } from '../lifecycle/actions.ts'
import { decode, digestOf, makeProof, makeProofs, named, numbersOf, readKeys } from './proof-tools.ts'
import { disable, newApplication, proofOf, proofPath, settle, tellOf } from './receivers.ts'

onEachEngine('proofs of leaving', (engine) => {
  test('say who left, who asked for it, what ended and who was told, signed for anybody to check', async (t) => {
    const app = await startApp(t, { engine })
    const admin = await signedInPerson(app, { admin: true, email: 'admin@example.com' })
    const wiki = await newApplication(app, 'Wiki')
    tellOf(app, [wiki])
    const { user } = await signedInPerson(app, { email: 'ada@example.com' })
    const at = app.clock.now()
    const { lifecycleActionId } = await disable(admin, user.id)
    app.clock.advance(1500)
    await settle(app, 'acknowledged')
    await app.tick()
    const proof = await proofOf(admin, user.id, lifecycleActionId)
    assert.deepEqual(decode(proof.split('.')[0]), { alg: 'ES256', typ: 'latchkey-leaving+jwt', kid: 'service-id-1' })
    assert.deepEqual(claimsOf(proof), {
      iss: app.services.config.baseUrl,
      iat: Math.floor((at + 1500) / 1000),
      number: 1,
      person: { id: user.id, email: 'ada@example.com' },
      action: { id: lifecycleActionId, name: 'disable', executedAt: at },
      requestedBy: { id: admin.user.id, email: 'admin@example.com' },
      requestedAt: at,
      completedAt: at + 1500,
      ended: { sessions: 1, tokens: 0, certificates: 0 },
      told: [{ kind: 'application', id: wiki.id, name: 'Wiki', state: 'acknowledged', at: at + 1500 }],
      complete: true,
      seconds: 1.5,
      previous: null,
    })
    const { issuer, keys } = await readKeys(app)
    assert.equal(issuer, app.services.config.baseUrl)
    const jwk = keys.find((each) => each.kid === 'service-id-1') ?? {}
    await compactVerify(proof, await importJWK(jwk as object, 'ES256'))
    assert.equal('d' in jwk, false)
    // It is stored: asking again gives the same.
    assert.equal(await proofOf(admin, user.id, lifecycleActionId), proof)
  })

  test('each name the one before, and any unbroken run of them is accepted, in any order', async (t) => {
    const app = await startApp(t, { engine })
    const admin = await signedInPerson(app, { admin: true })
    const proofs = await makeProofs(app, admin, 5)
    const keys = await readKeys(app)
    assert.deepEqual(
      proofs.map((proof) => claimsOf(proof)['previous']),
      [null, ...proofs.slice(0, -1).map(digestOf)],
    )
    assert.deepEqual(numbersOf(named(proofs), keys), [1, 2, 3, 4, 5])
    assert.deepEqual(numbersOf(named(proofs.toReversed()), keys), [1, 2, 3, 4, 5])
    assert.deepEqual(numbersOf(named([proofs[3] ?? '', proofs[1] ?? '', proofs[2] ?? '']), keys), [2, 3, 4])
    assert.deepEqual(numbersOf(named([proofs[2] ?? '', proofs[2] ?? '']), keys), [3])
    const gap = named([proofs[0] ?? '', proofs[2] ?? ''])
    assert.throws(() => checkProofs(gap, keys), /Proofs are missing: .* before proof 2 \(number 3\)/)
  })

  test('of one account are not shown under another, nor without users:lifecycle', async (t) => {
    const app = await startApp(t, { engine })
    const admin = await signedInPerson(app, { admin: true })
    const [first, second] = [await signedInPerson(app), await signedInPerson(app)]
    const { lifecycleActionId } = await disable(admin, first.user.id)
    const path = proofPath(first.user.id, lifecycleActionId)
    assert.equal((await admin.get(proofPath(second.user.id, lifecycleActionId))).statusCode, 404)
    await proofOf(admin, first.user.id, lifecycleActionId)
    assert.equal((await admin.get(proofPath(second.user.id, lifecycleActionId))).statusCode, 404)
    assert.equal((await admin.get(proofPath(first.user.id, 'none'))).statusCode, 404)
    const reader = await signedInPerson(app, { permissions: ['users:read'] })
    assert.deepEqual([(await reader.get(path)).statusCode, (await anonymous(app).get(path)).statusCode], [403, 401])
    const viewer = await signedInPerson(app, { permissions: ['users:lifecycle'] })
    assert.equal((await viewer.get(path)).statusCode, 200)
  })

  test('of what is planned for the viewer tell nothing', async (t) => {
    const app = await startApp(t, { engine })
    const admin = await signedInPerson(app, { admin: true })
    const viewer = await signedInPerson(app, { permissions: ['users:lifecycle'] })
    const executeAt = app.clock.now() + 60_000
    const planned = await admin.post(lifecycleOf(viewer.user.id), { action: 'disable', executeAt })
    const path = proofPath(viewer.user.id, planned.json<{ lifecycleActionId: string }>().lifecycleActionId)
    assert.equal((await viewer.get(path)).statusCode, 404)
    assert.equal((await viewer.get(`${path}?partial=true`)).statusCode, 404)
    assert.equal((await admin.get(path)).json<{ code: string }>().code, 'not_complete')
  })

  test('are made when nobody waits; before that, a partial statement can be had, which is no proof', async (t) => {
    const app = await startApp(t, { engine })
    const admin = await signedInPerson(app, { admin: true })
    tellOf(app, [await newApplication(app, 'Wiki'), await newApplication(app, 'Files', 'signals')])
    const { user } = await signedInPerson(app)
    const { lifecycleActionId } = await disable(admin, user.id)
    await settle(app, 'acknowledged', { limit: 1 })
    const path = proofPath(user.id, lifecycleActionId)
    const answer = await admin.get(path)
    assert.deepEqual([answer.statusCode, answer.json<{ code: string }>().code], [409, 'not_complete'])
    const partial = (await admin.get(`${path}?partial=true`)).json<{ proof: string }>().proof
    const { told, ...claims } = claimsOf(partial) as { told: { state: string }[] } & Record<string, unknown>
    assert.deepEqual(new Set(told.map(({ state }) => state)), new Set(['acknowledged', 'waiting']))
    assert.deepEqual(
      [claims['partial'], claims['complete'], claims['completedAt'], claims['seconds']],
      [true, false, null, null],
    )
    assert.equal('number' in claims || 'previous' in claims, false)
    const keys = await readKeys(app)
    assert.throws(() => checkProofs(named([partial]), keys), /not a proof/)
    await settle(app, 'acknowledged')
    const proof = (await admin.get(`${path}?partial=true`)).json<{ proof: string }>().proof
    assert.deepEqual([claimsOf(proof)['number'], 'partial' in claimsOf(proof)], [1, false])
  })

  test('are made once, also when two complete a receipt at the same moment', async (t) => {
    const app = await startApp(t, { engine })
    const admin = await signedInPerson(app, { admin: true })
    const actionIds: string[] = []
    for (let round = 0; round < 10; round++)
      actionIds.push((await disable(admin, (await signedInPerson(app)).user.id)).lifecycleActionId)
    await Promise.all([
      ...actionIds.map((id) => completeThese(app.services, [id])),
      completeThese(app.services, actionIds),
      completeThese(app.services, actionIds.toReversed()),
      app.tick(),
    ])
    const rows = await app.services.db.read.selectFrom('leaving_proofs').select(['proof', 'action_id']).execute()
    assert.deepEqual(new Set(rows.map(({ action_id }) => action_id)), new Set(actionIds))
    assert.deepEqual(
      numbersOf(named(rows.map(({ proof }) => proof)), await readKeys(app)),
      actionIds.map((_, at) => at + 1),
    )
  })

  test('of before a restore and after it are in two chains, of which the second names the last proof of the backup', async (t) => {
    const app = await startApp(t, { engine })
    const admin = await signedInPerson(app, { admin: true })
    const [first = '', second = '', lost = ''] = await makeProofs(app, admin, 3)
    tellOf(app, [await newApplication(app, 'Wiki')])
    const { user } = await signedInPerson(app)
    const { lifecycleActionId } = await disable(admin, user.id)
    // The backup was made before the third.
    await app.services.db.transaction((trx) => trx.deleteFrom('leaving_proofs').where('number', '=', 3).execute())
    await recover(app.services, { keepAccess: true })
    const [delivery] = await app.services.db.read.selectFrom('outbox_deliveries').selectAll().execute()
    assert.deepEqual([delivery?.state, delivery?.last_error, delivery?.next_attempt_at], ['given_up', 'restored', null])
    await app.tick()
    const open = await proofOf(admin, user.id, lifecycleActionId)
    assert.deepEqual(
      ['number', 'previous', 'restoredFrom', 'complete', 'seconds'].map((member) => claimsOf(open)[member]),
      [1, null, digestOf(second), false, null],
    )
    const next = await makeNext(app, admin)
    assert.equal('restoredFrom' in claimsOf(next), false)
    const keys = await readKeys(app)
    assert.deepEqual(numbersOf(named([next, first, open, second]), keys), [1, 2, 1, 2])
    assert.deepEqual(numbersOf(named([open, next]), keys), [1, 2])
    assert.deepEqual(numbersOf(named([first, second, lost]), keys), [1, 2, 3])
    assert.throws(() => checkProofs(named([first, second, lost, open]), keys), /forked by a restore/)
  })

  test('after two restores in a row name the last proof that there was', async (t) => {
    const app = await startApp(t, { engine })
    const admin = await signedInPerson(app, { admin: true })
    const first = await makeProof(app, admin)
    await recover(app.services, { keepAccess: true })
    app.clock.advance(1000)
    await recover(app.services, { keepAccess: true })
    assert.equal(claimsOf(await makeProof(app, admin))['restoredFrom'], digestOf(first))
  })

  test('of an installation that was restored before its first proof say so', async (t) => {
    const app = await startApp(t, { engine })
    const admin = await signedInPerson(app, { admin: true })
    await recover(app.services, { keepAccess: true })
    const claims = claimsOf(await makeProof(app, admin))
    assert.deepEqual([claims['previous'], claims['restoredFrom']], [null, null])
  })
})

/** Of a person whom an application is told of. */
async function makeNext(app: TestApp, admin: Person): Promise<string> {
  const { user } = await signedInPerson(app)
  const { lifecycleActionId } = await disable(admin, user.id)
  await settle(app, 'acknowledged')
  return proofOf(admin, user.id, lifecycleActionId)
}
