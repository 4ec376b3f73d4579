import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sharedApp } from '../../support/app.ts'
import { MAIN_ENGINE, onEachEngine } from '../../support/engines.ts'
import { assertRefused, counterOf, enrol, login, loginOptions, tally, verifyLogin } from './ceremonies.ts'

onEachEngine('the signature counter', (engine) => {
  const shared = sharedApp({ engine, config: { rateLimits: false } })

  test('lets exactly one of 20 concurrent logins with the same value succeed, each with its own challenge', async () => {
    const { authenticator, visitor } = await enrol(shared(), { counter: 100 })
    const ready = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const options = await loginOptions(visitor)
        return { options, response: authenticator.authenticate(options, { counter: 101 }) }
      }),
    )
    const responses = await Promise.all(
      ready.map(({ options, response }) => verifyLogin(visitor, options.challengeId, response)),
    )
    assert.deepEqual(tally(responses), { 200: 1, 401: 19 })
  })

  // The rest is the same on every engine.
  if (engine !== MAIN_ENGINE) return

  test('is stored at each login, with the time of use and the backup state', async () => {
    const { person, authenticator, visitor } = await enrol(shared(), {
      counter: 5,
      backup: { eligible: true, state: false },
    })
    shared().clock.advance(1000)
    assert.equal((await login(visitor, authenticator, { counter: 9, flags: { BS: true } })).statusCode, 200)
    const [passkey] = (await person.get('/api/passkeys')).json().passkeys
    assert.equal(passkey.lastUsedAt, shared().clock.now())
    assert.equal(passkey.backedUp, true)
    assert.equal(await counterOf(shared(), passkey), 9)
  })

  test('must grow: the same value, a smaller one and 0 are refused', async () => {
    const { authenticator, passkey, visitor } = await enrol(shared(), { counter: 10 })
    for (const counter of [10, 9, 0]) assertRefused(await login(visitor, authenticator, { counter }))
    assert.equal(await counterOf(shared(), passkey), 10)
    assert.equal((await login(visitor, authenticator, { counter: 11 })).statusCode, 200)
    assertRefused(await login(visitor, authenticator, { counter: 11 }))
  })

  test('uses the full 32 bits', async () => {
    const { authenticator, passkey, visitor } = await enrol(shared(), { counter: 2 ** 31 - 1 })
    for (const counter of [2 ** 31, 2 ** 32 - 2, 2 ** 32 - 1]) {
      assert.equal((await login(visitor, authenticator, { counter })).statusCode, 200, String(counter))
      assert.equal(await counterOf(shared(), passkey), counter)
    }
    for (const counter of [2 ** 32 - 1, 2 ** 31, 1, 0]) {
      assertRefused(await login(visitor, authenticator, { counter }))
    }
  })

  test('may stay 0 for an authenticator without one, and may not return to 0 once it has counted', async () => {
    const { authenticator, passkey, visitor } = await enrol(shared(), { counts: false })
    for (let time = 0; time < 3; time++) assert.equal((await login(visitor, authenticator)).statusCode, 200)
    assert.equal(await counterOf(shared(), passkey), 0)
    assert.equal((await login(visitor, authenticator, { counter: 1 })).statusCode, 200)
    assertRefused(await login(visitor, authenticator, { counter: 0 }))
  })

  test('refuses a cloned authenticator whose value is behind, and the audit trail has the reason', async () => {
    const { person, authenticator, visitor } = await enrol(shared())
    for (let time = 0; time < 3; time++) await login(visitor, authenticator)
    assertRefused(await login(visitor, authenticator, { counter: 2 }))
    const { data } = await shared()
      .services.db.read.selectFrom('audit_events')
      .select('data')
      .where('actor_id', '=', person.user.id)
      .where('action', '=', 'session.refused')
      .executeTakeFirstOrThrow()
    assert.equal(JSON.parse(data).reason, 'counter')
  })
})
