import { digest, sameDigest } from '../../platform/crypto/digest.ts'
import type { Services } from '../../platform/services.ts'
import type { Trx } from '../../storage/database.ts'
import type { Parameters } from '../protocol/parameters.ts'

/**
 * An authorization request that waits for the user to sign in. The browser carries it, with a message authentication
 * code, so that it can't be changed. It is not stored, because anybody may send any number of requests.
 */
export interface PendingRequest {
  /** Stays the same until the request is answered, which happens once. */
  id: string
  /** When the request first arrived. */
  askedAt: number
  /** A sign-in for this request happens after this time. */
  since: number
  /** The session when the browser was sent to sign in. A sign-in for this request starts another one. */
  sessionId: string | null
  /** When its owner had last been proved then. A proof for this request is later. Older versions do not say it. */
  provedBefore?: number | null
  /** How many times the browser was sent to sign in. */
  signIns: number
  /** The user who has consented, and signs in again only because the sign-in has become too old. */
  consentedBy: string | null
  parameters: Parameters
}

const LIFETIME_MS = 3_600_000
/** The clocks of two replicas differ by less. */
const MAX_CLOCK_DIFFERENCE_MS = 60_000
/** A request of 16 KB, in base64url, with room for the rest. */
const MAX_LENGTH = 32 * 1024

const PURPOSE = 'pending authorization request'

const pendingUntil = ({ askedAt }: PendingRequest): number => askedAt + LIFETIME_MS

/** What marks the request as answered. */
export const answeredUntil = (request: PendingRequest): { id: string; expiresAt: number } => ({
  id: request.id,
  expiresAt: pendingUntil(request),
})

/** The text that the browser carries. */
export function packPendingRequest({ vault }: Pick<Services, 'vault'>, request: PendingRequest): string {
  const { parameters, ...about } = request
  // No parameter holds a NUL, so it can separate the parts.
  const parts = [JSON.stringify(about), ...Object.entries(parameters).flat()]
  const packed = Buffer.from(parts.join('\0')).toString('base64url')
  return `${packed}.${vault.mac(PURPOSE, packed)}`
}

/** Undefined when it was not packed by this server, or has expired. */
export function unpackPendingRequest(
  { vault, now }: Pick<Services, 'vault' | 'now'>,
  text: string,
): PendingRequest | undefined {
  const [packed = '', mac = ''] = text.split('.', 2)
  if (text.length > MAX_LENGTH || !sameDigest(vault.mac(PURPOSE, packed), mac)) return undefined
  const [about = '', ...parts] = Buffer.from(packed, 'base64url').toString().split('\0')
  const parameters = Object.create(null) as Record<string, string>
  for (let at = 0; at < parts.length; at += 2) parameters[parts[at] ?? ''] = parts[at + 1] ?? ''
  const request: PendingRequest = { ...(JSON.parse(about) as Omit<PendingRequest, 'parameters'>), parameters }
  const isCurrent = request.askedAt <= now() + MAX_CLOCK_DIFFERENCE_MS && pendingUntil(request) > now()
  return isCurrent ? request : undefined
}

/** Marks a request as answered, until it expires. False when it was answered before. */
export async function markAnswered(trx: Trx, { id, expiresAt }: { id: string; expiresAt: number }): Promise<boolean> {
  const rows = await trx
    .insertInto('oauth_answered_requests')
    .values({ id_hash: digest(id), expires_at: expiresAt })
    .onConflict((conflict) => conflict.column('id_hash').doNothing())
    .returning('id_hash')
    .execute()
  return rows.length > 0
}
