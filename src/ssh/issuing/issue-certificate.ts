import { Type } from 'typebox'
import { atField, refuse } from '../../errors.ts'
import { findPlannedEnd } from '../../identity/lifecycle/lifecycle-store.ts'
import { prepareNotification } from '../../identity/notifications/notify.ts'
import { criticalOptionsOf, extensionsOf, type SshRules } from '../../identity/roles/ssh-rules.ts'
import type { CallingActor } from '../../identity/sessions/actor.ts'
import { changeOwnAccount } from '../../identity/sessions/lock-actor.ts'
import { refuseUnconfirmed } from '../../identity/users/email-address.ts'
import { recordEvent } from '../../platform/audit/record-event.ts'
import { newOrderedId } from '../../platform/ids.ts'
import {
  type Authority,
  type Draft,
  formatCertificate,
  prepareCertificate,
  signDraft,
} from '../../platform/openssh/certificate.ts'
import { parsePublicKey, type PublicKey } from '../../platform/openssh/public-key.ts'
import { FormatError } from '../../platform/openssh/wire.ts'
import type { Services } from '../../platform/services.ts'
import type { Trx } from '../../storage/database.ts'
import {
  isAnnounced,
  addCertificate,
  findLatestExpiry,
  type NewCertificate,
} from '../certificates/certificate-store.ts'
import { type CertifiedValues, certifyValues, needsAttributes } from '../certificates/certified-extensions.ts'
import { chooseGroup, lockAttributes, lockPrincipalGroups } from '../certificates/principals.ts'
import { claimSerial } from '../certificates/serial-store.ts'
import { sshErrors } from '../ssh-errors.ts'
import { lockSshKey, keepEphemeralKey, markSshKeyUsed } from './ssh-key-store.ts'

/** The answer to a request for a certificate. */
export const IssuedCertificate = Type.Object(
  {
    certificate: Type.String({ description: 'One line, for a file whose name ends in -cert.pub.' }),
    id: Type.String(),
    serial: Type.String({ description: '64 bits, in decimal digits.' }),
    keyId: Type.String({ description: 'Names the user and the certificate; sshd writes it to its log.' }),
    principals: Type.Array(Type.String()),
    validAfter: Type.Integer({ description: 'Epoch seconds.' }),
    validBefore: Type.Integer({ description: 'Epoch seconds.' }),
    fingerprint: Type.String(),
  },
  { title: 'IssuedSshCert' },
)
export type IssuedCertificate = Type.Static<typeof IssuedCertificate>

/** So that a host whose clock is a little behind accepts a new certificate. */
const BACKDATED_SECONDS = 60
const NONCE_BYTES = 32
/** The shortest lifetime of a certificate. */
const MIN_SECONDS = 60
/** The last use of a key is written no more often than this. */
const MARK_USED_MS = 60_000

type IssuingServices = Pick<Services, 'config' | 'db' | 'now' | 'random' | 'signals' | 'sshCa'>

interface IssueCertificateRequest {
  savedKeyId: string
  ttlSeconds?: number | undefined
  /** Those of one group; the group with the username when absent. */
  principals?: string[] | undefined
}

/**
 * Issues a certificate for a saved key. The transaction locks the account, the session, the permission, the key and the
 * principals. A transaction that ends one of them either comes before, and this one refuses, or comes after, and revokes
 * the certificate. The signature follows the commit: a certificate that is revoked before it is signed is revoked all the
 * same.
 */
export async function issueCertificate(
  services: IssuingServices,
  actor: CallingActor,
  request: IssueCertificateRequest,
): Promise<IssuedCertificate> {
  const { authority, draft, comment, row } = await changeOwnAccount(services, actor, (trx) =>
    logCertificate(services, trx, actor, request),
  )
  const { id, serial, keyId, principals, validAfter, validBefore, fingerprint } = row
  const certificate = formatCertificate(signDraft(authority, draft), comment)
  return { certificate, id, serial: String(serial), keyId, principals, validAfter, validBefore, fingerprint }
}

/** A certificate that is in the log and not yet signed. */
interface UnsignedCertificate {
  /** The key may be replaced between the two steps. */
  authority: Authority
  draft: Draft
  comment: string
  row: NewCertificate
}

async function logCertificate(
  services: IssuingServices,
  trx: Trx,
  actor: CallingActor,
  { savedKeyId, ttlSeconds, principals: requested }: IssueCertificateRequest,
): Promise<UnsignedCertificate> {
  const at = services.now()
  // Everything that depends on nothing else is asked for together.
  const [, lockedKey, { preferredUsername, groups, sudo }, latestExpiry = 0, plannedEnd, notify] = await Promise.all([
    refuseUnconfirmed(trx, services.config, actor.id),
    lockSshKey(trx, { id: savedKeyId, userId: actor.id, now: at }),
    lockPrincipalGroups(trx, actor.id),
    findLatestExpiry(trx, actor.id),
    latestEnd(trx, actor.id, at),
    prepareAnnouncement(services, trx, actor),
  ])
  const saved = lockedKey ?? refuse(sshErrors.no_such_ssh_key())
  const { key, application, comment } = readSavedKey(saved.publicKey)
  const group = chooseGroup(groups, {
    username: preferredUsername,
    principals: requested,
    isSecurityKey: application !== undefined,
  })
  const { principals, rules, roles } = group
  const customValues = certifyValues(group, needsAttributes(group) ? await lockAttributes(trx, actor.id) : undefined)
  const lifetime = chooseLifetime(services.config, ttlSeconds, rules, roles)
  if (saved.lastUsedAt === null || saved.lastUsedAt <= at - MARK_USED_MS) markSshKeyUsed(trx, saved.id, at)

  const id = newOrderedId()
  const seconds = Math.floor(at / 1000)
  const described = {
    keyId: `${preferredUsername}:${actor.id}:${id}`,
    principals,
    validAfter: seconds - BACKDATED_SECONDS,
    validBefore: Math.min(seconds + lifetime, plannedEnd),
  }
  await keepEphemeralKey(trx, saved, described.validBefore * 1000)
  const nonce = services.random.bytes(NONCE_BYTES)

  // From here to the commit all other transactions that issue a certificate wait: only writes follow.
  const serial = await claimSerial(trx)
  const authority = services.sshCa.current()
  const draft = prepareCertificate(authority, {
    ...described,
    ...optionsOf(rules, customValues),
    serial,
    key,
    application,
    nonce,
  })
  const { fingerprint } = saved
  const issuedUnder = {
    ...rules,
    ...(Object.keys(customValues).length > 0 ? { customValues } : {}),
    ...(principals.includes(preferredUsername) && Object.keys(sudo).length > 0 ? { sudo } : {}),
  }
  const row = { ...described, id, serial, userId: actor.id, savedKeyId, fingerprint, rules: issuedUnder, createdAt: at }
  addCertificate(trx, row, latestExpiry)
  const { keyId, validBefore } = described
  notify?.({ type: 'ssh.cert_issued', data: { certificateId: id, serial: String(serial), keyId } })
  await recordEvent(services, trx, {
    action: 'ssh_certificate.issued',
    outcome: 'success',
    actor,
    target: { type: 'ssh_certificate', id },
    data: { serial: String(serial), keyId, principals, fingerprint, validBefore },
  })
  return { authority, draft, comment, row }
}

/** Undefined for a sign-in whose first certificate was announced. */
const prepareAnnouncement = async (services: IssuingServices, trx: Trx, actor: CallingActor) =>
  (await isAnnounced(trx, actor)) ? undefined : prepareNotification(services, trx, actor.id)

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
    return refuse(sshErrors.ssh_key_unreadable({ cause: error }))
  }
}

/** Roles may allow less than the service does. */
function chooseLifetime(
  { sshCertDefaultTtl, sshCertMaxTtl }: Services['config'],
  requested: number | undefined,
  { maxTtlSeconds = sshCertMaxTtl }: SshRules,
  roles: string[],
): number {
  const longest = Math.min(maxTtlSeconds, sshCertMaxTtl)
  if (requested !== undefined && requested > longest) {
    const about = { roles: roles.join(', '), max: longest }
    throw atField('ttlSeconds', sshErrors.certificate_lifetime_too_long(about))
  }
  return requested ?? Math.min(sshCertDefaultTtl, longest)
}

/** What a certificate contains of the rules, in the words of PROTOCOL.certkeys. */
const optionsOf = (rules: SshRules, customValues: CertifiedValues) => {
  const custom = Object.entries(customValues)
  const isUsual = rules.extensions === undefined && custom.length === 0
  const flags = extensionsOf(rules).map((name) => [name, ''] as const)
  return {
    criticalOptions: criticalOptionsOf(rules),
    ...(isUsual ? {} : { extensions: new Map([...flags, ...custom]) }),
  }
}
