import { setImmediate } from 'node:timers/promises'
import type { Selectable, Insertable } from 'kysely'
import { Type } from 'typebox'
import { Nullable, OpenEnum, Time } from '../../platform/http/contracts.ts'
import { toPage, type Position } from '../../platform/http/cursor.ts'
import type { Reader, Trx } from '../../storage/database.ts'
import type { Schema } from '../../storage/schema.ts'
import { readStatement, writeStatement, type Values } from '../../storage/statement.ts'
import { isSecurityEvent, NOTIFICATION_TYPES, type SecurityEventType } from '../../vocabulary/notification-types.ts'

export const Notification = Type.Object(
  {
    id: Type.String(),
    type: OpenEnum('NotificationType', NOTIFICATION_TYPES),
    data: Type.Record(Type.String(), Type.Unknown(), {
      description:
        'Details; the shape depends on the type. `user.*` has `userId`, `email`, `displayName`, `actorId`; `lifecycle.failed` has `lifecycleActionId`, `action` and `reason` besides, and `lifecycle.planner_disabled` has `pending`, the number of actions that this user had planned; `mail.failed` has `recipient`, `subject` and `reason`; `receiver.failing` has `kind`, `id`, `name`, `since`, `error` and `turnedOff`; `user.not_me` has `about`, the type of the notification that this user disowned. `undoneAt` is there when the user has said: this was not me.',
    }),
    createdAt: Time,
    readAt: Nullable(Time),
    read: Type.Boolean(),
    undoneAt: Type.Optional(Time),
  },
  { title: 'Notification' },
)
export type Notification = Type.Static<typeof Notification>

export type NotificationRow = Omit<Selectable<Schema['notifications']>, 'user_id' | 'password_number'>

export const toNotification = (row: NotificationRow): Notification => ({
  id: row.id,
  type: row.type,
  data: JSON.parse(row.data) as Record<string, unknown>,
  createdAt: row.created_at,
  readAt: row.read_at,
  read: row.read_at !== null,
  ...(row.undone_at === null ? {} : { undoneAt: row.undone_at }),
})

const COLUMNS = ['id', 'type', 'data', 'created_at', 'read_at', 'undone_at'] as const

export type StoredNotification = Omit<Required<Insertable<Schema['notifications']>>, 'undone_at'>

const addOne = writeStatement((db, value: Values<StoredNotification>) =>
  db.insertInto('notifications').values({
    id: value('id'),
    user_id: value('user_id'),
    type: value('type'),
    data: value('data'),
    created_at: value('created_at'),
    read_at: value('read_at'),
    password_number: value('password_number'),
  }),
)

export const addNotification = (trx: Trx, row: StoredNotification): void => addOne.next(trx, row)

export async function addNotifications(trx: Trx, rows: StoredNotification[]): Promise<void> {
  await trx.insertInto('notifications').values(rows).execute()
}

const newest = readStatement((db, value: Values<{ userId: string }>) =>
  db
    .selectFrom('notifications')
    .select((eb) => eb.fn.max<string | null>('id').as('id'))
    .where('user_id', '=', value('userId')),
)

export async function findNewestId(db: Reader, userId: string): Promise<string | undefined> {
  const [row] = await newest(db, { userId })
  return row?.id ?? undefined
}

/** For each of these users that exists; null for one without notifications. */
export const listNewestIds = (db: Reader, userIds: string[]): Promise<{ userId: string; newestId: string | null }[]> =>
  db
    .selectFrom('users')
    .select('users.id as userId')
    .select((eb) =>
      eb
        .selectFrom('notifications')
        .select((of) => of.fn.max('notifications.id').as('last'))
        .whereRef('notifications.user_id', '=', 'users.id')
        .as('newestId'),
    )
    .where('users.id', 'in', userIds)
    .execute()

/** Newest first. */
export async function listNotifications(
  db: Reader,
  userId: string,
  { limit, after, unread }: { limit: number; after: Position | undefined; unread: boolean },
) {
  const rows = await db
    .selectFrom('notifications')
    .select(COLUMNS)
    .where('user_id', '=', userId)
    .$if(unread, (query) => query.where('read_at', 'is', null))
    .$if(after !== undefined, (query) => query.where('id', '<', after?.[1] ?? ''))
    .orderBy('id', 'desc')
    .limit(limit + 1)
    .execute()
  return toPage(rows, limit, (row) => [0, row.id], toNotification)
}

/** Rows that one statement examines: on SQLite other reads wait for it, and a person may have any number. */
const WINDOW = 10_000

const nextWindow = readStatement((db, value: Values<{ userId: string; above: string }>) =>
  db
    .selectFrom((eb) =>
      eb
        .selectFrom('notifications')
        .select('id')
        .where('user_id', '=', value('userId'))
        .where('read_at', 'is', null)
        .where('id', '>', value('above'))
        .orderBy('id')
        .limit(WINDOW)
        .as('window'),
    )
    .select((eb) => [eb.fn.countAll<number>().as('unread'), eb.fn.max('id').as('last')]),
)

interface Window {
  unread: number
  /** The ids greater than `above`, up to and including `last`. */
  above: string
  last: string
}

/** All that a person has not read, oldest first, a window at a time. Other requests run between two windows. */
export async function* eachWindow(db: Reader, userId: string): AsyncGenerator<Window> {
  for (let above = ''; ;) {
    const [found] = await nextWindow(db, { userId, above })
    if (!found || found.last === null) return
    yield { unread: found.unread, above, last: found.last }
    if (found.unread < WINDOW) return
    above = found.last
    await setImmediate()
  }
}

export async function countUnread(db: Reader, userId: string): Promise<number> {
  let count = 0
  for await (const { unread } of eachWindow(db, userId)) count += unread
  return count
}

/** Marking again changes nothing: the first time is kept. Undefined when this person has none of that id. */
export async function markRead(trx: Trx, userId: string, id: string, now: number): Promise<Notification | undefined> {
  await trx
    .updateTable('notifications')
    .set({ read_at: now })
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .where('read_at', 'is', null)
    .execute()
  const row = await trx
    .selectFrom('notifications')
    .select(COLUMNS)
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return row && toNotification(row)
}

/** A notification of the security of an account, with what undoing it needs. */
export interface SecurityNotification {
  id: string
  type: SecurityEventType
  data: Record<string, unknown>
  createdAt: number
  undoneAt: number | null
  /** Which password the account had then. */
  passwordNumber: number
}

/** Undefined when this person has none of that id; null when it is about something else. */
export async function findSecurityNotification(
  db: Reader,
  userId: string,
  id: string,
): Promise<SecurityNotification | null | undefined> {
  const row = await db
    .selectFrom('notifications')
    .select(['id', 'type', 'data', 'created_at', 'undone_at', 'password_number'])
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .executeTakeFirst()
  if (!row) return undefined
  const { type } = row
  if (!isSecurityEvent(type)) return null
  return {
    id: row.id,
    type,
    data: JSON.parse(row.data) as Record<string, unknown>,
    createdAt: row.created_at,
    undoneAt: row.undone_at,
    passwordNumber: row.password_number,
  }
}

/** Its person has said that somebody else did it. The first time is kept. */
export async function markUndone(trx: Trx, userId: string, id: string, at: number): Promise<void> {
  await trx
    .updateTable('notifications')
    .set({ undone_at: at })
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .where('undone_at', 'is', null)
    .execute()
}

interface Slice extends Pick<Window, 'above' | 'last'> {
  limit: number
  now: number
}

/** Marks the first unread ones of a window, and returns their ids. */
export async function markNextRead(trx: Trx, userId: string, { above, last, limit, now }: Slice): Promise<string[]> {
  const rows = await trx
    .updateTable('notifications')
    .set({ read_at: now })
    .where('user_id', '=', userId)
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('notifications')
        .select('id')
        .where('user_id', '=', userId)
        .where('id', '>', above)
        .where('id', '<=', last)
        .where('read_at', 'is', null)
        .orderBy('id')
        .limit(limit),
    )
    .returning('id')
    .execute()
  return rows.map(({ id }) => id)
}

const laterThan = readStatement((db, value: Values<{ userId: string; lastId: string; limit: number }>) =>
  db
    .selectFrom('notifications')
    .select(COLUMNS)
    .where('user_id', '=', value('userId'))
    .where('id', '>', value('lastId'))
    .orderBy('id')
    .limit(value('limit')),
)

/** The notifications after that one, oldest first. */
export const listAfter = (db: Reader, userId: string, lastId: string, limit: number): Promise<NotificationRow[]> =>
  laterThan(db, { userId, lastId, limit })

/**
 * The notification that a stream starts after: the one that was seen last, if it is this user's own, otherwise the newest.
 * Undefined when the user has none.
 */
export async function findStreamStart(
  db: Reader,
  userId: string,
  lastSeenId: string | undefined,
): Promise<string | undefined> {
  if (lastSeenId !== undefined) {
    const seen = await db
      .selectFrom('notifications')
      .select('id')
      .where('user_id', '=', userId)
      .where('id', '=', lastSeenId)
      .executeTakeFirst()
    if (seen) return seen.id
  }
  return findNewestId(db, userId)
}
