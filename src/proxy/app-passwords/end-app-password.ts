import { refuse } from '../../errors.ts'
import { notify } from '../../identity/notifications/notify.ts'
import type { SignedInActor } from '../../identity/sessions/actor.ts'
import { changeOwnAccount } from '../../identity/sessions/lock-actor.ts'
import { recordEvent } from '../../platform/audit/record-event.ts'
import type { Services } from '../../platform/services.ts'
import type { Trx } from '../../storage/database.ts'
import { deleteAppPassword } from './app-password-store.ts'

type Needs = Pick<Services, 'db' | 'now' | 'signals'>

/** Ends one of the actor's own. */
export const endOwnAppPassword = (services: Needs, id: string, actor: SignedInActor): Promise<void> =>
  changeOwnAccount(services, actor, (trx) => endAppPassword(services, trx, { userId: actor.id, id }, actor))

/** The same for any person, in a transaction that has checked the actor. */
export async function endAppPassword(
  services: Needs,
  trx: Trx,
  { userId, id }: { userId: string; id: string },
  actor: SignedInActor,
): Promise<void> {
  const { name } = (await deleteAppPassword(trx, userId, id)) ?? refuse('not_found', 'There is no such app password.')
  await notify(services, trx, userId, 'security.app_password_removed', { appPasswordId: id, name })
  await recordEvent(services, trx, {
    action: 'app_password.removed',
    outcome: 'success',
    actor,
    target: { type: 'app_password', id },
    data: { name, ...(userId === actor.id ? {} : { userId }) },
  })
}
