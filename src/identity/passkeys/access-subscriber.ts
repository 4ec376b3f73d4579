import type { AccessSubscriber } from '../access-events.ts'
import { deletePasskey, deletePasskeysOfUser } from './passkey-store.ts'

/** A passkey stays when its account is disabled, because nothing can be done with it then; only whoever takes an account over removes it. */
export const passkeySubscriber: AccessSubscriber = {
  on: {
    account_ended: 'nothing',
    signed_out: 'nothing',
    async account_taken_over(_services, trx, { userId, since = 0, keep }) {
      return { passkeys: await deletePasskeysOfUser(trx, userId, { since, except: keep?.passkeys ?? [] }) }
    },
    sessions_ended: 'nothing',
    credential_changed: 'nothing',
    role_assigned: 'nothing',
    async addition_disowned(_services, trx, { userId, addition }) {
      const isRemoved = addition.kind === 'passkey' && (await deletePasskey(trx, userId, addition.id)) !== undefined
      return { passkeys: isRemoved ? 1 : 0 }
    },
    username_changed: 'nothing',
    role_unassigned: 'nothing',
    role_renamed: 'nothing',
    role_deletion: 'nothing',
    role_reduced: 'nothing',
  },
  roleChangeCheck: undefined,
  roleLossCheck: undefined,
  tells: undefined,
}
