import type { AccessSubscriber, RoleReduction } from '../identity/access-events.ts'
import { certificatesDependOn } from '../identity/roles/role.ts'
import { atAllSshHosts } from './hosts/host-escalation.ts'
import { addToldHosts, isHostWaiting, listToldHosts } from './hosts/told-host-store.ts'
import { findAdmittingHosts } from './hosts/told-hosts.ts'
import { deleteSshKey, deleteSshKeysOfUser } from './issuing/ssh-key-store.ts'
import { revokeCertificatesOfKey, revokeCertificatesOfUsers } from './revocation/revoke-certificates.ts'
import { revokeCertificatesOfHolders, revokeLostCertificates } from './revocation/revoke-lost-certificates.ts'

/** Revokes certificates, and says in the log of certificates why. Saved keys stay when an account is disabled or signed out. */
export const sshSubscriber: AccessSubscriber = {
  on: {
    async account_ended(services, trx, { userIds, by, actionIds }) {
      // Which hosts they open is known before they are revoked, and with which list they hear of it afterwards.
      const hosts = actionIds && (await findAdmittingHosts(services, trx, actionIds))
      const certificates = await revokeCertificatesOfUsers(services, trx, userIds, ACCOUNT_ENDED[by])
      if (hosts) await addToldHosts(trx, hosts, services.now())
      return { certificates }
    },
    signed_out: 'nothing',
    sessions_ended: 'nothing',
    credential_changed: 'nothing',
    // It may give an attribute before the one whose value a certificate contains.
    async role_assigned(services, trx, { userId, role }) {
      if (Object.keys(role.attributes).length > 0) await revokeLostCertificates(services, trx, [userId], ATTRIBUTE)
      return {}
    },
    async account_taken_over(services, trx, { userId, since, keep }) {
      const sshKeys = await deleteSshKeysOfUser(trx, userId, { since: since ?? 0, except: keep?.sshKeys ?? [] })
      let certificates = 0
      for (const savedKeyId of sshKeys)
        certificates += await revokeCertificatesOfKey(services, trx, { userId, savedKeyId }, TAKEN_OVER)
      if (since === undefined && keep === undefined) {
        const others = await revokeCertificatesOfUsers(services, trx, [userId], TAKEN_OVER)
        certificates += others.get(userId) ?? 0
      }
      return { sshKeys: sshKeys.length, certificates }
    },
    async addition_disowned(services, trx, { userId, addition: { kind, id } }) {
      if (kind !== 'ssh_key') return {}
      const removed = await deleteSshKey(trx, id, userId)
      // Also those of a key that is gone already: what was issued for it may still be valid.
      const certificates = await revokeCertificatesOfKey(services, trx, { userId, savedKeyId: id }, DISOWNED)
      return { sshKeys: removed ? 1 : 0, certificates }
    },
    async username_changed(services, trx, { userId }) {
      const reason = 'The username was changed.'
      return { certificatesRevoked: await revokeLostCertificates(services, trx, [userId], reason) }
    },
    async attributes_changed(services, trx, { userId }) {
      return { certificatesRevoked: await revokeLostCertificates(services, trx, [userId], ATTRIBUTE) }
    },
    async role_unassigned(services, trx, { userId, role }) {
      if (!certificatesDependOn(role)) return { certificatesRevoked: 0 }
      return { certificatesRevoked: await revokeLostCertificates(services, trx, [userId], 'A role was taken away.') }
    },
    role_renamed: 'nothing',
    role_deletion: 'nothing',
    role_reduced: (services, trx, { holderIds, by }) =>
      revokeCertificatesOfHolders(services, trx, holderIds, ROLE_REDUCED[by]),
  },
  roleChangeCheck: atAllSshHosts,
  roleLossCheck: undefined,
  tells: { isWaiting: isHostWaiting, list: listToldHosts },
}

const DISABLED = 'The account was disabled.'
const DELETED = 'The account was deleted.'
const ACCOUNT_ENDED = {
  disabled: DISABLED,
  disabled_as_planned: DISABLED,
  enabled: DISABLED,
  deleted: DELETED,
  deleted_by_owner: DELETED,
}

const TAKEN_OVER = 'The owner of the email address took the account over.'

const DISOWNED = 'The owner of the account says that somebody else added the key.'

const ATTRIBUTE = 'An attribute that the certificate contains was changed.'

const ROLE_REDUCED: Record<RoleReduction, string> = {
  principal_removed: 'A role lost a principal.',
  ssh_rules_tightened: 'The SSH rules of a role were tightened.',
  attributes_changed: ATTRIBUTE,
  permission_revoked: 'A role lost the permission to get certificates.',
  role_deleted: 'A role was deleted.',
}
