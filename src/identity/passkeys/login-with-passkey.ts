import { generateAuthenticationOptions } from '@simplewebauthn/server'
import { addressKey } from '../../platform/limits/address-queue.ts'
import { LIMITS } from '../../platform/limits/limits.ts'
import type { Services } from '../../platform/services.ts'
import type { SignedInSession } from '../sessions/start-session.ts'
import type { SignInSource } from '../sign-in/sign-in-source.ts'
import { signIn } from '../sign-in/sign-in.ts'
import type { TellServices } from '../sign-in/tell-owner.ts'
import { refuseDisabled } from '../users/account-state.ts'
import { lockAccount } from '../users/lock-user.ts'
import type { User } from '../users/user.ts'
import {
  consumeLoginChallenge,
  addLoginChallenge,
  expectationOf,
  isUserHandle,
  userHandleOf,
  CHALLENGE_BYTES,
  CHALLENGE_MS,
} from './challenge-store.ts'
import { findCredential, markPasskeyUsed, type StoredCredential } from './passkey-store.ts'
import { verifyAssertion, type AssertionFacts } from './verify-assertion.ts'
import type { DeviceType } from './webauthn-checks.ts'
import type { AssertionResponse, RequestOptions } from './webauthn-contracts.ts'
import { isPasskeyNotAccepted, recordFailure, refusePasskey } from './webauthn-errors.ts'

type LoginServices = TellServices & Pick<Services, 'db' | 'limits' | 'log'>

interface LoginRequest {
  challengeId: string
  response: AssertionResponse
  source: SignInSource
}

interface SignedInUser {
  user: User
  session: SignedInSession
}

/** Signs in the owner of the passkey. */
export const loginWithPasskey = (services: LoginServices, request: LoginRequest): Promise<SignedInUser> =>
  services.limits.attempt(
    [[LIMITS.passkeyVerify, addressKey(request.source.ipAddress)]],
    () => verifyAndSignIn(services, request),
    isPasskeyNotAccepted,
  )

/** The rules of a login, in order. The challenge is consumed also when the attempt fails. */
async function verifyAndSignIn(services: LoginServices, request: LoginRequest): Promise<SignedInUser> {
  const { config, db, now } = services
  const { challengeId, response, source } = request
  const anonymous = { action: 'session.refused', actor: { id: null, email: null, source } } as const

  const challenge = await consumeLoginChallenge(db, challengeId, now())
  if (challenge === undefined) return refusePasskey(services, { ...anonymous, reason: 'no_challenge' })

  const credential = await findCredential(db.read, response.id)
  if (!credential) {
    const isOurs = isUserHandle(response.response.userHandle)
    const error = isOurs ? 'passkey_not_known' : 'passkey_not_accepted'
    return refusePasskey(services, { ...anonymous, reason: 'unknown_credential' }, error)
  }
  const refused = { ...anonymous, actor: { id: credential.userId, email: credential.ownerEmail, source } }

  const userHandle = Buffer.from(userHandleOf(credential.userId)).toString('base64url')
  const expected = { ...expectationOf(config, challenge), credential: { ...credential, userHandle } }
  const verdict = await verifyAssertion(expected, response)
  if (!verdict.verified) return refusePasskey(services, { ...refused, ...verdict })

  const outcome = await useCredential(services, credential, verdict.facts, source)
  if ('session' in outcome) return outcome
  if (outcome.reason === 'account_disabled') {
    await recordFailure(services, { ...refused, ...outcome })
    refuseDisabled(outcome)
  }
  return refusePasskey(services, { ...refused, ...outcome })
}

type Outcome =
  | SignedInUser
  | { reason: 'unknown_credential' | 'counter' }
  | { reason: 'account_disabled'; disabledAt: number }

/** One transaction checks that the account may act and that the counter has grown, and starts the session. */
const useCredential = (
  services: LoginServices,
  { id, userId, deviceType }: StoredCredential,
  { counter, backedUp, userVerified }: AssertionFacts,
  source: SignInSource,
): Promise<Outcome> =>
  services.db.transaction(async (trx) => {
    const account = await lockAccount(trx, userId)
    if (!account) return { reason: 'unknown_credential' }
    if (account.disabledAt !== null) return { reason: 'account_disabled', disabledAt: account.disabledAt }

    const at = services.now()
    if (!(await markPasskeyUsed(trx, { id, counter, backedUp, userVerified, at }))) return { reason: 'counter' }

    const { user } = account
    const session = await signIn(services, trx, { user, ...passkeySignIn(deviceType, userVerified), source })
    return { user: { ...user, lastLoginAt: at }, session }
  })

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

/**
 * How a session is marked that a passkey started. RFC 8176: hwk is a key that can't leave its hardware, swk one that can be
 * copied, user means that a user was present.
 */
export const passkeySignIn = (deviceType: DeviceType, verified: boolean) => ({
  method: 'passkey' as const,
  amr: [deviceType === 'singleDevice' ? 'hwk' : 'swk', 'user'],
  verified,
  remember: true,
})
