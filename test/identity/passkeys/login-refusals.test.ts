import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sharedApp, startApp } from '../../support/app.ts'
import type { Overrides } from '../../support/authenticator-response.ts'
import { nestedCbor } from '../../support/cbor.ts'
import { MAIN_ENGINE, onEachEngine } from '../../support/engines.ts'
import { anonymous } from '../../support/people.ts'
import {
  assertRefused,
  counterOf,
  enrol,
  login,
  loginOptions,
  registrationOptions,
  tally,
  verifyLogin,
} from './ceremonies.ts'

const FIVE_MINUTES = 300_000

onEachEngine('logins that are refused', (engine) => {
  const shared = sharedApp({ engine, config: { rateLimits: false } })

  const overrides: Record<string, Overrides> = {
    'an origin with ours as prefix': { origin: 'http://localhost:3000.evil.example' },
    'an origin with ours as suffix': { origin: 'http://evil.localhost:3000' },
    'another port': { origin: 'http://localhost:3001' },
    'another scheme': { origin: 'https://localhost:3000' },
    'the hash of another RP id': { rpId: 'evil.example' },
    'the type of a registration': { type: 'webauthn.create' },
    'another challenge': { challenge: 'AAAA' },
    'a user who was not present': { flags: { UP: false } },
    'the backup state of a credential that can’t be backed up': { flags: { BS: true } },
    'a backup eligibility that has changed': { flags: { BE: true } },
    'trailing bytes': { trailing: Buffer.of(0) },
    'a ceremony in a frame': { crossOrigin: true },
    'extensions nested 5,000 deep': { extensions: nestedCbor(5000) },
    'a corrupt signature': { signature: 'corrupt' },
    'the signature of another key': { signature: 'of-another-key' },
    'no user handle': { userHandle: null },
    'an empty user handle': { userHandle: '' },
    'the user handle of somebody else': { userHandle: Buffer.from('usr_other').toString('base64url') },
    'a raw id that differs': { rawId: 'AAAA' },
  }

  test('of 50 identical concurrent logins exactly one succeeds, and starts one session', async () => {
    const { person, authenticator, visitor } = await enrol(shared())
    const options = await loginOptions(visitor)
    const response = authenticator.authenticate(options)
    const responses = await Promise.all(
      Array.from({ length: 50 }, () => verifyLogin(visitor, options.challengeId, response)),
    )
    assert.deepEqual(tally(responses), { 200: 1, 401: 49 })
    const sessions = await shared()
      .services.db.read.selectFrom('sessions')
      .select('id')
      .where('user_id', '=', person.user.id)
      .where('method', '=', 'passkey')
      .execute()
    assert.equal(sessions.length, 1)
  })

  if (engine === 'postgres') {
    test('of 20 identical concurrent logins at two replicas exactly one succeeds', async (t) => {
      const { storage, clock } = shared()
      const replica = await startApp(t, { engine, storage, clock, config: { rateLimits: false } })
      const { authenticator, visitor } = await enrol(shared())
      const options = await loginOptions(anonymous(replica))
      const response = authenticator.authenticate(options)
      const responses = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          verifyLogin(index % 2 ? visitor : anonymous(replica), options.challengeId, response),
        ),
      )
      assert.deepEqual(tally(responses), { 200: 1, 401: 19 })
    })
  }

  // The rest is the same on every engine.
  if (engine !== MAIN_ENGINE) return

  test('a response that is sent a second time is refused', async () => {
    const { authenticator, visitor } = await enrol(shared())
    const options = await loginOptions(visitor)
    const response = authenticator.authenticate(options)
    assert.equal((await verifyLogin(visitor, options.challengeId, response)).statusCode, 200)
    assertRefused(await verifyLogin(visitor, options.challengeId, response))
    const { challengeId } = await loginOptions(visitor)
    assertRefused(await verifyLogin(visitor, challengeId, response))
  })

  test('a failed login uses up its challenge', async () => {
    const { authenticator, visitor } = await enrol(shared())
    const options = await loginOptions(visitor)
    const bad = authenticator.authenticate(options, { signature: 'corrupt' })
    assertRefused(await verifyLogin(visitor, options.challengeId, bad))
    assertRefused(await verifyLogin(visitor, options.challengeId, authenticator.authenticate(options)))
  })

  test('a challenge is valid for exactly five minutes', async () => {
    const { authenticator, visitor } = await enrol(shared())
    const early = await loginOptions(visitor)
    shared().clock.advance(FIVE_MINUTES - 1)
    assert.equal((await verifyLogin(visitor, early.challengeId, authenticator.authenticate(early))).statusCode, 200)
    const late = await loginOptions(visitor)
    shared().clock.advance(FIVE_MINUTES)
    assertRefused(await verifyLogin(visitor, late.challengeId, authenticator.authenticate(late)))
  })

  test('an unknown challenge and that of a registration are refused', async () => {
    const { person, authenticator, visitor } = await enrol(shared())
    const options = await loginOptions(visitor)
    assertRefused(await verifyLogin(visitor, crypto.randomUUID(), authenticator.authenticate(options)))
    const { challenge } = await registrationOptions(person)
    const { id } = await shared()
      .services.db.read.selectFrom('passkey_challenges')
      .select('id')
      .where('user_id', '=', person.user.id)
      .executeTakeFirstOrThrow()
    const response = authenticator.authenticate({ ...options, challenge })
    assertRefused(await verifyLogin(visitor, id, response))
    // It can't replace the challenge of a login either.
    assertRefused(await verifyLogin(visitor, options.challengeId, response))
  })

  test('expired challenges are deleted', async () => {
    const { challengeId } = await loginOptions(anonymous(shared()))
    shared().clock.advance(FIVE_MINUTES)
    await shared().tick()
    const left = await shared()
      .services.db.read.selectFrom('passkey_challenges')
      .select('id')
      .where('id', '=', challengeId)
      .execute()
    assert.deepEqual(left, [])
  })

  for (const [name, override] of Object.entries(overrides)) {
    test(`a login with ${name} is refused like any other, and the counter stays`, async () => {
      const { authenticator, passkey, visitor } = await enrol(shared(), { counter: 3 })
      assertRefused(await login(visitor, authenticator, override))
      assert.equal(await counterOf(shared(), passkey), 3)
      assert.equal((await login(visitor, authenticator)).statusCode, 200)
    })
  }
})
