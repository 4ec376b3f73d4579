import { setTimeout as wait } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Vault } from '../crypto/vault.ts'
import type { Database, Reader, Trx } from '../storage/database.ts'
import { describeMailError } from './mail-error.ts'
import { claimDueMail, type ClaimedMail, markForRetry, removeMail, renewLease } from './mail-store.ts'
import { type Mail, type MailTransport, UndeliverableMail } from './mail.ts'

const MINUTE = 60_000
/** How many are sent at once. */
const MAX_SENDING = 5
/** A replica that died while sending had its mail for this long; then another takes it up. */
const LEASE_MS = 2 * MINUTE
const RENEW_MS = 30_000
/** Longer than the mail server may be silent, and an end for one that says a little now and then. */
const MAX_SENDING_MS = 20 * MINUTE
const MAX_RETRY_WAIT_MS = 60 * MINUTE
/** Of mails that were queued before a mail had an end of its own. */
const GIVE_UP_MS = 7 * 24 * 60 * MINUTE
/** So long the others wait for a mail server that is slow with some. Then those go on by themselves. */
const PATIENCE_MS = 3000

interface Needs {
  db: Database
  log: Logger
  now: () => number
  monotonicNow: () => number
  vault: Vault
  mail: MailTransport
}

export interface FailedMail {
  id: string
  recipient: string
  subject: string
  reason: string
}

/** What delivery asks of the capabilities above it. */
interface Above {
  /** Whether the link whose token has this digest still works. */
  isLinkAlive(db: Reader, tokenHash: string, now: number): Promise<boolean>
  /** Tells those who should know that a mail was not delivered and will not be. Called once for each such mail. */
  reportFailed(trx: Trx, failed: FailedMail): Promise<void>
}

export interface MailDelivery {
  /** Called every second. */
  deliver(): Promise<void>
  /** Waits a little for what is being sent. What is not done by then is taken up again when its lease is over. */
  stop(): Promise<void>
}

type Outcome =
  | { kind: 'sent' }
  | { kind: 'needless' }
  | { kind: 'retry'; reason: string }
  | { kind: 'failed'; reason: string }

interface Sending {
  claimed: ClaimedMail
  startedAt: number
  renewedAt: number
  /** Set when the mail server is done with it; what follows from it is written then. */
  outcome: Outcome | undefined
  ended: Promise<void>
}

/**
 * Sends what is due. A mail leaves the queue when the server has taken it or will never take it; until then it is tried
 * again with growing pauses. The lease is renewed for as long as a sending takes, so that a server that is slow does not
 * get a mail twice.
 */
export function createMailDelivery(services: Needs, above: Above): MailDelivery {
  const { db, now, monotonicNow, log } = services
  const sending = new Map<string, Sending>()
  const stopping = new AbortController()
  let isStopped = false

  const start = (claimed: ClaimedMail): Promise<void> => {
    const at = monotonicNow()
    const each: Sending = { claimed, startedAt: at, renewedAt: at, outcome: undefined, ended: Promise.resolve() }
    sending.set(claimed.id, each)
    each.ended = attempt(services, above, claimed).then((outcome) => {
      each.outcome ??= outcome
      return settle(each)
    })
    return each.ended
  }

  /** Where the database is away, the next call tries again; the mail server is not asked again. */
  const settle = async ({ claimed, outcome }: Sending): Promise<void> => {
    if (!outcome || isStopped) return
    try {
      await write(services, above, claimed, outcome)
      sending.delete(claimed.id)
    } catch (error) {
      log.warn({ err: error, mail: claimed.id }, 'What became of a mail could not be written yet.')
    }
  }

  const keep = async (each: Sending): Promise<void> => {
    const { claimed } = each
    if (monotonicNow() - each.startedAt >= MAX_SENDING_MS) each.outcome ??= { kind: 'failed', reason: NEVER_DONE }
    if (each.outcome) return settle(each)
    if (monotonicNow() - each.renewedAt < RENEW_MS) return
    if (!(await db.transaction((trx) => renewLease(trx, claimed, now(), LEASE_MS))))
      log.warn({ mail: claimed.id }, 'A mail that is being sent was taken over by another replica.')
    each.renewedAt = monotonicNow()
  }

  return {
    async deliver() {
      for (const each of sending.values()) await keep(each)
      const patience = new AbortController()
      const signal = AbortSignal.any([patience.signal, stopping.signal])
      const late = wait(PATIENCE_MS, true, { signal }).catch(() => true)
      try {
        for (let isLate = false; !isLate && sending.size < MAX_SENDING;) {
          const asked = { leaseMs: LEASE_MS, limit: MAX_SENDING - sending.size, except: [...sending.keys()] }
          const due = await db.transaction((trx) => claimDueMail(trx, { ...asked, now: now() }))
          if (due.length === 0) return
          const ended = Promise.all(due.map(start))
          isLate = await Promise.race([ended.then(() => false), late])
        }
      } finally {
        patience.abort()
      }
    },
    async stop() {
      stopping.abort()
      const enough = new AbortController()
      const late = wait(PATIENCE_MS, undefined, { signal: enough.signal }).catch(() => {})
      await Promise.race([Promise.all([...sending.values()].map(({ ended }) => ended)), late])
      enough.abort()
      isStopped = true
    },
  }
}

const NEVER_DONE = 'The mail server did not come to an end with it, and may or may not have taken it.'
const EXPIRED = 'Its link expired before the mail server took it.'

/** What the mail server says to it, or why it was not asked. */
async function attempt(services: Needs, above: Above, claimed: ClaimedMail): Promise<Outcome> {
  const { db, now, mail } = services
  const { id, tokenHash, expiresAt, lastError } = claimed
  try {
    if (expiresAt !== null && expiresAt <= now()) {
      // Nobody has to be told of one that was simply late, as after a downtime.
      if (lastError === null) return { kind: 'needless' }
      return { kind: 'failed', reason: `${EXPIRED} Before that: ${lastError}` }
    }
    if (tokenHash !== null && !(await above.isLinkAlive(db.read, tokenHash, now()))) return { kind: 'needless' }
    await mail.send(id, open(services, claimed))
    return { kind: 'sent' }
  } catch (error) {
    const reason = describeMailError(error)
    const isOver = error instanceof UndeliverableMail || (expiresAt === null && now() - claimed.createdAt > GIVE_UP_MS)
    return { kind: isOver ? 'failed' : 'retry', reason }
  }
}

const open = ({ vault }: Pick<Needs, 'vault'>, { id, contentSealed }: ClaimedMail): Mail =>
  JSON.parse(vault.open(`mail:${id}`, contentSealed).toString()) as Mail

async function write(services: Needs, above: Above, claimed: ClaimedMail, outcome: Outcome): Promise<void> {
  const { db, now, log } = services
  const { id, recipient, attempts } = claimed
  switch (outcome.kind) {
    case 'sent':
      return void (await db.transaction((trx) => removeMail(trx, claimed)))
    case 'needless':
      log.info({ mail: id, to: recipient }, 'A mail was not sent: its link is expired, used or replaced.')
      return void (await db.transaction((trx) => removeMail(trx, claimed)))
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
        if (!(await removeMail(trx, claimed))) return
        log.error({ mail: id, to: recipient, attempts, reason }, 'A mail could not be delivered and is given up.')
        await above.reportFailed(trx, { id, recipient, subject, reason })
      })
    }
  }
}
