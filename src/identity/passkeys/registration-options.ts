import { generateRegistrationOptions } from '@simplewebauthn/server'
import { refuse } from '../../errors.ts'
import type { Services } from '../../platform/services.ts'
import type { SignedInActor } from '../sessions/actor.ts'
import { changeOwnAccount } from '../sessions/lock-actor.ts'
import { readSettings } from '../users/settings-store.ts'
import { addRegistrationChallenge } from './challenge-store.ts'
import { OFFERED_ALGORITHMS } from './credential-key.ts'
import { listPasskeys } from './passkey-store.ts'
import { CHALLENGE_BYTES, CHALLENGE_MS, userHandleOf } from './relying-party.ts'
import type { CreationOptions } from './webauthn-contracts.ts'

type Needs = Pick<Services, 'config' | 'db' | 'now' | 'random'>

/** All of them are sent to the browser at each registration, so their number is limited. */
export const MAX_PASSKEYS = 100

/** Options for creating a passkey in the browser. */
export async function registrationOptions(services: Needs, actor: SignedInActor): Promise<CreationOptions> {
  const options = await creationOptionsFor(services, actor)
  const { now } = services
  await changeOwnAccount(services, actor, (trx) => addRegistrationChallenge(trx, actor.id, options.challenge, now()))
  return options
}

/** The same for any account. The caller stores the challenge. */
export async function creationOptionsFor(
  { config, db, random }: Needs,
  user: { id: string; email: string },
): Promise<CreationOptions> {
  const passkeys = await listPasskeys(db.read, user.id)
  if (passkeys.length >= MAX_PASSKEYS) refuse('conflict', `An account has at most ${MAX_PASSKEYS} passkeys.`)
  const options = await generateRegistrationOptions({
    rpName: (await readSettings(db.read, config)).name,
    rpID: config.rpId,
    userID: userHandleOf(user.id),
    userName: user.email,
    userDisplayName: user.email,
    challenge: new Uint8Array(random.bytes(CHALLENGE_BYTES)),
    timeout: CHALLENGE_MS,
    attestationType: 'none',
    authenticatorSelection: { residentKey: 'required', userVerification: 'preferred' },
    supportedAlgorithmIDs: OFFERED_ALGORITHMS,
  })
  const excludeCredentials = passkeys.map(({ credentialId, transports }) => ({
    id: credentialId,
    type: 'public-key' as const,
    transports,
  }))
  return { ...options, excludeCredentials } as CreationOptions
}
