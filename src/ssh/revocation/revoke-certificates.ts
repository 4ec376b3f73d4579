import { refuse } from '../../errors.ts'
import type { SignedInActor } from '../../identity/sessions/actor.ts'
import { changeAs } from '../../identity/sessions/lock-actor.ts'
import { recordEvent } from '../../platform/audit/record-event.ts'
import { MAX_CERTIFICATE_SECONDS } from '../../platform/config/variables.ts'
import type { Services } from '../../platform/services.ts'
import type { Trx } from '../../storage/database.ts'
import { findCertificate, type SshCertificate } from '../certificates/certificate-store.ts'
import { lockLastSerial, markLastSerial } from '../certificates/serial-store.ts'
import { sshErrors, sshHostErrors } from '../ssh-errors.ts'
import { raiseKrlVersion, addRevokedRange, raiseKrlVersionsTo } from './revocation-store.ts'
import { markRevoked, markNextValidRevoked, markValidRevoked } from './revoked-certificate-store.ts'

interface Revocation {
  id: string
  reason?: string | undefined
}

/** Revoking again changes nothing: the first reason and time are kept. */
export async function revokeCertificate(
  services: Pick<Services, 'db' | 'now'>,
  actor: SignedInActor,
  revocation: Revocation,
): Promise<SshCertificate> {
  const revoked = await changeAs(services, actor, (trx) => revokeOne(services, trx, actor, revocation))
  return revoked ?? (await findCertificate(services.db.read, revocation.id)) ?? refuse(sshErrors.no_such_certificate())
}

/** The same in a transaction that has checked the actor; undefined when it was revoked before or does not exist. */
export async function revokeOne(
  services: Pick<Services, 'now'>,
  trx: Trx,
  actor: SignedInActor,
  { id, reason }: Revocation,
): Promise<SshCertificate | undefined> {
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
}

/**
 * Revokes every certificate of these users that is still valid, and returns how many, for each user who had any. Part of
 * what ends an account, in a transaction that has locked their rows: a certificate that is being issued meanwhile is either
 * waited for and revoked here, or refused because the account has ended by then.
 */
export async function revokeCertificatesOfUsers(
  { now }: Pick<Services, 'now'>,
  trx: Trx,
  userIds: string[],
  reason: string,
): Promise<Map<string, number>> {
  const owners = await revokeValid(trx, { userIds, reason, at: now() })
  const counts = new Map<string, number>()
  for (const owner of owners) counts.set(owner, (counts.get(owner) ?? 0) + 1)
  return counts
}

/** The same for the certificates of one saved key: call it after the key was deleted, so that no other is issued. */
export async function revokeCertificatesOfKey(
  { now }: Pick<Services, 'now'>,
  trx: Trx,
  { userId, savedKeyId }: { userId: string; savedKeyId: string },
  reason: string,
): Promise<number> {
  return (await revokeValid(trx, { userIds: [userId], savedKeyId, reason, at: now() })).length
}

const BATCH = 2000

/** All certificates, a batch at a time: for a restored backup, which can't know which of them were revoked since. */
export async function revokeAllCertificates(
  { db, now }: Pick<Services, 'db' | 'now'>,
  reason: string,
): Promise<number> {
  let revoked = 0
  let above = 0n
  for (;;) {
    const serials = await db.transaction(async (trx) => {
      const marked = await markNextValidRevoked(trx, { above, reason, at: now(), limit: BATCH })
      if (marked.length > 0) await raiseKrlVersion(trx)
      return marked
    })
    revoked += serials.length
    if (serials.length < BATCH) return revoked
    above = serials.reduce((highest, serial) => (serial > highest ? serial : highest), above)
  }
}

async function revokeValid(trx: Trx, which: Parameters<typeof markValidRevoked>[1]): Promise<string[]> {
  const owners = await markValidRevoked(trx, which)
  if (owners.length > 0) await raiseKrlVersion(trx)
  return owners
}

export interface SkippedSerials {
  first: bigint
  last: bigint
}

/**
 * For a restored backup. Certificates that were issued after the backup was made are not in it, and none of their serials
 * may be issued again. So the serial counter jumps to the microseconds since 1970: no counter reaches that by counting, and
 * it is higher at every later restore, however often the same backup is restored. The skipped serials are revoked as one
 * range until the last certificate that may be among them has expired. The version of the revocation list jumps as well,
 * so that no version is used twice.
 */
export async function skipSerials({ now }: Pick<Services, 'now'>, trx: Trx): Promise<SkippedSerials> {
  const last = BigInt(now()) * 1000n
  const first = (await lockLastSerial(trx)) + 1n
  if (first > last) throw sshHostErrors.clock_behind_certificates()
  await markLastSerial(trx, last)
  const validBefore = now() + MAX_CERTIFICATE_SECONDS * 1000
  await addRevokedRange(trx, { first, last, revokedAt: now(), validBefore })
  await raiseKrlVersionsTo(trx, last)
  return { first, last }
}
