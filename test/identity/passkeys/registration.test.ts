import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { sharedApp, startApp } from '../../support/app.ts'
import { MAIN_ENGINE, onEachEngine } from '../../support/engines.ts'
import { anonymous, signedInPerson } from '../../support/people.ts'
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

onEachEngine('registering a passkey', (engine) => {
  const shared = sharedApp({ engine, config: { rateLimits: false } })

  test('succeeds for exactly one of 20 users who register the same credential id concurrently', async () => {
    const override = { credentialId: randomBytes(32) }
    const people = await Promise.all(Array.from({ length: 20 }, () => signedInPerson(shared())))
    const ready = await Promise.all(
      people.map(async (person) => ({
        person,
        response: newAuthenticator().register(await registrationOptions(person), override),
      })),
    )
    const responses = await Promise.all(ready.map(({ person, response }) => verifyRegistration(person, response)))
    assert.deepEqual(tally(responses), { 200: 1, 409: 19 })
  })

  // The rest is the same on every engine.
  if (engine !== MAIN_ENGINE) return

  test('needs a session', async () => {
    const visitor = anonymous(shared())
    assert.equal((await visitor.post('/api/passkeys/register/options')).statusCode, 401)
    assert.equal((await visitor.post('/api/passkeys/register/verify', {})).statusCode, 401)
  })

  test('returns the passkey, and stores it', async () => {
    const person = await signedInPerson(shared())
    const model = { counter: 7, transports: ['internal', 'hybrid'], backup: { eligible: true, state: true } }
    const response = await register(person, newAuthenticator(model))
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
    const stored = await shared()
      .services.db.read.selectFrom('passkeys')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirst()
    assert.ok(stored)
    assert.equal(stored.user_id, person.user.id)
    assert.equal(stored.counter, 7)
    assert.equal(stored.transports, '["internal","hybrid"]')
    assert.match(stored.public_key, /^[A-Za-z0-9+/]+=*$/)
  })

  test('is accepted with each offered algorithm', async () => {
    for (const algorithm of ['ES256', 'EdDSA', 'RS256'] as const) await enrol(shared(), { algorithm })
  })

  test('notifies the user, and is recorded in the audit trail', async () => {
    const { person, passkey } = await enrol(shared())
    const { db } = shared().services
    const notifications = await db.read
      .selectFrom('notifications')
      .selectAll()
      .where('user_id', '=', person.user.id)
      .execute()
    assert.deepEqual(
      notifications.map(({ type, data }) => [type, JSON.parse(data)]),
      [['security.passkey_added', { passkeyId: passkey.id, name: 'Passkey' }]],
    )
    const events = await db.read.selectFrom('audit_events').selectAll().where('target_id', '=', passkey.id).execute()
    assert.deepEqual(
      events.map(({ action, outcome, actor_id }) => [action, outcome, actor_id]),
      [['passkey.added', 'success', person.user.id]],
    )
  })

  test('uses the given name, or else the name of the authenticator', async () => {
    const person = await signedInPerson(shared())
    const yubikey = newAuthenticator({ aaguid: 'fa2b99dc-9e39-4257-8f92-4a30d23c4118' })
    assert.equal((await register(person, yubikey, {}, '  Blue key ')).json().passkey.name, 'Blue key')
    const again = await register(person, yubikey, { ignoreExclusions: true })
    assert.equal(again.json().passkey.name, 'YubiKey 5 Series with NFC')
  })

  test('with an invalid name is refused before any other check, and its challenge stays valid', async () => {
    const person = await signedInPerson(shared())
    const response = newAuthenticator().register(await registrationOptions(person))
    for (const name of ['', '  ', 'a\nb', '\u0007', '<b>key</b>', 'x'.repeat(101), '\u2028']) {
      const refused = await verifyRegistration(person, response, name)
      assert.equal(refused.statusCode, 400, JSON.stringify(name))
      assert.equal(refused.json().issues[0].path, 'name')
    }
    assert.equal((await verifyRegistration(person, response, '🔑'.repeat(100))).statusCode, 200)
  })

  test('with a credential id that is already registered is a conflict, for the same user and for another', async () => {
    const { person, passkey } = await enrol(shared())
    const override = { credentialId: Buffer.from(passkey.credentialId, 'base64url') }
    for (const each of [person, await signedInPerson(shared())]) {
      const response = await register(each, newAuthenticator(), override)
      assert.equal(response.statusCode, 409)
      assert.equal(response.json().code, 'conflict')
    }
    assert.equal((await person.get('/api/passkeys')).json().passkeys.length, 1)
  })

  test('accepts a credential id of 1023 bytes, and refuses one of 1024', async () => {
    const person = await signedInPerson(shared())
    const longest = await register(person, newAuthenticator(), { credentialId: randomBytes(1023) })
    assert.equal(longest.statusCode, 200)
    const longer = await register(person, newAuthenticator(), { credentialId: randomBytes(1024) })
    assert.equal(longer.statusCode, 400)
  })

  test('answers 413 to an attestation of 10 MB, and then works as before', async () => {
    const person = await signedInPerson(shared())
    const response = await register(person, newAuthenticator(), { statement: Buffer.alloc(10_000_000) })
    assert.equal(response.statusCode, 413)
    assert.equal((await register(person, newAuthenticator())).statusCode, 200)
  })

  test('answers 400 to a malformed response of a browser', async () => {
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

  test('is refused from a page of another origin', async () => {
    const person = await signedInPerson(shared())
    for (const headers of [{ origin: 'https://evil.example' }, { origin: 'null' }]) {
      assert.equal((await person.post('/api/passkeys/register/options', {}, headers)).statusCode, 403)
      assert.equal((await person.post('/api/passkeys/register/verify', {}, headers)).statusCode, 403)
    }
    const asText = { 'content-type': 'text/plain' }
    assert.equal((await person.post('/api/passkeys/register/verify', '{}', asText)).statusCode, 415)
  })

  test('answers 429 after 30 failures in a minute from one address, while sign-ins still work', async (t) => {
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
