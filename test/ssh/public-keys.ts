import { generateKeyPairSync } from 'node:crypto'
import { formatPublicKey, publicKeyBlob } from '../../src/openssh/public-key.ts'
import type { SignedInPerson } from '../support/people.ts'

/** A new public key, as its .pub file has it. */
export const newPublicKey = (comment = ''): string =>
  formatPublicKey(publicKeyBlob(generateKeyPairSync('ed25519').publicKey), comment)

export interface Issued {
  certificate: string
  id: string
  serial: string
  keyId: string
  principals: string[]
  validAfter: number
  validBefore: number
  fingerprint: string
}

export async function saveKey(person: SignedInPerson, publicKey = newPublicKey(), name = 'laptop'): Promise<string> {
  const response = await person.post('/api/ssh/keys', { name, publicKey })
  if (response.statusCode !== 201) throw new Error(response.body)
  return response.json<{ key: { id: string } }>().key.id
}

export async function issue(person: SignedInPerson, savedKeyId: string, ttlSeconds?: number): Promise<Issued> {
  const response = await person.post('/api/ssh/certs/issue', { savedKeyId, ttlSeconds })
  if (response.statusCode !== 201) throw new Error(response.body)
  return response.json<Issued>()
}
