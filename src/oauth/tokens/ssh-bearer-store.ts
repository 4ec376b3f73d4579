import { authorizationMeetsDemand } from '../../identity/roles/role-demands.ts'
import { userHolds } from '../../identity/roles/role-store.ts'
import type { TokenBearer } from '../../identity/sessions/session.ts'
import { accountMayAct } from '../../identity/users/account-state.ts'
import type { RowLock } from '../../identity/users/lock-user.ts'
import type { Reader, Trx } from '../../storage/database.ts'
import { type Values, readStatement, writeStatement } from '../../storage/statement.ts'
import type { Permission } from '../../vocabulary/permissions.ts'
import { familyEnd, latestIssueTime } from '../authorizations/lifetimes.ts'
import { clientHonours } from '../clients/client-store.ts'
import { SSH_CLIENT_ID, SSH_SCOPE } from '../clients/client.ts'
import { hasScope } from '../protocol/scope.ts'
import { liveAccessTokens } from './token-store.ts'

interface Lookup {
  hash: string
  permission: string
  now: number
  latestIssue: number
}

const byToken = readStatement((db, value: Values<Lookup>) =>
  liveAccessTokens(db, value('now'), value('latestIssue'))
    .where('tokens.token_hash', '=', value('hash'))
    .where('tokens.client_id', '=', SSH_CLIENT_ID)
    .select(['tokens.scope', 'tokens.code_hash', 'codes.created_at'])
    .select(['users.id', 'users.email', 'users.preferred_username'])
    .select((eb) => userHolds(value('permission'))(eb).as('permitted')),
)

/** Who holds a live token of the built-in client with the scope `ssh`. Tokens of other clients open nothing here. */
export async function findSshBearer(
  db: Reader,
  { hash, permission, now }: { hash: string; permission: Permission; now: number },
): Promise<(TokenBearer & { isPermitted: boolean }) | undefined> {
  const [row] = await byToken(db, { hash, permission, now, latestIssue: latestIssueTime(now) })
  if (!row || !hasScope(row.scope, SSH_SCOPE)) return undefined
  const { id, email, preferred_username: preferredUsername, code_hash: authorizationHash, created_at: at } = row
  // A token of client credentials has no user; this client gets none.
  if (id === null || email === null || preferredUsername === null || authorizationHash === null || at === null)
    return undefined
  return {
    user: { id, email, preferredUsername },
    permission,
    isPermitted: Boolean(row.permitted),
    token: {
      authorizationHash,
      authorizedUntil: familyEnd(at, SSH_CLIENT_ID),
      lock: (trx, at, lock) => lockToken(trx, { hash, userId: id, now: at, lock }),
    },
  }
}

const locking = (lock: RowLock) =>
  writeStatement((db, value: Values<{ hash: string; userId: string; now: number }>) => {
    const query = db
      .selectFrom('users')
      .innerJoin('oauth_authorization_codes as codes', 'codes.user_id', 'users.id')
      .innerJoin('oauth_access_tokens as tokens', 'tokens.code_hash', 'codes.code_hash')
      .innerJoin('oauth_clients', 'oauth_clients.client_id', 'tokens.client_id')
      .select('users.id')
      .where('users.id', '=', value('userId'))
      .where('tokens.token_hash', '=', value('hash'))
      .where('tokens.expires_at', '>', value('now'))
      .where('codes.revoked_at', 'is', null)
      .where(accountMayAct)
      .where(authorizationMeetsDemand)
      .where(clientHonours('tokens.client_generation'))
    return (lock === 'shared' ? query.forShare('users') : query.forNoKeyUpdate('users'))
      .forShare('codes')
      .forShare('oauth_clients')
  })
const lockingBy = { shared: locking('shared'), exclusive: locking('exclusive') }

/** Account before authorization before client, as everywhere. */
const lockToken = async (
  trx: Trx,
  { lock, ...token }: { hash: string; userId: string; now: number; lock: RowLock },
): Promise<boolean> => (await lockingBy[lock](trx, token)).length > 0
