import { setTimeout as wait } from 'node:timers/promises'
import { claimDueMail, type ClaimedMail, renewLease } from './mail-store.ts'
import { type MailCallbacks, type Outcome, recordOutcome, sendMail, type SendingNeeds } from './send-mail.ts'

const MINUTE = 60_000
/** How many are sent at once. */
const MAX_SENDING = 5
/** A replica that died while sending had its mail for this long; then another one claims it. */
const LEASE_MS = 2 * MINUTE
const RENEW_MS = 30_000
/** Longer than the mail server may be silent, and a limit for one that sends a little now and then. */
const MAX_SENDING_MS = 20 * MINUTE
/** The other mails wait this long for a mail server that is slow with some. Then those go on by themselves. */
const PATIENCE_MS = 3000

const NEVER_DONE = 'The mail server did not come to an end with it, and may or may not have taken it.'

interface Needs extends SendingNeeds {
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
  /** Set when the mail server is done with it; it is then written to the database. */
  outcome: Outcome | undefined
  ended: Promise<void>
}

/**
 * Sends what is due. A mail leaves the queue when the server has taken it or will never take it; until then it is tried
 * again with growing pauses. The lease is renewed for as long as a sending takes, so that a server that is slow does not
 * get a mail twice.
 */
export function createMailDelivery(services: Needs, callbacks: MailCallbacks): MailDelivery {
  const { db, now, monotonicNow, log } = services
  const sending = new Map<string, Sending>()
  const stopping = new AbortController()
  let isStopped = false

  const start = (claimed: ClaimedMail): Promise<void> => {
    const at = monotonicNow()
    const each: Sending = { claimed, startedAt: at, renewedAt: at, outcome: undefined, ended: Promise.resolve() }
    sending.set(claimed.id, each)
    each.ended = sendMail(services, callbacks, claimed).then((outcome) => {
      each.outcome ??= outcome
      return settle(each)
    })
    return each.ended
  }

  /** While the database is away, the next call tries again; the mail is not sent again. */
  const settle = async ({ claimed, outcome }: Sending): Promise<void> => {
    if (!outcome || isStopped) return
    try {
      await recordOutcome(services, callbacks, claimed, outcome)
      sending.delete(claimed.id)
    } catch (error) {
      log.warn({ err: error, mail: claimed.id }, 'What became of a mail could not be written yet.')
    }
  }

  /** Settles a sending that has ended, and renews the lease of one that goes on. */
  const attend = async (each: Sending): Promise<void> => {
    const { claimed } = each
    if (monotonicNow() - each.startedAt >= MAX_SENDING_MS) each.outcome ??= { kind: 'failed', reason: NEVER_DONE }
    if (each.outcome) return settle(each)
    if (monotonicNow() - each.renewedAt < RENEW_MS) return
    if (!(await db.transaction((trx) => renewLease(trx, claimed, now(), LEASE_MS))))
      log.warn({ mail: claimed.id }, 'A mail that is being sent was taken over by another replica.')
    each.renewedAt = monotonicNow()
  }

  const claimNext = (): Promise<ClaimedMail[]> => {
    const request = { leaseMs: LEASE_MS, limit: MAX_SENDING - sending.size, except: [...sending.keys()] }
    return db.transaction((trx) => claimDueMail(trx, { ...request, now: now() }))
  }

  return {
    async deliver() {
      for (const each of sending.values()) await attend(each)
      const late = startPatience(stopping.signal)
      try {
        for (let isLate = false; !isLate && sending.size < MAX_SENDING;) {
          const due = await claimNext()
          if (due.length === 0) return
          const ended = Promise.all(due.map(start))
          isLate = await Promise.race([ended.then(() => false), late.promise])
        }
      } finally {
        late.cancel()
      }
    },
    async stop() {
      stopping.abort()
      const late = startPatience()
      await Promise.race([Promise.all([...sending.values()].map(({ ended }) => ended)), late.promise])
      late.cancel()
      isStopped = true
    },
  }
}

/** Resolves with true after PATIENCE_MS, or when it is cancelled or stopped. */
function startPatience(stop?: AbortSignal) {
  const cancelled = new AbortController()
  const signal = stop ? AbortSignal.any([cancelled.signal, stop]) : cancelled.signal
  return {
    promise: wait(PATIENCE_MS, true, { signal }).catch(() => true),
    cancel: () => cancelled.abort(),
  }
}
