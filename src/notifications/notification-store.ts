import { type Position, toPage } from '../http/cursor.ts'
import type { Db } from '../storage/schema.ts'
import { statement, type Values } from '../storage/statement.ts'
import { type Notification, type NotificationRow, toNotification } from './notification.ts'

const COLUMNS = ['id', 'type', 'data', 'created_at', 'read_at'] as const

/** Newest first. */
export async function listNotifications(
  db: Db,
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

const unread = statement((db, value: Values<{ userId: string }>) =>
  db
    .selectFrom('notifications')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('user_id', '=', value('userId'))
    .where('read_at', 'is', null),
)

export const countUnread = async (db: Db, userId: string): Promise<number> =>
  (await unread(db, { userId }))[0]?.count ?? 0

/** Reading again changes nothing: the first time stands. Nothing when this person has none of that id. */
export async function markRead(db: Db, userId: string, id: string, now: number): Promise<Notification | undefined> {
  await db
    .updateTable('notifications')
    .set({ read_at: now })
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .where('read_at', 'is', null)
    .execute()
  const row = await db
    .selectFrom('notifications')
    .select(COLUMNS)
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return row && toNotification(row)
}

export async function markAllRead(db: Db, userId: string, now: number): Promise<void> {
  await db
    .updateTable('notifications')
    .set({ read_at: now })
    .where('user_id', '=', userId)
    .where('read_at', 'is', null)
    .execute()
}

const after = statement((db, value: Values<{ userId: string; lastId: string; limit: number }>) =>
  db
    .selectFrom('notifications')
    .select(COLUMNS)
    .where('user_id', '=', value('userId'))
    .where('id', '>', value('lastId'))
    .orderBy('id')
    .limit(value('limit')),
)

/** What came after another one, oldest first. */
export const listAfter = (db: Db, userId: string, lastId: string, limit: number): Promise<NotificationRow[]> =>
  after(db, { userId, lastId, limit })

/** Where a stream begins: after the notification that was seen last if it is this person's own, otherwise at the present. */
export async function findStart(db: Db, userId: string, lastSeenId: string | undefined): Promise<string> {
  const theirs = db.selectFrom('notifications').where('user_id', '=', userId)
  if (lastSeenId !== undefined) {
    const seen = await theirs.select('id').where('id', '=', lastSeenId).executeTakeFirst()
    if (seen) return seen.id
  }
  const newest = await theirs.select((eb) => eb.fn.max('id').as('id')).executeTakeFirst()
  return newest?.id ?? ''
}
