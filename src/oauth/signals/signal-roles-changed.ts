import { sql } from 'kysely'
import { lockUsers } from '../../identity/users/lock-user.ts'
import { newId } from '../../platform/ids.ts'
import { addDeliveries } from '../../platform/outbox/delivery-store.ts'
import type { Services } from '../../platform/services.ts'
import { readTextList } from '../../storage/columns.ts'
import type { Reader, Trx } from '../../storage/database.ts'
import { USER_ROLE } from '../../vocabulary/built-in-roles.ts'
import type { ClaimPlace } from '../claims/claim-mapping.ts'
import { groupsOf, mappedClaims } from '../claims/mapped-claims.ts'
import { hasStreams, type Listener, listListeners, toDelivery } from './tell-streams.ts'

/** The roles of one person have changed. Everybody has the built-in role, and no application is told of it. */
export async function signalRolesChanged(
  trx: Trx,
  { userId, role }: { userId: string; role: { id: string } },
  now: number,
): Promise<void> {
  if (role.id === USER_ROLE || !(await hasStreams(trx))) return
  await tellGroups(trx, [{ userId, txn: newId(), at: now }], now)
}

interface RoleChange {
  userId: string
  txn: string
  at: number
}

async function tellGroups(trx: Trx, changes: RoleChange[], now: number): Promise<void> {
  const listeners = await listListeners(
    trx,
    changes.map(({ userId }) => userId),
  )
  const deliveries = changes.flatMap(({ userId, txn, at }) =>
    listeners
      .filter((listener) => listener.userId === userId)
      .flatMap((listener) => {
        const groups = groupsToldTo(listener)
        if (groups === undefined) return []
        const details = { claims: { groups }, initiating_entity: 'admin' }
        return toDelivery(listener, { name: 'token-claims-change', userId, details }, { txn, now: at }) ?? []
      }),
  )
  await addDeliveries(trx, deliveries, now)
}

/**
 * The claim `groups` as an application is told it: by a mapping of its own, or by the scope. A person has granted that scope, or
 * the administrators have let the application be told about everybody. Undefined where it is told nothing; null where there is no value now.
 */
function groupsToldTo(listener: Listener): unknown {
  const mappedIn = (place: ClaimPlace): { value: unknown } | undefined => {
    const mapped = mappedClaims(listener, place)
    return mapped && 'groups' in mapped ? { value: mapped['groups'] ?? null } : undefined
  }
  const scopes = readTextList(listener.scopes)
  const granted = listener.subjects === 'all' ? scopes : readTextList(listener.granted ?? '[]')
  const byScope = scopes.includes('groups') && granted.includes('groups') ? { value: groupsOf(listener) } : undefined
  return (mappedIn('userinfo') ?? byScope ?? mappedIn('id_token') ?? mappedIn('introspection'))?.value
}

/**
 * Remembers who has a role that is renamed or about to be deleted, as far as a stream may be told of it. There may be very many, so they
 * are told in slices, each with the roles that they have then.
 */
export async function planToSignalHolders(trx: Trx, roleId: string, now: number): Promise<void> {
  if (!(await hasStreams(trx))) return
  await trx
    .insertInto('signal_role_changes')
    .columns(['user_id', 'txn', 'at'])
    .expression((eb) =>
      eb
        .selectFrom('user_roles')
        .select(['user_roles.user_id', sql<string>`${newId()}`.as('txn'), sql<number>`cast(${now} as bigint)`.as('at')])
        .where('user_roles.role_id', '=', roleId)
        .where(
          sql<boolean>`exists (select 1 from signal_streams
            join oauth_clients on oauth_clients.client_id = signal_streams.client_id
            where oauth_clients.reads_roles = 1 and (oauth_clients.signal_subjects = 'all' or exists (
              select 1 from oauth_grants where oauth_grants.client_id = signal_streams.client_id
                and oauth_grants.user_id = user_roles.user_id)))`,
        ),
    )
    .onConflict((conflict) =>
      conflict
        .column('user_id')
        .doUpdateSet({ txn: (eb) => eb.ref('excluded.txn'), at: (eb) => eb.ref('excluded.at') }),
    )
    .execute()
}

const PEOPLE_PER_SLICE = 100

/** Tells the streams about the people whose turn it is. Another replica may do the same: each is told of once. */
export async function signalPlannedHolders(
  { db, now }: Pick<Services, 'db' | 'now'>,
  stop: AbortSignal,
): Promise<void> {
  while (!stop.aborted) {
    const userIds = await listPlanned(db.read, PEOPLE_PER_SLICE)
    if (userIds.length === 0) return
    await db.transaction(async (trx) => {
      await lockUsers(trx, userIds)
      const changes = await takePlanned(trx, userIds)
      if (changes.length > 0) await tellGroups(trx, changes, now())
    })
  }
}

async function listPlanned(db: Reader, limit: number): Promise<string[]> {
  const rows = await db.selectFrom('signal_role_changes').select('user_id').orderBy('user_id').limit(limit).execute()
  return rows.map((row) => row.user_id)
}

const takePlanned = (trx: Trx, userIds: string[]): Promise<RoleChange[]> =>
  trx
    .deleteFrom('signal_role_changes')
    .where('user_id', 'in', userIds)
    .returning(['user_id as userId', 'txn', 'at'])
    .execute()
