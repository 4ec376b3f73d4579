import ipaddr from 'ipaddr.js'
import { digest } from '../crypto/digest.ts'
import type { RequestSource } from '../http/request-source.ts'
import type { Trx } from '../storage/database.ts'

/**
 * Stores the browser and the network of a sign-in. True when either is new for an account that has signed in before: the
 * very first sign-in needs no notification. Both can be forged, so they decide only whether to notify; a known
 * browser is recognized by its cookie.
 */
export async function markSeen(trx: Trx, userId: string, source: RequestSource, now: number): Promise<boolean> {
  const seenBefore = await trx
    .selectFrom('known_devices')
    .select('user_id')
    .where('user_id', '=', userId)
    .limit(1)
    .execute()
  const traits = [`browser:${browserOf(source.userAgent)}`, `network:${networkOf(source.ipAddress)}`]
  const added = await trx
    .insertInto('known_devices')
    .values(traits.map((trait) => ({ user_id: userId, device_hash: digest(trait), first_seen_at: now })))
    .onConflict((conflict) => conflict.doNothing())
    .returning('device_hash')
    .execute()
  return seenBefore.length > 0 && added.length > 0
}

/** Without version numbers, which change every few weeks. */
const browserOf = (userAgent: string | null): string => (userAgent ?? '').replace(/[\d._]+/g, '')

/** The network of an address: providers change single addresses often. */
export function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address
  const parsed = ipaddr.process(address)
  const [bits, bytes] = parsed.kind() === 'ipv4' ? [24, 3] : [48, 6]
  return `${parsed.toByteArray().slice(0, bytes).join('.')}/${bits}`
}
