import { type Actor, recordEvent } from '../audit/record-event.ts'
import { refuse } from '../errors.ts'
import { newId } from '../ids.ts'
import { notify } from '../notifications/notify.ts'
import { type Authority, formatCertificate, MAX_PRINCIPALS, signCertificate } from '../openssh/certificate.ts'
import { parsePublicKey } from '../openssh/public-key.ts'
import type { Services } from '../services.ts'
import { DISABLED_MESSAGE } from '../users/account-standing.ts'
import type { IssuedCertificate } from './certificate.ts'
import { addCertificate, holdActingUser, takeSerial } from './certificate-store.ts'
import { listPrincipals } from './principals.ts'
import { markSshKeyUsed } from './ssh-key-store.ts'

/** A host whose clock is a little behind still lets a new certificate in. */
const BACKDATED_SECONDS = 60
const NONCE_BYTES = 32

type Needs = Pick<Services, 'config' | 'db' | 'now' | 'random' | 'signals'>

/**
 * Signs a certificate for a saved key. All of it is one transaction that holds the user's row and the key's, so that
 * disabling the user or deleting the key comes either before, and refuses it, or after, and revokes it.
 */
export function issueCertificate(
  services: Needs,
  authority: Authority,
  actor: Actor & { id: string },
  asked: { savedKeyId: string; ttlSeconds?: number | undefined },
): Promise<IssuedCertificate> {
  const { config, db, now, random } = services
  const userId = actor.id
  const at = now()
  const seconds = Math.floor(at / 1000)
  const validAfter = seconds - BACKDATED_SECONDS
  const validBefore = seconds + (asked.ttlSeconds ?? config.sshCertDefaultTtl)
  const id = newId()
  const nonce = random.bytes(NONCE_BYTES)

  return db.transaction().execute(async (trx) => {
    const preferredUsername = await holdActingUser(trx, userId)
    // The session was live a moment ago, so the account has been disabled or deleted since.
    if (preferredUsername === undefined) return refuse('account_disabled', DISABLED_MESSAGE)
    const saved = await markSshKeyUsed(trx, { id: asked.savedKeyId, userId, at })
    if (!saved) return refuse('not_found', 'You have no such key.')
    const principals = await listPrincipals(trx, { id: userId, preferredUsername })
    refuseUnusable(principals)

    const serial = await takeSerial(trx)
    const keyId = `${preferredUsername}:${userId}:${id}`
    const { key, comment } = parsePublicKey(saved.publicKey)
    const signed = signCertificate(authority, { key, serial, keyId, principals, validAfter, validBefore, nonce })
    const { fingerprint } = saved
    await addCertificate(trx, {
      id,
      serial,
      userId,
      savedKeyId: asked.savedKeyId,
      keyId,
      principals: JSON.stringify(principals),
      fingerprint,
      validAfter: validAfter * 1000,
      validBefore: validBefore * 1000,
      createdAt: at,
    })
    const told = { certificateId: id, serial: String(serial), keyId }
    await notify(services, trx, userId, 'ssh.cert_issued', told)
    await recordEvent(services, trx, {
      action: 'ssh_certificate.issued',
      outcome: 'success',
      actor,
      target: { type: 'ssh_certificate', id },
      data: { serial: told.serial, keyId, principals, fingerprint, validBefore },
    })
    const certificate = formatCertificate(signed, comment)
    return { certificate, id, serial: told.serial, keyId, principals, validAfter, validBefore, fingerprint }
  })
}

/** A certificate without principals would open every account there is. */
function refuseUnusable(principals: string[]): void {
  if (principals.length === 0) {
    refuse(
      'conflict',
      'There is no UNIX account that you may log in as. Ask an administrator for a username, or for a role with principals.',
    )
  }
  if (principals.length > MAX_PRINCIPALS) {
    refuse(
      'conflict',
      `Your roles add up to ${principals.length} principals, and a certificate holds ${MAX_PRINCIPALS}. Ask an administrator to take some away.`,
    )
  }
}
