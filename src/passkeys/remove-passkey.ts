import { type Actor, recordEvent } from '../audit/record-event.ts'
import { refuse } from '../errors.ts'
import { notify } from '../notifications/notify.ts'
import type { Services } from '../services.ts'
import { holdAccount } from '../users/hold-account.ts'
import { deletePasskeyUnlessLast, findPasskey } from './passkey-store.ts'

interface Removal {
  userId: string
  id: string
  actor: Actor
}

/** Removes a passkey, but never the last way into an account. */
export function removePasskey(services: Pick<Services, 'db' | 'now' | 'signals'>, asked: Removal): Promise<void> {
  const { userId, id, actor } = asked
  return services.db.transaction().execute(async (trx) => {
    await holdAccount(trx, userId)
    const removed = await deletePasskeyUnlessLast(trx, userId, id)
    if (!removed) {
      if (!(await findPasskey(trx, userId, id))) refuse('not_found', 'There is no such passkey.')
      refuse(
        'conflict',
        'This is the only way to sign in to your account. Add another passkey or set a password first.',
      )
    }
    await notify(services, trx, userId, 'security.passkey_removed', { passkeyId: id, name: removed.name })
    await recordEvent(services, trx, {
      action: 'passkey.removed',
      outcome: 'success',
      actor,
      target: { type: 'passkey', id },
      data: { name: removed.name },
    })
  })
}
