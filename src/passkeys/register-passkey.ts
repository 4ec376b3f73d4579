import { recordEvent } from '../audit/record-event.ts'
import { refuse } from '../errors.ts'
import { addressKey } from '../limits/address-key.ts'
import { LIMITS } from '../limits/limits.ts'
import { notify } from '../notifications/notify.ts'
import type { Services } from '../services.ts'
import type { SignedInActor } from '../sessions/actor.ts'
import { changeOwnAccount } from '../sessions/hold-actor.ts'
import { isDuplicate } from '../storage/failure.ts'
import { consumeRegistrationChallenge } from './challenge-store.ts'
import { defaultPasskeyName, refuseMarkup } from './passkey-name.ts'
import { addPasskey } from './passkey-store.ts'
import type { Passkey } from './passkey.ts'
import { isPasskeyRefusal, refusePasskey } from './refuse-passkey.ts'
import { expectationOf } from './relying-party.ts'
import { type RegistrationFacts, verifyRegistration } from './verify-registration.ts'

type Needs = Pick<Services, 'config' | 'db' | 'limits' | 'log' | 'now' | 'signals'>

interface Registration {
  /** What the browser answered with. */
  response: unknown
  name?: string | undefined
  actor: SignedInActor
}

/** Adds a passkey to the account of whoever is signed in. */
export async function registerPasskey(services: Needs, asked: Registration): Promise<Passkey> {
  refuseMarkup(asked.name ?? '')
  // A count of its own: mistakes here are no guesses at anybody's account, and do not lock the sign-in.
  const bucket = `register ${addressKey(asked.actor.source.ipAddress)}`
  return services.limits.attempt(
    [[LIMITS.passkeyVerify, bucket]],
    () => verifyAndStore(services, asked),
    isPasskeyRefusal,
  )
}

/** The rules of a registration, in their order. The attempt uses up the challenge, whatever becomes of it. */
async function verifyAndStore(services: Needs, asked: Registration): Promise<Passkey> {
  const { config, db, now } = services
  const { response, actor } = asked
  const refused = { action: 'passkey.refused', actor } as const

  const challenge = await db.transaction((trx) => consumeRegistrationChallenge(trx, actor.id, now()))
  if (challenge === undefined) return refusePasskey(services, { ...refused, reason: 'no_challenge' })

  const verdict = await verifyRegistration(expectationOf(config, challenge), response)
  if (!verdict.verified) return refusePasskey(services, { ...refused, ...verdict })

  return store(services, asked, verdict.facts)
}

/** Whether the credential id is taken is found out by storing it: two at once can't both find it free. */
async function store(services: Needs, asked: Registration, facts: RegistrationFacts): Promise<Passkey> {
  const { actor, name = defaultPasskeyName(facts.aaguid) } = asked
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
