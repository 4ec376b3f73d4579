import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { newKeyPair, sshKeygen } from './openssh.ts'

/** A key of an authority, made by OpenSSH. */
export interface CaKey {
  path: string
  /** As in `/ssh/ca.pub`. */
  line: string
}

export function newCaKey(folder: string, name: string): CaKey {
  const { path, publicKey } = newKeyPair(folder, name)
  return { path, line: `${publicKey}\n` }
}

/** A line of `/ssh/ca-chain`, signed by OpenSSH. */
export function rotationLine(
  signer: CaKey,
  keys: CaKey[],
  more: { installation?: string; kind?: string; number?: number; namespace?: string } = {},
): string {
  const { installation = 'one', kind = 'user', number = 1, namespace = 'latchkey-ca' } = more
  const lines = keys.map(({ line }) => line.split(' ').slice(0, 2).join(' ').trim())
  return signedLine(signer, JSON.stringify({ installation, kind, number, keys: lines }), namespace)
}

export function signedLine(signer: CaKey, content: string, namespace = 'latchkey-ca'): string {
  const file = `${signer.path}.signed`
  writeFileSync(file, content)
  rmSync(`${file}.sig`, { force: true })
  sshKeygen('-q', '-Y', 'sign', '-f', signer.path, '-n', namespace, file)
  const armored = readFileSync(`${file}.sig`, 'utf8')
  const signature = armored.replaceAll(/-----.*-----|\n/g, '')
  return `${Buffer.from(content).toString('base64')} ${signature}\n`
}
