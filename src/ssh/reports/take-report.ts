import type { Services } from '../../platform/services.ts'
import { type EnrolledHost, refuseHost } from '../hosts/authenticate-host.ts'
import { shouldRenew } from '../hosts/enroll-host.ts'
import { noteReportedAttention } from '../hosts/host-attention.ts'
import { bareTag, type HostLists } from '../hosts/host-lists.ts'
import { keepAccountsReport, markReported } from '../hosts/host-store.ts'
import { noteReport } from '../hosts/told-hosts.ts'
import type { HostReport } from './report.ts'

type ReportServices = Pick<Services, 'db' | 'now' | 'signals' | 'sshHostCa'> & { hostLists: HostLists }

/** Takes what a host says about itself: each concern in a function of its own. */
export async function takeReport(
  services: ReportServices,
  host: EnrolledHost,
  report: HostReport,
): Promise<{ renew: boolean }> {
  const at = services.now()
  const { id: hostId } = host
  const krlVersion = bareTag(report.krlVersion)
  const { sshdVersion } = report
  const hostnames = (await markReported(services.db, { id: hostId, krlVersion, sshdVersion, at })) ?? refuseHost()
  await keepAccountsReport(services.db, hostId, report)
  await noteReport(services, { hostId, krlTag: krlVersion, at })
  await noteReportedAttention(services, host, report)
  return { renew: await shouldRenew(services, { id: hostId, hostnames }) }
}
