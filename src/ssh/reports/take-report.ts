import type { Services } from '../../platform/services.ts'
import { refuseHost } from '../hosts/authenticate-host.ts'
import { shouldRenew } from '../hosts/enroll-host.ts'
import { noteReportedAttention } from '../hosts/host-attention.ts'
import { findNewestHostCertificate } from '../hosts/host-credential-store.ts'
import { bareTag, type HostLists } from '../hosts/host-lists.ts'
import { findReportBefore } from '../hosts/host-session-store.ts'
import { keepAccountsReport, markReported } from '../hosts/host-store.ts'
import { findAwaitedVersion } from '../hosts/told-host-store.ts'
import { noteLists } from '../hosts/told-hosts.ts'
import { hasSessionNews, noteSessions, type ReportingHost } from './note-sessions.ts'
import type { HostReport } from './report.ts'

type ReportServices = Pick<Services, 'db' | 'now' | 'observeEvent' | 'signals' | 'sshHostCa'> & { hostLists: HostLists }

/**
 * Takes what a host says about itself: each concern in a function of its own. Every host reports once a minute, mostly what it has
 * reported before, and then that it was here is all that is written.
 */
export async function takeReport(
  services: ReportServices,
  host: ReportingHost,
  report: HostReport,
): Promise<{ renew: boolean }> {
  const { db, now, hostLists } = services
  const { id } = host
  const at = now()
  // Together, because after a change thousands of hosts report within seconds.
  const [known, newest, awaited] = await Promise.all([
    findReportBefore(db.read, id),
    findNewestHostCertificate(db.read, id),
    findAwaitedVersion(db.read, id),
  ])
  const before = known ?? refuseHost()
  const krlVersion = bareTag(report.krlVersion)
  const principalsVersion = report.principalsVersion === undefined ? null : bareTag(report.principalsVersion)
  const inForce = { id, krlVersion, sshdVersion: report.sshdVersion, principalsVersion, at }
  // A session may have begun by the list that the host had a moment ago.
  const past = [principalsVersion, before.principalsVersion].flatMap((tag) => hostLists.findPrincipals(tag ?? '') ?? [])
  const hostnames = hasSessionNews(report, before)
    ? await db.transaction(async (trx) => {
        // This locks the row, so that two reports of one host come one after the other.
        const names = await markReported(trx, inForce)
        if (names) await noteSessions(services, trx, { host, report, past })
        return names
      })
    : await markReported(db, inForce)
  // One that has reported its list of accounts before is not believed to have applied it when it says nothing of it.
  if (principalsVersion !== null || before.principalsVersion === null)
    await noteLists(services, { host, awaited, krlTag: krlVersion, principalsTag: principalsVersion, at })
  await keepAccountsReport(db, id, before.accounts, report)
  await noteReportedAttention(services, host, report)
  return { renew: shouldRenew(services, { hostnames: hostnames ?? refuseHost(), newest }) }
}
