import { isKeyRetired } from '../../platform/keys/service-key-store.ts'
import { LEAVING_PROOF } from '../../platform/keys/signing-keys.ts'
import type { Services } from '../../platform/services.ts'
import type { Reader } from '../../storage/database.ts'

/** Signs a proof. Nobody would accept it from a key that another replica has just withdrawn; this one hears of that in a moment. */
export async function signProof(
  { config, now, signingKeys }: Pick<Services, 'config' | 'now' | 'signingKeys'>,
  db: Reader,
  statement: object,
): Promise<string> {
  const claims = { iss: config.baseUrl, iat: Math.floor(now() / 1000), ...statement }
  const proof = signingKeys.sign(claims, 'ES256', LEAVING_PROOF)
  if (!(await isKeyRetired(db, keyIdOf(proof)))) return proof
  throw new Error('The signing key was withdrawn. Proofs are signed when its successor is known here.')
}

const keyIdOf = (jws: string): string =>
  (JSON.parse(Buffer.from(jws.split('.')[0] ?? '', 'base64url').toString()) as { kid: string }).kid
