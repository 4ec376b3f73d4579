import type { AccessSubscriber } from '../access-events.ts'
import { deletePasskey, deletePasskeysOfUser } from './passkey-store.ts'
import { tellPasskeyChanged } from './tell-passkey-changed.ts'

const BY_OWNER = { change: 'deleted', by: 'owner' } as const

/** A passkey stays when its account is disabled, because nothing can be done with it then; only whoever takes an account over removes it. */
export const passkeySubscriber: AccessSubscriber = {
  on: {
    account_ended: 'nothing',
    signed_out: 'nothing',
    async account_taken_over(services, trx, { userId, since = 0, keep }) {
      const removed = await deletePasskeysOfUser(trx, userId, { since, except: keep?.passkeys ?? [] })
      for (const passkey of removed) await tellPasskeyChanged(services, trx, passkey, { userId, ...BY_OWNER })
      return { passkeys: removed.length }
    },
    sessions_ended: 'nothing',
    credential_changed: 'nothing',
    role_assigned: 'nothing',
    async addition_disowned(services, trx, { userId, addition }) {
      const removed = addition.kind === 'passkey' ? await deletePasskey(trx, userId, addition.id) : undefined
      if (removed) await tellPasskeyChanged(services, trx, removed, { userId, ...BY_OWNER })
      return { passkeys: removed ? 1 : 0 }
    },
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
