import { deleteGrantsOfUser } from '../oauth/consents/grant-store.ts'
import { deletePasskeysOfUser } from '../passkeys/passkey-store.ts'
import type { Services } from '../services.ts'
import { deleteSshKeysOfUser } from '../ssh/keys/ssh-key-store.ts'
import { revokeCertificatesOfUsers } from '../ssh/revocation/revoke-certificates.ts'
import type { Trx } from '../storage/database.ts'

/** How much was removed, for the audit trail. */
interface Removed {
  passkeys: number
  sshKeys: number
  certificates: number
  grants: number
}

/** Removes everything that gives access to an account and may have been added to it: passkeys, SSH keys with certificates, grants. */
export async function removeAddedAccess(services: Pick<Services, 'now'>, trx: Trx, userId: string): Promise<Removed> {
  const passkeys = await deletePasskeysOfUser(trx, userId)
  const sshKeys = await deleteSshKeysOfUser(trx, userId)
  const grants = await deleteGrantsOfUser(trx, userId)
  const reason = 'The owner of the email address took the account over.'
  const certificates = await revokeCertificatesOfUsers(services, trx, [userId], reason)
  return { passkeys, sshKeys, grants, certificates: certificates.get(userId) ?? 0 }
}
