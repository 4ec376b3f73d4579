import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { generateRegistrationOptions } from '@simplewebauthn/server'
import { OFFERED_ALGORITHMS } from '../../../src/identity/passkeys/credential-key.ts'
import { verifyRegistration } from '../../../src/identity/passkeys/verify-registration.ts'
import type { FailureReason } from '../../../src/identity/passkeys/webauthn-errors.ts'
import type { Algorithm } from '../../support/authenticator-key.ts'
import type { Overrides, AuthenticatorModel } from '../../support/authenticator-response.ts'
import { createAuthenticator } from '../../support/authenticator.ts'
import { nestedCbor, type CborValue } from '../../support/cbor.ts'

const ORIGIN = 'https://id.example.org'
const RP_ID = 'id.example.org'

const options = await generateRegistrationOptions({
  rpName: 'Example',
  rpID: RP_ID,
  userName: 'ann@example.org',
  userID: new Uint8Array(Buffer.from('ann')),
  supportedAlgorithmIDs: OFFERED_ALGORITHMS,
})
const expected = { challenge: options.challenge, origin: ORIGIN, rpId: RP_ID }

const register = (overrides: Overrides = {}, model: Partial<AuthenticatorModel> = {}) =>
  verifyRegistration(expected, createAuthenticator({ origin: ORIGIN, ...model }).register(options, overrides))

async function facts(overrides: Overrides = {}, model: Partial<AuthenticatorModel> = {}) {
  const verdict = await register(overrides, model)
  assert.ok(verdict.verified, JSON.stringify(verdict))
  return verdict.facts
}

function refused(
  name: string,
  reason: FailureReason,
  overrides: Overrides,
  model: Partial<AuthenticatorModel> = {},
): void {
  test(`${name} is refused`, async () => {
    const verdict = await register(overrides, model)
    assert.equal(verdict.verified ? 'verified' : verdict.reason, reason)
  })
}

const statement = (...entries: [string, CborValue][]) => new Map(entries)

describe('a valid registration', () => {
  for (const algorithm of ['ES256', 'EdDSA', 'RS256'] as const satisfies Algorithm[]) {
    test(`with ${algorithm} is accepted`, async () => {
      const { publicKey, algorithm: found } = await facts({}, { algorithm })
      assert.equal(found, { ES256: -7, EdDSA: -8, RS256: -257 }[algorithm])
      assert.ok(publicKey.length > 32)
    })
    test(`with self attestation by ${algorithm} is accepted`, async () => {
      await facts({ format: 'packed' }, { algorithm })
    })
  }

  test('returns the registered credential', async () => {
    const aaguid = 'ee882879-721c-4913-9775-3dfcce97072a'
    const credentialId = Buffer.alloc(64, 7)
    const found = await facts({ credentialId }, { aaguid, transports: ['usb', 'nfc'], counter: 41 })
    assert.deepEqual(
      { ...found, publicKey: undefined },
      {
        credentialId: credentialId.toString('base64url'),
        publicKey: undefined,
        algorithm: -7,
        counter: 41,
        transports: ['usb', 'nfc'],
        deviceType: 'singleDevice',
        backedUp: false,
        aaguid,
        userVerified: true,
      },
    )
  })

  test('without user verification is accepted and reported as such', async () => {
    assert.equal((await facts({}, { userVerified: false })).userVerified, false)
  })

  test('of a synchronized passkey reports that it is backed up', async () => {
    const { deviceType, backedUp } = await facts({}, { backup: { eligible: true, state: true } })
    assert.deepEqual({ deviceType, backedUp }, { deviceType: 'multiDevice', backedUp: true })
  })

  test('keeps counters of the full 32 bits', async () => {
    assert.equal((await facts({ counter: 0xffff_ffff })).counter, 0xffff_ffff)
  })

  test('keeps unknown transports, and drops invalid names', async () => {
    assert.deepEqual((await facts({ transports: ['hybrid', 'smoke-signal', 7, '<b>', 'hybrid'] })).transports, [
      'hybrid',
      'smoke-signal',
    ])
    assert.deepEqual((await facts({ transports: 'usb' })).transports, [])
  })

  test('with a credential id of 1023 bytes is accepted', async () => {
    assert.equal((await facts({ credentialId: Buffer.alloc(1023, 1) })).credentialId.length, 1364)
  })

  test('with extension outputs is accepted', async () => {
    await facts({ extensions: new Map<string, CborValue>([['credProtect', 2]]) })
  })
})

describe('in the client data of a registration', () => {
  refused('the type of a login', 'type', { type: 'webauthn.get' })
  refused('another challenge', 'challenge', { challenge: Buffer.alloc(32).toString('base64url') })
  refused('an origin with our name as prefix', 'origin', { origin: `${ORIGIN}.evil.example` })
  refused('an origin with our name as suffix', 'origin', { origin: 'https://evil-id.example.org' })
  refused('another port', 'origin', { origin: `${ORIGIN}:8443` })
  refused('another scheme', 'origin', { origin: 'http://id.example.org' })
  refused('an origin with a path', 'origin', { origin: `${ORIGIN}/` })
  refused('a ceremony in a frame', 'cross_origin', { crossOrigin: true })
  refused('a ceremony in a frame with its top origin', 'cross_origin', { crossOrigin: true, topOrigin: ORIGIN })
  refused('a top origin without a frame', 'cross_origin', { topOrigin: 'https://evil.example' })
  refused('client data that is not JSON', 'malformed', { clientDataJSON: '{' })
  refused('client data that is not an object', 'malformed', { clientDataJSON: 'null' })
  refused('client data that is a list', 'malformed', { clientDataJSON: '[]' })
})

describe('in the authenticator data of a registration', () => {
  refused('the hash of another RP id', 'rp_id', { rpId: 'example.org' })
  refused('a user who was not present', 'user_presence', { flags: { UP: false } })
  refused('the backup state of a credential that can’t be backed up', 'backup_flags', { flags: { BS: true } })
  refused('a credential that the flags do not announce', 'authenticator_data', { flags: { AT: false } })
  refused('a registration without a credential', 'authenticator_data', { attested: false })
  refused('a missing credential that the flags announce', 'authenticator_data', {
    attested: false,
    flags: { AT: true },
  })
  refused('missing extensions that the flags announce', 'authenticator_data', { flags: { ED: true } })
  refused('extensions that the flags do not announce', 'authenticator_data', {
    extensions: new Map(),
    flags: { ED: false },
  })
  refused('extensions that are not a map', 'authenticator_data', { extensions: 7 })
  refused('a trailing byte', 'authenticator_data', { trailing: Buffer.of(0) })
  refused('trailing CBOR', 'authenticator_data', { trailing: Buffer.of(0xa0) })
  refused('data that is cut short', 'authenticator_data', { authenticatorData: Buffer.alloc(36, 1) })
  refused('no data', 'authenticator_data', { authenticatorData: Buffer.alloc(0) })
})

describe('in the credential id of a registration', () => {
  refused('a raw id that differs from the id', 'credential_id', { rawId: 'AAAA' })
  refused('an id that differs from that in the authenticator data', 'credential_id', { id: 'AAAA' })
  refused('an id in another encoding of the same bytes', 'credential_id', { credentialId: Buffer.of(0), id: 'AB' })
  refused('an id of 1024 bytes', 'too_large', { credentialId: Buffer.alloc(1024, 1) })
  refused('an id of 1024 bytes in the authenticator data alone', 'authenticator_data', {
    attestedId: Buffer.alloc(1024),
    id: 'AAAA',
  })
  refused('an empty id', 'malformed', { credentialId: Buffer.alloc(0) })
  refused('an empty id in the authenticator data alone', 'authenticator_data', { attestedId: Buffer.alloc(0) })
  refused('an id that is longer than the data', 'authenticator_data', { attestedIdLength: 1000 })
  refused('an id in plain base64', 'malformed', { id: 'a+b/' })
  refused('a credential of another type', 'malformed', { credentialType: 'password' })
})

describe('in the public key of a registration', () => {
  refused('an algorithm that was not offered', 'algorithm', { algorithm: 'ES384' })
  refused('an unknown algorithm', 'algorithm', { coseKey: { 3: -9999 } })
  refused('no algorithm', 'algorithm', { coseKey: { 3: undefined } })
  refused('the algorithm of another key type', 'public_key', { coseKey: { 3: -257 } })
  refused('a curve that does not go with the algorithm', 'public_key', { coseKey: { [-1]: 2 } })
  refused('a point off the curve', 'public_key', { coseKey: { [-3]: Buffer.alloc(32, 1) } })
  refused('a point at infinity', 'public_key', { coseKey: { [-2]: Buffer.alloc(32), [-3]: Buffer.alloc(32) } })
  refused('a compressed point', 'public_key', { coseKey: { [-3]: true } })
  refused('a point with a short coordinate', 'public_key', { coseKey: { [-2]: Buffer.alloc(31, 1) } })
  const ed25519: Partial<AuthenticatorModel> = { algorithm: 'EdDSA' }
  refused(
    'an Ed25519 point off the curve',
    'public_key',
    { coseKey: { [-2]: Buffer.from([2, ...Buffer.alloc(31)]) } },
    ed25519,
  )
  refused('an Ed25519 y beyond the field', 'public_key', { coseKey: { [-2]: Buffer.alloc(32, 0xff) } }, ed25519)
  const rsa: Partial<AuthenticatorModel> = { algorithm: 'RS256' }
  refused('a short RSA key', 'public_key', { coseKey: { [-1]: Buffer.alloc(128, 0xff) } }, rsa)
  refused('an RSA key padded to look long', 'public_key', { coseKey: { [-1]: Buffer.alloc(256, 1) } }, rsa)
  refused('an RSA key of 8192 bits', 'public_key', { coseKey: { [-1]: Buffer.alloc(1024, 0xff) } }, rsa)
  refused('an RSA exponent of 1', 'public_key', { coseKey: { [-2]: Buffer.of(1) } }, rsa)
  refused('a key that is not a map', 'public_key', { publicKey: 'key' })
})

describe('in the attestation of a registration', () => {
  refused('the format none with a statement', 'attestation', { statement: statement(['sig', Buffer.alloc(64)]) })
  refused('the format none with a list as statement', 'attestation', { statement: [1] })
  refused('the format none with a number as statement', 'attestation', { statement: 1 })
  refused('an unknown format', 'attestation', { format: 'trust-me' })
  refused('a format that needs certificates', 'attestation', { format: 'fido-u2f' })
  refused('self attestation with a corrupt signature', 'attestation', { format: 'packed', signature: 'corrupt' })
  refused('self attestation by another key', 'attestation', { format: 'packed', signature: 'of-another-key' })
  refused('self attestation with an empty signature', 'attestation', {
    format: 'packed',
    signature: Buffer.alloc(0),
  })
  refused('the format packed without a statement', 'attestation', { format: 'packed', statement: statement() })
  refused('the format packed with the algorithm of another key', 'attestation', {
    format: 'packed',
    statement: statement(['alg', -257], ['sig', Buffer.alloc(64)]),
  })
  refused('the format packed with certificates', 'attestation', {
    format: 'packed',
    statement: statement(['alg', -7], ['sig', Buffer.alloc(64)], ['x5c', [Buffer.alloc(64)]]),
  })
  refused('bytes after the attestation object', 'malformed', { attestationTrailing: Buffer.of(0) })
  refused('an attestation object that is not a map', 'malformed', { attestationObject: [] })
  refused('an attestation object without authenticator data', 'malformed', {
    attestationObject: statement(['fmt', 'none']),
  })
})

describe('in a registration of hostile size', () => {
  refused('an attestation of 10 MB', 'too_large', { statement: statement(['sig', Buffer.alloc(10_000_000)]) })
  refused('an attestation nested 10,000 deep', 'malformed', { attestationObject: nestedCbor(10_000) })
  refused('a statement nested 10,000 deep', 'malformed', { statement: nestedCbor(10_000) })
  refused('a public key nested 10,000 deep', 'authenticator_data', { publicKey: nestedCbor(10_000) })
  refused('extensions nested 10,000 deep', 'authenticator_data', { extensions: nestedCbor(10_000) })
  refused('a list that declares four billion items', 'malformed', {
    attestationObject: { encoded: Buffer.from('9affffffff00', 'hex') },
  })
  refused('a string that declares more bytes than the data has', 'malformed', {
    attestationObject: { encoded: Buffer.from('5affffffff00', 'hex') },
  })
  refused('a string of indefinite length', 'malformed', {
    attestationObject: { encoded: Buffer.from('5f41004100ff', 'hex') },
  })
  refused('client data of 1 MB', 'too_large', { clientDataJSON: Buffer.alloc(1_000_000, 0x20) })

  test('an answer that is not a credential is refused', async () => {
    for (const answer of [undefined, null, 7, 'x', [], {}, { response: null }, { response: {}, type: 'public-key' }]) {
      const verdict = await verifyRegistration(expected, answer)
      assert.equal(verdict.verified ? 'verified' : verdict.reason, 'malformed')
    }
  })
})
