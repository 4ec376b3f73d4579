import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MAX_PASSKEYS } from '../../../src/identity/passkeys/register-passkey.ts'
import { sharedApp } from '../../support/app.ts'
import { onEachEngine } from '../../support/engines.ts'
import { signedInPerson, signIn } from '../../support/people.ts'
import { assertRefused, enrol, newAuthenticator, registrationOptions, verifyRegistration } from './ceremonies.ts'

const FIVE_MINUTES = 300_000

onEachEngine('the options for a passkey registration', (engine) => {
  const shared = sharedApp({ engine, config: { rateLimits: false, rpName: 'Example Inc.' } })

  test('name the relying party, the account by its email, and the required kind of credential', async () => {
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

  test('exclude the credentials of the user, and no others', async () => {
    const { person, passkey } = await enrol(shared(), { transports: ['usb', 'nfc'] })
    await enrol(shared())
    const { excludeCredentials } = await registrationOptions(person)
    assert.deepEqual(excludeCredentials, [{ id: passkey.credentialId, type: 'public-key', transports: ['usb', 'nfc'] }])
  })

  test('accept an empty object or no body, and nothing else', async () => {
    const person = await signedInPerson(shared())
    assert.equal((await person.post('/api/passkeys/register/options', {})).statusCode, 200)
    assert.equal((await person.post('/api/passkeys/register/options', { rp: 'evil.example' })).statusCode, 400)
  })

  test('have a challenge that is stored with its user for five minutes', async () => {
    const person = await signedInPerson(shared())
    const { challenge } = await registrationOptions(person)
    const stored = await shared()
      .services.db.read.selectFrom('passkey_challenges')
      .select(['challenge', 'created_at', 'expires_at'])
      .where('user_id', '=', person.user.id)
      .execute()
    const now = shared().clock.now()
    assert.deepEqual(stored.map(Object.values), [[challenge, now, now + FIVE_MINUTES]])
  })

  test('replace older options of the user, from any session', async () => {
    const person = await signedInPerson(shared())
    const elsewhere = await signIn(shared(), person.user)
    const authenticator = newAuthenticator()
    const older = authenticator.register(await registrationOptions(person))
    await registrationOptions(elsewhere)
    assertRefused(await verifyRegistration(person, older))
    const options = await Promise.all(Array.from({ length: 20 }, () => registrationOptions(person)))
    const { challenge } = await shared()
      .services.db.read.selectFrom('passkey_challenges')
      .select('challenge')
      .where('user_id', '=', person.user.id)
      .executeTakeFirstOrThrow()
    const current = options.find((each) => each.challenge === challenge)
    assert.ok(current)
    assert.equal((await verifyRegistration(person, authenticator.register(current))).statusCode, 200)
  })

  test(`are refused for an account with ${MAX_PASSKEYS} passkeys`, async () => {
    const { person } = await enrol(shared())
    const { db } = shared().services
    const row = await db.read
      .selectFrom('passkeys')
      .selectAll()
      .where('user_id', '=', person.user.id)
      .executeTakeFirstOrThrow()
    const more = Array.from({ length: MAX_PASSKEYS - 1 }, (_, index) => ({
      ...row,
      id: `${index}${row.id}`,
      credential_id: `${index}${row.credential_id}`,
    }))
    await db.transaction((trx) => trx.insertInto('passkeys').values(more).execute())
    assert.equal((await person.post('/api/passkeys/register/options')).statusCode, 409)
  })
})
