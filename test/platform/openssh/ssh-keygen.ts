import { execFileSync, spawnSync } from 'node:child_process'
import { createPrivateKey, type KeyObject } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { formatCertificate, openAuthority } from '../../../src/platform/openssh/certificate.ts'
import { signCertificate } from './sign-certificate.ts'

/** An Ed25519 key that is the same in every run: its seed is this one byte 32 times over (RFC 8410 §7). */
export const fixedKey = (seed: number): KeyObject =>
  createPrivateKey({
    key: Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), Buffer.alloc(32, seed)]),
    format: 'der',
    type: 'pkcs8',
  })

export const authority = openAuthority(fixedKey(1))
export const otherAuthority = openAuthority(fixedKey(2))

export const certificateFor = (serial: bigint, by = authority): Buffer =>
  signCertificate(by, {
    key: Buffer.alloc(32, 7),
    serial,
    keyId: `serial ${serial}`,
    principals: ['alice'],
    validAfter: 1_000,
    validBefore: 2_000,
    nonce: Buffer.alloc(32, 9),
  })

/** A folder that is removed after the tests of the file. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-openssh-'))
  after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

export const sshKeygen = (...args: string[]): string =>
  execFileSync('ssh-keygen', args, { encoding: 'utf8', env: { ...process.env, TZ: 'UTC' } })

/** Asks OpenSSH which of the serials a revocation list revokes; throws if it can't read the list. */
export function queryKrl(folder: string, krl: Uint8Array, serials: readonly bigint[], by = authority): bigint[] {
  const file = join(folder, 'queried.krl')
  writeFileSync(file, krl)
  const certificates = serials.map((serial) => {
    const path = join(folder, `${serial}-cert.pub`)
    writeFileSync(path, `${formatCertificate(certificateFor(serial, by))}\n`)
    return path
  })
  const { stdout, stderr } = spawnSync('ssh-keygen', ['-Q', '-f', file, ...certificates], { encoding: 'utf8' })
  const answers = stdout.trim().split('\n')
  if (stderr !== '' || answers.length !== serials.length) throw new Error(`ssh-keygen -Q: ${stderr}${stdout}`)
  return serials.filter((_, index) => answers[index]?.endsWith('REVOKED'))
}
