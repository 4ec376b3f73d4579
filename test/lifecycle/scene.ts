import { newId } from '../../src/ids.ts'
import type { LifecycleAction } from '../../src/lifecycle/lifecycle-action.ts'
import type { Notification } from '../../src/notifications/notification.ts'
import type { TestApp } from '../support/app.ts'
import type { Person } from '../support/people.ts'

export const lifecycleOf = (userId: string): string => `/api/admin/users/${userId}/lifecycle`

export const actionsOf = async (admin: Person, userId: string): Promise<LifecycleAction[]> =>
  (await admin.get(lifecycleOf(userId))).json<{ actions: LifecycleAction[] }>().actions

/** What somebody was told about a user, oldest first. */
export async function toldAbout(person: Person, userId: string): Promise<string[]> {
  const response = await person.get('/api/notifications?limit=200')
  const { notifications } = response.json<{ notifications: Notification[] }>()
  return notifications
    .filter(({ data }) => data['userId'] === userId)
    .map(({ type }) => type)
    .toReversed()
}

interface Planned {
  userId: string
  action?: 'enable' | 'disable'
  executeAt: number
  status?: LifecycleAction['status']
  attempts?: number
  claimedAt?: number
  requestedBy?: string
}

/** A planned action as the table holds it, whatever state a process left it in. */
export async function plan({ services }: TestApp, planned: Planned[]): Promise<string[]> {
  const rows = planned.map(({ userId, action = 'disable', executeAt, status = 'pending', ...rest }) => ({
    id: newId(),
    user_id: userId,
    action,
    status,
    execute_at: executeAt,
    requested_by: rest.requestedBy ?? null,
    attempts: rest.attempts ?? 0,
    claimed_at: rest.claimedAt ?? null,
    finished_at: null,
    failure_reason: null,
    created_at: services.now(),
  }))
  for (const row of rows)
    await services.db.transaction((trx) => trx.insertInto('lifecycle_actions').values(row).execute())
  return rows.map(({ id }) => id)
}
