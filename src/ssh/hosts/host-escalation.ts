import type { EscalationCheck } from '../../identity/roles/escalation.ts'
import { findFormerHosts } from '../../identity/roles/former-host-store.ts'
import type { UserHoldings } from '../../identity/roles/holdings.ts'
import { groupPrincipals } from '../../identity/roles/principal-groups.ts'
import { isSudoWithin, type Sudo } from '../../identity/roles/sudo.ts'
import type { Services } from '../../platform/services.ts'
import type { Trx } from '../../storage/database.ts'
import { principalsOf } from '../certificates/principals.ts'
import { sudoByRole, sudoOn } from '../certificates/sudo-on-hosts.ts'
import { readAccess, openedAccounts } from './host-accounts.ts'
import { listAllHosts, listHostsNamed } from './host-store.ts'
import type { StoredHost } from './host.ts'

/** What decides who may log in to a host. */
export type HostAdmission = Pick<StoredHost, 'allowedRoles'> &
  // Absent in what earlier versions remembered of hosts.
  Partial<Pick<StoredHost, 'accounts'>>

/** What the actor has at a host: to be admitted, and the UNIX accounts that they may log in to. */
interface Opened {
  isAdmitted: boolean
  accounts: ReadonlySet<string>
  sudo: Sudo
}

/** By what a host admits. */
type ReadOpened = (admission: HostAdmission) => Opened

function gainOf(is: Opened, was: Opened): 'admitted' | 'sudo' | undefined {
  if ((is.isAdmitted && !was.isAdmitted) || !is.accounts.isSubsetOf(was.accounts)) return 'admitted'
  return isSudoWithin(is.sudo, was.sudo) ? undefined : 'sudo'
}

/** Whether the actor may log in to any host, and as whom. For changes of roles: accounts depend on what all roles give. */
export const atAllSshHosts: EscalationCheck = async (trx, held) => {
  const before = new Map((await listAllHosts(trx)).map((host) => [host.id, host]))
  const opened = await readOpened(trx, held)
  return async (after) => {
    const openedNow = await readOpened(trx, after)
    for (const host of await listAllHosts(trx)) {
      const was = before.get(host.id)
      const kind = was && gainOf(openedNow(host), opened(was))
      if (kind) return { kind, place: host.name }
    }
    return undefined
  }
}

/** The same for one host, which may be new. Its names are compared with the hosts that had them before it. */
export const atSshHost =
  ({ now }: Pick<Services, 'now'>, id: string, hostnames: readonly string[]): EscalationCheck =>
  async (trx, held) => {
    const before = await listHostsNamed(trx, id, hostnames)
    const former = await findFormerHosts(trx, { kind: 'ssh', names: hostnames, now: now() })
    const opened = await readOpened(trx, held)
    return async (after) => {
      const openedNow = await readOpened(trx, after)
      for (const host of await listHostsNamed(trx, id, hostnames)) {
        const own = before.find((each) => each.id === host.id)
        const earlier = host.hostnames.flatMap((name) => {
          const current = before.find((each) => each.hostnames.includes(name))
          const text = former.get(name)
          if (current) return [current]
          return text === undefined ? [] : [JSON.parse(text) as HostAdmission]
        })
        const gains = [...(own ? [own] : []), ...earlier].map((was) => gainOf(openedNow(host), opened(was)))
        const kind = gains.find((each) => each !== undefined)
        if (kind) return { kind, place: host.name }
      }
      return undefined
    }
  }

async function readOpened(trx: Trx, held: UserHoldings): Promise<ReadOpened> {
  const { userId, username, grants, permissions, roleIds } = held
  const access = await readAccess(trx, userId)
  const mayIssue = permissions.has('ssh:cert:issue')
  const principals = new Set(mayIssue ? principalsOf(groupPrincipals(username, grants), username) : [])
  // Many hosts admit the same roles.
  const known = new Map<string, Opened>()
  const sudo = sudoByRole(access.roles.filter(({ id }) => roleIds.has(id)))
  return ({ allowedRoles, accounts: kind = 'existing' }) => {
    const key = JSON.stringify([allowedRoles, kind])
    const found = known.get(key)
    if (found) return found
    const isAdmitted = allowedRoles === null || allowedRoles.some((id) => roleIds.has(id))
    const accounts = new Set(mayIssue ? openedAccounts(access, allowedRoles, principals) : [])
    const hasOwnAccount = kind === 'managed' && accounts.has(username)
    const opened = { isAdmitted, accounts, sudo: hasOwnAccount ? sudoOn(allowedRoles, sudo) : ('none' as const) }
    known.set(key, opened)
    return opened
  }
}
