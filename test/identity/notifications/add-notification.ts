import { notify } from '../../../src/identity/notifications/notify.ts'
import type { TestApp } from '../../support/app.ts'
import type { SignedInPerson } from '../../support/people.ts'

/** Stores a notification that a test recognizes by its name. */
export const addNotification = (
  { services }: TestApp,
  { user }: Pick<SignedInPerson, 'user'>,
  name: string,
): Promise<void> =>
  services.db.transaction((trx) =>
    notify(services, trx, user.id, 'oauth.grant_added', { client_id: 'x', name, scopes: [] }),
  )
