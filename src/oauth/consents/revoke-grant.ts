import { recordEvent } from '../../audit/record-event.ts'
import { refuse } from '../../errors.ts'
import type { Services } from '../../services.ts'
import type { SignedInActor } from '../../sessions/actor.ts'
import { changeOwnAccount } from '../../sessions/hold-actor.ts'
import { deleteSomeCodes } from '../authorize/code-store.ts'
import { deleteGrant } from './grant-store.ts'

/** Codes at a time: there may be any number of them, and others wait while they are deleted. */
const SLICE = 500

/** Shuts an application out: the grant goes, and with it every code and token that stood on it. */
export async function revokeGrant(
  services: Pick<Services, 'db' | 'now'>,
  clientId: string,
  actor: SignedInActor,
): Promise<void> {
  const codes = { userId: actor.id, clientId, limit: SLICE }
  while ((await changeOwnAccount(services, actor, (trx) => deleteSomeCodes(trx, codes))) === SLICE);
  await changeOwnAccount(services, actor, async (trx) => {
    const scopes = await deleteGrant(trx, actor.id, clientId)
    if (!scopes) return refuse('not_found', 'There is no such application.')
    return recordEvent(services, trx, {
      action: 'oauth_grant.revoked',
      outcome: 'success',
      actor,
      target: { type: 'oauth_client', id: clientId },
      data: { scopes },
    })
  })
}
