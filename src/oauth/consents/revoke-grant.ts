import type { SignedInActor } from '../../identity/sessions/actor.ts'
import { changeOwnAccount } from '../../identity/sessions/lock-actor.ts'
import { recordEvent } from '../../platform/audit/record-event.ts'
import type { Services } from '../../platform/services.ts'
import { deleteSomeCodes } from '../authorize/code-store.ts'
import { refuseUnknownClient } from '../clients/client.ts'
import { deleteGrant } from './grant-store.ts'

/** There may be any number of codes, and other requests wait while a slice of them is deleted. */
const CODES_PER_SLICE = 500

/** Deletes the user's grant to an application, with every code and token that was issued on it. */
export async function revokeGrant(
  services: Pick<Services, 'db' | 'now'>,
  clientId: string,
  actor: SignedInActor,
): Promise<void> {
  const codes = { userId: actor.id, clientId, limit: CODES_PER_SLICE }
  while ((await changeOwnAccount(services, actor, (trx) => deleteSomeCodes(trx, codes))) === CODES_PER_SLICE);
  await changeOwnAccount(services, actor, async (trx) => {
    const scopes = await deleteGrant(trx, actor.id, clientId)
    if (!scopes) return refuseUnknownClient()
    return recordEvent(services, trx, {
      action: 'oauth_grant.revoked',
      outcome: 'success',
      actor,
      target: { type: 'oauth_client', id: clientId },
      data: { scopes },
    })
  })
}
