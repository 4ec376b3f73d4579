import type { SignedInActor } from '../../identity/sessions/actor.ts'
import { changeOwnAccount } from '../../identity/sessions/lock-actor.ts'
import { lockUser } from '../../identity/users/lock-user.ts'
import { recordEvent } from '../../platform/audit/record-event.ts'
import type { RequestSource } from '../../platform/http/request-source.ts'
import type { Services } from '../../platform/services.ts'
import type { Trx } from '../../storage/database.ts'
import { refuseUnknownClient } from '../clients/client.ts'
import { tellAllEnded } from '../logout/tell-applications.ts'
import type { Provider } from '../provider.ts'
import { deleteSomeCodes, hasLiveCode, markCodeRevoked, markCodesOfUsersRevoked } from './code-store.ts'
import { deleteGrant } from './grant-store.ts'
import { latestIssueTime } from './lifetimes.ts'

interface Reuse {
  action: 'oauth_code.reused' | 'oauth_refresh_token.reused'
  codeHash: string
  userId: string
  clientId: string
  source: RequestSource
}

/**
 * A code or refresh token that is used again is in the hands of two parties, and it is unknown which of them is the
 * application. All tokens of the authorization are revoked (RFC 6749 section 4.1.2, RFC 9700 section 4.14.2).
 */
export async function revokeReusedAuthorization(
  provider: Pick<Provider, 'db' | 'now' | 'observeEvent'>,
  { action, codeHash, userId, clientId, source }: Reuse,
): Promise<void> {
  const { db, now } = provider
  await db.transaction(async (trx) => {
    await lockUser(trx, userId)
    if (!(await markCodeRevoked(trx, codeHash, now()))) return
    const holdsMore = await hasLiveCode(trx, { userId, clientId, now: now() })
    await tellAllEnded(trx, { userIds: [userId], clientId, holdsMore }, now())
    await recordEvent(provider, trx, {
      action,
      outcome: 'refused',
      actor: { id: userId, email: null, source },
      target: { type: 'oauth_client', id: clientId },
    })
  })
}

/**
 * Revokes every code and token of these users by marking the authorizations that they belong to. Consent stays, so that an
 * account that is enabled again need not consent again; its old tokens stay revoked. Returns how many applications had
 * access, for each user for whom there were any: an application with several authorizations counts once.
 */
export async function revokeTokensOfUsers(trx: Trx, userIds: string[], at: number): Promise<Map<string, number>> {
  const revoked = await markCodesOfUsersRevoked(trx, userIds, at)
  const live = revoked.filter(
    ({ expiresAt, createdAt, hasClient }) => hasClient && expiresAt > at && createdAt <= latestIssueTime(at),
  )
  const byUser = Map.groupBy(live, ({ userId }) => userId)
  return new Map([...byUser].map(([userId, codes]) => [userId, new Set(codes.map(({ clientId }) => clientId)).size]))
}

/** There may be any number of codes, and other requests wait while a slice of them is deleted. */
const CODES_PER_SLICE = 500

/** Deletes the user's grant to an application, with every code and token that was issued on it. */
export async function revokeGrant(
  services: Pick<Services, 'db' | 'now'>,
  clientId: string,
  actor: SignedInActor,
): Promise<void> {
  const codes = { userId: actor.id, clientId, limit: CODES_PER_SLICE }
  const tell = (trx: Trx) => tellAllEnded(trx, { userIds: [actor.id], clientId }, services.now())
  const deleteSlice = async (trx: Trx): Promise<number> => {
    await tell(trx)
    return deleteSomeCodes(trx, codes)
  }
  while ((await changeOwnAccount(services, actor, deleteSlice)) === CODES_PER_SLICE);
  await changeOwnAccount(services, actor, async (trx) => {
    await tell(trx)
    const scopes = await deleteGrant(trx, actor.id, clientId)
    if (!scopes) return refuseUnknownClient()
    return recordEvent(services, trx, {
      action: 'oauth_grant.revoked',
      outcome: 'success',
      actor,
      target: { type: 'oauth_client', id: clientId },
      data: { scopes },
    })
  })
}
