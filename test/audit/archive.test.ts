import assert from 'node:assert/strict'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { AuditEntry } from '../../src/audit/audit-entry.ts'
import { recordAlone, THE_SERVICE } from '../../src/audit/record-event.ts'
import { startApp } from '../support/app.ts'
import { onEachEngine } from '../support/engines.ts'
import { signedInPerson } from '../support/people.ts'

const DAY = 24 * 3600_000
const read = (text: string) =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as AuditEntry)

onEachEngine('the audit trail outside of the database', (engine) => {
  test('entries are archived as JSON lines after the retention time, exported by time as CSV and JSON lines, and logged', async (t) => {
    const app = await startApp(t, { engine, config: { auditRetentionDays: 30 } })
    const { services, clock, storage } = app
    const record = (id: string) =>
      recordAlone(services, {
        action: 'user.updated',
        outcome: 'success',
        actor: THE_SERVICE,
        target: { type: 'user', id },
        data: { note: 'ä\n' },
      })
    await record('old-1')
    clock.advance(20 * DAY)
    await record('old-2')
    clock.advance(29 * DAY)
    await record('new')
    const line =
      app
        .logged()
        .split('\n')
        .find((each) => each.includes('"targetId":"new"')) ?? ''
    const { level, audit, msg, data } = JSON.parse(line) as Record<string, unknown>
    assert.deepEqual([level, audit, msg, data], ['info', 'user.updated', 'audit', { note: 'ä\n' }])

    await app.tick()
    const folder = join(storage.dataDir, 'audit-archive')
    assert.deepEqual(readdirSync(folder), ['2026-01.jsonl'])
    const file = join(folder, '2026-01.jsonl')
    assert.equal(statSync(file).mode & 0o777, 0o600)
    assert.deepEqual(
      read(readFileSync(file, 'utf8')).map(({ targetId }) => targetId),
      ['old-1'],
    )

    clock.advance(2 * DAY)
    await app.tick()
    assert.deepEqual(readdirSync(folder), ['2026-01.jsonl', '2026-02.jsonl'])
    const admin = await signedInPerson(app, { permissions: ['audit:read'] })
    const exported = await admin.get(
      `/api/admin/audit?format=jsonl&from=${clock.now() - 3 * DAY}&to=${clock.now() - DAY}`,
    )
    assert.equal(exported.headers['content-type'], 'application/jsonl; charset=utf-8')
    assert.match(exported.headers['content-disposition'] as string, /filename="audit\.jsonl"/)
    const [entry, ...others] = read(exported.body)
    assert.deepEqual([entry?.targetId, entry?.data, others], ['new', { note: 'ä\n' }, []])
    const byHeader = await admin.get('/api/admin/audit?target=new', undefined, { accept: 'application/x-ndjson' })
    assert.equal(read(byHeader.body).length, 1)
    const csv = await admin.get(`/api/admin/audit?format=csv&to=${clock.now() - DAY}`)
    assert.equal(csv.body.trimEnd().split('\r\n').length, 2)
    assert.equal((await admin.get('/api/admin/audit?format=xml')).statusCode, 400)
  })
})
