import { type Actor, recordEvents } from '../audit/record-event.ts'
import { AppError, refuse } from '../errors.ts'
import { newOrderedId } from '../ids.ts'
import { notifyEach } from '../notifications/notify.ts'
import {
  type Authority,
  formatCertificate,
  MAX_PRINCIPALS,
  prepareCertificate,
  sealCertificate,
} from '../openssh/certificate.ts'
import { type PublicKey, parsePublicKey } from '../openssh/public-key.ts'
import type { Services } from '../services.ts'
import type { Db } from '../storage/schema.ts'
import { DISABLED_MESSAGE } from '../users/account-standing.ts'
import type { IssuedCertificate } from './certificate.ts'
import { addCertificates, holdActingUser, type NewCertificate, takeSerials } from './certificate-store.ts'
import { listPrincipals } from './principals.ts'
import { markSshKeyUsed } from './ssh-key-store.ts'

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
 * Issues certificates for saved keys of one user; answers, for each, the certificate or why there is none. What is
 * decided and logged is one transaction that holds the user's row and the keys', so that disabling the user or deleting
 * a key comes either before, and refuses, or after, and revokes. The signatures follow, and the next batch need not wait
 * for them: a certificate that is revoked before it is signed is revoked all the same.
 */
export async function issueCertificates(
  services: Needs,
  authority: Authority,
  userId: string,
  asked: Asked[],
): Promise<(Promise<IssuedCertificate> | AppError)[]> {
  const outcomes = await services.db.transaction().execute(async (trx) => {
    const at = services.now()
    const preferredUsername = await holdActingUser(trx, userId)
    // The session was live a moment ago, so the account has been disabled or deleted since.
    if (preferredUsername === undefined) return refuse('account_disabled', DISABLED_MESSAGE)
    const keys = await useKeys(trx, asked, userId, at)
    if (keys.size === 0) return asked.map(noSuchKey)
    const user = { id: userId, preferredUsername }
    const principals = await listPrincipals(trx, user)
    refuseUnusable(principals)

    let serial = await takeSerials(trx, asked.filter(({ savedKeyId }) => keys.has(savedKeyId)).length)
    const prepared = asked.map((each) => {
      const key = keys.get(each.savedKeyId)
      if (!key) return noSuchKey()
      return prepare(services, authority, { ...each, key, user, principals, serial: serial++, at })
    })
    const granted = prepared.filter((each): each is Prepared => !(each instanceof AppError))
    await addCertificates(trx, granted.map(toRow))
    await notifyEach(services, trx, [userId], granted.map(toMessage))
    await recordEvents(services, trx, granted.map(toEvent))
    return prepared
  })
  return outcomes.map((each) => (each instanceof AppError ? each : finish(authority, each)))
}

interface UsedKey extends PublicKey {
  fingerprint: string
}

interface Granted extends Asked {
  key: UsedKey
  user: { id: string; preferredUsername: string }
  principals: string[]
  serial: bigint
  at: number
}

/** A certificate that is decided on and not signed yet. */
interface Prepared {
  actor: Actor
  unsigned: Buffer
  comment: string
  row: NewCertificate
}

function prepare({ config, random }: Needs, authority: Authority, granted: Granted): Prepared {
  const { actor, savedKeyId, ttlSeconds = config.sshCertDefaultTtl, key, user, principals, serial, at } = granted
  const id = newOrderedId()
  const keyId = `${user.preferredUsername}:${user.id}:${id}`
  const seconds = Math.floor(at / 1000)
  const [validAfter, validBefore] = [seconds - BACKDATED_SECONDS, seconds + ttlSeconds]
  const described = { serial, keyId, principals, validAfter, validBefore }
  const nonce = random.bytes(NONCE_BYTES)
  return {
    actor,
    unsigned: prepareCertificate(authority, { ...described, key: key.key, nonce }),
    comment: key.comment,
    row: { ...described, id, userId: user.id, savedKeyId, fingerprint: key.fingerprint, createdAt: at },
  }
}

async function finish(authority: Authority, { unsigned, comment, row }: Prepared): Promise<IssuedCertificate> {
  const { id, serial, keyId, principals, validAfter, validBefore, fingerprint } = row
  const certificate = formatCertificate(await sealCertificate(authority, unsigned), comment)
  return { certificate, id, serial: String(serial), keyId, principals, validAfter, validBefore, fingerprint }
}

const toRow = ({ row }: Prepared): NewCertificate => row

const toMessage = ({ row: { id, serial, keyId } }: Prepared) => ({
  type: 'ssh.cert_issued' as const,
  data: { certificateId: id, serial: String(serial), keyId },
})

const toEvent = ({ actor, row: { id, serial, keyId, principals, fingerprint, validBefore } }: Prepared) => ({
  action: 'ssh_certificate.issued',
  outcome: 'success' as const,
  actor,
  target: { type: 'ssh_certificate', id },
  data: { serial: String(serial), keyId, principals, fingerprint, validBefore },
})

/** Each key once, however many certificates are asked for it. */
async function useKeys(db: Db, asked: Asked[], userId: string, at: number): Promise<Map<string, UsedKey>> {
  const keys = new Map<string, UsedKey>()
  for (const id of new Set(asked.map(({ savedKeyId }) => savedKeyId))) {
    const saved = await markSshKeyUsed(db, { id, userId, at })
    if (saved) keys.set(id, { ...parsePublicKey(saved.publicKey), fingerprint: saved.fingerprint })
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
