import assert from 'node:assert/strict'
import { test } from 'node:test'
import { latchkey } from '../support/command.ts'
import { startDelayingProxy } from '../support/delaying-proxy.ts'
import { createStorage } from '../support/engines.ts'
import { sendRequest } from '../support/http-client.ts'
import { startReplica, until } from '../support/replicas.ts'
import { ENVIRONMENT } from './installation.ts'
import { figure } from './run-options.ts'

const PART = 'Late LISTEN'

const keysOf = async (address: string): Promise<string[]> => {
  const answer = await sendRequest(address, 'GET', '/.well-known/jwks.json')
  return answer.json<{ keys: { kid: string }[] }>().keys.map(({ kid }) => kid)
}

test('a process whose LISTEN reaches PostgreSQL only after a key rotation still loads the new key', async (t) => {
  const storage = await createStorage('postgres')
  t.after(storage.remove)
  const proxy = await startDelayingProxy(t, storage.databaseUrl, 'listen latchkey')
  const other = await startReplica(t, storage, { environment: ENVIRONMENT })
  const late = await startReplica(t, { databaseUrl: proxy.url }, { environment: ENVIRONMENT })
  await proxy.held
  const { code, stderr } = await latchkey(storage, ['keys', 'rotate'])
  assert.equal(code, 0, stderr)
  await until(async () => (await keysOf(other.address)).length === 2, 10_000)
  assert.deepEqual(await keysOf(late.address), ['service-id-1'])
  proxy.release()
  const releasedAt = performance.now()
  await until(async () => (await keysOf(late.address)).length === 2, 10_000)
  figure(t, PART, 'missed rotation noticed, ms after LISTEN', performance.now() - releasedAt)
})
