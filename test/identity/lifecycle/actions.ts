import type { LifecycleAction } from '../../../src/identity/lifecycle/lifecycle-action.ts'
import type { Notification } from '../../../src/identity/notifications/notification-store.ts'
import { newId } from '../../../src/platform/ids.ts'
import type { TestApp } from '../../support/app.ts'
import type { Person } from '../../support/people.ts'

export const lifecycleOf = (userId: string): string => `/api/admin/users/${userId}/lifecycle`

export const actionsOf = async (admin: Person, userId: string): Promise<LifecycleAction[]> =>
  (await admin.get(lifecycleOf(userId))).json<{ actions: LifecycleAction[] }>().actions

/** The types of a person's notifications about a user, oldest first. */
export async function notificationsAbout(person: Person, userId: string): Promise<string[]> {
  const response = await person.get('/api/notifications?limit=200')
  const { notifications } = response.json<{ notifications: Notification[] }>()
  return notifications
    .filter(({ data }) => data['userId'] === userId)
    .map(({ type }) => type)
    .toReversed()
}

interface NewAction {
  userId: string
  action?: 'enable' | 'disable'
  executeAt: number
  status?: LifecycleAction['status']
  attempts?: number
  claimedAt?: number
  requestedBy?: string
}

/** Inserts actions into the table directly, in any state that a process can leave them in. */
export async function insertActions({ services }: TestApp, actions: NewAction[]): Promise<string[]> {
  const rows = actions.map(({ userId, action = 'disable', executeAt, status = 'pending', ...rest }) => ({
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
  await services.db.transaction((trx) => trx.insertInto('lifecycle_actions').values(rows).execute())
  return rows.map(({ id }) => id)
}
