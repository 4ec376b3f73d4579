import { setTimeout as wait } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Database, Reader, Trx } from '../../storage/database.ts'
import type { Vault } from '../crypto/vault.ts'
import { claimDueMail, renewLease, deleteMail, markForRetry, type ClaimedMail } from './mail-store.ts'
import { describeMailError, UndeliverableMail, type Mail, type MailTransport } from './mail.ts'

const MINUTE = 60_000
/** How many are sent at once. */
const MAX_SENDING = 5
/** The mail of a replica that died while sending is claimed by another one after this long. */
const LEASE_MS = 2 * MINUTE
const RENEW_MS = 30_000
/** Longer than the mail server may be silent, and a limit for one that sends a little now and then. */
const MAX_SENDING_MS = 20 * MINUTE
/** How long other mails wait for those that are being sent. A slower sending goes on by itself. */
const MAX_WAIT_MS = 3000

const NEVER_ENDED = 'The mail server did not end the transfer, and may or may not have accepted the mail.'

interface DeliveryServices extends SendingServices {
  monotonicNow: () => number
}

export interface MailDelivery {
  /** Called every second. */
  deliver(): Promise<void>
  /** Waits a little for what is being sent. What is not done by then is claimed again when its lease is over. */
  stop(): Promise<void>
}

interface Sending {
  claimed: ClaimedMail
  startedAt: number
  renewedAt: number
  /** Set when the transfer has ended; it is then written to the database. */
  outcome: Outcome | undefined
  ended: Promise<void>
}

/**
 * Sends what is due. A mail leaves the queue when the server has accepted it or never will; until then it is retried with
 * growing pauses. The lease is renewed for as long as a sending takes, so that a slow server does not get a mail twice.
 */
export function createMailDelivery(services: DeliveryServices, callbacks: MailCallbacks): MailDelivery {
  const { db, now } = services
  const sendings = createSendings(services, callbacks)
  const stopping = new AbortController()

  const claimNext = (): Promise<ClaimedMail[]> => {
    const except = sendings.ids()
    const request = { leaseMs: LEASE_MS, limit: MAX_SENDING - except.length, except }
    return db.transaction((trx) => claimDueMail(trx, { ...request, now: now() }))
  }

  return {
    async deliver() {
      await sendings.update()
      const late = startTimeout(stopping.signal)
      try {
        for (let isLate = false; !isLate && sendings.ids().length < MAX_SENDING;) {
          const due = await claimNext()
          if (due.length === 0) return
          const ended = Promise.all(due.map(sendings.start))
          isLate = await Promise.race([ended.then(() => false), late.promise])
        }
      } finally {
        late.cancel()
      }
    },
    async stop() {
      stopping.abort()
      const late = startTimeout()
      await Promise.race([sendings.ended(), late.promise])
      late.cancel()
      sendings.stop()
    },
  }
}

/** The mails that this replica is sending. */
function createSendings(services: DeliveryServices, callbacks: MailCallbacks) {
  const { db, now, monotonicNow, log } = services
  const sending = new Map<string, Sending>()
  let isStopped = false

  /** While the database is unavailable, the next call tries again; the mail is not sent again. */
  const settle = async ({ claimed, outcome }: Sending): Promise<void> => {
    if (!outcome || isStopped) return
    try {
      await recordOutcome(services, callbacks, claimed, outcome)
      sending.delete(claimed.id)
    } catch (error) {
      log.warn({ err: error, mail: claimed.id }, 'The outcome of a mail could not be stored yet.')
    }
  }

  /** Settles a sending that has ended, and renews the lease of one that goes on. */
  const settleOrRenew = async (each: Sending): Promise<void> => {
    const { claimed } = each
    if (monotonicNow() - each.startedAt >= MAX_SENDING_MS) each.outcome ??= { kind: 'failed', reason: NEVER_ENDED }
    if (each.outcome) return settle(each)
    if (monotonicNow() - each.renewedAt < RENEW_MS) return
    if (!(await db.transaction((trx) => renewLease(trx, claimed, now(), LEASE_MS))))
      log.warn({ mail: claimed.id }, 'A mail that is being sent was claimed by another replica.')
    each.renewedAt = monotonicNow()
  }

  return {
    start(claimed: ClaimedMail): Promise<void> {
      const at = monotonicNow()
      const each: Sending = { claimed, startedAt: at, renewedAt: at, outcome: undefined, ended: Promise.resolve() }
      sending.set(claimed.id, each)
      each.ended = sendMail(services, callbacks, claimed).then((outcome) => {
        each.outcome ??= outcome
        return settle(each)
      })
      return each.ended
    },
    async update(): Promise<void> {
      for (const each of sending.values()) await settleOrRenew(each)
    },
    ids: (): string[] => [...sending.keys()],
    ended: (): Promise<unknown> => Promise.all([...sending.values()].map(({ ended }) => ended)),
    stop(): void {
      isStopped = true
    },
  }
}

/** Resolves with true after MAX_WAIT_MS, or when it is cancelled or stopped. */
function startTimeout(stop?: AbortSignal) {
  const cancelled = new AbortController()
  const signal = stop ? AbortSignal.any([cancelled.signal, stop]) : cancelled.signal
  return {
    promise: wait(MAX_WAIT_MS, true, { signal }).catch(() => true),
    cancel: () => cancelled.abort(),
  }
}

const MAX_RETRY_WAIT_MS = 60 * MINUTE
/** For mails that were queued before a mail had an expiry of its own. */
const GIVE_UP_MS = 7 * 24 * 60 * MINUTE

export interface SendingServices {
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
async function sendMail(
  services: SendingServices,
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

const open = ({ vault }: Pick<SendingServices, 'vault'>, { id, contentSealed }: ClaimedMail): Mail =>
  JSON.parse(vault.open(`mail:${id}`, contentSealed).toString()) as Mail

/** Stores the outcome of a mail: it leaves the queue, or waits for the next try. */
async function recordOutcome(
  services: SendingServices,
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
