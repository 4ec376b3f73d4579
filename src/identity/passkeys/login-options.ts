import { generateAuthenticationOptions } from '@simplewebauthn/server'
import type { Services } from '../../platform/services.ts'
import { addLoginChallenge } from './challenge-store.ts'
import { CHALLENGE_BYTES, CHALLENGE_MS } from './relying-party.ts'
import type { RequestOptions } from './webauthn-contracts.ts'

/** Options for a login in the browser. They name no credential: the user chooses one, and it identifies the account. */
export async function loginOptions({
  config,
  db,
  now,
  random,
}: Pick<Services, 'config' | 'db' | 'now' | 'random'>): Promise<RequestOptions> {
  const options = await generateAuthenticationOptions({
    rpID: config.rpId,
    challenge: new Uint8Array(random.bytes(CHALLENGE_BYTES)),
    timeout: CHALLENGE_MS,
    userVerification: 'preferred',
  })
  const challengeId = await addLoginChallenge(db, options.challenge, now())
  return { challengeId, ...options } as RequestOptions
}
