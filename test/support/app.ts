import { after, before } from 'node:test'
import type { FastifyInstance } from 'fastify'
import { createApp } from '../../src/app.ts'
import { openServices, type OpenServices } from '../../src/open-services.ts'
import { backgroundJobs } from '../../src/operations/background/jobs.ts'
import { createTicker } from '../../src/operations/background/ticker.ts'
import { type Config, readConfig } from '../../src/platform/config/config.ts'
import { createLogger } from '../../src/platform/http/log.ts'
import type { OutgoingOptions } from '../../src/platform/outgoing/outgoing.ts'
import type { PostgresOptions } from '../../src/storage/postgres/engine.ts'
import { type Clock, createClock } from './clock.ts'
import { createMigratedStorage, type EngineName, type TestStorage } from './engines.ts'
import { ORIGIN, SECRET_KEY } from './settings.ts'

export { ORIGIN, SECRET_KEY }

const CHEAP_HASHING = { memoryCost: 64, timeCost: 1 }

export interface TestApp {
  app: FastifyInstance
  services: OpenServices
  clock: Clock
  storage: TestStorage
  /** All log lines as one string. */
  logged(): string
  /** Runs the background work that is due by the test's clock. */
  tick(): Promise<void>
  /** Listens on a free port and returns the address. */
  listen(): Promise<string>
  close(): Promise<void>
}

interface Scope {
  after(work: () => Promise<void>): void
}

interface Options {
  engine?: EngineName
  config?: Partial<Config>
  clock?: Clock
  /** For a second replica on an existing database, or a restart. */
  storage?: TestStorage
  logLevel?: string
  maxBodyMs?: number
  maxHeadMs?: number
  /** 1 in tests of the time limits on PostgreSQL. Other tests must not fail on a slow machine. */
  timeoutFactor?: number
  postgres?: Omit<PostgresOptions, 'timeoutFactor'>
  /** How the names of receivers are looked up, and which authority their certificates may come from. */
  outgoing?: OutgoingOptions
  /** False leaves what receivers are told where it is written, so that a test can read it. */
  sends?: boolean
  /** How often it does its background work by itself, as hosts need it that wait. Otherwise only `tick` does. */
  worksEveryMs?: number
  /** Set in tests of the cost of password hashing. Other tests use a cheap hash, because the real one would take most of their time. */
  realHashCost?: boolean
}

/** Starts the whole service in this process, and closes it when the test ends. */
export async function startApp(t: Scope, options: Options = {}): Promise<TestApp> {
  const { engine = 'sqlite', clock = createClock(), timeoutFactor = 5, realHashCost = false } = options
  const storage = options.storage ?? (await createMigratedStorage(engine))
  const lines: string[] = []
  const log = createLogger(options.logLevel ?? 'info', { write: (line: string) => void lines.push(line) })
  const config: Config = {
    ...readConfig({ DATA_DIR: storage.dataDir, DATABASE_URL: storage.databaseUrl, SECRET_KEY }),
    ...options.config,
  }
  const services = await openServices(config, {
    log,
    now: clock.now,
    monotonicNow: clock.monotonicNow,
    timeoutFactor,
    ...options.postgres,
    ...(options.outgoing ? { outgoing: options.outgoing } : {}),
    ...(realHashCost ? {} : { hashCost: CHEAP_HASHING }),
  })
  const app = await createApp(services, options)
  await app.ready()
  const jobs = options.sends === false ? jobsWithoutSending(services) : backgroundJobs(services)
  const ticker = createTicker(services, jobs)
  const { worksEveryMs } = options
  const working = worksEveryMs === undefined ? undefined : setInterval(() => void ticker.tick(), worksEveryMs)
  let closed = false
  const close = async () => {
    if (closed) return
    closed = true
    clearInterval(working)
    await app.close()
    await ticker.stop()
    await services.close()
  }
  onceAfter(t, async () => {
    await close()
    if (!options.storage) await storage.remove()
  })
  return {
    app,
    services,
    clock,
    storage,
    logged: () => lines.join(''),
    tick: ticker.tick,
    listen: () => app.listen({ port: 0, host: '127.0.0.1' }),
    close,
  }
}

/** The test runner keeps each hook until the process ends, and with it what the hook refers to: here a whole app for each test. */
function onceAfter(t: Scope, work: () => Promise<void>): void {
  let left: (() => Promise<void>) | undefined = work
  t.after(async () => {
    const doing = left?.()
    left = undefined
    await doing
  })
}

/** Sending also begins by a signal, without its job. */
const jobsWithoutSending = (services: OpenServices) =>
  backgroundJobs({ ...services, signals: { ...services.signals, on: () => () => {} } }).filter(
    ({ name }) => name !== 'send-deliveries',
  )

/** One app for all tests of the current suite; starting one for each test would take most of their time. */
export function sharedApp(options: Options = {}): () => TestApp {
  const cleanups: (() => Promise<void>)[] = []
  let app: TestApp
  before(async () => {
    app = await startApp({ after: (work) => void cleanups.push(work) }, options)
  })
  after(async () => {
    for (const cleanUp of cleanups.toReversed()) await cleanUp()
  })
  return () => app
}
