import type { Services } from '../../platform/services.ts'
import type { Trx } from '../../storage/database.ts'
import { raiseKrlVersion } from './revocation-store.ts'
import { markNextValidRevoked, markValidRevoked } from './revoked-certificate-store.ts'

/**
 * Revokes every certificate of these users that is still valid, and returns how many, for each user who had any. Part of
 * what ends an account, in a transaction that has locked their rows: a certificate that is being issued meanwhile is either
 * waited for and revoked here, or refused because the account has ended by then.
 */
export async function revokeCertificatesOfUsers(
  { now }: Pick<Services, 'now'>,
  trx: Trx,
  userIds: string[],
  reason: string,
): Promise<Map<string, number>> {
  const owners = await revokeValid(trx, { userIds, reason, at: now() })
  const counts = new Map<string, number>()
  for (const owner of owners) counts.set(owner, (counts.get(owner) ?? 0) + 1)
  return counts
}

/** The same for the certificates of one saved key: call it after the key was deleted, so that no other is issued. */
export async function revokeCertificatesOfKey(
  { now }: Pick<Services, 'now'>,
  trx: Trx,
  { userId, savedKeyId }: { userId: string; savedKeyId: string },
  reason: string,
): Promise<number> {
  return (await revokeValid(trx, { userIds: [userId], savedKeyId, reason, at: now() })).length
}

const BATCH = 2000

/** All certificates, a batch at a time: for a restored backup, which can't know which of them were revoked since. */
export async function revokeAllCertificates(
  { db, now }: Pick<Services, 'db' | 'now'>,
  reason: string,
): Promise<number> {
  let revoked = 0
  let above = 0n
  for (;;) {
    const serials = await db.transaction(async (trx) => {
      const marked = await markNextValidRevoked(trx, { above, reason, at: now(), limit: BATCH })
      if (marked.length > 0) await raiseKrlVersion(trx)
      return marked
    })
    revoked += serials.length
    if (serials.length < BATCH) return revoked
    above = serials.reduce((highest, serial) => (serial > highest ? serial : highest), above)
  }
}

async function revokeValid(trx: Trx, which: Parameters<typeof markValidRevoked>[1]): Promise<string[]> {
  const owners = await markValidRevoked(trx, which)
  if (owners.length > 0) await raiseKrlVersion(trx)
  return owners
}
