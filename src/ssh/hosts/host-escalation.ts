import type { EscalationCheck } from '../../identity/roles/escalation.ts'
import { findFormerHosts } from '../../identity/roles/former-host-store.ts'
import type { UserHoldings } from '../../identity/roles/holdings.ts'
import { groupPrincipals } from '../../identity/roles/principal-groups.ts'
import type { Services } from '../../platform/services.ts'
import type { Trx } from '../../storage/database.ts'
import { principalsOf } from '../certificates/principals.ts'
import { readAccess, openedAccounts } from './host-accounts.ts'
import { listAllHosts, listHostsNamed } from './host-store.ts'
import type { StoredHost } from './host.ts'

/** What decides who may log in to a host. */
export type HostAdmission = Pick<StoredHost, 'allowedRoles'>

/** What the actor has at a host: to be admitted, and the UNIX accounts that they may log in to. */
interface Opened {
  isAdmitted: boolean
  accounts: ReadonlySet<string>
}

/** By what a host admits. */
type ReadOpened = (admission: HostAdmission) => Opened

const isMore = (is: Opened, was: Opened): boolean =>
  (is.isAdmitted && !was.isAdmitted) || !is.accounts.isSubsetOf(was.accounts)

/** Whether the actor may log in to any host, and as whom. For changes of roles: accounts depend on what all roles give. */
export const atAllSshHosts: EscalationCheck = async (trx, held) => {
  const before = new Map((await listAllHosts(trx)).map((host) => [host.id, host]))
  const opened = await readOpened(trx, held)
  return async (after) => {
    const openedNow = await readOpened(trx, after)
    for (const host of await listAllHosts(trx)) {
      const was = before.get(host.id)
      if (was && isMore(openedNow(host), opened(was))) return { kind: 'admitted', place: host.name }
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
        const gains = (was: HostAdmission) => isMore(openedNow(host), opened(was))
        if ([...(own ? [own] : []), ...earlier].some(gains)) return { kind: 'admitted', place: host.name }
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
  return ({ allowedRoles }) => {
    const key = JSON.stringify(allowedRoles)
    const found = known.get(key)
    if (found) return found
    const isAdmitted = allowedRoles === null || allowedRoles.some((id) => roleIds.has(id))
    const accounts = new Set(mayIssue ? openedAccounts(access, allowedRoles, principals) : [])
    const opened = { isAdmitted, accounts }
    known.set(key, opened)
    return opened
  }
}
