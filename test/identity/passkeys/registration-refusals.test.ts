import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sharedApp } from '../../support/app.ts'
import type { Overrides } from '../../support/authenticator-response.ts'
import { nestedCbor } from '../../support/cbor.ts'
import { MAIN_ENGINE, onEachEngine } from '../../support/engines.ts'
import { signedInPerson } from '../../support/people.ts'
import {
  assertRefused,
  enrol,
  loginOptions,
  newAuthenticator,
  register,
  registrationOptions,
  tally,
  verifyLogin,
  verifyRegistration,
} from './ceremonies.ts'

const FIVE_MINUTES = 300_000

onEachEngine('registrations that are refused', (engine) => {
  const shared = sharedApp({ engine, config: { rateLimits: false } })

  const overrides: Record<string, Overrides> = {
    'an origin with ours as prefix': { origin: 'http://localhost:3000.evil.example' },
    'an origin with ours as suffix': { origin: 'http://evil.localhost:3000' },
    'another port': { origin: 'http://localhost:3001' },
    'another scheme': { origin: 'https://localhost:3000' },
    'the hash of another RP id': { rpId: 'evil.example' },
    'the type of a login': { type: 'webauthn.get' },
    'a user who was not present': { flags: { UP: false } },
    'the backup state of a credential that can’t be backed up': { flags: { BS: true } },
    'trailing bytes': { trailing: Buffer.of(0) },
    'a ceremony in a frame': { crossOrigin: true },
    'an algorithm that was not offered': { algorithm: 'ES384' },
    'a point off the curve': { coseKey: { [-3]: Buffer.alloc(32, 1) } },
    'an unknown format': { format: 'trust-me' },
    'a statement with the format none': { statement: new Map([['sig', 1]]) },
    'an attestation with a corrupt signature': { format: 'packed', signature: 'corrupt' },
    'an attestation nested 10,000 deep': { attestationObject: nestedCbor(10_000) },
    'a raw id that differs': { rawId: 'AAAA' },
    'client data that is not JSON': { clientDataJSON: '{' },
  }

  test('of 50 identical concurrent registrations exactly one succeeds', async () => {
    const person = await signedInPerson(shared())
    const response = newAuthenticator().register(await registrationOptions(person))
    const responses = await Promise.all(Array.from({ length: 50 }, () => verifyRegistration(person, response)))
    assert.deepEqual(tally(responses), { 200: 1, 401: 49 })
  })

  // The rest is the same on every engine.
  if (engine !== MAIN_ENGINE) return

  test('a challenge can be used once', async () => {
    const person = await signedInPerson(shared())
    const response = newAuthenticator().register(await registrationOptions(person))
    assert.equal((await verifyRegistration(person, response)).statusCode, 200)
    assertRefused(await verifyRegistration(person, response))
  })

  test('a failed registration uses up its challenge', async () => {
    const person = await signedInPerson(shared())
    const options = await registrationOptions(person)
    const authenticator = newAuthenticator()
    assertRefused(await verifyRegistration(person, authenticator.register(options, { flags: { UP: false } })))
    assertRefused(await verifyRegistration(person, authenticator.register(options)))
  })

  test('a challenge is valid for exactly five minutes', async () => {
    const person = await signedInPerson(shared())
    const authenticator = newAuthenticator()
    const early = authenticator.register(await registrationOptions(person))
    shared().clock.advance(FIVE_MINUTES - 1)
    assert.equal((await verifyRegistration(person, early)).statusCode, 200)
    const late = authenticator.register(await registrationOptions(person), { ignoreExclusions: true })
    shared().clock.advance(FIVE_MINUTES)
    assertRefused(await verifyRegistration(person, late))
  })

  test('the response of one user is refused in the session of another', async () => {
    const [one, other] = [await signedInPerson(shared()), await signedInPerson(shared())]
    const response = newAuthenticator().register(await registrationOptions(one))
    assertRefused(await verifyRegistration(other, response))
    await registrationOptions(other)
    assertRefused(await verifyRegistration(other, response))
    assert.equal((await verifyRegistration(one, response)).statusCode, 200)
  })

  test('a login challenge can’t be used for a registration, nor the reverse', async () => {
    const { person, authenticator, visitor } = await enrol(shared())
    const creation = await registrationOptions(person)
    const request = await loginOptions(visitor)
    const stray = newAuthenticator().register({ ...creation, challenge: request.challenge })
    assertRefused(await verifyRegistration(person, stray))
    const { challenge } = await registrationOptions(person)
    const { id } = await shared()
      .services.db.read.selectFrom('passkey_challenges')
      .select('id')
      .where('challenge', '=', challenge)
      .executeTakeFirstOrThrow()
    assertRefused(await verifyLogin(visitor, id, authenticator.authenticate({ ...request, challenge })))
  })

  for (const [name, override] of Object.entries(overrides)) {
    test(`a registration with ${name} is refused, and nothing is stored`, async () => {
      const person = await signedInPerson(shared())
      assertRefused(await register(person, newAuthenticator(), override))
      assert.deepEqual((await person.get('/api/passkeys')).json(), { passkeys: [] })
    })
  }

  test('the reason of a refusal is in the log and the audit trail, but not in the answer', async () => {
    const person = await signedInPerson(shared())
    assertRefused(await register(person, newAuthenticator(), { rpId: 'evil.example' }))
    assert.match(shared().logged(), new RegExp(`"reason":"rp_id","detail":"[^"]+","userId":"${person.user.id}"`))
    const event = await shared()
      .services.db.read.selectFrom('audit_events')
      .select(['action', 'outcome', 'data'])
      .where('actor_id', '=', person.user.id)
      .executeTakeFirstOrThrow()
    assert.deepEqual(
      { ...event },
      { action: 'passkey.refused', outcome: 'refused', data: '{"method":"passkey","reason":"rp_id"}' },
    )
  })
})
