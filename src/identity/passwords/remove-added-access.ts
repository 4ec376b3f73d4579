import { deleteGrantsOfUser } from '../../oauth/consents/grant-store.ts'
import type { Services } from '../../platform/services.ts'
import { deleteAppPasswordsOfUsers } from '../../proxy/app-passwords/app-password-store.ts'
import { deleteSshKeysOfUser } from '../../ssh/issuing/ssh-key-store.ts'
import { revokeCertificatesOfKey, revokeCertificatesOfUsers } from '../../ssh/revocation/revoke-certificates.ts'
import type { Trx } from '../../storage/database.ts'
import { deletePasskeysOfUser } from '../passkeys/passkey-store.ts'
import type { KeptAccess } from './left-access.ts'

/** How much was removed, for the audit trail. */
export interface Removed {
  passkeys: number
  sshKeys: number
  certificates: number
  grants: number
  appPasswords: number
}

/** Removes everything that gives access to an account and may have been added to it: passkeys, SSH keys with certificates, grants, app passwords. */
export async function removeAddedAccess(services: Pick<Services, 'now'>, trx: Trx, userId: string): Promise<Removed> {
  const { certificates: ofKeys, ...removed } = await removeAccess(services, trx, userId, {})
  const others = await revokeCertificatesOfUsers(services, trx, [userId], REASON)
  return { ...removed, certificates: ofKeys + (others.get(userId) ?? 0) }
}

/** The same for what was added at this time or later. */
export const removeAccessAddedSince = (
  services: Pick<Services, 'now'>,
  trx: Trx,
  userId: string,
  since: number,
): Promise<Removed> => removeAccess(services, trx, userId, { since })

/** The same for everything but what is to be kept. */
export const removeAccessExcept = (
  services: Pick<Services, 'now'>,
  trx: Trx,
  userId: string,
  keep: KeptAccess,
): Promise<Removed> => removeAccess(services, trx, userId, { keep })

async function removeAccess(
  services: Pick<Services, 'now'>,
  trx: Trx,
  userId: string,
  { since = 0, keep = { passkeys: [], sshKeys: [], apps: [] } }: { since?: number; keep?: KeptAccess },
): Promise<Removed> {
  const passkeys = await deletePasskeysOfUser(trx, userId, { since, except: keep.passkeys })
  const sshKeys = await deleteSshKeysOfUser(trx, userId, { since, except: keep.sshKeys })
  const grants = await deleteGrantsOfUser(trx, userId, { since, except: keep.apps })
  const appPasswords = await deleteAppPasswordsOfUsers(trx, [userId], since)
  // Certificates come last: all revocations update one row.
  let certificates = 0
  for (const savedKeyId of sshKeys)
    certificates += await revokeCertificatesOfKey(services, trx, { userId, savedKeyId }, REASON)
  return { passkeys, sshKeys: sshKeys.length, certificates, grants, appPasswords }
}

const REASON = 'The owner of the email address took the account over.'
