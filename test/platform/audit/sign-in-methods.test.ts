import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Kysely, sql } from 'kysely'
import type { Overview } from '../../../src/operations/overview/overview.ts'
import { type AuditEvent, recordAlone, THE_SERVICE } from '../../../src/platform/audit/record-event.ts'
import { MIGRATIONS } from '../../../src/storage/migrations/all.ts'
import { startApp } from '../../support/app.ts'
import { onEachEngine } from '../../support/engines.ts'
import { signedInPerson } from '../../support/people.ts'

const DAY = 86_400_000

onEachEngine('the sign-in method in the audit trail', (engine) => {
  test('is also in the data of the entry, and only for a sign-in or an attempt', async (t) => {
    const { services } = await startApp(t, { engine })
    const record = (event: Pick<AuditEvent, 'action' | 'outcome' | 'method' | 'data'>) =>
      recordAlone(services, { actor: THE_SERVICE, ...event })
    await record({ action: 'passkey.refused', outcome: 'refused', method: 'passkey', data: { reason: 'rp_id' } })
    await record({ action: 'user.updated', outcome: 'success', data: { name: 'passkey' } })
    const rows = await services.db.read.selectFrom('audit_events').select(['method', 'data']).execute()
    assert.deepEqual(rows.map(({ method, data }) => `${method} ${data}`).toSorted(), [
      'null {"name":"passkey"}',
      'passkey {"method":"passkey","reason":"rp_id"}',
    ])
  })

  test('is filled in by the migration for the days that the overview shows, whose counts stay the same', async (t) => {
    const app = await startApp(t, { engine })
    const { services, clock } = app
    const migration = MIGRATIONS.find(({ name }) => name === '0014-sign-in-methods')
    assert.ok(migration)
    const record = (event: Pick<AuditEvent, 'action' | 'outcome' | 'method'>) =>
      recordAlone(services, { actor: THE_SERVICE, ...event })
    await record({ action: 'session.started', outcome: 'success', method: 'passkey' })
    clock.advance(40 * DAY)
    await record({ action: 'session.started', outcome: 'success', method: 'password' })
    await record({ action: 'session.started', outcome: 'success', method: 'passkey' })
    await record({ action: 'session.refused', outcome: 'refused', method: 'password' })
    await record({ action: 'user.updated', outcome: 'success' })
    await services.db.transaction(async (trx) => {
      await sql`alter table audit_events drop column method`.execute(trx)
      // At run time a Trx is a Kysely transaction; its type only hides some methods.
      await migration.up(trx as unknown as Kysely<unknown>)
    })
    const rows = await services.db.read.selectFrom('audit_events').select(['action', 'method']).execute()
    assert.deepEqual(rows.map(({ action, method }) => `${action} ${method}`).toSorted(), [
      'session.refused password',
      'session.started null',
      'session.started passkey',
      'session.started password',
      'user.updated null',
    ])
    const admin = await signedInPerson(app, { admin: true })
    const { days } = (await admin.get('/api/admin/overview')).json<Overview>()
    const { password, passkey, refused } = days.at(-1) ?? {}
    assert.deepEqual([password, passkey, refused], [1, 1, 1])
  })
})
