import { type Actor, recordEvent } from '../audit/record-event.ts'
import { AppError, refuse } from '../errors.ts'
import { newId } from '../ids.ts'
import { notify } from '../notifications/notify.ts'
import { type Authority, formatCertificate, MAX_PRINCIPALS, signCertificate } from '../openssh/certificate.ts'
import { parsePublicKey } from '../openssh/public-key.ts'
import type { Services } from '../services.ts'
import type { Db } from '../storage/schema.ts'
import { DISABLED_MESSAGE } from '../users/account-standing.ts'
import type { IssuedCertificate } from './certificate.ts'
import { addCertificate, holdActingUser, takeSerials } from './certificate-store.ts'
import { listPrincipals } from './principals.ts'
import { markSshKeyUsed, type UsedKey } from './ssh-key-store.ts'

/** A host whose clock is a little behind still lets a new certificate in. */
const BACKDATED_SECONDS = 60
const NONCE_BYTES = 32

export type Needs = Pick<Services, 'config' | 'db' | 'now' | 'random' | 'signals'>

export interface Asked {
  actor: Actor
  savedKeyId: string
  ttlSeconds?: number | undefined
}

/**
 * Signs certificates for saved keys of one user; answers, for each, the certificate or why there is none. All of it is
 * one transaction that holds the user's row and the keys', so that disabling the user or deleting a key comes either
 * before, and refuses, or after, and revokes.
 */
export function issueCertificates(
  services: Needs,
  authority: Authority,
  userId: string,
  asked: Asked[],
): Promise<(IssuedCertificate | AppError)[]> {
  return services.db.transaction().execute(async (trx) => {
    const at = services.now()
    const preferredUsername = await holdActingUser(trx, userId)
    // The session was live a moment ago, so the account has been disabled or deleted since.
    if (preferredUsername === undefined) return refuse('account_disabled', DISABLED_MESSAGE)
    const user = { id: userId, preferredUsername }
    const keys = await markKeysUsed(trx, asked, userId, at)
    if (keys.size === 0) return asked.map(noSuchKey)
    const principals = await listPrincipals(trx, user)
    refuseUnusable(principals)

    let serial = await takeSerials(trx, asked.filter(({ savedKeyId }) => keys.has(savedKeyId)).length)
    const outcomes: (IssuedCertificate | AppError)[] = []
    for (const each of asked) {
      const key = keys.get(each.savedKeyId)
      outcomes.push(
        key ? await issueOne(services, authority, trx, { ...each, user, key, principals, serial, at }) : noSuchKey(),
      )
      if (key) serial++
    }
    return outcomes
  })
}

interface Granted extends Asked {
  user: { id: string; preferredUsername: string }
  key: UsedKey
  principals: string[]
  serial: bigint
  at: number
}

async function issueOne(
  services: Needs,
  authority: Authority,
  db: Db,
  { actor, savedKeyId, ttlSeconds = services.config.sshCertDefaultTtl, user, key, principals, serial, at }: Granted,
): Promise<IssuedCertificate> {
  const id = newId()
  const keyId = `${user.preferredUsername}:${user.id}:${id}`
  const { fingerprint } = key
  const seconds = Math.floor(at / 1000)
  const [validAfter, validBefore] = [seconds - BACKDATED_SECONDS, seconds + ttlSeconds]
  const nonce = services.random.bytes(NONCE_BYTES)
  const { key: bytes, comment } = parsePublicKey(key.publicKey)
  const signed = signCertificate(authority, { key: bytes, serial, keyId, principals, validAfter, validBefore, nonce })
  await addCertificate(db, {
    id,
    serial,
    userId: user.id,
    savedKeyId,
    keyId,
    principals: JSON.stringify(principals),
    fingerprint,
    validAfter: validAfter * 1000,
    validBefore: validBefore * 1000,
    createdAt: at,
  })
  const told = { certificateId: id, serial: String(serial), keyId }
  await notify(services, db, user.id, 'ssh.cert_issued', told)
  await recordEvent(services, db, {
    action: 'ssh_certificate.issued',
    outcome: 'success',
    actor,
    target: { type: 'ssh_certificate', id },
    data: { serial: told.serial, keyId, principals, fingerprint, validBefore },
  })
  const certificate = formatCertificate(signed, comment)
  return { certificate, id, serial: told.serial, keyId, principals, validAfter, validBefore, fingerprint }
}

async function markKeysUsed(db: Db, asked: Asked[], userId: string, at: number): Promise<Map<string, UsedKey>> {
  const keys = new Map<string, UsedKey>()
  for (const id of new Set(asked.map(({ savedKeyId }) => savedKeyId))) {
    const key = await markSshKeyUsed(db, { id, userId, at })
    if (key) keys.set(id, key)
  }
  return keys
}

const noSuchKey = (): AppError => new AppError('not_found', 'You have no such key.')

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
