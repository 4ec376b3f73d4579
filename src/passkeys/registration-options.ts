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

/** More than anybody has devices. All of them are told to the browser at each registration, so there must be an end. */
export const MOST_PASSKEYS = 100

/** What the browser needs to make a passkey for this user. */
export async function registrationOptions(
  { config, db, now, random }: Pick<Services, 'config' | 'db' | 'now' | 'random'>,
  actor: SignedInActor,
): Promise<CreationOptions> {
  const passkeys = await listPasskeys(db.read, actor.id)
  if (passkeys.length >= MOST_PASSKEYS) refuse('conflict', `An account has at most ${MOST_PASSKEYS} passkeys.`)
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
