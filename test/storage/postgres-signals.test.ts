import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import { activateNextKey, publishNextKey } from '../../src/platform/keys/rotate-signing-key.ts'
import { startApp, type TestApp } from '../support/app.ts'
import { startDelayingProxy } from '../support/delaying-proxy.ts'
import { createStorage } from '../support/engines.ts'
import { anonymous } from '../support/people.ts'
import { until } from '../support/replicas.ts'

const keysOf = async (app: TestApp): Promise<string[]> => {
  const response = await anonymous(app).get('/.well-known/jwks.json')
  return response.json<{ keys: { kid: string }[] }>().keys.map(({ kid }) => kid)
}

test('a replica whose first LISTEN is late learns of the changes before it', async (t) => {
  const storage = await createStorage('postgres')
  t.after(storage.remove)
  const line = await startDelayingProxy(t, storage.databaseUrl, 'listen latchkey')
  const other = await startApp(t, { engine: 'postgres', storage })
  const late = await startApp(t, {
    engine: 'postgres',
    storage: { ...storage, databaseUrl: line.url },
    clock: other.clock,
  })
  await line.held
  assert.deepEqual(await keysOf(late), ['service-id-1'])
  await publishNextKey(other.services)
  await activateNextKey(other.services, 0)
  assert.deepEqual(await keysOf(late), ['service-id-1'])
  line.release()
  await until(async () => (await keysOf(late)).join() === 'service-id-2,service-id-1', 5000)
})

test('a change whose signal was lost is noticed within a minute', async (t) => {
  mock.timers.enable({ apis: ['setInterval'] })
  t.after(() => mock.timers.reset())
  const app = await startApp(t, { engine: 'postgres' })
  const { services } = app
  let received = 0
  services.signals.on('notifications', () => received++)
  // The first LISTEN triggers a resync. Once the replica receives its own signal, the resync is over.
  await until(async () => {
    await services.db.transaction((trx) => services.signals.emit(trx, 'notifications', { userIds: [] }))
    return received > 0
  })
  await publishNextKey({ ...services, signals: { ...services.signals, emit: async () => {} } })
  for (let passed = 0; passed < 55_000; passed += 5000) {
    mock.timers.tick(5000)
    await until(async () => (await keysOf(app)).join() === 'service-id-1')
  }
  mock.timers.tick(5000)
  await until(async () => (await keysOf(app)).length === 2, 5000)
})
