import { sql } from 'kysely'
import { atField, refuse } from '../../errors.ts'
import { accountExists, mayAct } from '../../identity/users/account-state.ts'
import { userErrors } from '../../identity/users/user-errors.ts'
import { readTextList } from '../../storage/columns.ts'
import type { Reader } from '../../storage/database.ts'
import { PERSON_COLUMNS, mappedClaims } from '../claims/mapped-claims.ts'
import { CLAIM_COLUMNS, userClaims } from '../claims/user-claims.ts'
import { mayUseClient } from '../clients/allowed-role-store.ts'
import { clientExists, readClient } from '../clients/client-store.ts'
import { refuseUnknownClient } from '../clients/client.ts'
import { includesAll } from '../protocol/scope.ts'
import type { Provider } from '../provider.ts'
import { idTokenClaims } from '../tokens/id-token.ts'
import { administrationErrors } from './administration-errors.ts'

export interface Preview {
  allowed: boolean
  consent: 'granted' | 'asked' | 'skipped'
  idToken: { header: Record<string, unknown>; claims: Record<string, unknown> } | null
  userinfo: Record<string, unknown> | null
  introspection: Record<string, unknown>
}

/**
 * What an application would be told about a person who signs in now, made by the same functions that make the real tokens.
 * Nothing is issued or stored. Times, nonce, hashes and how the person signed in are left out, because they differ from sign-in to sign-in.
 */
export async function previewSignIn(
  { db, config }: Pick<Provider, 'db' | 'config'>,
  { clientId, userId, scopes }: { clientId: string; userId: string; scopes: string[] | undefined },
): Promise<Preview> {
  const client = (await readClient(db.read, clientId)) ?? refuseUnknownClient()
  if (client.clientType === 'proxied') refuseUnknownClient()
  const found = (await findPreview(db.read, clientId, userId)) ?? refuse(userErrors.no_such_user())
  const asked = scopes ?? client.scopes
  if (!includesAll(client.scopes, asked)) throw atField('scopes', administrationErrors.scopes_not_of_application())
  const { baseUrl } = config
  const scope = asked.join(' ')
  const row = { ...found, userId, claims: null }
  const isOpenId = asked.includes('openid')
  const granted = found.granted === null ? [] : readTextList(found.granted)
  const allowed = !client.disabled && Boolean(found.mayUse) && mayAct({ disabledAt: found.disabled_at })
  const common = { iss: baseUrl, sub: userId, aud: clientId }
  const claims = userClaims(row, { userId, scope, named: [], baseUrl })
  return {
    allowed,
    consent: includesAll(granted, asked) ? 'granted' : client.consent === 'skip' ? 'skipped' : 'asked',
    idToken: isOpenId
      ? {
          header: { alg: client.id_token_signed_response_alg, typ: 'JWT' },
          claims: { ...idTokenClaims(row, client, scope, baseUrl), ...common },
        }
      : null,
    userinfo: isOpenId ? { ...claims, ...mappedClaims(row, 'userinfo'), sub: userId } : null,
    introspection: allowed
      ? {
          ...(client.introspectionClaims ? claims : undefined),
          ...mappedClaims(row, 'introspection'),
          active: true,
          scope,
          client_id: clientId,
          username: found.preferred_username,
          token_type: 'Bearer',
          ...common,
        }
      : { active: false },
  }
}

/** What claims of a client about a user are made of, and whether the user may use it. Undefined if one of them is missing. */
const findPreview = (db: Reader, clientId: string, userId: string) =>
  db
    .selectFrom('oauth_clients')
    .innerJoin('users', (join) => join.on('users.id', '=', userId))
    .leftJoin('oauth_grants', (join) =>
      join
        .onRef('oauth_grants.client_id', '=', 'oauth_clients.client_id')
        .onRef('oauth_grants.user_id', '=', 'users.id'),
    )
    .where('oauth_clients.client_id', '=', clientId)
    .where(clientExists)
    .where(accountExists)
    .select(['users.disabled_at', 'oauth_grants.scopes as granted'])
    .select(mayUseClient(sql.ref('users.id')).as('mayUse'))
    .select(CLAIM_COLUMNS)
    .select(PERSON_COLUMNS)
    .executeTakeFirst()
