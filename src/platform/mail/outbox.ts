import { join } from 'node:path'
import { createTransport } from 'nodemailer'
import type { Logger } from 'pino'
import { storeFile } from '../../storage/durable-files.ts'
import type { MailTransport } from './mail.ts'

/**
 * Without a mail server each mail is a file that any mail program opens. Its link opens an account, so it is shown on a
 * terminal only and never in a log that is kept.
 */
export function createOutbox(
  folder: string,
  from: string,
  { log, isTerminal }: { log: Logger; isTerminal: boolean },
): MailTransport {
  const composer = createTransport({ streamTransport: true, buffer: true, newline: 'unix' })
  return {
    async send(id, { to, subject, text, html, link }) {
      const { message } = await composer.sendMail({ from, to, subject, text, html })
      const name = `${id}.eml`
      // Durable before this resolves: the mail leaves the queue then.
      await storeFile(folder, join(folder, name), message as Buffer)
      log.info({ to, subject, ...(isTerminal ? { link } : {}), file: `outbox/${name}` }, 'Mail written to the outbox.')
      return `There is no mail server: the mail is in outbox/${name}.`
    },
    close: async () => composer.close(),
  }
}
