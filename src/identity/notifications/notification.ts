import type { Selectable } from 'kysely'
import { Type } from 'typebox'
import { Nullable, OpenEnum, Time } from '../../platform/http/contracts.ts'
import type { Schema } from '../../storage/schema.ts'
import { NOTIFICATION_TYPES } from '../../vocabulary/notification-types.ts'

export const Notification = Type.Object(
  {
    id: Type.String(),
    type: OpenEnum('NotificationType', NOTIFICATION_TYPES),
    data: Type.Record(Type.String(), Type.Unknown(), {
      description:
        'Details; the shape depends on the type. `user.*` has `userId`, `email`, `displayName`, `actorId`; `lifecycle.failed` has `lifecycleActionId`, `action` and `reason` besides, and `lifecycle.planner_disabled` has `pending`, the number of actions that this user had planned; `mail.failed` has `recipient`, `subject` and `reason`.',
    }),
    createdAt: Time,
    readAt: Nullable(Time),
    read: Type.Boolean(),
  },
  { title: 'Notification' },
)
export type Notification = Type.Static<typeof Notification>

export type NotificationRow = Omit<Selectable<Schema['notifications']>, 'user_id'>

export const toNotification = (row: NotificationRow): Notification => ({
  id: row.id,
  type: row.type,
  data: JSON.parse(row.data) as Record<string, unknown>,
  createdAt: row.created_at,
  readAt: row.read_at,
  read: row.read_at !== null,
})
