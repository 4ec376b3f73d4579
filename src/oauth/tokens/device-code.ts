import { refuse } from '../../errors.ts'
import { digest } from '../../platform/crypto/digest.ts'
import { findCode } from '../authorizations/code-store.ts'
import { latestIssueTime } from '../authorizations/lifetimes.ts'
import { type GrantRequest, requireGrantType } from '../clients/authenticate-client.ts'
import type { KnownClient } from '../clients/client.ts'
import { DEVICE_CODE } from '../clients/grant-types.ts'
import { type PolledCode, claimPoll, findDeviceCode, markPolledTooSoon } from '../device/device-code-store.ts'
import { verifierError, verifierMatches } from '../protocol/pkce.ts'
import { protocolErrors } from '../protocol/protocol-errors.ts'
import type { Provider } from '../provider.ts'
import { type TokenAnswer, redeemAuthorization } from './issue-tokens.ts'
import { tokenErrors } from './token-errors.ts'

/** RFC 8628 section 3.5: how much longer the interval becomes. */
const SLOW_DOWN_MS = 5000
/** The interval grows up to here. A device that polls too often causes no more writes then. */
const MAX_INTERVAL_MS = 60_000
/** A poll may be this much early: the clocks of replicas differ, and timers are not exact. */
const EARLY_MS = 500

/** RFC 8628 section 3.4: the answer to a device that asks whether the person has decided. */
export async function exchangeDeviceCode(
  provider: Provider,
  { client, form }: Pick<GrantRequest, 'client' | 'form'>,
): Promise<TokenAnswer> {
  requireGrantType(client, DEVICE_CODE)
  const { device_code: deviceCode, code_verifier: verifier } = form
  if (deviceCode === undefined) throw protocolErrors.parameter_missing({ name: 'device_code' })
  const hash = digest(deviceCode)
  const device = await findDeviceCode(provider.db.read, hash)
  // The answer is the same for a code that is unknown and for one of another client.
  if (!device || device.clientId !== client.client_id) return refuseCode()
  if (!provesPossession(verifier, device.challenge)) throw verifierError(verifier, device.challenge)
  if (device.decision === 'approved') return redeem(provider, client, hash)
  if (device.decision === 'denied') throw tokenErrors.device_denied()
  if (isExpired(device, provider.now())) return refuseExpired()
  throw (await isTooSoon(provider, hash, device))
    ? tokenErrors.device_polls_too_often()
    : tokenErrors.device_undecided()
}

/** A verifier is needed exactly when the device has sent a challenge. */
const provesPossession = (verifier: string | undefined, challenge: string | null): boolean =>
  challenge === null ? verifier === undefined : verifier !== undefined && verifierMatches(verifier, challenge)

const isExpired = ({ createdAt, expiresAt }: Pick<PolledCode, 'createdAt' | 'expiresAt'>, now: number): boolean =>
  expiresAt <= now || createdAt > latestIssueTime(now)

async function redeem(provider: Provider, client: KnownClient, codeHash: string): Promise<TokenAnswer> {
  const found = await findCode(provider.db.read, codeHash, provider.now())
  if (!found || found.revokedAt !== null || found.consumedAt !== null) return refuseCode()
  if (isExpired({ createdAt: found.authorizedAt, expiresAt: found.expiresAt }, provider.now())) return refuseExpired()
  return (await redeemAuthorization(provider, client, { ...found, codeHash })) ?? refuseCode()
}

/** Notes the poll. A poll that is too soon makes the interval longer, for this and all later ones, on every replica. */
async function isTooSoon({ db, now }: Provider, hash: string, device: PolledCode): Promise<boolean> {
  const at = now()
  const latest = at + EARLY_MS
  const { lastPolledAt, intervalMs } = device
  const isSoon = lastPolledAt !== null && lastPolledAt > latest - intervalMs && lastPolledAt <= at + intervalMs
  if (!isSoon && (await claimPoll(db, { hash, now: at, latest }))) return false
  if (intervalMs < MAX_INTERVAL_MS)
    await markPolledTooSoon(db, { hash, now: at, addedMs: SLOW_DOWN_MS, maxMs: MAX_INTERVAL_MS })
  return true
}

const refuseCode = () => refuse(tokenErrors.device_code_unusable())
const refuseExpired = () => refuse(tokenErrors.device_code_expired())
