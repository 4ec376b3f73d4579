import { refuse } from '../../errors.ts'
import type { SignedInActor } from '../../identity/sessions/actor.ts'
import { changeAs } from '../../identity/sessions/lock-actor.ts'
import { recordEvent } from '../../platform/audit/record-event.ts'
import type { Services } from '../../platform/services.ts'
import { findCertificate } from '../certificates/certificate-store.ts'
import type { SshCertificate } from '../certificates/certificate.ts'
import { raiseKrlVersion } from './revocation-store.ts'
import { markRevoked } from './revoked-certificate-store.ts'

/** Revoking again changes nothing: the first reason and time are kept. */
export async function revokeCertificate(
  services: Pick<Services, 'db' | 'now'>,
  actor: SignedInActor,
  { id, reason }: { id: string; reason?: string | undefined },
): Promise<SshCertificate> {
  const revoked = await changeAs(services, actor, async (trx) => {
    const certificate = await markRevoked(trx, { id, reason: reason ?? null, at: services.now() })
    if (!certificate) return undefined
    const { serial, keyId, userId } = certificate
    await recordEvent(services, trx, {
      action: 'ssh_certificate.revoked',
      outcome: 'success',
      actor,
      target: { type: 'ssh_certificate', id },
      data: { serial, keyId, userId, reason: reason ?? null },
    })
    await raiseKrlVersion(trx)
    return certificate
  })
  return (
    revoked ?? (await findCertificate(services.db.read, id)) ?? refuse('not_found', 'There is no such certificate.')
  )
}
