import { atField, refuse } from '../../errors.ts'
import type { CallingActor } from '../../identity/sessions/actor.ts'
import { requireFresh } from '../../identity/sessions/fresh.ts'
import { changeOwnAccount } from '../../identity/sessions/lock-actor.ts'
import { tellOwner, type TellServices } from '../../identity/sign-in/tell-owner.ts'
import { recordEvent } from '../../platform/audit/record-event.ts'
import { newId } from '../../platform/ids.ts'
import { fingerprint, formatPublicKey, parsePublicKey, type PublicKey } from '../../platform/openssh/public-key.ts'
import { FormatError } from '../../platform/openssh/wire.ts'
import type { Services } from '../../platform/services.ts'
import { isDuplicate } from '../../storage/failure.ts'
import { revokeCertificatesOfKey } from '../revocation/revoke-certificates.ts'
import { sshErrors } from '../ssh-errors.ts'
import { addSavedKey, countSshKeys, deleteSshKey, giveUpEphemeralKey, type UserSshKey } from './ssh-key-store.ts'

/** The list of keys is returned as a whole, so it has to be bounded. */
const MAX_KEYS = 100

/** How long an ephemeral key is kept when no certificate is issued for it. */
const UNUSED_EPHEMERAL_MS = 3_600_000

interface AddSshKeyRequest {
  name: string
  publicKey: string
  ephemeral?: boolean | undefined
}

/** A key belongs to one person: of two users who save it at the same moment, the unique index refuses one. */
export async function addSshKey(
  services: TellServices & Pick<Services, 'db'>,
  actor: CallingActor,
  request: AddSshKeyRequest,
): Promise<UserSshKey> {
  const { blob, comment } = readKey(request.publicKey)
  const at = services.now()
  const key = {
    id: newId(),
    user_id: actor.id,
    name: request.name,
    public_key: formatPublicKey(blob, comment),
    fingerprint: fingerprint(blob),
    created_at: at,
    last_used_at: null,
    ephemeral_until: request.ephemeral ? at + UNUSED_EPHEMERAL_MS : null,
  }
  try {
    return await changeOwnAccount(services, actor, async (trx) => {
      // An ephemeral key goes by itself.
      if (!request.ephemeral) await requireFresh(services, trx, actor)
      if ((await countSshKeys(trx, actor.id, at)) >= MAX_KEYS) {
        throw sshErrors.too_many_ssh_keys({ max: MAX_KEYS })
      }
      const added = await addSavedKey(trx, key)
      const target = { type: 'ssh_key', id: key.id }
      const data = { name: key.name, fingerprint: key.fingerprint }
      await recordEvent(services, trx, { action: 'ssh_key.added', outcome: 'success', actor, target, data })
      if (!request.ephemeral)
        await tellOwner(services, trx, actor.id, {
          type: 'security.ssh_key_added',
          data: { sshKeyId: key.id, ...data },
          actor,
        })
      return added
    })
  } catch (error) {
    if (!isDuplicate(error, 'ssh_keys.fingerprint')) throw error
    throw atField('publicKey', sshErrors.ssh_key_taken())
  }
}

function readKey(line: string): PublicKey {
  try {
    return parsePublicKey(line)
  } catch (error) {
    if (error instanceof FormatError) return refuse(atField('publicKey', error.shown))
    throw error
  }
}

/** Deletes a saved key and revokes its certificates. */
export async function removeSshKey(
  services: Pick<Services, 'db' | 'now'>,
  actor: CallingActor,
  id: string,
): Promise<void> {
  await changeOwnAccount(services, actor, async (trx) => {
    const removed = (await deleteSshKey(trx, id, actor.id)) ?? refuse(sshErrors.no_such_ssh_key())
    const which = { userId: actor.id, savedKeyId: id }
    const revoked = await revokeCertificatesOfKey(services, trx, which, 'The key was deleted.')
    const target = { type: 'ssh_key', id }
    const data = { name: removed.name, fingerprint: removed.fingerprint, certificatesRevoked: revoked }
    await recordEvent(services, trx, { action: 'ssh_key.removed', outcome: 'success', actor, target, data })
  })
}

/**
 * Gives an ephemeral key up and leaves its certificates valid, because hosts close the sessions of one that is revoked. It
 * gets no more of them and no longer counts. Deleting it afterwards revokes them, as does whatever else revokes those of a key.
 */
export async function giveUpSshKey(
  services: Pick<Services, 'db' | 'now'>,
  actor: CallingActor,
  id: string,
): Promise<void> {
  await changeOwnAccount(services, actor, async (trx) => {
    const { name, fingerprint } = (await giveUpEphemeralKey(trx, id, actor.id)) ?? refuse(sshErrors.no_such_ssh_key())
    const target = { type: 'ssh_key', id }
    const data = { name, fingerprint, certificatesRevoked: 0 }
    await recordEvent(services, trx, { action: 'ssh_key.removed', outcome: 'success', actor, target, data })
  })
}
