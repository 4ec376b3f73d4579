import { join } from 'node:path'
import { createTransport } from 'nodemailer'
import type { Logger } from 'pino'
import { storeFile } from '../storage/durable-files.ts'
import type { MailTransport } from './mail.ts'

/** No mail server: each mail is a file that any mail program opens, and its link stands in the log. */
export function createOutbox(folder: string, from: string, log: Logger): MailTransport {
  const composer = createTransport({ streamTransport: true, buffer: true, newline: 'unix' })
  return {
    async send(id, { to, subject, text, html, link }) {
      const { message } = await composer.sendMail({ from, to, subject, text, html })
      const file = join(folder, `${id}.eml`)
      // Durable before this resolves: the mail leaves the queue then.
      await storeFile(folder, file, message as Buffer)
      log.info({ to, subject, link, file }, 'Mail written to the outbox.')
    },
    close: async () => composer.close(),
  }
}
