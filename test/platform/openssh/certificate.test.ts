import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import * as fc from 'fast-check'
import {
  formatCertificate,
  MAX_PRINCIPALS,
  openAuthority,
  prepareCertificate,
  signDraft,
  USER_EXTENSIONS,
  type CertificateRequest,
} from '../../../src/platform/openssh/certificate.ts'
import {
  fingerprint,
  formatPublicKey,
  parsePublicKey,
  publicKeyBlob,
} from '../../../src/platform/openssh/public-key.ts'
import { FormatError, string } from '../../../src/platform/openssh/wire.ts'
import { parseCertificateLine, readCertificate } from './read-certificate.ts'
import { signCertificate } from './sign-certificate.ts'
import { authority, certificateFor, fixedKey, otherAuthority, sshKeygen, temporaryFolder } from './ssh-keygen.ts'

const folder = temporaryFolder()
const file = (name: string): string => join(folder, name)
const key = publicKeyBlob(fixedKey(5)).subarray(-32)
const request: CertificateRequest = {
  key,
  serial: 2n ** 64n - 1n,
  keyId: 'user:alice cert:42',
  principals: ['alice', 'deploy'],
  validAfter: Date.UTC(2026, 0, 2, 3, 4, 5) / 1000,
  validBefore: Date.UTC(2026, 0, 2, 4, 4, 5) / 1000,
  nonce: Buffer.alloc(32, 6),
}

function fieldsShown(blob: Buffer): string[] {
  writeFileSync(file('fieldsShown-cert.pub'), `${formatCertificate(blob, 'a comment')}\n`)
  return sshKeygen('-L', '-f', file('fieldsShown-cert.pub'))
    .trimEnd()
    .split('\n')
    .slice(1)
    .map((line) => line.trim())
}

test('ssh-keygen -L shows every field as it was requested', () => {
  assert.deepEqual(fieldsShown(signCertificate(authority, request)), [
    'Type: ssh-ed25519-cert-v01@openssh.com user certificate',
    `Public key: ED25519-CERT ${fingerprint(publicKeyBlob(fixedKey(5)))}`,
    `Signing CA: ED25519 ${fingerprint(authority.blob)} (using ssh-ed25519)`,
    'Key ID: "user:alice cert:42"',
    'Serial: 18446744073709551615',
    'Valid: from 2026-01-02T03:04:05 to 2026-01-02T04:04:05',
    'Principals:',
    'alice',
    'deploy',
    'Critical Options: (none)',
    'Extensions:',
    'permit-agent-forwarding',
    'permit-port-forwarding',
    'permit-pty',
  ])
})

test('ssh-keygen -L shows critical options and extensions in the order of their names', () => {
  const criticalOptions = new Map([
    ['source-address', '10.0.0.0/8,192.0.2.1/32'],
    ['force-command', '/usr/bin/true "x y"'],
  ])
  const extensions = new Map([
    ['permit-user-rc', ''],
    ['permit-X11-forwarding', ''],
    ['permit-pty', ''],
  ])
  assert.deepEqual(fieldsShown(signCertificate(authority, { ...request, criticalOptions, extensions })).slice(9), [
    'Critical Options:',
    'force-command /usr/bin/true "x y"',
    'source-address 10.0.0.0/8,192.0.2.1/32',
    'Extensions:',
    'permit-X11-forwarding',
    'permit-pty',
    'permit-user-rc',
  ])
})

test('ssh-keygen -L reads the maximum number of principals and the maximum validity', () => {
  const principals = Array.from({ length: MAX_PRINCIPALS }, (_, index) => `p${index}`)
  const lines = fieldsShown(
    signCertificate(authority, {
      ...request,
      principals,
      validAfter: 0n,
      validBefore: 2n ** 64n - 1n,
      extensions: new Map(),
    }),
  )
  assert.equal(lines[5], 'Valid: forever')
  assert.deepEqual(lines.slice(7, 7 + MAX_PRINCIPALS), principals)
  assert.equal(lines.at(-1), 'Extensions: (none)')
})

test('a certificate signed by ssh-keygen is read with all its fields', () => {
  sshKeygen('-q', '-t', 'ed25519', '-N', '', '-f', file('ca'))
  const ca = parsePublicKey(readFileSync(file('ca.pub'), 'utf8'))
  writeFileSync(file('theirs.pub'), formatPublicKey(publicKeyBlob(fixedKey(5))))
  const times = ['-V', '20260102030405:20260102040405', '-O', 'clear', '-O', 'permit-pty', '-O', 'force-command=ls -l']
  sshKeygen('-q', '-s', file('ca'), '-I', 'an id', '-n', 'alice,bob', '-z', '77', ...times, file('theirs.pub'))
  const read = readCertificate(parseCertificateLine(readFileSync(file('theirs-cert.pub'), 'utf8')), ca.blob)
  assert.deepEqual(read, {
    key: Buffer.from(key),
    serial: 77n,
    keyId: 'an id',
    principals: ['alice', 'bob'],
    validAfter: BigInt(request.validAfter),
    validBefore: BigInt(request.validBefore),
    criticalOptions: new Map([['force-command', 'ls -l']]),
    extensions: new Map([['permit-pty', '']]),
    nonce: read.nonce,
  })
})

test('a certificate that is prepared first and signed later has the same bytes', () => {
  const draft = prepareCertificate(authority, request)
  assert.deepEqual(signDraft(authority, draft), signCertificate(authority, request))
  assert.throws(() => prepareCertificate(authority, { ...request, principals: [] }), /at least one principal/)
})

test('a certificate without principals, which would be valid for every account, is never created', () => {
  assert.throws(() => signCertificate(authority, { ...request, principals: [] }), /at least one principal/)
})

test('a request that OpenSSH would refuse or misread is never signed', () => {
  const invalid: Record<string, Partial<CertificateRequest>> = {
    'an empty principal': { principals: ['alice', ''] },
    'a principal with a comma': { principals: ['alice,root'] },
    'a principal with a space': { principals: ['alice root'] },
    'a principal with a line end': { principals: ['alice\n'] },
    'a principal with a NUL': { principals: ['root\0'] },
    'half a surrogate pair': { principals: ['\ud800'] },
    'too many principals': { principals: Array.from({ length: MAX_PRINCIPALS + 1 }, (_, index) => `p${index}`) },
    'serial 0': { serial: 0n },
    'a negative serial': { serial: -1n },
    'a serial of 65 bits': { serial: 2n ** 64n },
    'a short key': { key: Buffer.alloc(31) },
    'a short nonce': { nonce: Buffer.alloc(15) },
    'a key id with a NUL': { keyId: 'a\0b' },
    'an empty validity': { validAfter: 5, validBefore: 5 },
    'a validity that ends before it begins': { validAfter: 6, validBefore: 5 },
    'a time before 1970': { validAfter: -1 },
    'a time with a fraction': { validAfter: 1.5 },
    'an option without a name': { criticalOptions: new Map([['', 'x']]) },
    'an option with a NUL': { criticalOptions: new Map([['force-command', 'a\0b']]) },
  }
  for (const [name, change] of Object.entries(invalid)) {
    assert.throws(() => signCertificate(authority, { ...request, ...change }), RangeError, name)
  }
})

test('an authority must be a private Ed25519 key', () => {
  assert.throws(() => openAuthority(generateKeyPairSync('ed25519').publicKey), TypeError)
  assert.throws(() => openAuthority(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey), TypeError)
})

test('a certificate is read back with the fields of its request', () => {
  const { validAfter, validBefore, ...rest } = request
  assert.deepEqual(readCertificate(signCertificate(authority, request), authority.blob), {
    ...rest,
    key: Buffer.from(key),
    validAfter: BigInt(validAfter),
    validBefore: BigInt(validBefore),
    criticalOptions: new Map(),
    extensions: USER_EXTENSIONS,
  })
})

test('a certificate of another authority is refused, even if it names ours', () => {
  const foreign = certificateFor(5n, otherAuthority)
  assert.throws(() => readCertificate(foreign, authority.blob), /Another authority/)
  const forged = certificateFor(5n, { ...otherAuthority, lastFields: authority.lastFields })
  assert.throws(() => readCertificate(forged, authority.blob), /signature does not hold/)
})

test('a certificate with any one bit changed, or any byte cut off or added, is refused', () => {
  const blob = certificateFor(5n)
  for (let bit = 0; bit < blob.length * 8; bit += 7) {
    const changed = Buffer.from(blob)
    changed[bit >> 3] = changed[bit >> 3]! ^ (1 << (bit & 7))
    assert.throws(() => readCertificate(changed, authority.blob), FormatError)
  }
  for (let length = 0; length < blob.length; length++) {
    assert.throws(() => readCertificate(blob.subarray(0, length), authority.blob), FormatError)
  }
  assert.throws(() => readCertificate(Buffer.concat([blob, Buffer.of(0)]), authority.blob), /left over/)
})

test('a certificate line is parsed, and any other line is refused', () => {
  const blob = certificateFor(5n)
  assert.deepEqual(parseCertificateLine(`${formatCertificate(blob, 'a comment')}\n`), blob)
  for (const line of ['', 'ssh-ed25519 AAAA', 'ssh-ed25519-cert-v01@openssh.com A*A']) {
    assert.throws(() => parseCertificateLine(line), FormatError)
  }
})

test('every certificate is read back as it was signed', () => {
  const text = fc.string({ unit: 'grapheme' }).filter((value) => !value.includes('\0'))
  const principal = text.filter((value) => value !== '' && !/[\s,\p{Cc}]/u.test(value))
  const uint64 = fc.bigInt({ min: 1n, max: 2n ** 64n - 1n })
  const options = fc.uniqueArray(fc.tuple(text, text), { selector: ([name]) => name, maxLength: 5 })
  const named = options.map((pairs) => new Map(pairs.filter(([name]) => name !== '')))
  const certificates = fc.record({
    key: fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => Buffer.from(bytes)),
    serial: uint64,
    keyId: text,
    principals: fc.array(principal, { minLength: 1, maxLength: 8 }),
    validAfter: fc.bigInt({ min: 0n, max: 2n ** 63n }),
    validBefore: fc.bigInt({ min: 2n ** 63n + 1n, max: 2n ** 64n - 1n }),
    criticalOptions: named,
    extensions: named,
    nonce: fc.uint8Array({ minLength: 16, maxLength: 64 }).map((bytes) => Buffer.from(bytes)),
  })
  fc.assert(
    fc.property(certificates, (fields) => {
      assert.deepEqual(readCertificate(signCertificate(authority, fields), authority.blob), { ...fields })
    }),
    { seed: 1 },
  )
})

test('the nonce and the key are at the positions where OpenSSH reads them', () => {
  const opening = Buffer.concat([string('ssh-ed25519-cert-v01@openssh.com'), string(request.nonce), string(key)])
  assert.ok(signCertificate(authority, request).subarray(0, opening.length).equals(opening))
})
