import { type Actor, recordEvent } from '../audit/record-event.ts'
import { refuse } from '../errors.ts'
import { addressKey, LIMITS } from '../http/limits.ts'
import { notify } from '../notifications/notify.ts'
import type { Services } from '../services.ts'
import { isDuplicate, isMissingReference } from '../storage/failure.ts'
import { consumeRegistrationChallenge } from './challenge-store.ts'
import type { Passkey } from './passkey.ts'
import { defaultPasskeyName, readPasskeyName } from './passkey-name.ts'
import { addPasskey } from './passkey-store.ts'
import { isPasskeyRefusal, refusePasskey } from './refuse-passkey.ts'
import { expectationOf } from './relying-party.ts'
import { type RegistrationFacts, verifyRegistration } from './verify-registration.ts'

type Needs = Pick<Services, 'config' | 'db' | 'limits' | 'log' | 'now' | 'signals'>

interface Registration {
  userId: string
  /** What the browser answered with. */
  response: unknown
  name?: string | undefined
  actor: Actor
}

/** Adds a passkey to the account of whoever is signed in. */
export async function registerPasskey(services: Needs, asked: Registration): Promise<Passkey> {
  const name = asked.name === undefined ? undefined : readPasskeyName(asked.name)
  // A count of its own: mistakes here are no guesses at anybody's account, and do not lock the sign-in.
  const bucket = `register ${addressKey(asked.actor.caller?.ipAddress ?? '')}`
  return services.limits.attempt(
    [[LIMITS.passkeyVerify, bucket]],
    () => verifyAndStore(services, { ...asked, name }),
    isPasskeyRefusal,
  )
}

/** The rules of a registration, in their order. The attempt uses up the challenge, whatever becomes of it. */
async function verifyAndStore(services: Needs, asked: Registration): Promise<Passkey> {
  const { config, db, now } = services
  const { userId, response, actor } = asked
  const refused = { action: 'passkey.refused', actor } as const

  const challenge = await consumeRegistrationChallenge(db, userId, now())
  if (challenge === undefined) return refusePasskey(services, { ...refused, reason: 'no_challenge' })

  const verdict = await verifyRegistration(expectationOf(config, challenge), response)
  if (!verdict.verified) return refusePasskey(services, { ...refused, ...verdict })

  return store(services, asked, verdict.facts)
}

/** Whether the credential id is taken is found out by storing it: two at once can't both find it free. */
async function store(services: Needs, asked: Registration, facts: RegistrationFacts): Promise<Passkey> {
  const { userId, actor, name = defaultPasskeyName(facts.aaguid) } = asked
  try {
    return await services.db.transaction().execute(async (trx) => {
      const passkey = await addPasskey(trx, { ...facts, userId, name, createdAt: services.now() })
      const { id } = passkey
      await notify(services, trx, userId, 'security.passkey_added', { passkeyId: id, name })
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
    // The account was deleted since the session was looked at, and the session with it.
    if (isMissingReference(error)) refuse('unauthenticated', 'Please sign in.')
    throw error
  }
}
