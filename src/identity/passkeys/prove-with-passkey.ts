import { generateAuthenticationOptions } from '@simplewebauthn/server'
import { refuse } from '../../errors.ts'
import { addressKey } from '../../platform/limits/address-queue.ts'
import { LIMITS } from '../../platform/limits/limits.ts'
import type { Services } from '../../platform/services.ts'
import { findLacking } from '../roles/role-demands.ts'
import type { SignedInActor } from '../sessions/actor.ts'
import { changeAs, changeOwnAccount } from '../sessions/lock-actor.ts'
import { raiseSession } from '../sessions/raise-session.ts'
import { isProofWrong } from '../sign-in/prove-again.ts'
import { signInErrors } from '../sign-in/sign-in-errors.ts'
import {
  addProofChallenge,
  CHALLENGE_BYTES,
  CHALLENGE_MS,
  consumeProofChallenge,
  expectationOf,
  userHandleOf,
} from './challenge-store.ts'
import { passkeySignIn } from './login-with-passkey.ts'
import { passkeyErrors } from './passkey-errors.ts'
import { findCredential, listPasskeys, markPasskeyUsed } from './passkey-store.ts'
import { verifyAssertion } from './verify-assertion.ts'
import type { AssertionResponse, ProofOptions } from './webauthn-contracts.ts'
import { type Failure, recordFailure } from './webauthn-errors.ts'

type ProofServices = Pick<Services, 'config' | 'db' | 'limits' | 'log' | 'now'>

/** Options for a proof with one of the person's own passkeys. The challenge serves in this session alone. */
export async function proofOptions(
  services: Pick<Services, 'config' | 'db' | 'now' | 'random'>,
  actor: SignedInActor,
): Promise<{ challengeId: string; options: ProofOptions }> {
  const { config, db, now, random } = services
  const passkeys = await listPasskeys(db.read, actor.id)
  if (passkeys.length === 0) refuse(passkeyErrors.no_such_passkey())
  const allowCredentials = passkeys.map(({ credentialId: id, transports }) => ({
    id,
    type: 'public-key' as const,
    transports,
  }))
  const { challenge } = await generateAuthenticationOptions({
    rpID: config.rpId,
    challenge: new Uint8Array(random.bytes(CHALLENGE_BYTES)),
    timeout: CHALLENGE_MS,
  })
  const challengeId = await changeAs(services, actor, (trx) =>
    addProofChallenge(trx, { sessionId: actor.sessionId, challenge, now: now() }),
  )
  // A browser that is told to prefer it may leave it out, where a role demands it.
  const lacking = await findLacking(db.read, actor.id)
  const userVerification = lacking?.demand === 'passkey' ? 'required' : 'preferred'
  return {
    challengeId,
    options: { challenge, rpId: config.rpId, timeout: CHALLENGE_MS, userVerification, allowCredentials },
  }
}

interface ProofRequest {
  challengeId: string
  response: AssertionResponse
}

/** Makes the session of the request fresh, with a passkey of its person. The challenge is consumed also when it is refused. */
export const proveWithPasskey = (
  services: ProofServices,
  request: ProofRequest,
  actor: SignedInActor,
): Promise<{ freshUntil: number | null }> =>
  services.limits.attempt(
    [[LIMITS.passkeyVerify, addressKey(actor.source.ipAddress)]],
    () => verifyAndRaise(services, request, actor),
    isProofWrong,
  )

async function verifyAndRaise(
  services: ProofServices,
  { challengeId, response }: ProofRequest,
  actor: SignedInActor,
): Promise<{ freshUntil: number | null }> {
  const { config, db, now } = services
  const refuseFor = async (reason: Failure['reason'], detail?: string): Promise<never> => {
    await recordFailure(services, { action: 'session.proved', actor, reason, ...(detail ? { detail } : {}) })
    return refuse(signInErrors.proof_wrong())
  }
  const challenge = await consumeProofChallenge(db, { id: challengeId, sessionId: actor.sessionId, now: now() })
  if (challenge === undefined) return refuseFor('no_challenge')
  const credential = await findCredential(db.read, response.id)
  if (credential?.userId !== actor.id) return refuseFor('unknown_credential')
  const userHandle = Buffer.from(userHandleOf(actor.id)).toString('base64url')
  const expected = { ...expectationOf(config, challenge), credential: { ...credential, userHandle }, isNamed: true }
  const verdict = await verifyAssertion(expected, response)
  if (!verdict.verified) return refuseFor(verdict.reason, verdict.detail)
  const { counter, backedUp, userVerified } = verdict.facts
  const raised = await changeOwnAccount(services, actor, async (trx) =>
    (await markPasskeyUsed(trx, { id: credential.id, counter, backedUp, userVerified, at: now() }))
      ? raiseSession(services, trx, passkeySignIn(credential.deviceType, userVerified), actor)
      : undefined,
  )
  return raised ?? refuseFor('counter')
}
