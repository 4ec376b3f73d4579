import { sql, type Insertable, type Selectable } from 'kysely'
import { Type } from 'typebox'
import type { SshRules } from '../../identity/roles/ssh-rules.ts'
import type { CallingActor } from '../../identity/sessions/actor.ts'
import { Nullable, Time } from '../../platform/http/contracts.ts'
import { MAX_ROWS_EXAMINED } from '../../platform/http/cursor.ts'
import { readTextList, beginsWith, contains } from '../../storage/columns.ts'
import type { Reader, Trx } from '../../storage/database.ts'
import type { Schema } from '../../storage/schema.ts'
import { readStatement, writeStatement, type Values } from '../../storage/statement.ts'
import type { CertifiedValues } from './certified-extensions.ts'
import { LAST_SERIAL } from './serial-store.ts'
import type { SudoByRole } from './sudo-on-hosts.ts'

const Serial = Type.String({ description: '64 bits, in decimal digits.' })
const KeyId = Type.String({ description: 'Names the user and the certificate; sshd writes it to its log.' })
const Seconds = Type.Integer({ description: 'Epoch seconds.' })

/** A certificate as the log of all certificates shows it. */
export const SshCertificate = Type.Object(
  {
    id: Type.String(),
    serial: Serial,
    userId: Type.String(),
    keyId: KeyId,
    principals: Type.Array(Type.String()),
    fingerprint: Type.String({ description: 'Of the public key that was certified.' }),
    validAfter: Seconds,
    validBefore: Seconds,
    revokedAt: Nullable(Time),
    revokeReason: Nullable(Type.String()),
    createdAt: Time,
  },
  { title: 'SshCert' },
)
export type SshCertificate = Type.Static<typeof SshCertificate>

type Row = Omit<Selectable<Schema['ssh_certificates']>, 'serial' | 'latest_expiry' | 'rules'> & { serial_text: string }

export const COLUMNS = [
  'id',
  'user_id',
  'saved_key_id',
  'key_id',
  'principals',
  'fingerprint',
  'valid_after',
  'valid_before',
  'revoked_at',
  'revoke_reason',
  'created_at',
] as const

/** A serial has more bits than a JavaScript number: it is read as text. */
export const serialText = sql<string>`cast(serial as text)`.as('serial_text')

export const toCertificate = (row: Row): SshCertificate => ({
  id: row.id,
  serial: row.serial_text,
  userId: row.user_id,
  keyId: row.key_id,
  principals: readTextList(row.principals),
  fingerprint: row.fingerprint,
  validAfter: row.valid_after / 1000,
  validBefore: row.valid_before / 1000,
  revokedAt: row.revoked_at,
  revokeReason: row.revoke_reason,
  createdAt: row.created_at,
})

/** What a certificate was issued under, as it is stored. */
export interface CertificateRules extends SshRules {
  /** Extensions that roles define, as the certificate has them. */
  customValues?: CertifiedValues
  /** What its owner could run on hosts then; only of one that names their own account. */
  sudo?: SudoByRole
}

export const readRules = (text: string | null): CertificateRules =>
  text === null ? {} : (JSON.parse(text) as CertificateRules)

const writeRules = (rules: CertificateRules): string | null =>
  Object.keys(rules).length === 0 ? null : JSON.stringify(rules)

export interface NewCertificate {
  id: string
  serial: bigint
  userId: string
  savedKeyId: string
  keyId: string
  principals: string[]
  fingerprint: string
  /** What the roles allowed, of which the certificate contains the critical options and the extensions. */
  rules: CertificateRules
  /** Epoch seconds, as in the certificate. */
  validAfter: number
  validBefore: number
  createdAt: number
}

const latestExpiry = readStatement((db, value: Values<{ userId: string }>) =>
  db
    .selectFrom('ssh_certificates')
    .select('latest_expiry as at')
    .where('user_id', '=', value('userId'))
    .orderBy('serial', 'desc')
    // A literal: SQLite prepares a statement again for each value of a limit.
    .limit(sql.lit(1)),
)

/** Up to when a certificate of this user is valid, in epoch milliseconds. The caller has locked the user. */
export const findLatestExpiry = async (trx: Trx, userId: string): Promise<number | undefined> =>
  (await latestExpiry(trx, { userId }))[0]?.at

const INSERTED = ['serial', 'latest_expiry', 'rules', ...COLUMNS] as const

const insertCertificate = writeStatement(
  (db, value: Values<Pick<Insertable<Schema['ssh_certificates']>, (typeof INSERTED)[number]>>) =>
    db
      .insertInto('ssh_certificates')
      .values(
        Object.fromEntries(INSERTED.map((column) => [column, value(column)])) as Insertable<Schema['ssh_certificates']>,
      ),
)

/** Adds to the log. Certificates of one user are added in the order of their serials: the caller has locked the user. */
export function addCertificate(trx: Trx, certificate: NewCertificate, latestExpiryBefore: number): void {
  const validBefore = certificate.validBefore * 1000
  insertCertificate.next(trx, {
    id: certificate.id,
    serial: certificate.serial,
    user_id: certificate.userId,
    saved_key_id: certificate.savedKeyId,
    key_id: certificate.keyId,
    principals: JSON.stringify(certificate.principals),
    fingerprint: certificate.fingerprint,
    valid_after: certificate.validAfter * 1000,
    valid_before: validBefore,
    latest_expiry: Math.max(latestExpiryBefore, validBefore),
    rules: writeRules(certificate.rules),
    revoked_at: null,
    revoke_reason: null,
    created_at: certificate.createdAt,
  })
}

export async function findCertificate(db: Reader, id: string): Promise<SshCertificate | undefined> {
  const row = await db
    .selectFrom('ssh_certificates')
    .select(COLUMNS)
    .select(serialText)
    .where('id', '=', id)
    .executeTakeFirst()
  return row && toCertificate(row)
}

/** Those with these serials. A serial that is larger than any of ours is of another authority. */
export async function listCertificatesBySerial(db: Reader, serials: readonly string[]): Promise<SshCertificate[]> {
  const ours = serials.map(BigInt).filter((serial) => serial <= LAST_SERIAL)
  if (ours.length === 0) return []
  const rows = await db
    .selectFrom('ssh_certificates')
    .select(COLUMNS)
    .select(serialText)
    .where('serial', 'in', ours)
    .execute()
  return rows.map(toCertificate)
}

export type CertificateState = 'valid' | 'expired' | 'revoked'

export interface CertificateFilter {
  userId?: string | undefined
  serial?: bigint | undefined
  state?: CertificateState | undefined
  /** What a principal, the key id, the serial or the email of the user begins with. */
  q?: string | undefined
  /** Only serials below this one. */
  before?: bigint | undefined
}

/** Newest first. A filter by state or text may stop before `limit` certificates are found: then `stoppedAt` is the serial. */
export async function listCertificates(
  db: Reader,
  { userId, serial, state, q = '', before }: CertificateFilter,
  now: number,
  limit: number,
): Promise<{ certificates: SshCertificate[]; stoppedAt: string | undefined }> {
  if (serial !== undefined && serial > LAST_SERIAL) return { certificates: [], stoppedAt: undefined }
  let scanned = db.selectFrom('ssh_certificates')
  if (userId !== undefined) scanned = scanned.where('user_id', '=', userId)
  if (serial !== undefined) scanned = scanned.where('serial', '=', serial)
  if (before !== undefined) scanned = scanned.where('serial', '<', before)
  // All that are revoked have an index of their own, those of one user have not.
  const isFiltered = q !== '' || (state !== undefined && (state !== 'revoked' || userId !== undefined))
  const stop = isFiltered
    ? await scanned
        .select(serialText)
        .orderBy('serial', 'desc')
        .limit(1)
        .offset(MAX_ROWS_EXAMINED - 1)
        .executeTakeFirst()
    : undefined
  let query = scanned.select(COLUMNS).select(serialText)
  if (stop !== undefined) query = query.where('serial', '>=', BigInt(stop.serial_text))
  if (q !== '') query = query.where(matches(q))
  if (state !== undefined) query = query.where('revoked_at', state === 'revoked' ? 'is not' : 'is', null)
  if (state === 'valid') query = query.where('valid_before', '>', now)
  if (state === 'expired') query = query.where('valid_before', '<=', now)
  const rows = await query.orderBy('serial', 'desc').limit(limit).execute()
  return { certificates: rows.map(toCertificate), stoppedAt: stop?.serial_text }
}

/** Principals are stored as a JSON list, so each one begins after a quotation mark. So does what follows the end of one. */
function matches(text: string) {
  const isPrincipal = /^[,\]]/.test(text)
    ? sql<boolean>`1 = 0`
    : contains('ssh_certificates.principals', JSON.stringify(text).slice(0, -1))
  const isSerial = /^[0-9]+$/.test(text) ? sql<boolean>`cast(serial as text) like ${`${text}%`}` : sql<boolean>`1 = 0`
  return sql<boolean>`(${isPrincipal} or ${isSerial} or ${beginsWith('ssh_certificates.key_id', text)}
    or exists (select 1 from users where users.id = ssh_certificates.user_id and ${beginsWith('users.email', text)}))`
}

/**
 * Whether the person was notified of a certificate of this sign-in before; from now on they were. A program that renews
 * certificates notifies once for each sign-in, a person with a session at each certificate.
 */
export async function isAnnounced(trx: Trx, actor: CallingActor): Promise<boolean> {
  if (!('token' in actor)) return false
  const { authorizationHash, authorizedUntil } = actor.token
  const added = await trx
    .insertInto('ssh_announced_sign_ins')
    .values({ authorization_hash: authorizationHash, expires_at: authorizedUntil })
    .onConflict((conflict) => conflict.column('authorization_hash').doNothing())
    .returning('authorization_hash')
    .execute()
  return added.length === 0
}
