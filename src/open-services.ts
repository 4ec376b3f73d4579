import type { Logger } from 'pino'
import type { IdentityServices } from './identity/access-events.ts'
import { createStreams, type Streams } from './identity/notifications/streams.ts'
import { passkeySubscriber } from './identity/passkeys/access-subscriber.ts'
import { addBuiltInRoles } from './identity/roles/role-store.ts'
import { secondStepSubscriber } from './identity/second-step/access-subscriber.ts'
import { createPasswordStrength } from './identity/users/assess-in-thread.ts'
import { oauthSubscriber } from './oauth/access-subscriber.ts'
import { addBuiltInClient } from './oauth/clients/built-in-client.ts'
import { createPkceUses } from './oauth/clients/pkce-uses.ts'
import { createProblems } from './oauth/problems/problems.ts'
import type { Gathered } from './oauth/provider.ts'
import { createWaitingPolls, type WaitingPolls } from './oauth/signals/waiting-polls.ts'
import { createDailyCounts } from './platform/audit/daily-counts.ts'
import { logEvent } from './platform/audit/record-event.ts'
import { openBlobs } from './platform/blobs/open-blobs.ts'
import type { Config } from './platform/config/config.ts'
import { findLastBackup, findLastFollowed } from './platform/config/data-files.ts'
import { createPasswords, type HashCost, MAX_HASHES_AT_ONCE } from './platform/crypto/password.ts'
import { createRandom } from './platform/crypto/random.ts'
import { createVault } from './platform/crypto/vault.ts'
import { createLocate } from './platform/http/request-source.ts'
import { newId } from './platform/ids.ts'
import { addInstallationOnce } from './platform/keys/installation-store.ts'
import { resolveSecretKey } from './platform/keys/secret-key.ts'
import { hasKeys } from './platform/keys/service-key-store.ts'
import { openSigningKeys } from './platform/keys/signing-keys.ts'
import { openSshAuthority } from './platform/keys/ssh-authorities.ts'
import { createAddressQueue } from './platform/limits/address-queue.ts'
import { createLimits } from './platform/limits/limits.ts'
import { openMail } from './platform/mail/mail.ts'
import type { createMetrics, Metrics } from './platform/metrics/metrics.ts'
import { createOutgoing, type OutgoingOptions } from './platform/outgoing/outgoing.ts'
import { appPasswordSubscriber } from './proxy/app-passwords/access-subscriber.ts'
import { sshSubscriber } from './ssh/access-subscriber.ts'
import { createHostLists, type HostLists } from './ssh/hosts/host-lists.ts'
import { createLongPolls, type LongPolls } from './ssh/hosts/long-polls.ts'
import { openStorage } from './storage/open.ts'
import type { PostgresOptions } from './storage/postgres/engine.ts'

/** The services of a running process, with what only its top layer uses. */
export interface OpenServices extends IdentityServices, Gathered {
  /** The notification streams that are open on this replica. */
  streams: Streams
  /** Requests of hosts that wait for a change on this replica. */
  longPolls: LongPolls
  /** What they wait for. */
  hostLists: HostLists
  /** Polls of receivers of shared signals that wait on this replica. */
  waitingPolls: WaitingPolls
  /** From now on writes are refused while the disk of a SQLite file is nearly full. Commands, such as a restore, use what is left. */
  keepReserve(): void
  close(): Promise<void>
}

/** What differs between the running service and its tests. */
interface ProcessOptions extends PostgresOptions {
  log: Logger
  now: () => number
  monotonicNow?: () => number
  /** What hashing a password costs. Tests that are not about it hash cheaply. */
  hashCost?: HashCost
  /** Makes a backup of a SQLite file that an older version has made. */
  beforeMigration?: () => Promise<void>
  /** Called when another process has come to work on the same SQLite file. */
  onTaken?: () => void
  /** How names are looked up and certificates judged. Tests decide it. */
  outgoing?: OutgoingOptions
  /** The log goes to a terminal and is not kept. */
  isTerminal?: boolean
}

export async function openServices(config: Config, { log, now, ...options }: ProcessOptions): Promise<OpenServices> {
  const { monotonicNow = () => performance.now(), isTerminal = false } = options
  const opened = await openStorage(config.databaseUrl, log, now(), options)
  const { db, signals, load, clockDifference, keepReserve, close } = opened
  try {
    await db.transaction(async (trx) => {
      await addBuiltInRoles(trx, now())
      await addBuiltInClient(trx, now())
      await addInstallationOnce(trx, newId())
    })
    const random = createRandom()
    const vault = createVault(await resolveSecretKey(config, await hasKeys(db.read)))
    const signingKeys = await openSigningKeys({ db, now, vault, signals, log })
    const sshCa = await openSshAuthority({ db, now, vault, signals, log }, 'ssh-ca')
    const sshHostCa = await openSshAuthority({ db, now, vault, signals, log }, 'ssh-host-ca')
    const strength = createPasswordStrength()
    const mail = openMail(config, log, isTerminal)
    const outgoing = createOutgoing(config, options.outgoing)
    const dailyCounts = createDailyCounts({ db, now })
    const streams = createStreams({ db, now, monotonicNow, signals, log })
    const metrics =
      config.metricsAddress &&
      (await openMetrics({
        db,
        now,
        load,
        clockDifference,
        countStreams: streams.count,
        findLastBackup: () => findLastBackup(config.dataDir),
        findLastFollowed: () => findLastFollowed(config.dataDir),
      }))
    // In this order: what was read expires before it is looked at again.
    const hostLists = createHostLists({ config, db, log, now, monotonicNow, metrics, signals, sshCa, sshHostCa })
    const longPolls = createLongPolls({ monotonicNow, log, signals }, config.rateLimits)
    const waitingPolls = createWaitingPolls({ db, monotonicNow, signals, log })
    const gathered: Gathered = {
      problems: createProblems({ db, now, log, countUnknown: metrics?.countUnknownClient }),
      pkceUses: createPkceUses({ db, now }),
    }
    return {
      config,
      log,
      now,
      monotonicNow,
      random,
      db,
      clockDifference,
      signals,
      vault,
      signingKeys,
      sshCa,
      sshHostCa,
      passwords: createPasswords(random, createAddressQueue(passwordQueue(config)), options.hashCost),
      strength,
      limits: createLimits({ db, now }, config.rateLimits),
      locate: await createLocate(config),
      mail,
      blobs: openBlobs(config),
      outgoing,
      dailyCounts,
      ...gathered,
      accessSubscribers: ACCESS_SUBSCRIBERS,
      streams,
      longPolls,
      waitingPolls,
      hostLists,
      keepReserve: () => keepReserve?.(),
      metrics,
      observeEvent(event) {
        metrics?.countEvent(event)
        logEvent(log, event)
      },
      bootstrapSecret: config.adminBootstrapSecret ?? random.text(24),
      async close() {
        for (const { flush } of [dailyCounts, gathered.problems, gathered.pkceUses])
          await flush().catch((error: unknown) =>
            log.warn({ err: error }, 'What was counted in the last second could not be stored and is lost.'),
          )
        strength.close()
        outgoing.close()
        await mail.close()
        for (const keys of [signingKeys, sshCa, sshHostCa]) await keys.close()
        await close()
      },
    }
  } catch (error) {
    await close()
    throw error
  }
}

/**
 * In the order of locks, which a new area keeps: certificates are last, because every revocation of some updates one row, and whoever
 * waits for that row must not be waited for.
 */
const ACCESS_SUBSCRIBERS = [
  passkeySubscriber,
  secondStepSubscriber,
  oauthSubscriber,
  appPasswordSubscriber,
  sshSubscriber,
]

/** Half a minute of work in all, five seconds of it for one address. */
const passwordQueue = ({ rateLimits }: Config) => ({
  atOnce: MAX_HASHES_AT_ONCE,
  maxWaiting: 500,
  maxWaitingPerAddress: rateLimits ? 100 : 500,
})

/** Loaded only where METRICS_ADDRESS is set. */
const openMetrics = async (needs: Parameters<typeof createMetrics>[0]): Promise<Metrics> =>
  (await import('./platform/metrics/metrics.ts')).createMetrics(needs)
