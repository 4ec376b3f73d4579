import type { Logger } from 'pino'
import type { Blobs } from './blobs/blobs.ts'
import { openBlobs } from './blobs/blobs.ts'
import type { AuditEvent } from './audit/record-event.ts'
import { createDailyCounts, type DailyCounts } from './audit/daily-counts.ts'
import type { Config } from './config.ts'
import { createPasswords, MAX_HASHES_AT_ONCE, type Passwords } from './crypto/password.ts'
import { createRandom, type Random } from './crypto/random.ts'
import { createVault, type Vault } from './crypto/vault.ts'
import { ensureBuiltInRoles } from './access/built-in-roles.ts'
import { createLocate, type Locate } from './http/caller.ts'
import { createFairQueue } from './limits/fair-queue.ts'
import { createLimits, type Limits } from './limits/limits.ts'
import { loadServiceKeys, type ServiceKey } from './keys/load-service-keys.ts'
import { resolveSecretKey } from './keys/secret-key.ts'
import { openSigningKeys, type SigningKeys } from './keys/signing-keys.ts'
import { anyKeyStored } from './keys/service-key-store.ts'
import { type MailTransport, openMail } from './mail/mail.ts'
import type { createMetrics, Metrics } from './metrics/metrics.ts'
import { createStreams, type Streams } from './notifications/streams.ts'
import { type Authority, openAuthority } from './openssh/certificate.ts'
import { openStorage } from './storage/open.ts'
import type { Database } from './storage/database.ts'
import type { Signals } from './storage/signals.ts'

/** Everything the rules of this service stand on. A function asks for what it needs of it, and for nothing else. */
export interface Services {
  config: Config
  log: Logger
  /** The time of day. It can be set, forwards and backwards. */
  now: () => number
  /** Milliseconds that only grow, however the clock is set: for intervals and timeouts within this process. */
  monotonicNow: () => number
  random: Random
  db: Database
  signals: Signals
  vault: Vault
  signingKeys: SigningKeys
  sshCa: ServiceKey & Authority
  passwords: Passwords
  limits: Limits
  locate: Locate
  mail: MailTransport
  blobs: Blobs
  /** The notification streams that are open on this copy. */
  dailyCounts: DailyCounts
  streams: Streams
  /** Only where somebody is to read them. */
  metrics: Metrics | undefined
  /** Hears of every entry of the audit trail while it is written, in a transaction that may still fail. */
  observeEvent?: (event: AuditEvent) => void
  /** What makes the first administrator while there is none. */
  bootstrapSecret: string
  close(): Promise<void>
}

/** What differs between the running service and its tests. */
interface Outside {
  log: Logger
  now: () => number
  monotonicNow?: () => number
  /** Somebody reads the log on a terminal as it comes, and nobody keeps it. */
  isTerminal?: boolean
}

export async function openServices(config: Config, { log, now, ...outside }: Outside): Promise<Services> {
  const { monotonicNow = () => performance.now(), isTerminal = false } = outside
  const { db, signals, load, close } = await openStorage(config.databaseUrl, log, now())
  try {
    await ensureBuiltInRoles(db, now())
    const random = createRandom()
    const vault = createVault(await resolveSecretKey(config, await anyKeyStored(db.read)))
    const signingKeys = await openSigningKeys({ db, now, vault, signals, log })
    const [caKey] = await loadServiceKeys({ db, now, vault }, 'ssh-ca')
    if (!caKey) throw new Error('The SSH CA key was neither found nor made.')
    const mail = openMail(config, log, isTerminal)
    const dailyCounts = createDailyCounts({ db, now })
    const streams = createStreams({ db, now, monotonicNow, signals, log })
    const metrics = config.metricsAddress && (await openMetrics({ db, now, streams, load }))
    return {
      config,
      log,
      now,
      monotonicNow,
      random,
      db,
      signals,
      vault,
      signingKeys,
      sshCa: { ...caKey, ...openAuthority(caKey.privateKey) },
      passwords: await createPasswords(random, createFairQueue(passwordQueue(config))),
      limits: createLimits({ db, now }, config.rateLimits),
      locate: await createLocate(config),
      mail,
      blobs: openBlobs(config),
      dailyCounts,
      streams,
      metrics,
      ...(metrics && { observeEvent: metrics.countEvent }),
      bootstrapSecret: config.adminBootstrapSecret ?? random.text(24),
      async close() {
        await dailyCounts.flush().catch((error: unknown) => log.warn({ err: error }, 'The last counts are lost.'))
        metrics?.close()
        await mail.close()
        await close()
      },
    }
  } catch (error) {
    await close()
    throw error
  }
}

/** Half a minute of work in all, five seconds of it for one address. */
const passwordQueue = ({ rateLimits }: Config) => ({
  atOnce: MAX_HASHES_AT_ONCE,
  maxWaiting: 500,
  maxWaitingPerAddress: rateLimits ? 100 : 500,
})

/** Loaded only where it is wanted. */
const openMetrics = async (needs: Parameters<typeof createMetrics>[0]): Promise<Metrics> =>
  (await import('./metrics/metrics.ts')).createMetrics(needs)
