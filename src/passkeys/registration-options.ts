import { generateRegistrationOptions } from '@simplewebauthn/server'
import { refuse } from '../errors.ts'
import type { Services } from '../services.ts'
import type { SignedInActor } from '../sessions/actor.ts'
import { changeOwnAccount } from '../sessions/hold-actor.ts'
import { addRegistrationChallenge } from './challenge-store.ts'
import { OFFERED_ALGORITHMS } from './credential-key.ts'
import { listPasskeys } from './passkey-store.ts'
import { CHALLENGE_BYTES, CHALLENGE_MS, userHandleOf } from './relying-party.ts'
import type { CreationOptions } from './webauthn-contracts.ts'

/** All of them are sent to the browser at each registration, so their number is limited. */
export const MAX_PASSKEYS = 100

/** Options for creating a passkey in the browser. */
export async function registrationOptions(
  { config, db, now, random }: Pick<Services, 'config' | 'db' | 'now' | 'random'>,
  actor: SignedInActor,
): Promise<CreationOptions> {
  const passkeys = await listPasskeys(db.read, actor.id)
  if (passkeys.length >= MAX_PASSKEYS) refuse('conflict', `An account has at most ${MAX_PASSKEYS} passkeys.`)
  const options = await generateRegistrationOptions({
    rpName: config.rpName,
    rpID: config.rpId,
    userID: userHandleOf(actor.id),
    userName: actor.email,
    userDisplayName: actor.email,
    challenge: new Uint8Array(random.bytes(CHALLENGE_BYTES)),
    timeout: CHALLENGE_MS,
    attestationType: 'none',
    authenticatorSelection: { residentKey: 'required', userVerification: 'preferred' },
    supportedAlgorithmIDs: OFFERED_ALGORITHMS,
  })
  await changeOwnAccount({ db, now }, actor, (trx) => addRegistrationChallenge(trx, actor.id, options.challenge, now()))
  const excludeCredentials = passkeys.map(({ credentialId, transports }) => ({
    id: credentialId,
    type: 'public-key' as const,
    transports,
  }))
  return { ...options, excludeCredentials } as CreationOptions
}
