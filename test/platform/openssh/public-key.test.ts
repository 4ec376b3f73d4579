import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { formatCertificate } from '../../../src/platform/openssh/certificate.ts'
import {
  fingerprint,
  formatPublicKey,
  parsePublicKey,
  publicKeyBlob,
} from '../../../src/platform/openssh/public-key.ts'
import { FormatError, string } from '../../../src/platform/openssh/wire.ts'
import { certificateFor, fixedKey, sshKeygen, temporaryFolder } from './ssh-keygen.ts'

const folder = temporaryFolder()
const blobOf = (label: string, ...fields: Uint8Array[]): Buffer => Buffer.concat([string(label), ...fields.map(string)])
const lineOf = (label: string, blob: Buffer): string => `${label} ${blob.toString('base64')}`
const validLine = formatPublicKey(publicKeyBlob(fixedKey(3)))

const assertRefused = (line: string, reason: RegExp): void =>
  assert.throws(
    () => parsePublicKey(line),
    (error) => error instanceof FormatError && reason.test(error.message),
  )

function generate(...options: string[]): { publicKey: string; privateKey: string } {
  const file = join(folder, options.join(''))
  sshKeygen('-q', '-N', '', '-C', 'me@home', '-f', file, ...options)
  return { publicKey: readFileSync(`${file}.pub`, 'utf8'), privateKey: readFileSync(file, 'utf8') }
}

test('a key from ssh-keygen is parsed, formatted again and has the fingerprint that ssh-keygen prints', () => {
  const { publicKey } = generate('-t', 'ed25519')
  const { blob, key, comment } = parsePublicKey(publicKey)
  assert.equal(comment, 'me@home')
  assert.equal(key.length, 32)
  assert.equal(`${formatPublicKey(blob, comment)}\n`, publicKey)
  assert.equal(sshKeygen('-lf', join(folder, '-ted25519.pub')).split(' ')[1], fingerprint(blob))
})

test('ssh-keygen reads a line that we format', () => {
  const file = join(folder, 'ours.pub')
  writeFileSync(file, `${formatPublicKey(publicKeyBlob(fixedKey(4)), 'the CA')}\n`)
  assert.equal(sshKeygen('-lf', file), `256 ${fingerprint(publicKeyBlob(fixedKey(4)))} the CA (ED25519)\n`)
})

test('the comment may be missing, and may have spaces and letters of any language', () => {
  assert.equal(parsePublicKey(validLine).comment, '')
  assert.equal(parsePublicKey(`${validLine}\r\n`).comment, '')
  assert.equal(parsePublicKey(`${validLine} Zoë’s laptop, 東京`).comment, 'Zoë’s laptop, 東京')
})

for (const [name, options] of Object.entries({
  'ssh-rsa': ['-t', 'rsa', '-b', '1024'],
  'ecdsa-sha2-nistp256': ['-t', 'ecdsa', '-b', '256'],
})) {
  test(`a key of type ${name} is refused by its name`, () => {
    assertRefused(generate(...options).publicKey, new RegExp(`type ${name} are not accepted`))
  })
}

for (const name of ['ssh-dss', 'sk-ecdsa-sha2-nistp256@openssh.com']) {
  test(`a key of type ${name} is refused by its name`, () => {
    assertRefused(
      lineOf(name, blobOf(name, Buffer.alloc(32), Buffer.from('ssh:'))),
      /are not accepted, only ssh-ed25519/,
    )
  })
}

test('a certificate is refused as a key, with its own label and with that of a key', () => {
  const blob = certificateFor(1n)
  assertRefused(formatCertificate(blob), /This is a certificate/)
  assertRefused(lineOf('ssh-ed25519', blob), /another type/)
})

test('keys of 31 and of 33 bytes are refused', () => {
  assertRefused(lineOf('ssh-ed25519', blobOf('ssh-ed25519', Buffer.alloc(31))), /has 32 bytes; this one has 31/)
  assertRefused(lineOf('ssh-ed25519', blobOf('ssh-ed25519', Buffer.alloc(33))), /has 32 bytes; this one has 33/)
})

test('bytes after the key, and a key cut short, are refused', () => {
  const { blob } = parsePublicKey(validLine)
  assertRefused(lineOf('ssh-ed25519', Buffer.concat([blob, Buffer.of(0)])), /bytes left over/)
  assertRefused(lineOf('ssh-ed25519', Buffer.concat([blob, blob])), /bytes left over/)
  for (let length = 1; length < blob.length; length++) {
    assertRefused(lineOf('ssh-ed25519', blob.subarray(0, length)), /ends too early|another type|has 32 bytes/)
  }
})

test('a label and a blob that differ are refused', () => {
  assertRefused(lineOf('ssh-ed25519', blobOf('ssh-rsa', Buffer.alloc(32))), /another type/)
  assertRefused(validLine.replace('ssh-ed25519', 'ssh-rsa'), /not accepted/)
})

test('private keys are refused with the advice to keep them secret', () => {
  assertRefused(generate('-t', 'ed25519', '-b', '256').privateKey, /private key. Keep it to yourself/)
  assertRefused(fixedKey(3).export({ format: 'pem', type: 'pkcs8' }), /private key/)
  assertRefused('PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none\n', /private key/)
})

test('options and spaces before the key are refused', () => {
  for (const before of [
    'restrict ',
    'command="ssh-ed25519 " ',
    'no-pty,from="10.0.0.1" ',
    ' ',
    '\t',
    '@cert-authority * ',
  ]) {
    assertRefused(before + validLine, /Nothing may stand before/)
  }
})

test('two lines are refused, whatever ends the first', () => {
  for (const end of ['\n', '\r\n', '\r']) assertRefused(`${validLine}${end}${validLine}`, /on one line/)
  assertRefused(`${validLine}\n\n`, /on one line/)
  assertRefused(`${validLine} one\ntwo`, /on one line/)
})

test('base64 that is not canonical is refused', () => {
  const encoded = validLine.slice('ssh-ed25519 '.length)
  for (const other of [
    `${encoded}=`,
    `${encoded}====`,
    encoded.replace('A', 'A-'),
    encoded.slice(1),
    `*${encoded}`,
    '',
  ]) {
    assertRefused(`ssh-ed25519 ${other}`, /clean base64|too early|another type|bytes left over/)
  }
  assertRefused(`ssh-ed25519  ${encoded}`, /clean base64/)
  assertRefused(`ssh-ed25519\t${encoded}`, /The line must read/)
  assertRefused('ssh-ed25519', /clean base64/)
  assertRefused('', /The line must read/)
})

test('a comment with control characters is refused when it is read and when it is written', () => {
  for (const comment of ['a\u0000b', 'a\u001b[2J', 'a\u2028b', 'a\u202eb', 'a\ud800', 'tab\there']) {
    assertRefused(`${validLine} ${comment}`, /control characters/)
    assert.throws(() => formatPublicKey(parsePublicKey(validLine).blob, comment), RangeError)
  }
})

test('any text is parsed into a key or refused with a FormatError', () => {
  const text = fc.oneof(fc.string({ unit: 'binary' }), fc.base64String(), fc.constantFrom('ssh-ed25519', validLine))
  fc.assert(
    fc.property(fc.array(text, { maxLength: 4 }), (words) => {
      try {
        assert.equal(parsePublicKey(words.join(' ')).key.length, 32)
      } catch (error) {
        assert.ok(error instanceof FormatError)
      }
    }),
    { seed: 1 },
  )
})

test('every key is read back as it was written', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), (key) => {
      const parsed = parsePublicKey(formatPublicKey(blobOf('ssh-ed25519', key), 'c'))
      assert.deepEqual([new Uint8Array(parsed.key), parsed.comment], [key, 'c'])
    }),
    { seed: 1 },
  )
})
