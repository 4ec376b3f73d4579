import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkProofs } from '../../../src/identity/receipts/check-proofs.ts'
import { startApp } from '../../support/app.ts'
import { signedInPerson } from '../../support/people.ts'
import { REAL_CLOCK, startReplica, until } from '../../support/replicas.ts'
import { named, readKeys } from './proof-tools.ts'
import { newApplication, receiptOf, settle, tellOf } from './receivers.ts'

test('two processes, one of them killed again and again, prove every disable once and without a gap', async (t) => {
  const app = await startApp(t, { engine: 'postgres', clock: REAL_CLOCK })
  const admin = await signedInPerson(app, { admin: true })
  tellOf(app, [await newApplication(app, 'Wiki')])
  const userIds: string[] = []
  for (let made = 0; made < 120; made++) userIds.push((await signedInPerson(app)).user.id)
  await admin.post('/api/admin/users/batch', { action: 'disable', ids: userIds })
  const count = async () => (await app.services.db.read.selectFrom('leaving_proofs').select('number').execute()).length
  await startReplica(t, app.storage)
  for (let round = 1; round <= 4; round++) {
    const victim = await startReplica(t, app.storage)
    await settle(app, 'acknowledged', { limit: 30 })
    await until(async () => (await count()) > (round - 1) * 30)
    await victim.kill()
  }
  await until(async () => (await count()) === 120)
  const rows = await app.services.db.read.selectFrom('leaving_proofs').select(['proof', 'user_id']).execute()
  assert.equal(new Set(rows.map(({ user_id }) => user_id)).size, 120)
  assert.equal(checkProofs(named(rows.map(({ proof }) => proof)), await readKeys(app)).length, 120)
  assert.equal((await receiptOf(admin, userIds[0] ?? '')).outstanding, 0)
})
