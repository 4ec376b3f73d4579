import { generateKeyPairSync } from 'node:crypto'
import { formatPublicKey, publicKeyBlob } from '../../src/platform/openssh/public-key.ts'
import type { TestApp } from '../support/app.ts'
import { type SignedInPerson, signedInPerson } from '../support/people.ts'

/** A user who may save keys and get certificates. */
export const signInCertificateUser = (app: TestApp, principals?: string[]): Promise<SignedInPerson> =>
  signedInPerson(app, { permissions: ['ssh:keys:manage', 'ssh:cert:issue'], ...(principals ? { principals } : {}) })

/** A certificate user who may also list and revoke the certificates of all users. */
export const signInCertificateManager = (app: TestApp): Promise<SignedInPerson> =>
  signedInPerson(app, { permissions: ['ssh:keys:manage', 'ssh:cert:issue', 'ssh:cert:list', 'ssh:cert:revoke'] })

/** A new public key in the format of a .pub file. */
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
