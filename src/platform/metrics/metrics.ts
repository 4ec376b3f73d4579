import { collectDefaultMetrics, Counter, Gauge, Registry } from 'prom-client'
import { within, type Database, type Engine, type Reader } from '../../storage/database.ts'
import type { AuditEvent } from '../audit/record-event.ts'
import { VERSION } from '../config/version.ts'
import { countEvents } from './count-events.ts'
import { measureDeliveries } from './measure-deliveries.ts'
import { measureRequests } from './measure-requests.ts'
import { countQueued, type QueueCounts } from './queue-store.ts'

/** Counters and gauges of this replica. There is none unless METRICS_ADDRESS is set, and then nothing is counted. */
export interface Metrics {
  measureRequests: ReturnType<typeof measureRequests>
  countEvent(event: AuditEvent): void
  /** An attempt to tell a receiver outside was stored. */
  countDelivery: ReturnType<typeof measureDeliveries>
  /** A request named a client that is not registered. */
  countUnknownClient(): void
  /** A revocation list for hosts was built. */
  krlBuilt(built: { bytes: number; serials: number }): void
  /** The names of the jobs whose delay is measured. */
  watchJobs(names: string[]): void
  /** The text that Prometheus reads. */
  render(): Promise<string>
  contentType: string
}

interface MetricsSources {
  db: Database
  now: () => number
  countStreams: () => number
  load: Engine['load']
  clockDifference: Engine['clockDifference']
  /** Undefined when there was none. */
  findLastBackup: () => number | undefined
  findLastFollowed: () => number | undefined
}

const secondsSince = (now: () => number, at: number | undefined): number | undefined =>
  at === undefined ? undefined : Math.max(0, (now() - at) / 1000)

const inSeconds = (ms: number | undefined): number | undefined => (ms === undefined ? undefined : ms / 1000)

/** A scrape does not wait longer than this for the database. */
const DATABASE_TIMEOUT_MS = 2000

export function createMetrics({ db, now, load, clockDifference, countStreams, ...backups }: MetricsSources): Metrics {
  const registry = new Registry()
  const measure = measureRequests(registry)
  const stored = addStoredGauges(registry, db.read, now)
  addGauge(
    registry,
    'latchkey_backup_age_seconds',
    'SQLite: time since the last backup that the command line has made of this data folder.',
    () => secondsSince(now, backups.findLastBackup()),
  )
  addGauge(
    registry,
    'latchkey_follow_age_seconds',
    'SQLite: time since latchkey backup --follow has last made sure that its copy has everything.',
    () => secondsSince(now, backups.findLastFollowed()),
  )
  addLoadGauges(registry, load)
  addGauge(
    registry,
    'latchkey_clock_difference_seconds',
    "PostgreSQL: how far the clock of the database is ahead of this machine's.",
    () => inSeconds(clockDifference()),
  )
  addGauge(registry, 'latchkey_streams_open', 'Notification streams that are open on this replica.', countStreams)
  const krlBuilt = addKrlGauges(registry, now)
  const unknownClients = new Counter({
    name: 'latchkey_unknown_client_requests_total',
    help: 'Requests that named a client which is not registered.',
    registers: [registry],
  })
  collectDefaultMetrics({ register: registry })
  // When nothing was measured since the last scrape, these are not numbers that everybody can read.
  for (const name of ['min', 'mean', 'stddev']) registry.removeSingleMetric(`nodejs_eventloop_lag_${name}_seconds`)
  addBuildInfo(registry)
  let rendering: Promise<string> | undefined

  const render = async (): Promise<string> => {
    await stored.read()
    return registry.metrics()
  }
  return {
    measureRequests: measure,
    countEvent: countEvents(registry),
    countDelivery: measureDeliveries(registry),
    countUnknownClient: () => unknownClients.inc(),
    krlBuilt,
    watchJobs: stored.watchJobs,
    render: () => (rendering ??= render().finally(() => (rendering = undefined))),
    contentType: registry.contentType,
  }
}

/** The version is a label, as Prometheus has no text values. */
function addBuildInfo(registry: Registry): void {
  const info = new Gauge({
    name: 'latchkey_build_info',
    help: 'Always 1. The labels are the versions of Latchkey and of Node.',
    labelNames: ['version', 'node'],
    registers: [registry],
  })
  info.set({ version: VERSION, node: process.versions.node }, 1)
}

/** Queues that all replicas share. While the database is unavailable their gauges have no value. */
function addStoredGauges(
  registry: Registry,
  db: Reader,
  now: () => number,
): { read(): Promise<void>; watchJobs(names: string[]): void } {
  let current: QueueCounts | undefined
  let jobs: string[] | undefined
  addGauge(registry, 'latchkey_database_up', '1 if the database answered this scrape, otherwise 0.', () =>
    current ? 1 : 0,
  )
  addGauge(registry, 'latchkey_mail_queued', 'Mails that wait to be sent, of all replicas.', () => current?.mail)
  addGauge(
    registry,
    'latchkey_lifecycle_actions_pending',
    'Planned actions that are not carried out yet, of all replicas.',
    () => current?.pending,
  )
  addGauge(
    registry,
    'latchkey_lifecycle_actions_failed',
    'Planned actions that could not be carried out, of all replicas.',
    () => current?.failed,
  )
  addGauge(
    registry,
    'latchkey_mail_oldest_seconds',
    'How long the oldest mail has waited to be sent, of all replicas; 0 without any.',
    () => current && (secondsSince(now, current.oldestMailAt) ?? 0),
  )
  addGauge(
    registry,
    'latchkey_outbox_waiting',
    'What receivers are still to be told, of all replicas.',
    () => current?.deliveries,
  )
  addGauge(
    registry,
    'latchkey_outbox_oldest_seconds',
    'How long the oldest of it has waited; 0 without any. What receivers fetch themselves is not counted.',
    () => current && (secondsSince(now, current.oldestDeliveryAt) ?? 0),
  )
  addGauge(
    registry,
    'latchkey_job_delay_seconds',
    'How late the background job is that has waited longest, of all replicas; 0 when none is late.',
    () => current && (secondsSince(now, current.nextJobAt) ?? 0),
  )
  return {
    watchJobs: (names) => {
      jobs = names
    },
    async read() {
      current = await within(DATABASE_TIMEOUT_MS, countQueued(db, jobs)).catch(() => undefined)
    },
  }
}

function addLoadGauges(registry: Registry, load: Engine['load']): void {
  const gauge = (name: string, help: string, read: (now: ReturnType<Engine['load']>) => number | undefined) =>
    addGauge(registry, name, help, () => read(load()))
  gauge(
    'latchkey_writes_waiting',
    'SQLite: writes that wait for the next commit.',
    ({ writesWaiting }) => writesWaiting,
  )
  gauge(
    'latchkey_sqlite_log_bytes',
    'SQLite: size of its log, which grows for as long as another program reads the database file.',
    ({ logBytes }) => logBytes,
  )
  gauge(
    'latchkey_disk_nearly_full',
    'SQLite: 1 while writes are refused because there is too little space on the disk, otherwise 0.',
    ({ isShortOfSpace }) => (isShortOfSpace === undefined ? undefined : Number(isShortOfSpace)),
  )
  gauge('latchkey_pool_connections', 'PostgreSQL: connections that are open.', ({ pool }) => pool?.open)
  gauge('latchkey_pool_connections_idle', 'PostgreSQL: open connections that are idle.', ({ pool }) => pool?.idle)
  gauge(
    'latchkey_pool_connections_unanswered',
    'PostgreSQL: open connections whose commit was not answered in time.',
    ({ pool }) => pool?.unanswered,
  )
  gauge('latchkey_pool_waiting', 'PostgreSQL: queries that wait for a connection.', ({ pool }) => pool?.waiting)
}

function addKrlGauges(registry: Registry, now: () => number): Metrics['krlBuilt'] {
  let last: { bytes: number; serials: number; at: number } | undefined
  addGauge(
    registry,
    'latchkey_krl_bytes',
    'Size of the last revocation list that was built for hosts.',
    () => last?.bytes,
  )
  addGauge(registry, 'latchkey_krl_serials', 'Certificates in that list.', () => last?.serials)
  addGauge(
    registry,
    'latchkey_krl_age_seconds',
    'Time since that list was built; it is built again when it is requested after a change.',
    () => (last === undefined ? undefined : Math.max(0, (now() - last.at) / 1000)),
  )
  return (built) => {
    last = { ...built, at: now() }
  }
}

/** Adds a gauge that is read when the metrics are read. While `read` returns undefined, the gauge has no sample. */
export function addGauge(registry: Registry, name: string, help: string, read: () => number | undefined): void {
  const collect = () => {
    const value = read()
    if (value === undefined) gauge.remove()
    else gauge.set(value)
  }
  const gauge = new Gauge({ name, help, registers: [registry], collect })
}
