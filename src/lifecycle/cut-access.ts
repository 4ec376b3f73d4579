import { Type } from 'typebox'
import { revokeTokensOfUsers } from '../oauth/tokens/revoke-tokens.ts'
import type { Services } from '../services.ts'
import { endSessionsOfUsers } from '../sessions/end-sessions.ts'
import { deleteEmailTokensOfUsers } from '../sign-in/email-token-store.ts'
import { deleteKnownBrowsersOfUsers } from '../sign-in/known-browser-store.ts'
import { revokeCertificatesOfUsers } from '../ssh/revocation/revoke-certificates.ts'
import { rehearse, type Trx } from '../storage/database.ts'
import { holdUsers } from '../users/hold-account.ts'

/** How much was cut. */
export const Ended = Type.Object(
  {
    sessions: Type.Integer({ description: 'Browser sessions.' }),
    tokens: Type.Integer({ description: 'Authorizations of applications, with every code and token of theirs.' }),
    certificates: Type.Integer({ description: 'SSH certificates that were still valid.' }),
  },
  { title: 'Ended' },
)
export type Ended = Type.Static<typeof Ended>

/**
 * Everything that lets these people in, wherever it is, ends in this one transaction. Certificates come last: all
 * revocations meet at one row, and nobody should hold that while waiting for another.
 */
export async function cutAccess(
  services: Pick<Services, 'now' | 'signals'>,
  trx: Trx,
  userIds: string[],
  reason: string,
): Promise<Map<string, Ended>> {
  if (userIds.length === 0) return new Map()
  await holdUsers(trx, userIds)
  const tokens = await revokeTokensOfUsers(trx, userIds, services.now())
  const sessions = await endSessionsOfUsers(services, trx, userIds)
  await deleteEmailTokensOfUsers(trx, userIds)
  await deleteKnownBrowsersOfUsers(trx, userIds)
  const certificates = await revokeCertificatesOfUsers(services, trx, userIds, reason)
  return new Map(
    userIds.map((id) => [
      id,
      { sessions: sessions.get(id) ?? 0, tokens: tokens.get(id) ?? 0, certificates: certificates.get(id) ?? 0 },
    ]),
  )
}

export const NOTHING_ENDED: Ended = { sessions: 0, tokens: 0, certificates: 0 }

/** What would be cut, found by cutting it and taking that back: the two can't disagree. */
export async function previewCut(services: Pick<Services, 'db' | 'now' | 'signals'>, userId: string): Promise<Ended> {
  const ended = await rehearse(services.db, (trx) => cutAccess(services, trx, [userId], ''))
  return ended.get(userId) ?? NOTHING_ENDED
}
