import { deleteAppPasswordsOfUsers } from '../app-passwords/app-password-store.ts'
import { deleteGrantsOfUser } from '../oauth/consents/grant-store.ts'
import { deletePasskeysOfUser } from '../passkeys/passkey-store.ts'
import type { Services } from '../services.ts'
import { deleteSshKeysOfUser } from '../ssh/keys/ssh-key-store.ts'
import { revokeCertificatesOfKey, revokeCertificatesOfUsers } from '../ssh/revocation/revoke-certificates.ts'
import type { Trx } from '../storage/database.ts'

/** How much was removed, for the audit trail. */
interface Removed {
  passkeys: number
  sshKeys: number
  certificates: number
  grants: number
  appPasswords: number
}

/** Removes everything that gives access to an account and may have been added to it: passkeys, SSH keys with certificates, grants, app passwords. */
export async function removeAddedAccess(services: Pick<Services, 'now'>, trx: Trx, userId: string): Promise<Removed> {
  const passkeys = await deletePasskeysOfUser(trx, userId)
  const sshKeys = await deleteSshKeysOfUser(trx, userId)
  const grants = await deleteGrantsOfUser(trx, userId)
  const appPasswords = await deleteAppPasswordsOfUsers(trx, [userId])
  const certificates = await revokeCertificatesOfUsers(services, trx, [userId], REASON)
  return { passkeys, sshKeys: sshKeys.length, grants, appPasswords, certificates: certificates.get(userId) ?? 0 }
}

/** The same for what was added at this time or later. */
export async function removeAccessAddedSince(
  services: Pick<Services, 'now'>,
  trx: Trx,
  userId: string,
  since: number,
): Promise<Removed> {
  const passkeys = await deletePasskeysOfUser(trx, userId, since)
  const sshKeys = await deleteSshKeysOfUser(trx, userId, since)
  const grants = await deleteGrantsOfUser(trx, userId, since)
  const appPasswords = await deleteAppPasswordsOfUsers(trx, [userId], since)
  let certificates = 0
  for (const savedKeyId of sshKeys)
    certificates += await revokeCertificatesOfKey(services, trx, { userId, savedKeyId }, REASON)
  return { passkeys, sshKeys: sshKeys.length, grants, appPasswords, certificates }
}

const REASON = 'The owner of the email address took the account over.'
