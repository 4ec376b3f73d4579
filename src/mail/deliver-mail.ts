import { sql } from 'kysely'
import type { Services } from '../services.ts'
import type { Db } from '../storage/schema.ts'
import type { Mail } from './mail.ts'

const BATCH = 10
const MINUTE = 60_000
/** A copy that died while sending had its mail for this long; then another takes it up. */
const LEASE_MS = 2 * MINUTE
const LONGEST_WAIT_MS = 60 * MINUTE
/** The longest-lived link in a mail is an invitation's. */
const GIVE_UP_MS = 7 * 24 * 60 * MINUTE

type Needs = Pick<Services, 'db' | 'now' | 'vault' | 'mail' | 'log'>

/** Sends what is due. A mail leaves the queue when the server has taken it, and is tried again with growing pauses until then. */
export async function deliverMail(services: Needs): Promise<void> {
  const due = await claimDue(services.db, services.now())
  await Promise.all(due.map((each) => deliverOne(services, each)))
}

interface Claimed {
  id: string
  recipient: string
  content_sealed: string
  attempts: number
  created_at: number
}

async function deliverOne({ db, now, vault, mail, log }: Needs, claimed: Claimed): Promise<void> {
  const { id, recipient, attempts } = claimed
  try {
    const content = JSON.parse(vault.open(`mail:${id}`, claimed.content_sealed).toString()) as Mail
    await mail.send(id, content)
    await db.deleteFrom('outgoing_mail').where('id', '=', id).execute()
  } catch (error) {
    const reason = error instanceof Error ? error.message.slice(0, 300) : 'unknown'
    if (now() - claimed.created_at > GIVE_UP_MS) {
      log.error({ mail: id, to: recipient, attempts, reason }, 'A mail could not be sent for a week and is given up.')
      await db.deleteFrom('outgoing_mail').where('id', '=', id).execute()
      return
    }
    const wait = Math.min(LONGEST_WAIT_MS, 2 ** Math.min(attempts, 12) * 1000)
    log.warn(
      { mail: id, to: recipient, attempts, reason, retryInSeconds: wait / 1000 },
      'A mail could not be sent yet.',
    )
    await db
      .updateTable('outgoing_mail')
      .set({ next_attempt_at: now() + wait, last_error: reason })
      .where('id', '=', id)
      .execute()
  }
}

/** Taken by moving its time: of several copies, the one whose statement moved it sends it. */
const claimDue = (db: Db, now: number): Promise<Claimed[]> =>
  db
    .updateTable('outgoing_mail')
    .set({ next_attempt_at: now + LEASE_MS, attempts: sql<number>`attempts + 1` })
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('outgoing_mail')
        .select('id')
        .where('next_attempt_at', '<=', now)
        .orderBy('next_attempt_at')
        .limit(BATCH),
    )
    .where('next_attempt_at', '<=', now)
    .returning(['id', 'recipient', 'content_sealed', 'attempts', 'created_at'])
    .execute()
