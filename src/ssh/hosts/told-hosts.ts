import type { ActionIds } from '../../identity/access-events.ts'
import type { Services } from '../../platform/services.ts'
import type { Trx } from '../../storage/database.ts'
import { listValidCertificates, type ValidCertificate } from '../revocation/revoked-certificate-store.ts'
import { openedAccounts, readAccess } from './host-accounts.ts'
import type { HostLists } from './host-lists.ts'
import { listReportingHosts } from './host-session-store.ts'
import { listAllHosts } from './host-store.ts'
import type { StoredHost } from './host.ts'
import { type AdmittingHost, giveUpLateHosts, isAnyHostWaiting, markListsApplied } from './told-host-store.ts'

/** The enrolled hosts that could admit certificates of these people which are still valid. Call it before those are revoked. */
export async function findAdmittingHosts(
  { now }: Pick<Services, 'now'>,
  trx: Trx,
  actionIds: ActionIds,
): Promise<AdmittingHost[]> {
  const certificates = Map.groupBy(
    await listValidCertificates(trx, [...actionIds.keys()], now()),
    ({ userId }) => userId,
  )
  if (certificates.size === 0) return []
  const hosts = (await listAllHosts(trx)).filter(({ enrolledAt }) => enrolledAt !== null)
  if (hosts.length === 0) return []
  const reporting = await listReportingHosts(trx)
  const admitting: AdmittingHost[] = []
  for (const [userId, own] of certificates) {
    const latestAt = await readLatest(trx, userId, own)
    for (const host of hosts) {
      const validBefore = latestAt(host)
      if (validBefore === undefined) continue
      const { id: hostId, name, lastSeenAt } = host
      const actionId = actionIds.get(userId) ?? ''
      const reportsSessions = reporting.has(hostId)
      admitting.push({ actionId, userId, hostId, name, validBefore, lastSeenAt, reportsSessions })
    }
  }
  return admitting
}

/** When the last of a person's certificates expires that such a host admits; undefined where it admits none. */
async function readLatest(
  trx: Trx,
  userId: string,
  certificates: ValidCertificate[],
): Promise<(host: Pick<StoredHost, 'allowedRoles'>) => number | undefined> {
  const access = await readAccess(trx, userId, { disabledToo: true })
  // Many hosts admit the same roles.
  const known = new Map<string, number | undefined>()
  return ({ allowedRoles }) => {
    const key = JSON.stringify(allowedRoles)
    if (known.has(key)) return known.get(key)
    const admitted = certificates.filter(
      ({ principals }) => openedAccounts(access, allowedRoles, new Set(principals)).length > 0,
    )
    const latest = admitted.length === 0 ? undefined : Math.max(...admitted.map(({ validBefore }) => validBefore))
    known.set(key, latest)
    return latest
  }
}

export interface AppliedLists {
  host: Pick<StoredHost, 'id' | 'allowedRoles'>
  /** The last version that it was still to report when the report came; undefined when there was none. */
  awaited: bigint | undefined
  krlTag: string
  /** Of its list of accounts; null for a host that has never said, which is an older one: what it revokes is all that is known. */
  principalsTag: string | null
  at: number
}

/**
 * Notes which lists a host has in force. It has applied a disable when both are at or after it. What is revoked and who may log in change
 * in one transaction, so the version of one counts for both.
 */
export async function noteLists(
  { db, hostLists }: Pick<Services, 'db'> & { hostLists: HostLists },
  { host: { id: hostId, allowedRoles }, awaited, krlTag, principalsTag, at }: AppliedLists,
): Promise<void> {
  if (awaited === undefined) return
  const revocations = await hostLists.findVersion(krlTag)
  if (revocations === undefined) return
  const atLeast = awaited < revocations ? awaited : revocations
  const accounts =
    principalsTag === null
      ? revocations
      : await hostLists.findPrincipalsVersion(principalsTag, { allowedRoles, atLeast })
  if (accounts === undefined) return
  const version = accounts < revocations ? accounts : revocations
  await markListsApplied(db, { hostId, version, at })
}

/** Stops waiting for hosts that are away, and for those that refuse the certificates anyway by now. */
export async function giveUpHosts({ db, now }: Pick<Services, 'db' | 'now'>): Promise<void> {
  if (await isAnyHostWaiting(db.read)) await db.transaction((trx) => giveUpLateHosts(trx, now()))
}
