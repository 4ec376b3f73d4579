import type { ExpressionBuilder, Insertable, Selectable } from 'kysely'
import { MAX_CLOCK_SKEW_MS } from '../../storage/columns.ts'
import type { Reader, Trx } from '../../storage/database.ts'
import type { Schema } from '../../storage/schema.ts'
import { readStatement, writeStatement, type Values } from '../../storage/statement.ts'
import type { Permission } from '../../vocabulary/permissions.ts'
import { sessionMeetsDemand } from '../roles/role-demands.ts'
import { userHolds } from '../roles/role-store.ts'
import { accountMayAct } from '../users/account-state.ts'
import type { RowLock } from '../users/lock-user.ts'
import { packedPermissions, packedRoles, toUser, unpackPermissions, USER_COLUMNS } from '../users/user-store.ts'
import { freshUntil } from './fresh.ts'
import { IDLE_MS, PASSKEY_OFFER_MS, type Session, type SignedIn, type SignedInAccount } from './session.ts'

type SessionRow = Selectable<Schema['sessions']>

interface Live {
  hash: string
  now: number
  idleSince: number
}

/** Decides whether a session is live; nothing else does: it has not expired, and is remembered or was used recently. */
export const sessionLives =
  (now: number, idleSince: number = now - IDLE_MS) =>
  (eb: ExpressionBuilder<Schema, 'sessions'>) =>
    eb.and([
      eb('sessions.expires_at', '>', now),
      eb.or([eb('sessions.remembered', '=', 1), eb('sessions.last_used_at', '>', idleSince)]),
    ])

/** The session with this token and its account, if the session is live and the account may act. */
const live = (db: Reader, value: Values<Live>) =>
  db
    .selectFrom('sessions')
    .innerJoin('users', 'users.id', 'sessions.user_id')
    .where('sessions.token_hash', '=', value('hash'))
    .where(sessionLives(value('now'), value('idleSince')))
    .where(accountMayAct)

const byToken = readStatement((db, value: Values<Live & { permission: string }>) =>
  live(db, value as Values<Live>)
    .select(['users.id', 'users.email', 'users.preferred_username'])
    .select(['sessions.id as session_id', 'sessions.method', 'sessions.amr'])
    .select(['sessions.created_at', 'sessions.last_used_at', 'sessions.proved_at', 'sessions.verified'])
    .select(sessionMeetsDemand.as('meets_demand'))
    .select((eb) => userHolds(value('permission'))(eb).as('permitted')),
)

/** The session with this token, and whether a role of its owner has the permission. One query. */
export async function findSignedIn(
  db: Reader,
  hash: string,
  now: number,
  permission: Permission | null = null,
): Promise<(SignedIn & { isPermitted: boolean }) | undefined> {
  const [row] = await byToken(db, { hash, permission: permission ?? '', now, idleSince: now - IDLE_MS })
  if (!row) return undefined
  return {
    user: { id: row.id, email: row.email, preferredUsername: row.preferred_username },
    session: {
      id: row.session_id,
      createdAt: row.created_at,
      lastUsedAt: row.last_used_at,
      ...provenOf(row.created_at, row.proved_at),
    },
    method: row.method,
    amr: row.amr.split(' '),
    verified: row.verified === 1,
    fallsShort: !row.meets_demand,
    permission,
    // SQLite's truth values are numbers.
    isPermitted: Boolean(row.permitted),
  }
}

const accountByToken = readStatement((db, value: Values<Live>) =>
  live(db, value)
    .select(USER_COLUMNS)
    .select([packedRoles.as('roles'), packedPermissions.as('permissions')])
    .select([
      'sessions.id as session_id',
      'sessions.method',
      'sessions.amr',
      'sessions.ip_address',
      'sessions.country',
      'sessions.city',
      'sessions.region',
      'sessions.user_agent',
      'sessions.created_at as session_created_at',
      'sessions.last_used_at',
      'sessions.expires_at',
      'sessions.proved_at',
      'sessions.verified',
      sessionMeetsDemand.as('meets_demand'),
    ]),
)

/** The same with the whole account. */
export async function findSignedInAccount(db: Reader, hash: string, now: number): Promise<SignedInAccount | undefined> {
  const [row] = await accountByToken(db, { hash, now, idleSince: now - IDLE_MS })
  if (!row) return undefined
  return {
    user: toUser(row),
    session: {
      ...toSession(row.session_id, row.session_created_at, row, row.session_id),
      ...provenOf(row.session_created_at, row.proved_at),
      freshUntil: freshUntil(row.proved_at, now),
    },
    permissions: unpackPermissions(row.permissions),
    method: row.method,
    amr: row.amr.split(' '),
    verified: row.verified === 1,
    fallsShort: !row.meets_demand,
    permission: null,
  }
}

const provenOf = (createdAt: number, provedAt: number | null) => ({ provedAt, authTime: provedAt ?? createdAt })

const locking = (lock: RowLock) =>
  writeStatement((db, value: Values<{ id: string; userId: string; now: number; idleSince: number }>) => {
    const query = db
      .selectFrom('users')
      .innerJoin('sessions', 'sessions.user_id', 'users.id')
      .select(sessionMeetsDemand.as('meetsDemand'))
      .where('users.id', '=', value('userId'))
      .where('sessions.id', '=', value('id'))
      .where(sessionLives(value('now'), value('idleSince')))
      .where(accountMayAct)
    return (lock === 'shared' ? query.forShare('users') : query.forNoKeyUpdate('users')).forShare('sessions')
  })
const lockingBy = { shared: locking('shared'), exclusive: locking('exclusive') }

/**
 * The session, if it is live and its account may act, and whether it is as strong as the roles of its owner demand. The first two stay so until
 * the transaction ends: ending the session or disabling the account waits for that. The account is locked before the session, as everywhere.
 */
export const lockSession = async (
  trx: Trx,
  { id, userId, now, lock }: { id: string; userId: string; now: number; lock: RowLock },
): Promise<{ meetsDemand: boolean } | undefined> => {
  const [row] = await lockingBy[lock](trx, { id, userId, now, idleSince: now - IDLE_MS })
  return row && { meetsDemand: Boolean(row.meetsDemand) }
}

type SessionDetails = Pick<
  SessionRow,
  'ip_address' | 'country' | 'city' | 'region' | 'user_agent' | 'last_used_at' | 'expires_at'
>

const toSession = (id: string, createdAt: number, row: SessionDetails, currentId: string): Session => ({
  id,
  ipAddress: row.ip_address,
  geolocation: { country: row.country, city: row.city, region: row.region },
  userAgent: row.user_agent,
  createdAt,
  lastUsedAt: row.last_used_at,
  expiresAt: row.expires_at,
  current: id === currentId,
})

type NewSession = Required<Omit<Insertable<Schema['sessions']>, 'set_up_until' | 'set_up_replaces'>>

const insertSession = writeStatement((db, value: Values<NewSession>) =>
  db.insertInto('sessions').values({
    token_hash: value('token_hash'),
    id: value('id'),
    user_id: value('user_id'),
    method: value('method'),
    amr: value('amr'),
    remembered: value('remembered'),
    ip_address: value('ip_address'),
    country: value('country'),
    city: value('city'),
    region: value('region'),
    user_agent: value('user_agent'),
    created_at: value('created_at'),
    last_used_at: value('last_used_at'),
    expires_at: value('expires_at'),
    proved_at: value('proved_at'),
    offers_passkey: value('offers_passkey'),
    verified: value('verified'),
    set_up_until: null,
    set_up_replaces: 0,
  }),
)

export const addSession = (trx: Trx, session: NewSession): void => insertSession.next(trx, session)

/** What a proof changes in a session. */
export type ProvenSession = Pick<SessionRow, 'method' | 'amr' | 'proved_at' | 'verified'>

export const readProven = (trx: Trx, id: string): Promise<ProvenSession | undefined> =>
  trx.selectFrom('sessions').select(['method', 'amr', 'proved_at', 'verified']).where('id', '=', id).executeTakeFirst()

export async function updateProven(trx: Trx, id: string, proven: ProvenSession): Promise<void> {
  await trx.updateTable('sessions').set(proven).where('id', '=', id).execute()
}

/**
 * Whether the browser may still make a passkey by itself after the sign-in of a session. A time in the future was written under a wrong
 * clock.
 */
const offersPasskey = (now: number) => (eb: ExpressionBuilder<Schema, 'sessions'>) =>
  eb.and([
    eb('sessions.offers_passkey', '=', 1),
    eb('sessions.created_at', '>', now - PASSKEY_OFFER_MS),
    eb('sessions.created_at', '<=', now + MAX_CLOCK_SKEW_MS),
  ])

export const hasPasskeyOffer = async (db: Reader, id: string, now: number): Promise<boolean> =>
  (await db.selectFrom('sessions').select('id').where('id', '=', id).where(offersPasskey(now)).execute()).length > 0

/** Uses up the one passkey that the browser may make by itself after a sign-in. Returns until when it may. */
export async function consumePasskeyOffer(trx: Trx, id: string, now: number): Promise<number | undefined> {
  const row = await trx
    .updateTable('sessions')
    .set({ offers_passkey: 0 })
    .where('id', '=', id)
    .where(offersPasskey(now))
    .returning('created_at')
    .executeTakeFirst()
  return row && row.created_at + PASSKEY_OFFER_MS
}

/** Until when what a role demands may be set up in a session, by a link that was opened there. */
export interface SetUpRight {
  until: number
  /** Also in place of what was lost. */
  replaces: boolean
}

export async function findSetUpRight(db: Reader, id: string): Promise<SetUpRight | undefined> {
  const row = await db
    .selectFrom('sessions')
    .select(['set_up_until', 'set_up_replaces'])
    .where('id', '=', id)
    .executeTakeFirst()
  return row?.set_up_until ? { until: row.set_up_until, replaces: row.set_up_replaces === 1 } : undefined
}

export async function updateSetUpRight(trx: Trx, id: string, right: SetUpRight | null): Promise<void> {
  const columns = { set_up_until: right?.until ?? null, set_up_replaces: right?.replaces ? 1 : 0 }
  await trx.updateTable('sessions').set(columns).where('id', '=', id).execute()
}

export async function markUsed(trx: Trx, id: string, now: number): Promise<void> {
  await trx.updateTable('sessions').set({ last_used_at: now }).where('id', '=', id).execute()
}

/** Live ones, most recently used first. */
export async function listSessions(db: Reader, userId: string, currentId: string, now: number): Promise<Session[]> {
  const rows = await db
    .selectFrom('sessions')
    .selectAll()
    .where('user_id', '=', userId)
    .where(sessionLives(now))
    .orderBy('last_used_at', 'desc')
    .orderBy('id')
    .execute()
  return rows.map((row) => toSession(row.id, row.created_at, row, currentId))
}

/** Where a session that has ended was used. */
export interface EndedSession {
  ipAddress: string
  userAgent: string | null
}

/** Deletes one session of that user. Undefined when there is none of that id. */
export const deleteSession = (trx: Trx, userId: string, id: string): Promise<EndedSession | undefined> =>
  trx
    .deleteFrom('sessions')
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .returning(['ip_address as ipAddress', 'user_agent as userAgent'])
    .executeTakeFirst()

/** Deletes every session of the user but the one to keep, and returns the ids of the deleted ones. */
export async function deleteSessions(trx: Trx, userId: string, keepId?: string): Promise<string[]> {
  const rows = await trx
    .deleteFrom('sessions')
    .where('user_id', '=', userId)
    .$if(keepId !== undefined, (query) => query.where('id', '!=', keepId ?? ''))
    .returning('id')
    .execute()
  return rows.map(({ id }) => id)
}

/** Deletes every session of these users, and returns the user of each and whether it was live until now. */
export async function deleteSessionsOfUsers(
  trx: Trx,
  userIds: string[],
  now: number,
): Promise<{ userId: string; lived: boolean }[]> {
  const rows = await trx
    .deleteFrom('sessions')
    .where('user_id', 'in', userIds)
    .returning('user_id')
    .returning((eb) => sessionLives(now)(eb).as('lived'))
    .execute()
  // SQLite's truth values are numbers.
  return rows.map(({ user_id, lived }) => ({ userId: user_id, lived: Boolean(lived) }))
}

/** Ids in one statement. A fixed number makes it one prepared statement. */
const IDS_PER_STATEMENT = 100
const SLOTS = Array.from({ length: IDS_PER_STATEMENT }, (_, index) => `id${index}`)

const liveAmong = readStatement<Record<string, string | number>, { id: string }>((db, value) =>
  db
    .selectFrom('sessions')
    .innerJoin('users', 'users.id', 'sessions.user_id')
    .select('sessions.id')
    .where(
      'sessions.id',
      'in',
      SLOTS.map((slot) => value(slot) as string),
    )
    .where(sessionLives(value('now') as number, value('idleSince') as number))
    .where(accountMayAct),
)

/** Those of these sessions that are live and whose account may act. */
export async function listLiveSessions(db: Reader, ids: string[], now: number): Promise<Set<string>> {
  const found = new Set<string>()
  for (let from = 0; from < ids.length; from += IDS_PER_STATEMENT) {
    const slots = SLOTS.map((slot, index) => [slot, ids[from + index] ?? ''] as const)
    const rows = await liveAmong(db, { ...Object.fromEntries(slots), now, idleSince: now - IDLE_MS })
    for (const { id } of rows) found.add(id)
  }
  return found
}
