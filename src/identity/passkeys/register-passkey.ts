import { refuse } from '../../errors.ts'
import { type Actor, recordEvent } from '../../platform/audit/record-event.ts'
import type { RequestSource } from '../../platform/http/request-source.ts'
import { addressKey } from '../../platform/limits/address-queue.ts'
import { LIMITS } from '../../platform/limits/limits.ts'
import type { Services } from '../../platform/services.ts'
import { isDuplicate } from '../../storage/failure.ts'
import { notify } from '../notifications/notify.ts'
import type { SignedInActor } from '../sessions/actor.ts'
import { changeOwnAccount } from '../sessions/lock-actor.ts'
import { consumeRegistrationChallenge } from './challenge-store.ts'
import { defaultPasskeyName, refuseMarkup } from './passkey-name.ts'
import { addPasskey } from './passkey-store.ts'
import type { Passkey } from './passkey.ts'
import { isPasskeyRefusal, refusePasskey } from './refuse-passkey.ts'
import { expectationOf } from './relying-party.ts'
import { type RegistrationFacts, verifyRegistration } from './verify-registration.ts'

type Needs = Pick<Services, 'config' | 'db' | 'limits' | 'log' | 'now' | 'signals'>

interface RegisterPasskeyRequest {
  /** The response of the browser. */
  response: unknown
  name?: string | undefined
  actor: SignedInActor
}

/** Adds a passkey to the account of the signed-in user. */
export async function registerPasskey(services: Needs, request: RegisterPasskeyRequest): Promise<Passkey> {
  refuseMarkup(request.name ?? '')
  return store(services, request, await verifyNewPasskey(services, request.actor, request.response))
}

/** Who registers a passkey: a signed-in user, or the holder of an invitation. */
type Registrant = Actor & { id: string; source: RequestSource }

/** Verifies a response to the challenge of this user. The challenge is consumed also when the attempt fails. */
export const verifyNewPasskey = (
  services: Omit<Needs, 'signals'>,
  registrant: Registrant,
  response: unknown,
): Promise<RegistrationFacts> =>
  services.limits.attempt(
    // Counted separately: failures here are no attempts to sign in, and must not block sign-ins.
    [[LIMITS.passkeyVerify, `register ${addressKey(registrant.source.ipAddress)}`]],
    () => verify(services, registrant, response),
    isPasskeyRefusal,
  )

async function verify(
  services: Omit<Needs, 'signals'>,
  actor: Registrant,
  response: unknown,
): Promise<RegistrationFacts> {
  const { config, db, now } = services
  const refused = { action: 'passkey.refused', actor } as const
  const challenge = await db.transaction((trx) => consumeRegistrationChallenge(trx, actor.id, now()))
  if (challenge === undefined) return refusePasskey(services, { ...refused, reason: 'no_challenge' })
  const verdict = await verifyRegistration(expectationOf(config, challenge), response)
  return verdict.verified ? verdict.facts : refusePasskey(services, { ...refused, ...verdict })
}

/** A unique index decides whether the credential id is registered already, so that two concurrent requests can't both store it. */
async function store(services: Needs, request: RegisterPasskeyRequest, facts: RegistrationFacts): Promise<Passkey> {
  const { actor, name = defaultPasskeyName(facts.aaguid) } = request
  try {
    return await changeOwnAccount(services, actor, async (trx) => {
      const passkey = await addPasskey(trx, { ...facts, userId: actor.id, name, createdAt: services.now() })
      const { id } = passkey
      await notify(services, trx, actor.id, 'security.passkey_added', { passkeyId: id, name })
      await recordEvent(services, trx, {
        action: 'passkey.added',
        outcome: 'success',
        actor,
        target: { type: 'passkey', id },
        data: { name },
      })
      return passkey
    })
  } catch (error) {
    if (isDuplicate(error, 'passkeys.credential_id')) refuse('conflict', 'This passkey is already registered.')
    throw error
  }
}
