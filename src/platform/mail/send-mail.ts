import type { Logger } from 'pino'
import type { Database, Reader, Trx } from '../../storage/database.ts'
import type { Vault } from '../crypto/vault.ts'
import { describeMailError } from './mail-error.ts'
import { type ClaimedMail, deleteMail, markForRetry } from './mail-store.ts'
import { type Mail, type MailTransport, UndeliverableMail } from './mail.ts'

const MINUTE = 60_000
const MAX_RETRY_WAIT_MS = 60 * MINUTE
/** For mails that were queued before a mail had an expiry of its own. */
const GIVE_UP_MS = 7 * 24 * 60 * MINUTE

export interface SendingNeeds {
  db: Database
  log: Logger
  now: () => number
  vault: Vault
  mail: MailTransport
}

export interface FailedMail {
  id: string
  recipient: string
  subject: string
  reason: string
}

/** What delivery needs of the capabilities above it. */
export interface MailCallbacks {
  /** Whether the link whose token has this digest still works. */
  isLinkLive(db: Reader, tokenHash: string, now: number): Promise<boolean>
  /** Reports a mail that was not delivered and will not be. Called once for each such mail. */
  reportFailed(trx: Trx, failed: FailedMail): Promise<void>
}

export type Outcome =
  | { kind: 'sent' }
  | { kind: 'obsolete' }
  | { kind: 'retry'; reason: string }
  | { kind: 'failed'; reason: string }

const EXPIRED = 'Its link expired before the mail server accepted it.'

/** Hands a mail to the mail server, unless its link is no longer valid. Never rejects. */
export async function sendMail(
  services: SendingNeeds,
  { isLinkLive }: MailCallbacks,
  claimed: ClaimedMail,
): Promise<Outcome> {
  const { db, now, mail } = services
  const { id, tokenHash, expiresAt, lastError } = claimed
  try {
    if (expiresAt !== null && expiresAt <= now()) {
      // A mail that was only late, as after a downtime, is not reported.
      if (lastError === null) return { kind: 'obsolete' }
      return { kind: 'failed', reason: `${EXPIRED} Before that: ${lastError}` }
    }
    if (tokenHash !== null && !(await isLinkLive(db.read, tokenHash, now()))) return { kind: 'obsolete' }
    await mail.send(id, open(services, claimed))
    return { kind: 'sent' }
  } catch (error) {
    const reason = describeMailError(error)
    const isOver = error instanceof UndeliverableMail || (expiresAt === null && now() - claimed.createdAt > GIVE_UP_MS)
    return { kind: isOver ? 'failed' : 'retry', reason }
  }
}

const open = ({ vault }: Pick<SendingNeeds, 'vault'>, { id, contentSealed }: ClaimedMail): Mail =>
  JSON.parse(vault.open(`mail:${id}`, contentSealed).toString()) as Mail

/** Stores the outcome of a mail: it leaves the queue, or waits for the next try. */
export async function recordOutcome(
  services: SendingNeeds,
  { reportFailed }: MailCallbacks,
  claimed: ClaimedMail,
  outcome: Outcome,
): Promise<void> {
  const { db, now, log } = services
  const { id, recipient, attempts } = claimed
  switch (outcome.kind) {
    case 'sent':
      return void (await db.transaction((trx) => deleteMail(trx, claimed)))
    case 'obsolete':
      log.info({ mail: id, to: recipient }, 'A mail was not sent: its link is expired, used or replaced.')
      return void (await db.transaction((trx) => deleteMail(trx, claimed)))
    case 'retry': {
      const { reason } = outcome
      const waitMs = Math.min(MAX_RETRY_WAIT_MS, 2 ** Math.min(attempts, 12) * 1000)
      const facts = { mail: id, to: recipient, attempts, reason, retryInSeconds: waitMs / 1000 }
      log.warn(facts, 'A mail could not be sent yet.')
      return db.transaction((trx) => markForRetry(trx, claimed, { now: now(), waitMs, reason }))
    }
    case 'failed': {
      const { reason } = outcome
      const { subject } = open(services, claimed)
      return db.transaction(async (trx) => {
        if (!(await deleteMail(trx, claimed))) return
        log.error({ mail: id, to: recipient, attempts, reason }, 'A mail could not be delivered and is given up.')
        await reportFailed(trx, { id, recipient, subject, reason })
      })
    }
  }
}
