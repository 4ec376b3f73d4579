import { refuse } from '../../errors.ts'
import type { CallingActor } from '../../identity/sessions/actor.ts'
import { changeOwnAccount } from '../../identity/sessions/lock-actor.ts'
import { recordEvent } from '../../platform/audit/record-event.ts'
import type { Services } from '../../platform/services.ts'
import { revokeCertificatesOfKey } from '../revocation/revoke-certificates.ts'
import { deleteSshKey } from './ssh-key-store.ts'

/** Deletes a saved key and revokes its certificates. */
export async function removeSshKey(
  services: Pick<Services, 'db' | 'now'>,
  actor: CallingActor,
  id: string,
): Promise<void> {
  await changeOwnAccount(services, actor, async (trx) => {
    const removed = (await deleteSshKey(trx, id, actor.id)) ?? refuse('not_found', 'You have no such key.')
    const which = { userId: actor.id, savedKeyId: id }
    const revoked = await revokeCertificatesOfKey(services, trx, which, 'The key was deleted.')
    const target = { type: 'ssh_key', id }
    const data = { name: removed.name, fingerprint: removed.fingerprint, certificatesRevoked: revoked }
    await recordEvent(services, trx, { action: 'ssh_key.removed', outcome: 'success', actor, target, data })
  })
}
