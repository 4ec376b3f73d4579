import assert from 'node:assert/strict'
import { test } from 'node:test'
import { activateNextKey, publishNextKey, rotateAtOnce } from '../../../src/platform/keys/rotate-signing-key.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { breakTable } from '../../support/broken-table.ts'
import { onEachEngine } from '../../support/engines.ts'

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

const storedKeys = async ({ services }: TestApp): Promise<string[]> => {
  const rows = await services.db.read
    .selectFrom('service_keys')
    .select(['id', 'state'])
    .where('purpose', '=', 'signing')
    .orderBy('id')
    .execute()
  return rows.map(({ id, state }) => `${id} ${state}`)
}

const eventsOf = async ({ services }: TestApp): Promise<string[]> => {
  const rows = await services.db.read
    .selectFrom('audit_events')
    .select('action')
    .where('target_type', '=', 'signing_key')
    .orderBy('id')
    .execute()
  return rows.map(({ action }) => action)
}

const insertOfEvent = (action: string) => ({
  table: 'audit_events' as const,
  on: 'insert' as const,
  when: `new.action = '${action}'`,
})

onEachEngine('rotating the signing key', (engine) => {
  test('a rotation that fails halfway leaves no key, and a retry publishes the key, records an event and sends a signal', async (t) => {
    const app = await startApp(t, { engine })
    const repair = await breakTable(app, engine, insertOfEvent('signing_key.published'))
    await assert.rejects(publishNextKey(app.services))
    assert.deepEqual(await storedKeys(app), ['service-id-1 active'])
    await repair()
    const signalled = new Promise((resolve) => app.services.signals.on('keys-changed', resolve))
    assert.equal(await publishNextKey(app.services), 'service-id-2')
    await signalled
    assert.deepEqual(await storedKeys(app), ['service-id-1 active', 'service-id-2 next'])
    assert.deepEqual(await eventsOf(app), ['signing_key.published'])
  })

  test('an immediate rotation that fails halfway leaves only the old key, still active', async (t) => {
    const app = await startApp(t, { engine })
    const repair = await breakTable(app, engine, insertOfEvent('signing_key.activated'))
    await assert.rejects(rotateAtOnce(app.services))
    assert.deepEqual(await storedKeys(app), ['service-id-1 active'])
    assert.deepEqual(await eventsOf(app), [])
    await repair()
    assert.equal(await rotateAtOnce(app.services), 'service-id-2')
    assert.deepEqual(await storedKeys(app), ['service-id-1 previous', 'service-id-2 active'])
    assert.deepEqual(await eventsOf(app), ['signing_key.published', 'signing_key.activated'])
  })

  test('concurrent rotations run one after the other, and leave exactly one active key', async (t) => {
    const app = await startApp(t, { engine })
    const { services } = app
    await Promise.all(Array.from({ length: 5 }, () => [rotateAtOnce(services), publishNextKey(services)]).flat())
    await activateNextKey(services, 0)
    const keys = await storedKeys(app)
    assert.equal(keys.filter((key) => key.endsWith(' active')).length, 1, keys.join())
    const events = await eventsOf(app)
    for (const action of ['signing_key.published', 'signing_key.activated']) {
      assert.equal(events.filter((each) => each === action).length, keys.length - 1)
    }
  })

  test('a key published while the clock was ahead becomes active ten minutes after the clock is corrected', async (t) => {
    const app = await startApp(t, { engine })
    app.clock.adjust(400 * DAY)
    await publishNextKey(app.services)
    await app.tick()
    app.clock.adjust(-400 * DAY)
    await app.tick()
    assert.deepEqual(await storedKeys(app), ['service-id-1 active', 'service-id-2 next'])
    app.clock.advance(10 * MINUTE - 1)
    assert.equal(await activateNextKey(app.services), undefined)
    app.clock.advance(1)
    await app.tick()
    assert.deepEqual(await storedKeys(app), ['service-id-1 previous', 'service-id-2 active'])
  })

  test('a key published while the clock was behind becomes active when the clock is corrected', async (t) => {
    const app = await startApp(t, { engine })
    app.clock.adjust(-400 * DAY)
    await publishNextKey(app.services)
    await app.tick()
    assert.deepEqual(await storedKeys(app), ['service-id-1 active', 'service-id-2 next'])
    app.clock.adjust(400 * DAY)
    await app.tick()
    assert.deepEqual(await storedKeys(app), ['service-id-1 previous', 'service-id-2 active'])
  })
})
