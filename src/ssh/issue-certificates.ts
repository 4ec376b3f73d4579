import { type Actor, recordEvents } from '../audit/record-event.ts'
import { AppError } from '../errors.ts'
import { newOrderedId } from '../ids.ts'
import { notifyPeople } from '../notifications/notify.ts'
import {
  type Authority,
  type Draft,
  formatCertificate,
  MAX_PRINCIPALS,
  prepareCertificate,
  sealCertificate,
} from '../openssh/certificate.ts'
import { type PublicKey, parsePublicKey } from '../openssh/public-key.ts'
import type { Services } from '../services.ts'
import type { Trx } from '../storage/schema.ts'
import { DISABLED_MESSAGE } from '../users/account-standing.ts'
import { holdActingUsers } from '../users/hold-account.ts'
import type { IssuedCertificate } from './certificate.ts'
import { addCertificates, type NewCertificate, takeSerials } from './certificate-store.ts'
import { listPrincipalsOf } from './principals.ts'
import { holdSshKeys, noteSshKeysUsed } from './ssh-key-store.ts'

/** A host whose clock is a little behind still lets a new certificate in. */
const BACKDATED_SECONDS = 60
const NONCE_BYTES = 32

export type Needs = Pick<Services, 'config' | 'db' | 'now' | 'random' | 'signals'>

export interface Asked {
  userId: string
  actor: Actor
  savedKeyId: string
  ttlSeconds?: number | undefined
}

/**
 * Decides on certificates for saved keys; answers, for each, what is to be signed, or why there is nothing. This is one
 * transaction that holds the users' rows and the keys' and logs what it decides, so that disabling a user or deleting a
 * key comes either before, and refuses, or after, and revokes. The signatures follow: a certificate that is revoked before
 * it is signed is revoked all the same.
 */
export function decideCertificates(
  services: Needs,
  authority: Authority,
  asked: Asked[],
): Promise<(Decided | AppError)[]> {
  return services.db.transaction().execute(async (trx) => {
    const at = services.now()
    const people = await holdPeople(trx, asked)
    const keys = await useKeys(trx, asked, people, at)
    const entitled = asked.map((each) => entitle(people.get(each.userId), keys.get(each.savedKeyId)))
    const granted = entitled.filter((each) => !(each instanceof AppError)).length
    if (granted === 0) return entitled.filter((each) => each instanceof AppError)

    let serial = await takeSerials(trx, granted)
    const outcomes = asked.map((each, index) => {
      const by = entitled[index]
      if (by === undefined || by instanceof AppError) return by ?? noSuchKey()
      return prepare(services, authority, { ...each, ...by, serial: serial++, at })
    })
    const prepared = outcomes.filter((each): each is Decided => !(each instanceof AppError))
    await addCertificates(
      trx,
      prepared.map(({ row }) => row),
    )
    await notifyPeople(services, trx, prepared.map(toMessage))
    await recordEvents(services, trx, prepared.map(toEvent))
    return outcomes
  })
}

interface Person {
  id: string
  preferredUsername: string
  principals: string[]
}

/** Those who may act. */
async function holdPeople(trx: Trx, asked: Asked[]): Promise<Map<string, Person>> {
  const held = await holdActingUsers(trx, [...new Set(asked.map(({ userId }) => userId))])
  const principals = await listPrincipalsOf(trx, held)
  return new Map(held.map((person) => [person.id, { ...person, principals: principals.get(person.id) ?? [] }]))
}

interface UsedKey extends PublicKey {
  userId: string
  fingerprint: string
}

/** The keys that those people ask for, as far as they are their own. Each once, however many certificates it is to have. */
async function useKeys(
  trx: Trx,
  asked: Asked[],
  people: ReadonlyMap<string, Person>,
  at: number,
): Promise<Map<string, UsedKey>> {
  const wanted = asked.filter(({ userId }) => people.has(userId))
  const held = await holdSshKeys(trx, [...new Set(wanted.map(({ savedKeyId }) => savedKeyId))])
  const owners = new Map(held.map(({ id, userId }) => [id, userId]))
  const own = wanted.filter(({ savedKeyId, userId }) => owners.get(savedKeyId) === userId)
  const ids = new Set(own.map(({ savedKeyId }) => savedKeyId))
  const used = held.filter(({ id }) => ids.has(id))
  await noteSshKeysUsed(trx, used, at)
  return new Map(
    used.map(({ id, userId, publicKey, fingerprint }) => [id, { ...parsePublicKey(publicKey), userId, fingerprint }]),
  )
}

interface Entitled {
  person: Person
  key: UsedKey
}

function entitle(person: Person | undefined, key: UsedKey | undefined): Entitled | AppError {
  // The session was live a moment ago, so the account has been disabled or deleted since.
  if (!person) return new AppError('account_disabled', DISABLED_MESSAGE)
  // Somebody else may have used a key of theirs in the same batch.
  if (key?.userId !== person.id) return noSuchKey()
  const { length } = person.principals
  // A certificate without principals would open every account there is.
  if (length === 0) {
    return new AppError(
      'conflict',
      'There is no UNIX account that you may log in as. Ask an administrator for a username, or for a role with principals.',
    )
  }
  if (length > MAX_PRINCIPALS) {
    return new AppError(
      'conflict',
      `Your roles add up to ${length} principals, and a certificate holds ${MAX_PRINCIPALS}. Ask an administrator to take some away.`,
    )
  }
  return { person, key }
}

const noSuchKey = (): AppError => new AppError('not_found', 'You have no such key.')

interface Granted extends Asked, Entitled {
  serial: bigint
  at: number
}

/** A certificate that is decided on and not signed yet. */
export interface Decided {
  actor: Actor
  draft: Draft
  comment: string
  row: NewCertificate
}

function prepare({ config, random }: Needs, authority: Authority, granted: Granted): Decided {
  const { actor, savedKeyId, ttlSeconds = config.sshCertDefaultTtl, key, person, serial, at } = granted
  const id = newOrderedId()
  const keyId = `${person.preferredUsername}:${person.id}:${id}`
  const seconds = Math.floor(at / 1000)
  const [validAfter, validBefore] = [seconds - BACKDATED_SECONDS, seconds + ttlSeconds]
  const described = { serial, keyId, principals: person.principals, validAfter, validBefore }
  const nonce = random.bytes(NONCE_BYTES)
  return {
    actor,
    draft: prepareCertificate(authority, { ...described, key: key.key, nonce }),
    comment: key.comment,
    row: { ...described, id, userId: person.id, savedKeyId, fingerprint: key.fingerprint, createdAt: at },
  }
}

export function finishCertificate({ draft, comment, row }: Decided, signature: Buffer): IssuedCertificate {
  const { id, serial, keyId, principals, validAfter, validBefore, fingerprint } = row
  const certificate = formatCertificate(sealCertificate(draft, signature), comment)
  return { certificate, id, serial: String(serial), keyId, principals, validAfter, validBefore, fingerprint }
}

const toMessage = ({ row: { id, serial, keyId, userId } }: Decided) => ({
  userId,
  message: {
    type: 'ssh.cert_issued' as const,
    data: { certificateId: id, serial: String(serial), keyId },
  },
})

const toEvent = ({ actor, row: { id, serial, keyId, principals, fingerprint, validBefore } }: Decided) => ({
  action: 'ssh_certificate.issued',
  outcome: 'success' as const,
  actor,
  target: { type: 'ssh_certificate', id },
  data: { serial: String(serial), keyId, principals, fingerprint, validBefore },
})
