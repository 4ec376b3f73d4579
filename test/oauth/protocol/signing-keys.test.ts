import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose'
import { activateNextKey, publishNextKey, retirePreviousKeys } from '../../../src/platform/keys/rotate-signing-key.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { getTokens, registerApplication } from '../../support/application.ts'
import { MAIN_ENGINE, onEachEngine } from '../../support/engines.ts'
import { anonymous, signedInPerson } from '../../support/people.ts'

const keysOf = async (app: TestApp): Promise<JSONWebKeySet> =>
  (await anonymous(app).get('/.well-known/jwks.json')).json()
const idsOf = async (app: TestApp): Promise<string[]> => (await keysOf(app)).keys.map(({ kid }) => kid ?? '')
const headerOf = (jws: string) =>
  JSON.parse(Buffer.from(jws.split('.')[0] ?? '', 'base64url').toString()) as { kid: string }

/** Signals between replicas take a moment, and longer on a busy machine. */
async function eventually(check: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 5000
  while (!(await check())) {
    assert.ok(Date.now() < deadline, 'This should have happened by now.')
    // Lets the event loop read the connection for signals.
    await setImmediate()
  }
}

onEachEngine('rotation of the signing key', (engine) => {
  test('ten concurrent rotations have the effect of one', async (t) => {
    const app = await startApp(t, { engine })
    const ids = await Promise.all(Array.from({ length: 10 }, () => publishNextKey(app.services)))
    assert.deepEqual(new Set(ids), new Set(['service-id-2']))
    await Promise.all(Array.from({ length: 10 }, () => activateNextKey(app.services, 0)))
    await eventually(async () => (await idsOf(app)).join() === 'service-id-2,service-id-1')
  })

  // The rest is the same on every engine.
  if (engine !== MAIN_ENGINE) return

  test('the next key is published first and signs after ten minutes, and the previous key still verifies', async (t) => {
    const app = await startApp(t, { engine })
    const application = await registerApplication(app)
    const person = await signedInPerson(app)
    const before = (await getTokens(app, person, application)).id_token
    const etag = (await anonymous(app).get('/.well-known/jwks.json')).headers.etag

    assert.equal(await publishNextKey(app.services), 'service-id-2')
    await eventually(async () => (await idsOf(app)).join() === 'service-id-1,service-id-2')
    assert.notEqual((await anonymous(app).get('/.well-known/jwks.json')).headers.etag, etag)
    assert.equal(headerOf((await getTokens(app, person, application)).id_token).kid, 'service-id-1')

    app.clock.advance(599_999)
    assert.equal(await activateNextKey(app.services), undefined)
    app.clock.advance(60_001)
    await app.tick()
    await eventually(async () => (await idsOf(app)).join() === 'service-id-2,service-id-1')
    const after = (await getTokens(app, person, application)).id_token
    assert.equal(headerOf(after).kid, 'service-id-2')

    const keys = createLocalJWKSet(await keysOf(app))
    const currentDate = new Date(app.clock.now())
    for (const token of [before, after])
      assert.equal((await jwtVerify(token, keys, { currentDate })).payload.sub, person.user.id)

    assert.deepEqual(await retirePreviousKeys(app.services), ['service-id-1'])
    await eventually(async () => (await idsOf(app)).join() === 'service-id-2')
    await assert.rejects(jwtVerify(before, createLocalJWKSet(await keysOf(app)), { currentDate }))
    assert.equal(await publishNextKey(app.services), 'service-id-3')
  })
})

test('another replica learns of a rotation', async (t) => {
  const first = await startApp(t, { engine: 'postgres' })
  const second = await startApp(t, { engine: 'postgres', storage: first.storage, clock: first.clock })
  await publishNextKey(first.services)
  await eventually(async () => (await idsOf(second)).length === 2)
  await activateNextKey(first.services, 0)
  await eventually(async () => (await idsOf(second))[0] === 'service-id-2')
  const application = await registerApplication(second)
  const { id_token } = await getTokens(second, await signedInPerson(second), application)
  assert.equal(headerOf(id_token).kid, 'service-id-2')
})
