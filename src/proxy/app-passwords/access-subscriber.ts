import type { AccessSubscriber } from '../../identity/access-events.ts'
import { deleteAppPasswordsOfUsers } from './app-password-store.ts'

/** App passwords are not among what the owner of a restored address may keep. */
export const appPasswordSubscriber: AccessSubscriber = {
  on: {
    async account_ended(_services, trx, { userIds }) {
      await deleteAppPasswordsOfUsers(trx, userIds)
      return {}
    },
    async signed_out(_services, trx, { userId, by }) {
      const ends = by === 'password_reset' || by === 'not_me'
      return { appPasswords: ends ? await deleteAppPasswordsOfUsers(trx, [userId]) : 0 }
    },
    async account_taken_over(_services, trx, { userId, since = 0 }) {
      return { appPasswords: await deleteAppPasswordsOfUsers(trx, [userId], since) }
    },
    sessions_ended: 'nothing',
    credential_changed: 'nothing',
    role_assigned: 'nothing',
    addition_disowned: 'nothing',
    username_changed: 'nothing',
    attributes_changed: 'nothing',
    role_unassigned: 'nothing',
    role_renamed: 'nothing',
    role_deletion: 'nothing',
    role_reduced: 'nothing',
  },
  roleChangeCheck: undefined,
  roleLossCheck: undefined,
  tells: undefined,
}
