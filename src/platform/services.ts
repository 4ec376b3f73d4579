import type { Logger } from 'pino'
import type { WeakReason } from '../errors.ts'
import type { Database, Engine } from '../storage/database.ts'
import type { Signals } from '../storage/signals.ts'
import type { DailyCounts } from './audit/daily-counts.ts'
import type { AuditEvent } from './audit/record-event.ts'
import type { Blobs } from './blobs/blobs.ts'
import type { Config } from './config/config.ts'
import type { Passwords } from './crypto/password.ts'
import type { Random } from './crypto/random.ts'
import type { Vault } from './crypto/vault.ts'
import type { Locate } from './http/request-source.ts'
import type { SigningKeys } from './keys/signing-keys.ts'
import type { SshAuthority } from './keys/ssh-authorities.ts'
import type { Limits } from './limits/limits.ts'
import type { MailTransport } from './mail/mail.ts'
import type { Metrics } from './metrics/metrics.ts'
import type { Outgoing } from './outgoing/outgoing.ts'

/** What the areas use. A function takes what it needs with `Pick`, and nothing else. */
export interface Services {
  config: Config
  log: Logger
  /** The time of day. It can be set, forwards and backwards. */
  now: () => number
  /** Milliseconds that only grow, however the clock is set: for intervals and timeouts within this process. */
  monotonicNow: () => number
  random: Random
  db: Database
  clockDifference: Engine['clockDifference']
  signals: Signals
  vault: Vault
  signingKeys: SigningKeys
  /** Signs the certificates of users. */
  sshCa: SshAuthority
  /** Signs the certificates of hosts. */
  sshHostCa: SshAuthority
  passwords: Passwords
  strength: PasswordStrength
  limits: Limits
  locate: Locate
  mail: MailTransport
  blobs: Blobs
  /** Requests to addresses that somebody has set. */
  outgoing: Outgoing
  dailyCounts: DailyCounts
  /** Undefined unless METRICS_ADDRESS is set. */
  metrics: Metrics | undefined
  /** Called with every audit event when its transaction has committed. */
  observeEvent?: (event: AuditEvent) => void
  /** What makes the first administrator while there is none. */
  bootstrapSecret: string
}

/** Whether a password is easy to guess. The rules are in `identity/password-strength`. */
export interface PasswordStrength {
  assess(request: { password: string; personal: string[] }, address: string): Promise<{ weak?: WeakReason | undefined }>
  /** Ends the thread that holds the dictionaries. */
  close(): void
}
