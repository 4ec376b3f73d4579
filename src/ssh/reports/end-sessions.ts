import { refuse } from '../../errors.ts'
import { lockPermission } from '../../identity/roles/role-store.ts'
import type { SignedInActor } from '../../identity/sessions/actor.ts'
import { changeAs } from '../../identity/sessions/lock-actor.ts'
import { sessionErrors } from '../../identity/sessions/session-errors.ts'
import type { Services } from '../../platform/services.ts'
import type { Permission } from '../../vocabulary/permissions.ts'
import { listCertificatesBySerial } from '../certificates/certificate-store.ts'
import { revokeOne } from '../revocation/revoke-certificates.ts'
import { sshErrors } from '../ssh-errors.ts'
import { isSessionReported } from './session-list-store.ts'

const REVOKE: Permission = 'ssh:cert:revoke'
const REASON = 'Its sessions were ended.'

/**
 * Revokes the certificate of a session that a host reports, so that every session that began with it ends on every host. People may do that
 * with their own certificates. Whoever may not is not told whether the host reports such a session.
 */
export const endSessions = (
  services: Pick<Services, 'db' | 'now'>,
  actor: SignedInActor,
  { hostId, serial }: { hostId: string; serial: string },
): Promise<void> =>
  changeAs(services, actor, async (trx) => {
    const [certificate] = await listCertificatesBySerial(trx, [serial])
    if (certificate?.userId !== actor.id && !(await lockPermission(trx, actor.id, REVOKE)))
      refuse(sessionErrors.permission_needed({ permission: REVOKE }))
    if (!certificate || !(await isSessionReported(trx, hostId, BigInt(serial))))
      refuse(sshErrors.no_such_host_session())
    await revokeOne(services, trx, actor, { id: certificate.id, reason: REASON })
  })
