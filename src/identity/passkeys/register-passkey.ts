import { generateRegistrationOptions } from '@simplewebauthn/server'
import { refuse } from '../../errors.ts'
import { recordEvent, type Actor } from '../../platform/audit/record-event.ts'
import type { RequestSource } from '../../platform/http/request-source.ts'
import { addressKey } from '../../platform/limits/address-queue.ts'
import { LIMITS } from '../../platform/limits/limits.ts'
import type { Services } from '../../platform/services.ts'
import { isDuplicate } from '../../storage/failure.ts'
import type { IdentityServices } from '../access-events.ts'
import type { SignedInActor } from '../sessions/actor.ts'
import { changeOwnAccount } from '../sessions/lock-actor.ts'
import { raiseBySettingUp } from '../sessions/raise-session.ts'
import { consumePasskeyOffer } from '../sessions/session-store.ts'
import { tellOwner, type TellServices } from '../sign-in/tell-owner.ts'
import { readSettings } from '../users/settings-store.ts'
import {
  addConditionalChallenge,
  addRegistrationChallenge,
  consumeConditionalChallenge,
  consumeRegistrationChallenge,
  CHALLENGE_BYTES,
  CHALLENGE_MS,
  userHandleOf,
  expectationOf,
} from './challenge-store.ts'
import { OFFERED_ALGORITHMS } from './credential-key.ts'
import { passkeySignIn } from './login-with-passkey.ts'
import { passkeyErrors } from './passkey-errors.ts'
import { defaultPasskeyName, refuseMarkup } from './passkey-name.ts'
import { mayMakePasskey, namesOnPasskeys } from './passkey-signals.ts'
import { listPasskeys, addPasskey, type Passkey } from './passkey-store.ts'
import { tellPasskeyChanged } from './tell-passkey-changed.ts'
import { verifyRegistration, type RegistrationFacts } from './verify-registration.ts'
import { readChallenge } from './webauthn-checks.ts'
import type { CreationOptions } from './webauthn-contracts.ts'
import { isPasskeyNotAccepted, refusePasskey } from './webauthn-errors.ts'

type OptionServices = Pick<Services, 'config' | 'db' | 'now' | 'random'>

/** All of them are sent to the browser at each registration, so their number is limited. */
export const MAX_PASSKEYS = 100

/** Options for creating a passkey in the browser. */
export async function registrationOptions(services: OptionServices, actor: SignedInActor): Promise<CreationOptions> {
  const options = await creationOptionsFor(services, actor)
  const { now } = services
  await changeOwnAccount(services, actor, (trx) => addRegistrationChallenge(trx, actor.id, options.challenge, now()))
  return options
}

/**
 * The same for a passkey that the browser makes by itself after a sign-in with the password (WebAuthn Level 3 §5.1.3, conditional
 * mediation). Nobody is asked, so each such sign-in leads to one at most, and the challenge ends with the time in which it may be made.
 */
export async function conditionalOptions(services: OptionServices, actor: SignedInActor): Promise<CreationOptions> {
  const { now } = services
  const options = await creationOptionsFor(services, actor)
  const { challenge } = options
  const { sessionId } = actor
  const until = await changeOwnAccount(services, actor, async (trx) => {
    const isOffered = await mayMakePasskey(services, trx, actor)
    const until = isOffered ? await consumePasskeyOffer(trx, sessionId, now()) : undefined
    if (until === undefined) return refuse(passkeyErrors.no_conditional_passkey())
    await addConditionalChallenge(trx, { sessionId, challenge, now: now(), until })
    return until
  })
  return { ...options, timeout: until - now() }
}

/** The same for any account. The caller stores the challenge. */
export async function creationOptionsFor(
  { config, db, random }: OptionServices,
  user: { id: string; email: string },
): Promise<CreationOptions> {
  const passkeys = await listPasskeys(db.read, user.id)
  if (passkeys.length >= MAX_PASSKEYS) refuse(passkeyErrors.too_many_passkeys({ max: MAX_PASSKEYS }))
  const { name, displayName } = await namesOnPasskeys(db.read, user)
  const options = await generateRegistrationOptions({
    rpName: (await readSettings(db.read, config)).name,
    rpID: config.rpId,
    userID: userHandleOf(user.id),
    userName: name,
    userDisplayName: displayName,
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

type VerifyServices = Pick<Services, 'config' | 'db' | 'limits' | 'log' | 'now'>
type RegistrationServices = VerifyServices & TellServices & Pick<IdentityServices, 'accessSubscribers'>

interface RegisterPasskeyRequest {
  /** The response of the browser. */
  response: unknown
  name?: string | undefined
  actor: SignedInActor
}

/** Adds a passkey to the account of the signed-in user. */
export async function registerPasskey(
  services: RegistrationServices,
  request: RegisterPasskeyRequest,
): Promise<Passkey> {
  refuseMarkup(request.name ?? '')
  return store(services, request, await verifyNewPasskey(services, request.actor, request.response))
}

/** Who registers a passkey: a signed-in user, or the holder of an invitation. */
type Registrant = Actor & { id: string; source: RequestSource; sessionId?: string }

/** What was verified, and whether the browser has made the passkey by itself. */
type Verified = RegistrationFacts & { isConditional: boolean }

/** Verifies a response to the challenge of this user. The challenge is consumed also when the attempt fails. */
export const verifyNewPasskey = (
  services: VerifyServices,
  registrant: Registrant,
  response: unknown,
): Promise<Verified> =>
  services.limits.attempt(
    // Counted separately: failures here are no attempts to sign in, and must not block sign-ins.
    [[LIMITS.passkeyVerify, `register ${addressKey(registrant.source.ipAddress)}`]],
    () => verify(services, registrant, response),
    isPasskeyNotAccepted,
  )

async function verify(services: VerifyServices, actor: Registrant, response: unknown): Promise<Verified> {
  const { config, db, now } = services
  const refused = { action: 'passkey.refused', actor } as const
  const { sessionId } = actor
  const answered = readChallenge(response)
  const { challenge, isConditional } = await db.transaction(async (trx) => {
    const isConditional =
      sessionId !== undefined &&
      answered !== undefined &&
      (await consumeConditionalChallenge(trx, { sessionId, challenge: answered, now: now() }))
    const challenge = isConditional ? answered : await consumeRegistrationChallenge(trx, actor.id, now())
    return { challenge, isConditional }
  })
  if (challenge === undefined) return refusePasskey(services, { ...refused, reason: 'no_challenge' })
  const verdict = await verifyRegistration({ ...expectationOf(config, challenge), isConditional }, response)
  return verdict.verified ? { ...verdict.facts, isConditional } : refusePasskey(services, { ...refused, ...verdict })
}

/** A unique index decides whether the credential id is registered already, so that two concurrent requests can't both store it. */
async function store(
  services: RegistrationServices,
  request: RegisterPasskeyRequest,
  { isConditional, ...facts }: Verified,
): Promise<Passkey> {
  const { actor, name = defaultPasskeyName(facts.aaguid) } = request
  try {
    return await changeOwnAccount(services, actor, async (trx) => {
      const passkey = await addPasskey(trx, { ...facts, userId: actor.id, name, createdAt: services.now() })
      const { id } = passkey
      // One that the browser has made by itself proves nobody.
      if (!isConditional)
        await raiseBySettingUp(services, trx, passkeySignIn(facts.deviceType, facts.userVerified), actor)
      await tellPasskeyChanged(services, trx, passkey, { userId: actor.id, change: 'created', by: 'owner' })
      const conditional = isConditional ? { conditional: true as const } : {}
      const data = { passkeyId: id, name, ...conditional }
      await tellOwner(services, trx, actor.id, { type: 'security.passkey_added', data, actor })
      await recordEvent(services, trx, {
        action: 'passkey.added',
        outcome: 'success',
        actor,
        target: { type: 'passkey', id },
        data: { name, ...conditional },
      })
      return passkey
    })
  } catch (error) {
    if (isDuplicate(error, 'passkeys.credential_id')) refuse(passkeyErrors.passkey_registered_already())
    throw error
  }
}
