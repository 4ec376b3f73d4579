import { newOrderedId } from '../ids.ts'
import type { Services } from '../services.ts'
import type { Db } from '../storage/schema.ts'
import type { Mail } from './mail.ts'

/**
 * Hands a mail over as part of the change that it belongs to: if that is undone, nothing was sent; if it stands, the mail
 * will go out, however long the mail server is away. What it says is sealed, since it may carry a token.
 */
export async function queueMail({ now, vault }: Pick<Services, 'now' | 'vault'>, db: Db, mail: Mail): Promise<void> {
  // In the outbox the files stand in the order in which the mails were written.
  const id = newOrderedId()
  await db
    .insertInto('outgoing_mail')
    .values({
      id,
      recipient: mail.to,
      content_sealed: vault.seal(`mail:${id}`, Buffer.from(JSON.stringify(mail))),
      next_attempt_at: now(),
      last_error: null,
      created_at: now(),
    })
    .execute()
}
