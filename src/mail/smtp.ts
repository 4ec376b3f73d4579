import { createTransport } from 'nodemailer'
import type { MailTransport } from './mail.ts'

const TIMEOUT_MS = 10_000

export function createSmtp(url: string, from: string): MailTransport {
  const transport = createTransport({
    url,
    pool: true,
    maxConnections: 2,
    connectionTimeout: TIMEOUT_MS,
    greetingTimeout: TIMEOUT_MS,
    socketTimeout: TIMEOUT_MS,
    // Mails are ours from end to end: nothing in one is ever read from a file or fetched.
    disableFileAccess: true,
    disableUrlAccess: true,
  } as Parameters<typeof createTransport>[0])
  return {
    async send(id, { to, subject, text, html }) {
      await transport.sendMail({ from, to, subject, text, html, messageId: `<${id}@latchkey>` })
    },
    close: async () => transport.close(),
  }
}
