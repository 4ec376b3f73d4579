import { setTimeout as wait } from 'node:timers/promises'
import closeWithGrace from 'close-with-grace'
import { createApp } from './app.ts'
import { printError } from './describe-failure.ts'
import { StartError } from './errors.ts'
import { hasAdministrator } from './identity/roles/administrators.ts'
import { openServices, type OpenServices } from './open-services.ts'
import { backgroundJobs } from './operations/background/jobs.ts'
import { createTicker } from './operations/background/ticker.ts'
import { backUpBeforeUpgrade } from './operations/backup/make-backup.ts'
import { serveCommands } from './operations/control/serve-commands.ts'
import { prepareDataFolder, type Config } from './platform/config/config.ts'
import { VERSION } from './platform/config/version.ts'
import { createLogOutput, createLogger, type LogOutput } from './platform/http/log.ts'
import { codeOf } from './storage/durable-files.ts'

const SHUTDOWN_MS = 9000

/**
 * After SIGTERM the service takes requests for this long. Meanwhile /readyz answers 503, streams end and every answer
 * closes its connection, so that a proxy uses other replicas before a request is refused or a kept connection is closed.
 */
const DRAIN_MS = 2000
const CLOSE_IDLE_MS = 100

const isTerminal = process.stdout.isTTY

interface Start {
  /** Written to the log first. */
  warnings: string[]
  settingsFile: string | undefined
}

/** Runs the service until a signal ends it. */
export async function serve(config: Config, { warnings, settingsFile }: Start): Promise<void> {
  let isStopping = false
  const output = createLogOutput(process.stdout.fd, (code) =>
    printError(`Standard output can't be written (${code}). The service continues, and lines of its log are lost.`),
  )
  const log = createLogger(config.logLevel, isTerminal ? await prettyPrint(output) : output)
  for (const warning of warnings) log.warn(warning)
  prepareDataFolder(config)
  const services = await openServices(config, {
    log,
    now: Date.now,
    isTerminal,
    beforeMigration: () => backUpBeforeUpgrade(config, { log, now: Date.now }),
    // As every unexpected error, it is logged and ends the process.
    onTaken: () => {
      throw new Error('Another process works on the same database file.')
    },
  })
  services.keepReserve()
  const app = await createApp(services)
  const jobs = backgroundJobs(services)
  services.metrics?.watchJobs(jobs.map(({ name }) => name))
  const ticker = createTicker(services, jobs)
  let drainMs = 0
  let closer: NodeJS.Timeout | undefined
  const drain = async () => {
    await wait(drainMs)
    // A request that began before the stop leaves its connection open after its answer, for another that will not come.
    closer = setInterval(() => app.server.closeIdleConnections(), CLOSE_IDLE_MS)
  }
  // Registered last, so that it runs after all other preClose hooks.
  await app.register(async (part) => part.addHook('preClose', drain))
  const stopCommands = await serveCommands(services)
  const stopMetrics = await startMetrics(services)

  closeWithGrace({ delay: SHUTDOWN_MS, logger: false }, async ({ err, signal }) => {
    isStopping = true
    if (err) log.fatal({ err }, 'Stopping after an unexpected error.')
    else log.info({ signal }, 'Stopping.')
    // Stopped from a terminal, there is no proxy to wait for.
    if (signal === 'SIGTERM') drainMs = DRAIN_MS
    await app.close()
    clearInterval(closer)
    await stopCommands()
    await stopMetrics?.()
    await ticker.stop()
    await services.close()
  })

  // After a signal the handler above ends the process, whatever this start has reached.
  try {
    await listen(app.listen.bind(app), config)
    if (isStopping) return
    ticker.start()
    await announce(services, output, settingsFile)
  } catch (error) {
    if (isStopping) return
    throw error
  }
}

async function startMetrics({ config, metrics, log }: OpenServices): Promise<(() => Promise<void>) | undefined> {
  if (!metrics || !config.metricsAddress) return undefined
  const { serveMetrics } = await import('./platform/metrics/serve-metrics.ts')
  const { address, close } = await serveMetrics(metrics, config.metricsAddress)
  log.info({ address }, 'Metrics are served.')
  return close
}

/** Colours and columns, for a terminal. */
async function prettyPrint(output: LogOutput): Promise<LogOutput> {
  const { isColorSupported, prettyFactory } = await import('pino-pretty')
  const prettify = prettyFactory({ colorize: isColorSupported })
  return { ...output, write: (line) => output.write(prettify(line)) }
}

/**
 * Connections that wait to be accepted. When a list changes, thousands of hosts open one in the same second, and those above this number
 * have to try again seconds later. The system may allow fewer (net.core.somaxconn: 4096).
 */
const BACKLOG = 16_384

interface Address {
  port: number
  host: string
  backlog: number
}

async function listen(on: (address: Address) => Promise<string>, { port, host }: Config) {
  try {
    await on({ port, host, backlog: BACKLOG })
  } catch (error) {
    const code = codeOf(error)
    if (code === 'EADDRINUSE')
      throw new StartError(`Port ${port} on ${host} is in use. Stop what uses it, or set PORT.`)
    if (code === 'EACCES')
      throw new StartError(`Port ${port} needs more rights than this user has. Set PORT to one above 1023.`)
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
      throw new StartError(`HOST is ${JSON.stringify(host)}, but this machine has no such address.`)
    throw error
  }
}

/**
 * The first thing a person sees. The set-up link carries a secret, so that it is no line of the log: without a terminal,
 * where standard output holds the log and nothing else, it goes to standard error.
 */
async function announce(
  { config, db, log, bootstrapSecret }: OpenServices,
  output: LogOutput,
  settingsFile: string | undefined,
): Promise<void> {
  const { dashboardOrigin, baseUrl, host, port, dataDir } = config
  const print = (line: string) => (isTerminal ? output.write(`${line}\n`) : void process.stderr.write(`${line}\n`))
  if (isTerminal) {
    print(`Latchkey ${VERSION} is running: ${dashboardOrigin}`)
    print(`Data: ${dataDir}. Settings: ${settingsFile ?? 'the environment alone'}.`)
  } else {
    const address = `${host}:${port}`
    const place = { dataDir, settingsFile: settingsFile ?? null }
    log.info(
      { version: VERSION, address, issuer: baseUrl, dashboard: dashboardOrigin, ...place },
      'Latchkey is running.',
    )
  }
  if (!(await hasAdministrator(db.read))) {
    const secret = config.adminBootstrapSecret === undefined ? `#secret=${bootstrapSecret}` : ''
    print(`There is no administrator yet. Set up the first one: ${dashboardOrigin}/setup${secret}`)
  }
  if (baseUrl.startsWith('http:') && !/^http:\/\/(localhost|127\.|\[::1\])/.test(baseUrl)) {
    log.warn(
      'BASE_URL is plain http on a public name: browsers will not keep sessions or make passkeys there. Use https.',
    )
  }
}
