import { atField, refuse } from '../../errors.ts'
import type { CheckedTrx } from '../../identity/roles/checked-trx.ts'
import { withoutEscalation } from '../../identity/roles/escalation.ts'
import { rememberHosts } from '../../identity/roles/former-host-store.ts'
import type { SignedInActor } from '../../identity/sessions/actor.ts'
import { administer } from '../../identity/sessions/administer.ts'
import { recordEvent } from '../../platform/audit/record-event.ts'
import { digest } from '../../platform/crypto/digest.ts'
import { newId } from '../../platform/ids.ts'
import type { Services } from '../../platform/services.ts'
import type { Trx } from '../../storage/database.ts'
import { isDuplicate, isMissingReference } from '../../storage/failure.ts'
import type { AuditAction } from '../../vocabulary/audit-actions.ts'
import { raiseKrlVersion } from '../revocation/revocation-store.ts'
import { sshErrors } from '../ssh-errors.ts'
import {
  addDeletedHost,
  endHostTokens,
  markHostCertificatesRevoked,
  markReadingEnded,
} from './host-credential-store.ts'
import { atSshHost, type HostAdmission } from './host-escalation.ts'
import {
  addHost,
  countHosts,
  deleteHost,
  findHostById,
  lockHost,
  renameHost,
  replaceAllowedRoles,
  replaceHostnames,
  setAccounts,
  setEnrollment,
} from './host-store.ts'
import { checkHostnames, type HostChange, type NewHost, type StoredHost } from './host.ts'

type HostServices = Pick<Services, 'config' | 'db' | 'now' | 'random'>

const MAX_HOSTS = 10_000
const ENROLLMENT_MS = 3_600_000

export interface Enrollment {
  host: StoredHost
  enrollmentToken: string
}

export async function createHost(services: HostServices, input: NewHost, actor: SignedInActor): Promise<Enrollment> {
  const hostnames = checkHostnames(input.hostnames, services.config.sshHostPatterns)
  return administer(services, actor, async (trx, held) => {
    if ((await countHosts(trx)) >= MAX_HOSTS) throw sshErrors.too_many_hosts({ max: MAX_HOSTS })
    const id = newId()
    const { name, allowedRoles = null, accounts = 'existing' } = input
    await withoutEscalation(trx, held, [atSshHost(services, id, hostnames)], async (checked) => {
      await addHost(checked, { id, name, at: services.now() })
      await replaceHostnames(checked, id, hostnames)
      await replaceAllowedRoles(checked, id, allowedRoles)
      await setAccounts(checked, id, accounts)
    })
    const enrollment = await enroll(services, trx, id)
    await record(services, trx, 'ssh_host.created', actor, id, { name, hostnames, allowedRoles, accounts })
    return enrollment
  }).catch(refuseTaken)
}

/** Certificates that name a host name which is taken away are revoked. The host gets new ones when it reports next. */
export async function changeHost(
  services: HostServices,
  id: string,
  change: HostChange,
  actor: SignedInActor,
): Promise<StoredHost> {
  const hostnames = change.hostnames && checkHostnames(change.hostnames, services.config.sshHostPatterns)
  return administer(services, actor, async (trx, held) => {
    const before = (await lockHost(trx, id)) ?? refuseUnknown()
    const { name, allowedRoles, accounts } = change
    if (name !== undefined) await renameHost(trx, id, name)
    const compared = [...before.hostnames, ...(hostnames ?? [])]
    await withoutEscalation(trx, held, [atSshHost(services, id, compared)], async (checked) => {
      if (allowedRoles !== undefined) await replaceAllowedRoles(checked, id, allowedRoles)
      if (accounts !== undefined) await setAccounts(checked, id, accounts)
      if (!hostnames) return
      await rememberLostNames(checked, before, { kept: hostnames, now: services.now() })
      await replaceHostnames(checked, id, hostnames)
    })
    await record(services, trx, 'ssh_host.changed', actor, id, { ...change, before: before.name })
    const revoked = hostnames
      ? await markHostCertificatesRevoked(trx, { hostId: id, at: services.now(), hostnames })
      : 0
    if (revoked > 0) await raiseKrlVersion(trx, 'host')
    return (await findHostById(trx, id)) ?? refuseUnknown()
  }).catch(refuseTaken)
}

/** Its tokens get empty lists from now on, so that the host closes. */
export const removeHost = (services: HostServices, id: string, actor: SignedInActor): Promise<void> =>
  administer(services, actor, async (trx, held) => {
    const host = (await lockHost(trx, id)) ?? refuseUnknown()
    const certificatesRevoked = await markHostCertificatesRevoked(trx, { hostId: id, at: services.now() })
    await endHostTokens(trx, { hostId: id, ending: 'deleted', at: services.now() })
    await addDeletedHost(trx, id, services.now())
    await withoutEscalation(trx, held, [atSshHost(services, id, host.hostnames)], async (checked) => {
      await rememberLostNames(checked, host, { kept: [], now: services.now() })
      await deleteHost(checked, id, services.now())
    })
    await record(services, trx, 'ssh_host.deleted', actor, id, { name: host.name, certificatesRevoked })
    if (certificatesRevoked > 0) await raiseKrlVersion(trx, 'host')
  })

/** Whoever makes a host with one of these names is compared with what this one admitted. */
async function rememberLostNames(
  trx: CheckedTrx,
  { hostnames, allowedRoles, accounts }: StoredHost,
  { kept, now }: { kept: readonly string[]; now: number },
): Promise<void> {
  const lost = hostnames.filter((name) => !kept.includes(name))
  const admission: HostAdmission = { allowedRoles, accounts }
  await rememberHosts(trx, { kind: 'ssh', hosts: lost, admission, now })
}

/** A new token to enroll the host with. What it has now ends when that is used, or at once. */
export const renewEnrollment = (
  services: HostServices,
  { id, revoke }: { id: string; revoke: boolean },
  actor: SignedInActor,
): Promise<Enrollment> =>
  administer(services, actor, async (trx) => {
    if (!(await lockHost(trx, id))) refuseUnknown()
    const enrollment = await enroll(services, trx, id)
    if (revoke) await revokeHostTokens(trx, id, services.now())
    const certificatesRevoked = revoke ? await markHostCertificatesRevoked(trx, { hostId: id, at: services.now() }) : 0
    const data = { name: enrollment.host.name, revoke, certificatesRevoked }
    await record(services, trx, 'ssh_host.enrollment_renewed', actor, id, data)
    if (certificatesRevoked > 0) await raiseKrlVersion(trx, 'host')
    return enrollment
  })

async function revokeHostTokens(trx: Trx, hostId: string, at: number): Promise<void> {
  await endHostTokens(trx, { hostId, ending: 'revoked', at })
  await markReadingEnded(trx, hostId, 'revoked')
  trx.signal('host-changed', { hostId })
}

/** The line that an administrator runs on the host. No program gets the token as an argument: printf is part of the shell. */
export const enrollmentCommand = ({ config }: Pick<Services, 'config'>, token: string): string =>
  `{ printf 'LATCHKEY_ENROLLMENT=%s\\n' ${token}; curl -fsS ${config.baseUrl}/ssh/host-setup.sh; } | sudo sh`

async function enroll({ now, random }: HostServices, trx: Trx, id: string): Promise<Enrollment> {
  const enrollmentToken = `he_${random.text(32)}`
  await setEnrollment(trx, id, digest(enrollmentToken), now() + ENROLLMENT_MS)
  return { host: (await findHostById(trx, id)) ?? refuseUnknown(), enrollmentToken }
}

export const refuseUnknown = (): never => refuse(sshErrors.no_such_host())

function refuseTaken(error: unknown): never {
  if (isDuplicate(error, 'ssh_host_names.hostname')) throw atField('hostnames', sshErrors.hostname_taken())
  if (isDuplicate(error, 'ssh_hosts.name')) throw atField('name', sshErrors.host_name_taken())
  if (isMissingReference(error)) throw atField('allowedRoles', sshErrors.host_role_unknown())
  throw error
}

const record = (
  services: HostServices,
  trx: Trx,
  action: AuditAction,
  actor: SignedInActor,
  id: string,
  data: Record<string, unknown>,
): Promise<void> =>
  recordEvent(services, trx, { action, outcome: 'success', actor, target: { type: 'ssh_host', id }, data })
