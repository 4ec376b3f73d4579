import { addressKey } from '../limits/address-key.ts'
import { LIMITS } from '../limits/limits.ts'
import type { Services } from '../services.ts'
import type { SignedInSession } from '../sessions/start-session.ts'
import type { SignInSource } from '../sign-in/sign-in-source.ts'
import { signIn } from '../sign-in/sign-in.ts'
import { refuseDisabled } from '../users/account-standing.ts'
import { holdAccount } from '../users/user-lock-store.ts'
import { findAccountById } from '../users/user-store.ts'
import type { User } from '../users/user.ts'
import { consumeLoginChallenge } from './challenge-store.ts'
import { findCredential, markPasskeyUsed, type StoredCredential } from './passkey-store.ts'
import { isPasskeyRefusal, recordRefusal, refusePasskey } from './refuse-passkey.ts'
import { expectationOf, userHandleOf } from './relying-party.ts'
import { type AssertionFacts, verifyAssertion } from './verify-assertion.ts'
import type { AssertionResponse } from './webauthn-contracts.ts'

type Needs = Pick<Services, 'config' | 'db' | 'limits' | 'log' | 'now' | 'random' | 'signals'>

interface Attempt {
  challengeId: string
  response: AssertionResponse
  source: SignInSource
}

interface SignedInUser {
  user: User
  session: SignedInSession
}

/** Signs in whoever the passkey belongs to. */
export const loginWithPasskey = (services: Needs, asked: Attempt): Promise<SignedInUser> =>
  services.limits.attempt(
    [[LIMITS.passkeyVerify, addressKey(asked.source.ipAddress)]],
    () => verifyAndSignIn(services, asked),
    isPasskeyRefusal,
  )

/** The rules of a login, in their order. The attempt uses up the challenge, whatever becomes of it. */
async function verifyAndSignIn(services: Needs, asked: Attempt): Promise<SignedInUser> {
  const { config, db, now } = services
  const { challengeId, response, source } = asked
  const nobody = { action: 'session.refused', actor: { id: null, email: null, source } } as const

  const challenge = await db.transaction((trx) => consumeLoginChallenge(trx, challengeId, now()))
  if (challenge === undefined) return refusePasskey(services, { ...nobody, reason: 'no_challenge' })

  const credential = await findCredential(db.read, response.id)
  const owner = credential && (await findAccountById(db.read, credential.userId))
  if (!credential || !owner) return refusePasskey(services, { ...nobody, reason: 'unknown_credential' })
  const refused = { ...nobody, actor: { id: owner.user.id, email: owner.user.email, source } }

  const userHandle = Buffer.from(userHandleOf(owner.user.id)).toString('base64url')
  const expected = { ...expectationOf(config, challenge), credential: { ...credential, userHandle } }
  const verdict = await verifyAssertion(expected, response)
  if (!verdict.verified) return refusePasskey(services, { ...refused, ...verdict })

  const outcome = await useCredential(services, credential, verdict.facts, source)
  if ('session' in outcome) return outcome
  if (outcome.reason === 'account_disabled') {
    await recordRefusal(services, { ...refused, ...outcome })
    refuseDisabled(outcome)
  }
  return refusePasskey(services, { ...refused, ...outcome })
}

type Outcome =
  | SignedInUser
  | { reason: 'unknown_credential' | 'counter' }
  | { reason: 'account_disabled'; disabledAt: number }

/** What a proof is worth is decided in one transaction: the account may act, the counter has grown, the session is there. */
const useCredential = (
  services: Needs,
  { id, userId, deviceType }: StoredCredential,
  { counter, backedUp }: AssertionFacts,
  source: SignInSource,
): Promise<Outcome> =>
  services.db.transaction(async (trx) => {
    const account = await holdAccount(trx, userId)
    if (!account) return { reason: 'unknown_credential' }
    if (account.disabledAt !== null) return { reason: 'account_disabled', disabledAt: account.disabledAt }

    const at = services.now()
    if (!(await markPasskeyUsed(trx, { id, counter, backedUp, at }))) return { reason: 'counter' }

    const { user } = account
    // RFC 8176: a key that can't leave its hardware, or one that software may copy; the user was there either way.
    const amr = [deviceType === 'singleDevice' ? 'hwk' : 'swk', 'user']
    const session = await signIn(services, trx, { user, method: 'passkey', amr, remember: true, source })
    return { user: { ...user, lastLoginAt: at }, session }
  })
