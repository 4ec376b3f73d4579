import type { Reader } from '../../storage/database.ts'
import { clientHonours } from '../clients/client-store.ts'
import { latestIssueTime } from './lifetimes.ts'

/** The applications with a live authorization of this user, each once, by name. */
export const listAuthorizedApplications = (
  db: Reader,
  { userId, now, limit }: { userId: string; now: number; limit: number },
): Promise<{ client_id: string; name: string }[]> =>
  db
    .selectFrom('oauth_authorization_codes')
    .innerJoin('oauth_clients', 'oauth_clients.client_id', 'oauth_authorization_codes.client_id')
    .select(['oauth_clients.client_id', 'oauth_clients.name'])
    .distinct()
    .where('oauth_authorization_codes.user_id', '=', userId)
    .where('oauth_authorization_codes.revoked_at', 'is', null)
    .where('oauth_authorization_codes.expires_at', '>', now)
    .where('oauth_authorization_codes.created_at', '<=', latestIssueTime(now))
    .where(clientHonours('oauth_authorization_codes.client_generation'))
    .orderBy('oauth_clients.name')
    .orderBy('oauth_clients.client_id')
    .limit(limit)
    .execute()
