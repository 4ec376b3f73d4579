import assert from 'node:assert/strict'
import { test } from 'node:test'
import { latchkey } from '../support/command.ts'
import { delayedLine } from '../support/delayed-line.ts'
import { createPlace } from '../support/engines.ts'
import { startReplica, until } from '../support/replicas.ts'
import { ask } from '../support/visitor.ts'
import { figure } from './rounds.ts'
import { ENVIRONMENT } from './world.ts'

const PART = 'Late LISTEN'

const keysOf = async (address: string): Promise<string[]> => {
  const answer = await ask(address, 'GET', '/.well-known/jwks.json')
  return answer.json<{ keys: { kid: string }[] }>().keys.map(({ kid }) => kid)
}

test('a process that begins to listen only after a rotation of the keys learns of it', async (t) => {
  const place = await createPlace('postgres')
  t.after(place.remove)
  const line = await delayedLine(t, place.databaseUrl, 'listen latchkey')
  const other = await startReplica(t, place, { environment: ENVIRONMENT })
  const late = await startReplica(t, { databaseUrl: line.url }, { environment: ENVIRONMENT })
  await line.held
  const { code, stderr } = await latchkey(place, ['keys', 'rotate'])
  assert.equal(code, 0, stderr)
  await until(async () => (await keysOf(other.address)).length === 2, 10_000)
  assert.deepEqual(await keysOf(late.address), ['service-id-1'])
  line.release()
  const released = performance.now()
  await until(async () => (await keysOf(late.address)).length === 2, 10_000)
  figure(t, PART, 'what it had missed is there, ms after it listens', performance.now() - released)
})
