import { Type } from 'typebox'
import { Sudo } from '../../identity/roles/sudo.ts'
import { type HostAdmission, sudoOn } from '../certificates/sudo-on-hosts.ts'
import { type HeldAccount, isAdmitted } from './read-accounts.ts'

/** An account that a host makes, or locks. */
export const HostAccount = Type.Object(
  {
    name: Type.String(),
    uid: Type.Integer({ minimum: 66_000, maximum: 99_999, description: 'Stays with the person for ever.' }),
    displayName: Type.String(),
    locked: Type.Boolean({ description: 'The person may no longer log in.' }),
    sudo: Sudo,
  },
  { title: 'SshHostAccount' },
)
export type HostAccount = Type.Static<typeof HostAccount>

/** The accounts of a host with managed accounts that admits these roles. Those that it may have from before are locked. */
export const listHostAccounts = (accounts: readonly HeldAccount[], admission: HostAdmission): HostAccount[] =>
  accounts.flatMap(({ uid, name, displayName, roleIds, formerRoleIds, sudo }) => {
    const locked = roleIds === null || !isAdmitted(admission, roleIds)
    if (locked && !isAdmitted(admission, formerRoleIds)) return []
    // Scripts on hosts read the fields in this order.
    return [{ name, uid, displayName: displayName ?? '', locked, sudo: locked ? 'none' : sudoOn(admission, sudo) }]
  })
