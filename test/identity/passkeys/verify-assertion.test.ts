import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { generateAuthenticationOptions, generateRegistrationOptions } from '@simplewebauthn/server'
import { OFFERED_ALGORITHMS } from '../../../src/identity/passkeys/credential-key.ts'
import { verifyAssertion } from '../../../src/identity/passkeys/verify-assertion.ts'
import { verifyRegistration } from '../../../src/identity/passkeys/verify-registration.ts'
import type { FailureReason } from '../../../src/identity/passkeys/webauthn-errors.ts'
import type { Overrides, AuthenticatorModel } from '../../support/authenticator-response.ts'
import { createAuthenticator } from '../../support/authenticator.ts'
import { nestedCbor, type CborValue } from '../../support/cbor.ts'

const ORIGIN = 'https://id.example.org'
const RP_ID = 'id.example.org'

/** Registers a passkey. The returned function signs a login with it, and returns the answer and what to expect. */
async function registerPasskey(model: Partial<AuthenticatorModel> = {}, overrides: Overrides = {}) {
  const authenticator = createAuthenticator({ origin: ORIGIN, ...model })
  const creation = await generateRegistrationOptions({
    rpName: 'Example',
    rpID: RP_ID,
    userName: 'ann@example.org',
    userID: new Uint8Array(Buffer.from('ann')),
    supportedAlgorithmIDs: OFFERED_ALGORITHMS,
  })
  const relyingParty = { origin: ORIGIN, rpId: RP_ID }
  const registered = await verifyRegistration(
    { ...relyingParty, challenge: creation.challenge },
    authenticator.register(creation, overrides),
  )
  assert.ok(registered.verified, JSON.stringify(registered))
  const credential = { ...registered.facts, userHandle: creation.user.id }
  return async (overrides: Overrides = {}, stored: Partial<typeof credential> = {}) => {
    const request = await generateAuthenticationOptions({ rpID: RP_ID, userVerification: 'preferred' })
    const expected = { ...relyingParty, challenge: request.challenge, credential: { ...credential, ...stored } }
    return { answer: authenticator.authenticate(request, overrides), expected }
  }
}

/** Like `registerPasskey`, but the returned function also verifies the answer. */
async function enrol(model: Partial<AuthenticatorModel> = {}, overrides: Overrides = {}) {
  const authenticate = await registerPasskey(model, overrides)
  return async (...args: Parameters<typeof authenticate>) => {
    const { answer, expected } = await authenticate(...args)
    return verifyAssertion(expected, answer)
  }
}

const login = await enrol()

async function facts(verdict: ReturnType<typeof login>) {
  const result = await verdict
  assert.ok(result.verified, JSON.stringify(result))
  return result.facts
}

function refused(name: string, reason: FailureReason, overrides: Overrides): void {
  test(`${name} is refused`, async () => {
    const verdict = await login(overrides)
    assert.equal(verdict.verified ? 'verified' : verdict.reason, reason)
  })
}

describe('a valid login', () => {
  for (const algorithm of ['ES256', 'EdDSA', 'RS256'] as const) {
    test(`with ${algorithm} is accepted, and no other signature`, async () => {
      const logIn = await enrol({ algorithm })
      await facts(logIn())
      for (const signature of ['corrupt', 'of-another-key', Buffer.alloc(64), Buffer.of(0x30)] as const) {
        const verdict = await logIn({ signature })
        assert.equal(verdict.verified ? 'verified' : verdict.reason, 'signature')
      }
    })
  }

  test('returns the new counter, which grows by one each time', async () => {
    const logIn = await enrol({ counter: 41 })
    assert.equal((await facts(logIn())).counter, 42)
    assert.equal((await facts(logIn())).counter, 43)
  })

  test('by an authenticator without a counter returns 0 each time', async () => {
    const logIn = await enrol({ counts: false })
    assert.equal((await facts(logIn())).counter, 0)
    assert.equal((await facts(logIn())).counter, 0)
  })

  test('returns counters of the full 32 bits', async () => {
    for (const counter of [0x7fff_ffff, 0x8000_0000, 0xffff_fffe, 0xffff_ffff]) {
      assert.equal((await facts(login({ counter }))).counter, counter)
    }
  })

  test('leaves the comparison of the counter to the caller', async () => {
    const logIn = await enrol({ counter: 1000 })
    assert.equal((await facts(logIn({ counter: 3 }))).counter, 3)
    assert.equal((await facts(logIn({ counter: 0 }))).counter, 0)
  })

  test('without user verification is accepted and reported as such', async () => {
    assert.equal((await facts(login())).userVerified, true)
    assert.equal((await facts(login({ flags: { UV: false } }))).userVerified, false)
  })

  test('reports that the passkey was backed up after its registration', async () => {
    const logIn = await enrol({ backup: { eligible: true, state: false } })
    assert.equal((await facts(logIn())).backedUp, false)
    assert.equal((await facts(logIn({ flags: { BS: true } }))).backedUp, true)
  })

  test('with a credential id of 1023 bytes is accepted', async () => {
    const logIn = await enrol({}, { credentialId: Buffer.alloc(1023, 1) })
    await facts(logIn())
  })

  test('with extension outputs is accepted', async () => {
    await facts(login({ extensions: new Map<string, CborValue>([['hmac-secret', Buffer.alloc(32)]]) }))
  })
})

describe('in the client data of a login', () => {
  refused('the type of a registration', 'type', { type: 'webauthn.create' })
  refused('another challenge', 'challenge', { challenge: Buffer.alloc(32).toString('base64url') })
  refused('an origin with our name as prefix', 'origin', { origin: `${ORIGIN}.evil.example` })
  refused('an origin with our name as suffix', 'origin', { origin: 'https://evil-id.example.org' })
  refused('another port', 'origin', { origin: `${ORIGIN}:8443` })
  refused('another scheme', 'origin', { origin: 'http://id.example.org' })
  refused('a ceremony in a frame', 'cross_origin', { crossOrigin: true })
  refused('a ceremony in a frame with its top origin', 'cross_origin', { crossOrigin: true, topOrigin: ORIGIN })
  refused('a top origin without a frame', 'cross_origin', { topOrigin: 'https://evil.example' })
  refused('client data that is not an object', 'malformed', { clientDataJSON: '"webauthn.get"' })
})

describe('in the authenticator data of a login', () => {
  refused('the hash of another RP id', 'rp_id', { rpId: 'example.org' })
  refused('a user who was not present', 'user_presence', { flags: { UP: false } })
  refused('the backup state of a credential that can’t be backed up', 'backup_flags', { flags: { BS: true } })
  refused('backup eligibility that was not set at registration', 'backup_flags', { flags: { BE: true } })
  test('backup eligibility that was set only at registration is refused', async () => {
    const logIn = await enrol({ backup: { eligible: true, state: true } })
    const verdict = await logIn({ flags: { BE: false, BS: false } })
    assert.equal(verdict.verified ? 'verified' : verdict.reason, 'backup_flags')
  })
  refused('a credential, which only a registration has', 'authenticator_data', { attested: true })
  refused('a missing credential that the flags announce', 'authenticator_data', { flags: { AT: true } })
  refused('missing extensions that the flags announce', 'authenticator_data', { flags: { ED: true } })
  refused('a trailing byte', 'authenticator_data', { trailing: Buffer.of(0) })
  refused('data that is cut short', 'authenticator_data', { authenticatorData: Buffer.alloc(36, 1) })
  refused('extensions nested 10,000 deep', 'too_large', { extensions: nestedCbor(10_000) })
  refused('extensions nested 5,000 deep', 'authenticator_data', { extensions: nestedCbor(5000) })
})

describe('in the signature of a login', () => {
  for (const algorithm of ['ES256', 'EdDSA', 'RS256'] as const) {
    test(`a changed bit in any byte, or an added byte, of the signature by ${algorithm} or of the signed data is refused`, async () => {
      const { answer, expected } = await (await registerPasskey({ algorithm }))()
      assert.ok((await verifyAssertion(expected, answer)).verified)
      for (const member of ['signature', 'authenticatorData', 'clientDataJSON'] as const) {
        const bytes = Buffer.from(answer.response[member], 'base64url')
        const altered = Array.from(bytes, (_, at) =>
          bytes.map((byte, index) => (index === at ? byte ^ (1 << (at % 8)) : byte)),
        )
        for (const changed of [...altered, Buffer.concat([bytes, Buffer.of(0)])]) {
          const response = { ...answer.response, [member]: Buffer.from(changed).toString('base64url') }
          assert.equal((await verifyAssertion(expected, { ...answer, response })).verified, false)
        }
      }
    })
  }
})

describe('in the credential of a login', () => {
  refused('a raw id that differs from the id', 'credential_id', { rawId: 'AAAA' })
  refused('the id of another credential', 'credential_id', { id: 'AAAA' })
  refused('an id of 1024 bytes', 'too_large', { id: Buffer.alloc(1024).toString('base64url') })
  refused('a credential of another type', 'malformed', { credentialType: 'password' })
  refused('no user handle', 'user_handle', { userHandle: null })
  refused('an empty user handle', 'user_handle', { userHandle: '' })
  refused('the user handle of another user', 'user_handle', { userHandle: Buffer.from('bob').toString('base64url') })
  refused('a user handle that is not base64url', 'malformed', { userHandle: 'ann!' })
  refused('a user handle over 64 bytes', 'too_large', { userHandle: 'A'.repeat(200) })
  refused('a signature of 10 MB', 'too_large', { signature: Buffer.alloc(10_000_000) })
  refused('client data of 1 MB', 'too_large', { clientDataJSON: Buffer.alloc(1_000_000, 0x20) })

  test('an invalid stored key is refused without an exception', async () => {
    const verdict = await login({}, { publicKey: new Uint8Array([1, 2, 3]) })
    assert.equal(verdict.verified ? 'verified' : verdict.reason, 'signature')
  })

  test('an answer that is not a credential is refused', async () => {
    const credential = {
      credentialId: 'AAAA',
      publicKey: new Uint8Array(),
      deviceType: 'singleDevice',
      userHandle: 'AA',
    } as const
    for (const answer of [undefined, null, 7, 'x', [], {}, { response: null }, { response: {}, type: 'public-key' }]) {
      const verdict = await verifyAssertion({ challenge: 'x', origin: ORIGIN, rpId: RP_ID, credential }, answer)
      assert.equal(verdict.verified ? 'verified' : verdict.reason, 'malformed')
    }
  })
})
