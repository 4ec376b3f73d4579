import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { AuditEntry } from '../../../src/platform/audit/audit-entry.ts'
import { recordAlone, recordEvents, THE_SERVICE } from '../../../src/platform/audit/record-event.ts'
import { createS3Blobs } from '../../../src/platform/blobs/s3.ts'
import { startApp } from '../../support/app.ts'
import { createClock } from '../../support/clock.ts'
import { createStorage, onEachEngine } from '../../support/engines.ts'
import { signedInPerson } from '../../support/people.ts'
import { startS3 } from '../../support/s3.ts'

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

test('two replicas archive each entry once, in the bucket where there is one, and only one of them has the job', async (t) => {
  const storage = await createStorage('postgres')
  t.after(storage.remove)
  const clock = createClock()
  const { config: s3 } = await startS3(t)
  const config = { auditRetentionDays: 30, s3 }
  const [one, other] = [await startApp(t, { storage, clock, config }), await startApp(t, { storage, clock, config })]
  const blobs = createS3Blobs(s3)
  const archived = async () => {
    const names = (await Array.fromAsync(blobs.list())).map(({ name }) => name).toSorted()
    const files = await Promise.all(names.map(async (name) => read(String(await blobs.get(name)))))
    return { names, ids: files.flat().map(({ targetId }) => String(targetId)) }
  }
  const ids = Array.from({ length: 1200 }, (_, number) => `user-${number}`)
  const recordAll = (targets: string[]) =>
    one.services.db.transaction((trx) =>
      recordEvents(
        one.services,
        trx,
        targets.map((id) => ({
          action: 'user.updated',
          outcome: 'success',
          actor: THE_SERVICE,
          target: { type: 'user', id },
        })),
      ),
    )
  await recordAll(ids)
  clock.advance(31 * DAY)
  await Promise.all([one.tick(), other.tick()])
  const first = await archived()
  assert.deepEqual(first.ids.toSorted(), ids.toSorted())
  for (const name of first.names) assert.match(name, /^audit-archive\/2026-01\/[0-9a-f-]+_[0-9a-f-]+\.jsonl$/)
  assert.equal(first.names.length, 3)
  for (const app of [one, other]) assert.ok(!existsSync(join(app.storage.dataDir, 'audit-archive')))

  // A run that takes so long that another replica could take the job ends by itself.
  const later = ids.map((id) => `later-${id}`)
  await recordAll(later)
  clock.advance(31 * DAY)
  const { blobs: slow } = one.services
  const store = slow.put
  slow.put = async (...args) => {
    clock.advance(45_000)
    await other.tick()
    await store(...args)
  }
  await one.tick()
  assert.equal((await archived()).ids.length, ids.length + 500)
  clock.advance(15_000)
  await other.tick()
  const all = await archived()
  assert.deepEqual(all.ids.toSorted(), [...ids, ...later].toSorted())
})
