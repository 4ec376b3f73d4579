import { refuse } from '../../errors.ts'
import { recordEvent } from '../../platform/audit/record-event.ts'
import type { Services } from '../../platform/services.ts'
import type { SignedInActor } from '../sessions/actor.ts'
import { changeOwnAccount } from '../sessions/lock-actor.ts'
import { refuseMarkup } from './passkey-name.ts'
import { updatePasskeyName } from './passkey-store.ts'
import type { Passkey } from './passkey.ts'

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
    if (!passkey) return refuse('not_found', 'There is no such passkey.')
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
