import { sameDigest } from '../../crypto/digest.ts'
import type { Services } from '../../services.ts'
import type { Parameters } from '../parameters.ts'

/**
 * An authorization request that waits for somebody to sign in. The browser carries it, with our mark on it: nothing is
 * stored for requests that anybody may send, in any number, and nobody can change what was asked or when.
 */
export interface PendingRequest {
  /** The same for all that is carried of one request: it is answered once. */
  id: string
  /** When the request first came. */
  askedAt: number
  /** The sign-in that it waits for comes after this time, and makes another session than the one that was there. */
  since: number
  sessionId: string | null
  /** How many times somebody was sent to sign in. */
  signIns: number
  /** Who has consented to it, and signs in again only because that took too long. */
  consentedBy: string | null
  parameters: Parameters
}

const LIFETIME_MS = 3_600_000
/** The clocks of two replicas differ by less. */
const CLOCK_DIFFERENCE_MS = 60_000
/** A request of 16 KB, in base64url, with room for the rest. */
const MAX_LENGTH = 32 * 1024

const PURPOSE = 'pending authorization request'

export const pendingUntil = ({ askedAt }: PendingRequest): number => askedAt + LIFETIME_MS

/** As the browser carries it. */
export function packPendingRequest({ vault }: Pick<Services, 'vault'>, request: PendingRequest): string {
  const { parameters, ...about } = request
  // No parameter holds a NUL, so the parts can be told apart.
  const parts = [JSON.stringify(about), ...Object.entries(parameters).flat()]
  const packed = Buffer.from(parts.join('\0')).toString('base64url')
  return `${packed}.${vault.mark(PURPOSE, packed)}`
}

/** Nothing when it is not marked by us, or its time is over. */
export function unpackPendingRequest(
  { vault, now }: Pick<Services, 'vault' | 'now'>,
  text: string,
): PendingRequest | undefined {
  const [packed = '', mark = ''] = text.split('.', 2)
  if (text.length > MAX_LENGTH || !sameDigest(vault.mark(PURPOSE, packed), mark)) return undefined
  const [about = '', ...parts] = Buffer.from(packed, 'base64url').toString().split('\0')
  const parameters = Object.create(null) as Record<string, string>
  for (let at = 0; at < parts.length; at += 2) parameters[parts[at] ?? ''] = parts[at + 1] ?? ''
  const request: PendingRequest = { ...(JSON.parse(about) as Omit<PendingRequest, 'parameters'>), parameters }
  const isItsTime = request.askedAt <= now() + CLOCK_DIFFERENCE_MS && pendingUntil(request) > now()
  return isItsTime ? request : undefined
}
