import { recordEvent } from '../../audit/record-event.ts'
import { refuse } from '../../errors.ts'
import { newOrderedId } from '../../ids.ts'
import { prepareNotification } from '../../notifications/notify.ts'
import {
  type Draft,
  formatCertificate,
  MAX_PRINCIPALS,
  prepareCertificate,
  signDraft,
} from '../../openssh/certificate.ts'
import { parsePublicKey, type PublicKey } from '../../openssh/public-key.ts'
import { FormatError } from '../../openssh/wire.ts'
import type { Services } from '../../services.ts'
import type { SignedInActor } from '../../sessions/actor.ts'
import { changeOwnAccount } from '../../sessions/hold-actor.ts'
import type { Trx } from '../../storage/database.ts'
import { refuseUnconfirmed } from '../../users/allowed-email.ts'
import { findPlannedEnd } from '../../users/planned-end-store.ts'
import { holdSshKey, markSshKeyUsed } from '../keys/ssh-key-store.ts'
import { addCertificate, findLatestExpiry, type NewCertificate } from './certificate-store.ts'
import type { IssuedCertificate } from './certificate.ts'
import { holdPrincipals } from './principals.ts'
import { claimSerial } from './serial-store.ts'

/** So that a host whose clock is a little behind accepts a new certificate. */
const BACKDATED_SECONDS = 60
const NONCE_BYTES = 32
/** The shortest lifetime of a certificate. */
const MIN_SECONDS = 60
/** The last use of a key is written no more often than this. */
const MARK_USED_MS = 60_000

type Needs = Pick<Services, 'config' | 'db' | 'now' | 'random' | 'signals' | 'sshCa'>

interface IssueCertificateRequest {
  savedKeyId: string
  ttlSeconds?: number | undefined
}

/**
 * Issues a certificate for a saved key. The transaction holds the account, the session, the permission, the key and the
 * principals. A transaction that ends one of them either comes before, and this one refuses, or comes after, and revokes
 * the certificate. The signature follows the commit: a certificate that is revoked before it is signed is revoked all the
 * same.
 */
export async function issueCertificate(
  services: Needs,
  actor: SignedInActor,
  request: IssueCertificateRequest,
): Promise<IssuedCertificate> {
  const { draft, comment, row } = await changeOwnAccount(services, actor, (trx) =>
    logCertificate(services, trx, actor, request),
  )
  const { id, serial, keyId, principals, validAfter, validBefore, fingerprint } = row
  const certificate = formatCertificate(signDraft(services.sshCa, draft), comment)
  return { certificate, id, serial: String(serial), keyId, principals, validAfter, validBefore, fingerprint }
}

/** A certificate that is in the log and not yet signed. */
interface UnsignedCertificate {
  draft: Draft
  comment: string
  row: NewCertificate
}

async function logCertificate(
  services: Needs,
  trx: Trx,
  actor: SignedInActor,
  { savedKeyId, ttlSeconds = services.config.sshCertDefaultTtl }: IssueCertificateRequest,
): Promise<UnsignedCertificate> {
  const at = services.now()
  await refuseUnconfirmed(trx, services.config, actor.id)
  const saved =
    (await holdSshKey(trx, { id: savedKeyId, userId: actor.id })) ?? refuse('not_found', 'You have no such key.')
  const { key, comment } = readSavedKey(saved.publicKey)
  const { preferredUsername, principals } = await holdPrincipals(trx, actor.id)
  refuseUnusablePrincipals(principals)
  if (saved.lastUsedAt === null || saved.lastUsedAt <= at - MARK_USED_MS) await markSshKeyUsed(trx, saved.id, at)
  const latestExpiry = (await findLatestExpiry(trx, actor.id)) ?? 0
  const plannedEnd = await latestEnd(trx, actor.id, at)
  const notify = await prepareNotification(services, trx, actor.id)

  const id = newOrderedId()
  const seconds = Math.floor(at / 1000)
  const described = {
    keyId: `${preferredUsername}:${actor.id}:${id}`,
    principals,
    validAfter: seconds - BACKDATED_SECONDS,
    validBefore: Math.min(seconds + ttlSeconds, plannedEnd),
  }
  const nonce = services.random.bytes(NONCE_BYTES)

  // From here to the commit all other transactions that issue a certificate wait: only writes follow.
  const serial = await claimSerial(trx)
  const draft = prepareCertificate(services.sshCa, { ...described, serial, key, nonce })
  const { fingerprint } = saved
  const row = { ...described, id, serial, userId: actor.id, savedKeyId, fingerprint, createdAt: at }
  await addCertificate(trx, row, latestExpiry)
  const { keyId, validBefore } = described
  await notify({ type: 'ssh.cert_issued', data: { certificateId: id, serial: String(serial), keyId } })
  await recordEvent(services, trx, {
    action: 'ssh_certificate.issued',
    outcome: 'success',
    actor,
    target: { type: 'ssh_certificate', id },
    data: { serial: String(serial), keyId, principals, fingerprint, validBefore },
  })
  return { draft, comment, row }
}

/**
 * The last second at which a certificate of this user may end. Hosts verify certificates without asking us, so one that is
 * issued while a disable is planned ends with it; it is valid for a minute at least, and the disable revokes it.
 */
async function latestEnd(trx: Trx, userId: string, at: number): Promise<number> {
  const plannedEnd = await findPlannedEnd(trx, userId)
  return plannedEnd === undefined
    ? Number.MAX_SAFE_INTEGER
    : Math.floor(Math.max(plannedEnd, at + MIN_SECONDS * 1000) / 1000)
}

/** A key was parsed before it was saved, so this fails only for a damaged row, and then only for its owner. */
function readSavedKey(line: string): PublicKey {
  try {
    return parsePublicKey(line)
  } catch (error) {
    if (!(error instanceof FormatError)) throw error
    return refuse('conflict', 'This saved key can’t be read any more. Delete it, and save it again.', { cause: error })
  }
}

function refuseUnusablePrincipals({ length }: string[]): void {
  // A certificate without principals would open every account there is.
  if (length === 0) {
    refuse(
      'conflict',
      'There is no UNIX account that you may log in as. Ask an administrator for a username, or for a role with principals.',
    )
  }
  if (length > MAX_PRINCIPALS) {
    refuse(
      'conflict',
      `Your roles add up to ${length} principals, and a certificate holds ${MAX_PRINCIPALS}. Ask an administrator to take some away.`,
    )
  }
}
