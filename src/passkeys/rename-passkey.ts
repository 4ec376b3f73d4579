import { recordEvent } from '../audit/record-event.ts'
import { refuse } from '../errors.ts'
import type { Services } from '../services.ts'
import type { SignedInActor } from '../sessions/actor.ts'
import { changeOwnAccount } from '../sessions/hold-actor.ts'
import { refuseMarkup } from './passkey-name.ts'
import { updatePasskeyName } from './passkey-store.ts'
import type { Passkey } from './passkey.ts'

interface Renaming {
  id: string
  name: string
  actor: SignedInActor
}

/** Only its owner can rename a passkey; to anybody else there is none of that id. */
export function renamePasskey(services: Pick<Services, 'db' | 'now'>, asked: Renaming): Promise<Passkey> {
  const { name } = asked
  refuseMarkup(name)
  return changeOwnAccount(services, asked.actor, async (trx) => {
    const passkey = await updatePasskeyName(trx, asked.actor.id, asked.id, name)
    if (!passkey) return refuse('not_found', 'There is no such passkey.')
    await recordEvent(services, trx, {
      action: 'passkey.renamed',
      outcome: 'success',
      actor: asked.actor,
      target: { type: 'passkey', id: passkey.id },
      data: { name },
    })
    return passkey
  })
}
