import type { Config } from '../config.ts'
import type { Logger } from 'pino'
import { createOutbox } from './outbox.ts'
import { createSmtp } from './smtp.ts'

export interface Mail {
  to: string
  subject: string
  text: string
  html: string
  /** The address that the mail is about, for the log where mail goes to a folder. */
  link: string
}

/** Takes a mail off our hands, or throws. */
export interface MailTransport {
  send(id: string, mail: Mail): Promise<void>
  close(): void
}

export const openMail = (config: Pick<Config, 'smtpUrl' | 'mailFrom' | 'dataDir'>, log: Logger): MailTransport =>
  config.smtpUrl === undefined
    ? createOutbox(`${config.dataDir}/outbox`, config.mailFrom, log)
    : createSmtp(config.smtpUrl, config.mailFrom)
