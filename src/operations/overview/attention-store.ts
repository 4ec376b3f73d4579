import type { Reader } from '../../storage/database.ts'
import type { AuditAction } from '../../vocabulary/audit-actions.ts'

const MAIL_FAILED = 'mail.failed' satisfies AuditAction

/** Mails that were given up since a time, newest first. */
export async function listFailedMail(db: Reader, since: number, limit: number) {
  const rows = await db
    .selectFrom('audit_events')
    .select(['id', 'at', 'data'])
    .where('action', '=', MAIL_FAILED)
    .where('at', '>=', since)
    .orderBy('at', 'desc')
    .limit(limit)
    .execute()
  return rows.map(({ id, at, data }) => {
    const { recipient = '', subject = '', reason = '' } = JSON.parse(data) as Record<string, string>
    return { id, at, recipient, subject, reason }
  })
}

/** How many mails wait because the mail server has refused them so far. */
export async function countDelayedMail(db: Reader): Promise<number> {
  const { count } = await db
    .selectFrom('outgoing_mail')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('last_error', 'is not', null)
    .executeTakeFirstOrThrow()
  return count
}

/** Background work that failed since a time. */
export const listFailedJobs = (db: Reader, since: number) =>
  db
    .selectFrom('failed_jobs')
    .select(['name', 'failed_at as at'])
    .where('failed_at', '>=', since)
    .orderBy('failed_at', 'desc')
    .execute()
