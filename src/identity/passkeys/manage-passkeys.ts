import { refuse } from '../../errors.ts'
import { recordEvent } from '../../platform/audit/record-event.ts'
import type { Services } from '../../platform/services.ts'
import type { IdentityServices } from '../access-events.ts'
import type { SignedInActor } from '../sessions/actor.ts'
import { changeOwnAccount } from '../sessions/lock-actor.ts'
import { refuseLosingLastMeans } from '../sessions/lock-out.ts'
import { tellOwner, type TellServices } from '../sign-in/tell-owner.ts'
import { passkeyErrors } from './passkey-errors.ts'
import { refuseMarkup } from './passkey-name.ts'
import { updatePasskeyName, deletePasskeyUnlessLast, findPasskey, type Passkey } from './passkey-store.ts'
import { tellPasskeyChanged } from './tell-passkey-changed.ts'

interface RenamePasskeyRequest {
  id: string
  name: string
  actor: SignedInActor
}

/** Only the owner of a passkey can rename it; for other users it does not exist. */
export function renamePasskey(
  services: Pick<Services, 'db' | 'now'>,
  { id, name, actor }: RenamePasskeyRequest,
): Promise<Passkey> {
  refuseMarkup(name)
  return changeOwnAccount(services, actor, async (trx) => {
    const passkey = await updatePasskeyName(trx, actor.id, id, name)
    if (!passkey) return refuse(passkeyErrors.no_such_passkey())
    await recordEvent(services, trx, {
      action: 'passkey.renamed',
      outcome: 'success',
      actor,
      target: { type: 'passkey', id: passkey.id },
      data: { name },
    })
    return passkey
  })
}

interface RemovePasskeyRequest {
  id: string
  actor: SignedInActor
}

/** Removes a passkey, unless it is the only way to sign in to the account. */
export function removePasskey(
  services: TellServices & Pick<IdentityServices, 'db' | 'accessSubscribers'>,
  { id, actor }: RemovePasskeyRequest,
): Promise<void> {
  return changeOwnAccount(services, actor, async (trx) => {
    const removed = await deletePasskeyUnlessLast(trx, actor.id, id)
    if (!removed) {
      if (!(await findPasskey(trx, actor.id, id))) refuse(passkeyErrors.no_such_passkey())
      refuse(passkeyErrors.last_passkey())
    }
    await refuseLosingLastMeans(trx, actor.id)
    await tellPasskeyChanged(services, trx, removed, { userId: actor.id, change: 'deleted', by: 'owner' })
    const data = { passkeyId: id, name: removed.name }
    await tellOwner(services, trx, actor.id, { type: 'security.passkey_removed', data, actor })
    await recordEvent(services, trx, {
      action: 'passkey.removed',
      outcome: 'success',
      actor,
      target: { type: 'passkey', id },
      data: { name: removed.name },
    })
  })
}
