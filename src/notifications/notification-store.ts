import { type Position, toPage } from '../http/cursor.ts'
import type { Db } from '../storage/schema.ts'
import { statement, type Values } from '../storage/statement.ts'
import { type Notification, type NotificationRow, toNotification } from './notification.ts'

const COLUMNS = ['id', 'position', 'type', 'data', 'created_at', 'read_at'] as const

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
    .$if(after !== undefined, (query) => query.where('position', '<', after?.[0] ?? 0))
    .orderBy('position', 'desc')
    .limit(limit + 1)
    .execute()
  return toPage(rows, limit, (row) => [row.position, row.id], toNotification)
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

const after = statement((db, value: Values<{ userId: string; position: number; limit: number }>) =>
  db
    .selectFrom('notifications')
    .select(COLUMNS)
    .where('user_id', '=', value('userId'))
    .where('position', '>', value('position'))
    .orderBy('position')
    .limit(value('limit')),
)

/** What came after a position, oldest first. */
export const listAfter = (db: Db, userId: string, position: number, limit: number): Promise<NotificationRow[]> =>
  after(db, { userId, position, limit })

/** Where a stream begins: after the notification that was seen last if it is this person's own, otherwise at the present. */
export async function findStart(db: Db, userId: string, lastSeenId: string | undefined): Promise<number> {
  if (lastSeenId !== undefined) {
    const seen = await db
      .selectFrom('notifications')
      .select('position')
      .where('id', '=', lastSeenId)
      .where('user_id', '=', userId)
      .executeTakeFirst()
    if (seen) return seen.position
  }
  const user = await db.selectFrom('users').select('last_notification').where('id', '=', userId).executeTakeFirst()
  return user?.last_notification ?? 0
}
