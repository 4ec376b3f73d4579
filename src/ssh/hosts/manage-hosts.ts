import { ADMIN_ROLE } from '../../access/built-in-roles.ts'
import type { UserHoldings } from '../../access/holdings-store.ts'
import { recordEvent } from '../../audit/record-event.ts'
import { digest } from '../../crypto/digest.ts'
import { refuse, refuseField } from '../../errors.ts'
import { newId } from '../../ids.ts'
import type { Services } from '../../services.ts'
import type { SignedInActor } from '../../sessions/actor.ts'
import { administer } from '../../sessions/administer.ts'
import type { Trx } from '../../storage/database.ts'
import { isDuplicate, isMissingReference } from '../../storage/failure.ts'
import type { AuditAction } from '../../vocabulary/audit-actions.ts'
import { raiseKrlVersion } from '../revocation/revocation-store.ts'
import { markHostCertificatesRevoked } from './host-certificate-store.ts'
import {
  addHost,
  countHosts,
  deleteHost,
  findHostById,
  holdHost,
  renameHost,
  replaceAllowedRoles,
  replaceHostnames,
  setEnrollment,
} from './host-store.ts'
import { deleteHostTokens } from './host-token-store.ts'
import type { HostChange, NewHost, StoredHost } from './host.ts'
import { checkHostnames } from './hostnames.ts'

type Needs = Pick<Services, 'config' | 'db' | 'now' | 'random'>

const MAX_HOSTS = 10_000
const ENROLLMENT_MS = 3_600_000

export interface Enrollment {
  host: StoredHost
  enrollmentToken: string
}

export async function createHost(services: Needs, input: NewHost, actor: SignedInActor): Promise<Enrollment> {
  const hostnames = checkHostnames(input.hostnames, services.config.sshHostPatterns)
  return administer(services, actor, async (trx) => {
    if ((await countHosts(trx)) >= MAX_HOSTS) refuse('conflict', `There are ${MAX_HOSTS} hosts already.`)
    const id = newId()
    const { name, allowedRoles = null } = input
    await addHost(trx, { id, name, at: services.now() })
    await replaceHostnames(trx, id, hostnames)
    await replaceAllowedRoles(trx, id, allowedRoles)
    const enrollment = await enroll(services, trx, id)
    await record(services, trx, 'ssh_host.created', actor, id, { name, hostnames, allowedRoles })
    return enrollment
  }).catch(refuseTaken)
}

/** Certificates that name a host name which is taken away are revoked. The host gets new ones when it reports next. */
export async function changeHost(
  services: Needs,
  id: string,
  change: HostChange,
  actor: SignedInActor,
): Promise<StoredHost> {
  const hostnames = change.hostnames && checkHostnames(change.hostnames, services.config.sshHostPatterns)
  return administer(services, actor, async (trx, held) => {
    const before = (await holdHost(trx, id)) ?? refuseUnknown()
    const { name, allowedRoles } = change
    if (allowedRoles !== undefined) refuseAdmittingOneself(held, before.allowedRoles, allowedRoles)
    if (name !== undefined) await renameHost(trx, id, name)
    if (allowedRoles !== undefined) await replaceAllowedRoles(trx, id, allowedRoles)
    if (hostnames) await replaceHostnames(trx, id, hostnames)
    await record(services, trx, 'ssh_host.changed', actor, id, { ...change, before: before.name })
    const revoked = hostnames
      ? await markHostCertificatesRevoked(trx, { hostId: id, at: services.now(), hostnames })
      : 0
    if (revoked > 0) await raiseKrlVersion(trx, 'host')
    return (await findHostById(trx, id)) ?? refuseUnknown()
  }).catch(refuseTaken)
}

export const removeHost = (services: Needs, id: string, actor: SignedInActor): Promise<void> =>
  administer(services, actor, async (trx) => {
    const host = (await holdHost(trx, id)) ?? refuseUnknown()
    const certificatesRevoked = await markHostCertificatesRevoked(trx, { hostId: id, at: services.now() })
    await deleteHost(trx, id)
    await record(services, trx, 'ssh_host.deleted', actor, id, { name: host.name, certificatesRevoked })
    if (certificatesRevoked > 0) await raiseKrlVersion(trx, 'host')
  })

/** A new token to enroll the host with. What it has now ends when that is used, or at once. */
export const renewEnrollment = (
  services: Needs,
  { id, revoke }: { id: string; revoke: boolean },
  actor: SignedInActor,
): Promise<Enrollment> =>
  administer(services, actor, async (trx) => {
    if (!(await holdHost(trx, id))) refuseUnknown()
    const enrollment = await enroll(services, trx, id)
    if (revoke) await deleteHostTokens(trx, id)
    const certificatesRevoked = revoke ? await markHostCertificatesRevoked(trx, { hostId: id, at: services.now() }) : 0
    const data = { name: enrollment.host.name, revoke, certificatesRevoked }
    await record(services, trx, 'ssh_host.enrollment_renewed', actor, id, data)
    if (certificatesRevoked > 0) await raiseKrlVersion(trx, 'host')
    return enrollment
  })

/** The line that an administrator runs on the host. No program gets the token as an argument: printf is part of the shell. */
export const enrollmentCommand = ({ config }: Pick<Services, 'config'>, token: string): string =>
  `{ printf 'LATCHKEY_ENROLLMENT=%s\\n' ${token}; curl -fsS ${config.baseUrl}/ssh/host-setup.sh; } | sudo sh`

async function enroll({ now, random }: Needs, trx: Trx, id: string): Promise<Enrollment> {
  const enrollmentToken = `he_${random.text(32)}`
  await setEnrollment(trx, id, digest(enrollmentToken), now() + ENROLLMENT_MS)
  return { host: (await findHostById(trx, id)) ?? refuseUnknown(), enrollmentToken }
}

/** Nobody opens a host for themselves, except administrators. */
function refuseAdmittingOneself({ roleIds }: UserHoldings, before: string[] | null, after: string[] | null): void {
  const admits = (roles: string[] | null) => roles === null || roles.some((id) => roleIds.has(id))
  if (!roleIds.has(ADMIN_ROLE) && admits(after) && !admits(before)) {
    refuse('forbidden', 'This would let you in. Somebody else has to do it.')
  }
}

export const refuseUnknown = (): never => refuse('not_found', 'There is no such host.')

function refuseTaken(error: unknown): never {
  if (isDuplicate(error, 'ssh_host_names.hostname'))
    refuseField('hostnames', 'Another host has one of these names.', 'conflict')
  if (isDuplicate(error, 'ssh_hosts.name')) refuseField('name', 'There is already a host of this name.', 'conflict')
  if (isMissingReference(error)) refuseField('allowedRoles', 'There is no such role.')
  throw error
}

const record = (
  services: Needs,
  trx: Trx,
  action: AuditAction,
  actor: SignedInActor,
  id: string,
  data: Record<string, unknown>,
): Promise<void> =>
  recordEvent(services, trx, { action, outcome: 'success', actor, target: { type: 'ssh_host', id }, data })
