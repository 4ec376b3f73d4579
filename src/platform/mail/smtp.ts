import { createTransport } from 'nodemailer'
import { type MailTransport, UndeliverableMail } from './mail.ts'

const MINUTE = 60_000

/** From the first lookup to the greeting and TLS. */
const SETUP_TIMEOUT_MS = 2 * MINUTE
/** RFC 5321 section 4.5.3.2.6: a server may take ten minutes to confirm that it has a mail. */
const SILENCE_TIMEOUT_MS = 10 * MINUTE

/** A connection for each mail: one that is kept open may be lost without notice, which would delay the next mail by minutes. */
export function createSmtp(url: string, from: string, silenceTimeoutMs: number = SILENCE_TIMEOUT_MS): MailTransport {
  const options = {
    url,
    connectionTimeout: SETUP_TIMEOUT_MS,
    greetingTimeout: SETUP_TIMEOUT_MS,
    socketTimeout: silenceTimeoutMs,
    // Nothing in our mails is read from a file or fetched.
    disableFileAccess: true,
    disableUrlAccess: true,
  }
  return {
    async send(id, { to, subject, text, html }) {
      const transport = createTransport(options as Parameters<typeof createTransport>[0])
      let isHandedOver = false
      transport.use('stream', (mail, done) => {
        mail.message.processFunc((output) => output.once('end', () => (isHandedOver = true)))
        done()
      })
      try {
        const sent = await transport.sendMail({ from, to, subject, text, html, messageId: `<${id}@latchkey>` })
        const { response } = sent as { response?: unknown }
        return typeof response === 'string' ? response : ''
      } catch (error) {
        throw isFinal(error as SmtpError, isHandedOver) ? new UndeliverableMail(error) : error
      }
    },
    close: async () => {},
  }
}

interface SmtpError extends Error {
  code?: string
  responseCode?: number
}

/** About the mail itself: its sender, its recipient, its content. Others are about the connection or our credentials. */
const ABOUT_THE_MAIL = new Set<string | undefined>(['EENVELOPE', 'EMESSAGE'])
/** RFC 4954 section 6: it is the credentials that are missing or wrong, and the mail can go when they are there. */
const AUTHENTICATION = new Set([530, 534, 535, 538])

/**
 * Whether the mail must not be tried again. RFC 5321 section 4.2.1: a reply of 5xx is a permanent refusal. A server that has
 * the whole mail and does not answer in time may still deliver it, and must not get it twice.
 */
function isFinal({ code, responseCode }: SmtpError, isHandedOver: boolean): boolean {
  if (code === 'ETIMEDOUT') return isHandedOver
  if (!ABOUT_THE_MAIL.has(code)) return false
  return responseCode === undefined || (responseCode >= 500 && !AUTHENTICATION.has(responseCode))
}
