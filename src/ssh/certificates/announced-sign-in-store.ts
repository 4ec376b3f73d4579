import type { CallingActor } from '../../identity/sessions/actor.ts'
import type { Trx } from '../../storage/database.ts'

/**
 * Whether the person was notified of a certificate of this sign-in before; from now on they were. A program that renews
 * certificates notifies once for each sign-in, a person with a session at each certificate.
 */
export async function isAnnounced(trx: Trx, actor: CallingActor): Promise<boolean> {
  if (!('token' in actor)) return false
  const { authorizationHash, authorizedUntil } = actor.token
  const added = await trx
    .insertInto('ssh_announced_sign_ins')
    .values({ authorization_hash: authorizationHash, expires_at: authorizedUntil })
    .onConflict((conflict) => conflict.column('authorization_hash').doNothing())
    .returning('authorization_hash')
    .execute()
  return added.length === 0
}
