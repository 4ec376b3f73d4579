import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Reader } from '../../storage/database.ts'
import { isMore, ROLE_DEMANDS, type RoleDemand } from '../../vocabulary/role-demands.ts'
import { acrOf, type Proof, type SignInMethod } from '../../vocabulary/sign-in-methods.ts'
import type { PlannedDemand } from './role.ts'

/** For how long after a demand somebody may set up what it asks for from a sign-in that has less. */
const SET_UP_MS = 7 * 24 * 3_600_000

/**
 * How much the roles of the user demand, as a number of `ROLE_DEMANDS`; null for nothing. For a query with `users`. The roles that demand
 * anything are looked through first, by an index of their own: mostly there are none.
 */
const demandOf = sql<number | null>`(
  select max(case roles.requires when 'passkey' then 2 else 1 end)
  from roles cross join user_roles
  where roles.requires <> 'none' and user_roles.role_id = roles.id and user_roles.user_id = users.id)`

const strengthOf = (verified: string, isStrong: RawBuilder<SqlBool>) =>
  sql<number>`case when ${sql.ref(verified)} = 1 then 2 when ${isStrong} then 1 else 0 end`

const sessionStrength = strengthOf(
  'sessions.verified',
  sql<SqlBool>`sessions.method = 'passkey' or sessions.amr like '%otp%'`,
)

/** Decides whether a session is as strong as the roles of its owner demand. For a query with `users` and `sessions`. */
export const sessionMeetsDemand = sql<SqlBool>`(coalesce(${demandOf}, 0) <= ${sessionStrength})`

/** The same for what an application was given in such a session. For a query with `users` and `codes`. */
export const authorizationMeetsDemand = sql<SqlBool>`(coalesce(${demandOf}, 0) <= ${strengthOf(
  'codes.verified',
  sql<SqlBool>`codes.acr in ('2', 'phr')`,
)})`

/** The same for a visitor of a site: by the session, or by an app password, which is as strong as the session that made it. */
export const visitMeetsDemand = sql<SqlBool>`(coalesce(${demandOf}, 0) <=
  case when app_passwords.id is null then ${sessionStrength} else app_passwords.strength end)`

/** How a session was proved. */
export interface Proven {
  method: SignInMethod
  amr: readonly string[]
  /** By a passkey that verified its user. */
  verified: boolean
}

/** The strength of a session as a number of `ROLE_DEMANDS`. */
export const strengthOfSession = (proven: Proven): number => (proven.verified ? 2 : acrOf(proven) === '1' ? 0 : 1)

/** What somebody has to do whose sign-in is less than a role of theirs demands. */
export interface Lacking {
  demand: RoleDemand
  /** With what they can prove it; empty where they have to set it up first. */
  means: Proof[]
  /** Until when they may set it up from such a sign-in. */
  setUpUntil: number
}

/** Undefined when no role of theirs demands anything. */
export async function findLacking(db: Reader, userId: string): Promise<Lacking | undefined> {
  const roles = await db
    .selectFrom('user_roles')
    .innerJoin('roles', 'roles.id', 'user_roles.role_id')
    .innerJoin('users', 'users.id', 'user_roles.user_id')
    .where('user_roles.user_id', '=', userId)
    .where('roles.requires', '!=', 'none')
    .select(['roles.requires', 'roles.requires_since', 'user_roles.assigned_at', 'users.created_at'])
    .execute()
  const demand = ROLE_DEMANDS.findLast((each) => roles.some(({ requires }) => requires === each)) ?? 'none'
  if (demand === 'none') return undefined
  // The earliest of those that demand the same: giving somebody another role does not begin the days anew.
  const since = Math.min(
    ...roles
      .filter(({ requires }) => requires === demand)
      .map((role) => Math.max(role.requires_since, role.assigned_at, role.created_at)),
  )
  return { demand, means: await listMeans(db, userId, demand), setUpUntil: since + SET_UP_MS }
}

/** What the roles of somebody demand now, and the first thing more that is planned. */
export async function findDemands(
  db: Reader,
  userId: string,
): Promise<{ requires: RoleDemand; requiresNext: PlannedDemand | null }> {
  const rows = await db
    .selectFrom('user_roles')
    .innerJoin('roles', 'roles.id', 'user_roles.role_id')
    .where('user_roles.user_id', '=', userId)
    .select(['roles.requires', 'roles.requires_next', 'roles.requires_from'])
    .execute()
  const requires = ROLE_DEMANDS.findLast((each) => rows.some((row) => row.requires === each)) ?? 'none'
  const [next] = rows
    .flatMap(({ requires_next: more, requires_from: from }) =>
      more !== null && from !== null && isMore(more, requires) ? [{ requires: more, from }] : [],
    )
    .toSorted((one, other) => one.from - other.from)
  return { requires, requiresNext: next ?? null }
}

/** With what somebody can meet a demand. A passkey of which it is not noted whether it verifies its user may do so. */
async function listMeans(db: Reader, userId: string, demand: RoleDemand): Promise<Proof[]> {
  const passkeys = await db.selectFrom('passkeys').select('verifies').where('user_id', '=', userId).execute()
  const user = await db
    .selectFrom('users')
    .select(['totp_since', 'password_hash'])
    .where('id', '=', userId)
    .executeTakeFirst()
  const hasApp = user !== undefined && user.totp_since !== null && user.password_hash !== null
  const isEnough = (verifies: number | null) => demand === 'second_step' || verifies !== 0
  return [
    ...(passkeys.some(({ verifies }) => isEnough(verifies)) ? (['passkey'] as const) : []),
    ...(hasApp && demand === 'second_step' ? (['second_step'] as const) : []),
  ]
}
