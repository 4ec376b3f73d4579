import type { Logger } from 'pino'
import type { LinkPurpose } from '../../vocabulary/link-purposes.ts'
import type { Config } from '../config/config.ts'

export interface Mail {
  to: string
  subject: string
  text: string
  html: string
  /** The address that the mail is about, for the terminal where mail goes to a folder. */
  link: string
}

/** A mail whose link carries a token. */
export interface LinkMail extends Mail {
  token: string
  purpose: LinkPurpose
}

/** Must not be retried: the mail server has refused the mail for good, or may have accepted it. */
export class UndeliverableMail extends Error {
  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : 'unknown', { cause })
  }
}

/** Sends a mail, and returns what the mail server said. Or throws: an UndeliverableMail, or any other error when it can be tried again. */
export interface MailTransport {
  send(id: string, mail: Mail): Promise<string>
  close(): Promise<void>
}

/** SMTP or the outbox, loaded with the first mail, since many processes send none. */
export function openMail(
  config: Pick<Config, 'smtpUrl' | 'mailFrom' | 'dataDir'>,
  log: Logger,
  isTerminal: boolean,
): MailTransport {
  const { smtpUrl, mailFrom, dataDir } = config
  let transport: Promise<MailTransport> | undefined
  const load = async (): Promise<MailTransport> =>
    smtpUrl === undefined
      ? (await import('./outbox.ts')).createOutbox(`${dataDir}/outbox`, mailFrom, { log, isTerminal })
      : (await import('./smtp.ts')).createSmtp(smtpUrl, mailFrom)
  return {
    async send(id, mail) {
      transport ??= load()
      return (await transport).send(id, mail)
    },
    async close() {
      await (await transport)?.close()
    },
  }
}

const MAX_LENGTH = 300

/** Mail servers quote what they refuse, and a mail holds a token. */
const TOKEN = /\b[a-z]{2}_[\w-]{16,}/g

/** What went wrong, in one line that can be stored and shown. */
export const describeMailError = (error: unknown): string => {
  const message = error instanceof Error ? error.message : 'unknown'
  // oxlint-disable-next-line no-control-regex -- They are removed here.
  const line = message.replace(/[\u0000-\u001f\u007f-\u009f\s]+/g, ' ').trim()
  return line.replace(TOKEN, '[token]').slice(0, MAX_LENGTH)
}
