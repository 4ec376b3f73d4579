import type { ActionIds } from '../../identity/access-events.ts'
import type { Services } from '../../platform/services.ts'
import type { Trx } from '../../storage/database.ts'
import { listValidCertificates, type ValidCertificate } from '../revocation/revoked-certificate-store.ts'
import { openedAccounts, readAccess } from './host-accounts.ts'
import type { HostLists } from './host-lists.ts'
import { listAllHosts } from './host-store.ts'
import type { StoredHost } from './host.ts'
import {
  type AdmittingHost,
  giveUpLateHosts,
  isAnyHostWaiting,
  isReportAwaited,
  markListApplied,
} from './told-host-store.ts'

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
  const admitting: AdmittingHost[] = []
  for (const [userId, own] of certificates) {
    const latestAt = await readLatest(trx, userId, own)
    for (const host of hosts) {
      const validBefore = latestAt(host)
      if (validBefore === undefined) continue
      const { id: hostId, name, lastSeenAt } = host
      admitting.push({ actionId: actionIds.get(userId) ?? '', hostId, name, validBefore, lastSeenAt })
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

/**
 * Notes that a host has the list with this tag in force. What else a host has to apply before a disable counts as acknowledged is
 * compared here too.
 */
export async function noteReport(
  { db, hostLists }: Pick<Services, 'db'> & { hostLists: HostLists },
  { hostId, krlTag, at }: { hostId: string; krlTag: string; at: number },
): Promise<void> {
  if (!(await isReportAwaited(db.read, hostId))) return
  const krlVersion = await hostLists.findVersion(krlTag)
  if (krlVersion !== undefined) await markListApplied(db, { hostId, krlVersion, at })
}

/** Stops waiting for hosts that are away, and for those that refuse the certificates anyway by now. */
export async function giveUpHosts({ db, now }: Pick<Services, 'db' | 'now'>): Promise<void> {
  if (await isAnyHostWaiting(db.read)) await db.transaction((trx) => giveUpLateHosts(trx, now()))
}
