import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { formatCertificate, type CertificateRequest } from '../../../src/platform/openssh/certificate.ts'
import { buildKrl } from '../../../src/platform/openssh/krl.ts'
import {
  fingerprint,
  formatPublicKey,
  parsePublicKey,
  publicKeyBlob,
} from '../../../src/platform/openssh/public-key.ts'
import { FormatError, string } from '../../../src/platform/openssh/wire.ts'
import { newSecurityKey } from './new-security-key.ts'
import { parseCertificateLine, readCertificate } from './read-certificate.ts'
import { signCertificate } from './sign-certificate.ts'
import { authority, fixedKey, sshKeygen, temporaryFolder } from './ssh-keygen.ts'

const SK = 'sk-ssh-ed25519@openssh.com'
const folder = temporaryFolder()
const publicBytes = publicKeyBlob(fixedKey(3)).subarray(-32)
const lineOf = (label: string, ...fields: (Uint8Array | string)[]): string =>
  `${SK} ${Buffer.concat([string(label), ...fields.map(string)]).toString('base64')}`

const assertRefused = (line: string, reason: RegExp): void =>
  assert.throws(
    () => parsePublicKey(line),
    (error) => error instanceof FormatError && reason.test(error.message),
  )

const requestFor = (line: string, serial: bigint): CertificateRequest => {
  const { key, application } = parsePublicKey(line)
  return {
    key,
    application,
    serial,
    keyId: 'jane',
    principals: ['jane'],
    validAfter: 1000,
    validBefore: 2000,
    nonce: Buffer.alloc(32, 6),
  }
}

test('a key that ssh-keygen made in a security key is parsed, and formatted again as it was', () => {
  const { publicKey, path } = newSecurityKey(folder, 'parsed')
  const { blob, key, application, comment } = parsePublicKey(publicKey)
  assert.deepEqual([key.length, application, comment], [32, 'ssh:', 'parsed'])
  assert.equal(formatPublicKey(blob, comment), publicKey)
  assert.equal(sshKeygen('-lf', `${path}.pub`).split(' ')[1], fingerprint(blob))
})

test('ssh-keygen -L reads the certificate of a security key, and -Q finds it in a revocation list', () => {
  const { publicKey } = newSecurityKey(folder, 'certified')
  const file = join(folder, 'certified-cert.pub')
  const request = requestFor(publicKey, 7n)
  const line = formatCertificate(
    signCertificate(authority, { ...request, criticalOptions: new Map([['verify-required', '']]) }),
  )
  writeFileSync(file, `${line}\n`)
  const shown = sshKeygen('-L', '-f', file)
  assert.match(shown, /Type: sk-ssh-ed25519-cert-v01@openssh\.com user certificate/)
  assert.ok(shown.includes(`ED25519-SK-CERT ${fingerprint(parsePublicKey(publicKey).blob)}`), shown)
  assert.match(shown, /Critical Options:\s+verify-required/)
  assert.equal(readCertificate(parseCertificateLine(line), authority.blob).application, 'ssh:')

  const query = (serials: bigint[]) => {
    const krl = join(folder, 'krl')
    const caKeys = [authority.blob]
    writeFileSync(krl, buildKrl({ serials: new BigUint64Array(serials), caKeys, version: 1, generatedAt: 1 }))
    return spawnSync('ssh-keygen', ['-Q', '-f', krl, file], { encoding: 'utf8' }).stdout
  }
  assert.match(query([7n]), /REVOKED/)
  assert.match(query([8n]), /ok/)
})

test('a security key whose application, length or end is wrong is refused', () => {
  assert.equal(parsePublicKey(lineOf(SK, publicBytes, 'ssh:work')).application, 'ssh:work')
  assertRefused(lineOf(SK, publicBytes), /ends too early/)
  assertRefused(lineOf(SK, publicBytes, ''), /must begin with ssh:/)
  assertRefused(lineOf(SK, publicBytes, 'example.com'), /must begin with ssh:/)
  assertRefused(lineOf(SK, publicBytes, 'ssh:\0'), /must begin with ssh:/)
  assertRefused(lineOf(SK, publicBytes, `ssh:${'x'.repeat(300)}`), /must begin with ssh:/)
  assertRefused(lineOf(SK, publicBytes, Buffer.from([0x73, 0x73, 0x68, 0x3a, 0xff])), /must begin with ssh:/)
  assertRefused(lineOf(SK, publicBytes, 'ssh:', 'more'), /bytes left over/)
  assertRefused(lineOf(SK, publicBytes.subarray(1), 'ssh:'), /has 32 bytes; this one has 31/)
  assertRefused(lineOf('ssh-ed25519', publicBytes), /another type/)
  assertRefused(`restrict ${lineOf(SK, publicBytes, 'ssh:')}`, /Nothing may stand before/)
})
