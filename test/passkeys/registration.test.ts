import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { MOST_PASSKEYS } from '../../src/passkeys/registration-options.ts'
import { sharedApp, startApp } from '../support/app.ts'
import type { Lies } from '../support/authenticator-answer.ts'
import { nestedCbor } from '../support/cbor.ts'
import { onEachEngine } from '../support/engines.ts'
import { anonymous, signedInPerson, signIn } from '../support/people.ts'
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

onEachEngine('registering a passkey', (engine) => {
  const shared = sharedApp({ engine, config: { rateLimits: false, rpName: 'Example Inc.' } })

  test('needs a session', async () => {
    const visitor = anonymous(shared())
    assert.equal((await visitor.post('/api/passkeys/register/options')).statusCode, 401)
    assert.equal((await visitor.post('/api/passkeys/register/verify', {})).statusCode, 401)
  })

  test('options name the relying party, the account by its email, and what a passkey is to us', async () => {
    const person = await signedInPerson(shared(), { email: 'ann@example.com' })
    const { challenge, ...options } = await registrationOptions(person)
    assert.ok(Buffer.from(challenge, 'base64url').length >= 16)
    assert.deepEqual(options, {
      rp: { name: 'Example Inc.', id: 'localhost' },
      user: {
        id: Buffer.from(person.user.id).toString('base64url'),
        name: 'ann@example.com',
        displayName: 'ann@example.com',
      },
      pubKeyCredParams: [-7, -8, -257].map((alg) => ({ alg, type: 'public-key' })),
      timeout: FIVE_MINUTES,
      attestation: 'none',
      excludeCredentials: [],
      authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'preferred' },
      extensions: { credProps: true },
      hints: [],
    })
  })

  test('options exclude the credentials that the user has, and nobody else', async () => {
    const { person, passkey } = await enrol(shared(), { transports: ['usb', 'nfc'] })
    await enrol(shared())
    const { excludeCredentials } = await registrationOptions(person)
    assert.deepEqual(excludeCredentials, [{ id: passkey.credentialId, type: 'public-key', transports: ['usb', 'nfc'] }])
  })

  test('options take an empty object or nothing, and nothing else', async () => {
    const person = await signedInPerson(shared())
    assert.equal((await person.post('/api/passkeys/register/options', {})).statusCode, 200)
    assert.equal((await person.post('/api/passkeys/register/options', { rp: 'evil.example' })).statusCode, 400)
  })

  test('the challenge is stored with its user for five minutes', async () => {
    const person = await signedInPerson(shared())
    const { challenge } = await registrationOptions(person)
    const stored = await shared()
      .services.db.selectFrom('passkey_challenges')
      .select(['challenge', 'created_at', 'expires_at'])
      .where('user_id', '=', person.user.id)
      .execute()
    const now = shared().clock.now()
    assert.deepEqual(
      stored.map((row) => ({ ...row })),
      [{ challenge, created_at: now, expires_at: now + FIVE_MINUTES }],
    )
  })

  test('answers success with the passkey, and stores it', async () => {
    const person = await signedInPerson(shared())
    const nature = { counter: 7, transports: ['internal', 'hybrid'], backup: { eligible: true, state: true } }
    const response = await register(person, newAuthenticator(nature))
    assert.equal(response.statusCode, 200)
    const { success, passkey } = response.json()
    assert.equal(success, true)
    const { id, credentialId, ...rest } = passkey
    assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    assert.match(credentialId, /^[\w-]{43}$/)
    assert.deepEqual(rest, {
      name: 'Passkey',
      transports: ['internal', 'hybrid'],
      deviceType: 'multiDevice',
      backedUp: true,
      aaguid: '00000000-0000-0000-0000-000000000000',
      createdAt: shared().clock.now(),
      lastUsedAt: null,
    })
    const stored = await shared().services.db.selectFrom('passkeys').selectAll().where('id', '=', id).executeTakeFirst()
    assert.ok(stored)
    assert.equal(stored.user_id, person.user.id)
    assert.equal(stored.counter, 7)
    assert.equal(stored.transports, '["internal","hybrid"]')
    assert.match(stored.public_key, /^[A-Za-z0-9+/]+=*$/)
  })

  test('with each algorithm that is offered is accepted', async () => {
    for (const algorithm of ['ES256', 'EdDSA', 'RS256'] as const) await enrol(shared(), { algorithm })
  })

  test('tells the user, and nobody else, and is in the audit trail', async () => {
    const { person, passkey } = await enrol(shared())
    const { db } = shared().services
    const told = await db.selectFrom('notifications').selectAll().where('user_id', '=', person.user.id).execute()
    assert.deepEqual(
      told.map(({ type, data }) => [type, JSON.parse(data)]),
      [['security.passkey_added', { passkeyId: passkey.id, name: 'Passkey' }]],
    )
    const events = await db.selectFrom('audit_events').selectAll().where('target_id', '=', passkey.id).execute()
    assert.deepEqual(
      events.map(({ action, outcome, actor_id }) => [action, outcome, actor_id]),
      [['passkey.added', 'success', person.user.id]],
    )
  })

  test('takes the name given, else that of the authenticator', async () => {
    const person = await signedInPerson(shared())
    const yubikey = newAuthenticator({ aaguid: 'fa2b99dc-9e39-4257-8f92-4a30d23c4118' })
    assert.equal((await register(person, yubikey, {}, '  Blue key ')).json().passkey.name, 'Blue key')
    const again = await register(person, yubikey, { ignoreExclusions: true })
    assert.equal(again.json().passkey.name, 'YubiKey 5 NFC')
  })

  test('with a name that is none is refused before anything else, and the challenge is kept', async () => {
    const person = await signedInPerson(shared())
    const response = newAuthenticator().register(await registrationOptions(person))
    for (const name of ['', '  ', 'a\nb', '\u0007', '<b>key</b>', 'x'.repeat(101), '\u2028']) {
      const refused = await verifyRegistration(person, response, name)
      assert.equal(refused.statusCode, 400, JSON.stringify(name))
      assert.equal(refused.json().issues[0].path, 'name')
    }
    assert.equal((await verifyRegistration(person, response, '🔑'.repeat(100))).statusCode, 200)
  })

  test('a challenge serves once', async () => {
    const person = await signedInPerson(shared())
    const response = newAuthenticator().register(await registrationOptions(person))
    assert.equal((await verifyRegistration(person, response)).statusCode, 200)
    assertRefused(await verifyRegistration(person, response))
  })

  test('a failed verify has used up the challenge', async () => {
    const person = await signedInPerson(shared())
    const options = await registrationOptions(person)
    const authenticator = newAuthenticator()
    assertRefused(await verifyRegistration(person, authenticator.register(options, { flags: { UP: false } })))
    assertRefused(await verifyRegistration(person, authenticator.register(options)))
  })

  test('50 identical verifies at once store one passkey', async () => {
    const person = await signedInPerson(shared())
    const response = newAuthenticator().register(await registrationOptions(person))
    const responses = await Promise.all(Array.from({ length: 50 }, () => verifyRegistration(person, response)))
    assert.deepEqual(tally(responses), { 200: 1, 401: 49 })
  })

  test('a challenge lives five minutes, and not a millisecond longer', async () => {
    const person = await signedInPerson(shared())
    const authenticator = newAuthenticator()
    const early = authenticator.register(await registrationOptions(person))
    shared().clock.advance(FIVE_MINUTES - 1)
    assert.equal((await verifyRegistration(person, early)).statusCode, 200)
    const late = authenticator.register(await registrationOptions(person), { ignoreExclusions: true })
    shared().clock.advance(FIVE_MINUTES)
    assertRefused(await verifyRegistration(person, late))
  })

  test('new options take the place of older ones, from whichever session', async () => {
    const person = await signedInPerson(shared())
    const elsewhere = await signIn(shared(), person.user)
    const authenticator = newAuthenticator()
    const older = authenticator.register(await registrationOptions(person))
    await registrationOptions(elsewhere)
    assertRefused(await verifyRegistration(person, older))
    const options = await Promise.all(Array.from({ length: 20 }, () => registrationOptions(person)))
    const { challenge } = await shared()
      .services.db.selectFrom('passkey_challenges')
      .select('challenge')
      .where('user_id', '=', person.user.id)
      .executeTakeFirstOrThrow()
    const current = options.find((each) => each.challenge === challenge)
    assert.ok(current)
    assert.equal((await verifyRegistration(person, authenticator.register(current))).statusCode, 200)
  })

  test('the response of one user is refused under the session of another', async () => {
    const [one, other] = [await signedInPerson(shared()), await signedInPerson(shared())]
    const response = newAuthenticator().register(await registrationOptions(one))
    assertRefused(await verifyRegistration(other, response))
    await registrationOptions(other)
    assertRefused(await verifyRegistration(other, response))
    assert.equal((await verifyRegistration(one, response)).statusCode, 200)
  })

  test('a login challenge is none to register with, and the other way round', async () => {
    const { person, authenticator, visitor } = await enrol(shared())
    const creation = await registrationOptions(person)
    const request = await loginOptions(visitor)
    const stray = newAuthenticator().register({ ...creation, challenge: request.challenge })
    assertRefused(await verifyRegistration(person, stray))
    const { challenge } = await registrationOptions(person)
    const { id } = await shared()
      .services.db.selectFrom('passkey_challenges')
      .select('id')
      .where('challenge', '=', challenge)
      .executeTakeFirstOrThrow()
    assertRefused(await verifyLogin(visitor, id, authenticator.authenticate({ ...request, challenge })))
  })

  const off = { clientDataJSON: '{' }
  const lies: Record<string, Lies> = {
    'an origin with ours as prefix': { origin: 'http://localhost:3000.evil.example' },
    'an origin with ours as suffix': { origin: 'http://evil.localhost:3000' },
    'another port': { origin: 'http://localhost:3001' },
    'another scheme': { origin: 'https://localhost:3000' },
    'the hash of another RP id': { rpId: 'evil.example' },
    'the type of a login': { type: 'webauthn.get' },
    'a user who was not present': { flags: { UP: false } },
    'a backup of what cannot be backed up': { flags: { BS: true } },
    'trailing bytes': { trailing: Buffer.of(0) },
    'a ceremony in a frame': { crossOrigin: true },
    'an algorithm that was not offered': { algorithm: 'ES384' },
    'a point off the curve': { coseKey: { [-3]: Buffer.alloc(32, 1) } },
    'an unknown format': { format: 'trust-me' },
    'a statement with the format none': { statement: new Map([['sig', 1]]) },
    'an attestation with a corrupt signature': { format: 'packed', signature: 'corrupt' },
    'an attestation nested 10,000 deep': { attestationObject: nestedCbor(10_000) },
    'a raw id that differs': { rawId: 'AAAA' },
    'client data that is no JSON': off,
  }
  for (const [name, lie] of Object.entries(lies)) {
    test(`with ${name} is refused, and nothing is stored`, async () => {
      const person = await signedInPerson(shared())
      assertRefused(await register(person, newAuthenticator(), lie))
      assert.deepEqual((await person.get('/api/passkeys')).json(), { passkeys: [] })
    })
  }

  test('why it was refused is in the log and the audit trail, and not in the answer', async () => {
    const person = await signedInPerson(shared())
    assertRefused(await register(person, newAuthenticator(), { rpId: 'evil.example' }))
    assert.match(shared().logged(), new RegExp(`"reason":"rp_id","detail":"[^"]+","userId":"${person.user.id}"`))
    const event = await shared()
      .services.db.selectFrom('audit_events')
      .select(['action', 'outcome', 'data'])
      .where('actor_id', '=', person.user.id)
      .executeTakeFirstOrThrow()
    assert.deepEqual(
      { ...event },
      { action: 'passkey.refused', outcome: 'refused', data: '{"method":"passkey","reason":"rp_id"}' },
    )
  })

  test('a credential id that is registered already is a conflict, for the same user and for another', async () => {
    const { person, passkey } = await enrol(shared())
    const lie = { credentialId: Buffer.from(passkey.credentialId, 'base64url') }
    for (const each of [person, await signedInPerson(shared())]) {
      const response = await register(each, newAuthenticator(), lie)
      assert.equal(response.statusCode, 409)
      assert.equal(response.json().code, 'conflict')
    }
    assert.equal((await person.get('/api/passkeys')).json().passkeys.length, 1)
  })

  test('of 20 who register one credential id at once, one does', async () => {
    const lie = { credentialId: randomBytes(32) }
    const people = await Promise.all(Array.from({ length: 20 }, () => signedInPerson(shared())))
    const ready = await Promise.all(
      people.map(async (person) => ({
        person,
        response: newAuthenticator().register(await registrationOptions(person), lie),
      })),
    )
    const responses = await Promise.all(ready.map(({ person, response }) => verifyRegistration(person, response)))
    assert.deepEqual(tally(responses), { 200: 1, 409: 19 })
  })

  test('a credential id of 1023 bytes is accepted, one of 1024 is not', async () => {
    const person = await signedInPerson(shared())
    const longest = await register(person, newAuthenticator(), { credentialId: randomBytes(1023) })
    assert.equal(longest.statusCode, 200)
    const longer = await register(person, newAuthenticator(), { credentialId: randomBytes(1024) })
    assert.equal(longer.statusCode, 400)
  })

  test('an attestation of 10 MB is too large, and the service is well', async () => {
    const person = await signedInPerson(shared())
    const response = await register(person, newAuthenticator(), { statement: Buffer.alloc(10_000_000) })
    assert.equal(response.statusCode, 413)
    assert.equal((await register(person, newAuthenticator())).statusCode, 200)
  })

  test('what is no response of a browser is invalid input', async () => {
    const person = await signedInPerson(shared())
    const good = newAuthenticator().register(await registrationOptions(person))
    const { attestationObject: _, ...without } = good.response
    for (const response of [null, 7, [], {}, { ...good, id: 7 }, { ...good, response: without }, { ...good, id: '' }]) {
      assert.equal((await verifyRegistration(person, response)).statusCode, 400, JSON.stringify(response))
    }
    const extra = await person.post('/api/passkeys/register/verify', { response: good, userId: 'usr_other' })
    assert.equal(extra.statusCode, 400)
    assert.equal((await verifyRegistration(person, { ...good, added: { by: 'browsers' } })).statusCode, 200)
  })

  test(`ends at ${MOST_PASSKEYS} passkeys an account`, async () => {
    const { person } = await enrol(shared())
    const { db } = shared().services
    const row = await db
      .selectFrom('passkeys')
      .selectAll()
      .where('user_id', '=', person.user.id)
      .executeTakeFirstOrThrow()
    const more = Array.from({ length: MOST_PASSKEYS - 1 }, (_, index) => ({
      ...row,
      id: `${index}${row.id}`,
      credential_id: `${index}${row.credential_id}`,
    }))
    await db.insertInto('passkeys').values(more).execute()
    assert.equal((await person.post('/api/passkeys/register/options')).statusCode, 409)
  })

  test('a page of another origin can do none of it', async () => {
    const person = await signedInPerson(shared())
    for (const headers of [{ origin: 'https://evil.example' }, { origin: 'null' }]) {
      assert.equal((await person.post('/api/passkeys/register/options', {}, headers)).statusCode, 403)
      assert.equal((await person.post('/api/passkeys/register/verify', {}, headers)).statusCode, 403)
    }
    const asText = { 'content-type': 'text/plain' }
    assert.equal((await person.post('/api/passkeys/register/verify', '{}', asText)).statusCode, 415)
  })

  test('after 30 failures in a minute from one address the next is turned away, and the sign-in is not', async (t) => {
    const limited = await startApp(t, { engine })
    const { person, authenticator, visitor } = await enrol(limited)
    for (let failure = 0; failure < 30; failure++) assertRefused(await verifyRegistration(person, someResponse()))
    const next = await verifyRegistration(person, someResponse())
    assert.equal(next.statusCode, 429)
    assert.equal(next.headers['retry-after'], '60')
    const request = await loginOptions(visitor)
    const signedIn = await verifyLogin(visitor, request.challengeId, authenticator.authenticate(request))
    assert.equal(signedIn.statusCode, 200)
  })
})

const someResponse = () => ({
  id: 'AAAA',
  rawId: 'AAAA',
  type: 'public-key',
  response: { clientDataJSON: 'e30', attestationObject: 'oA' },
})
