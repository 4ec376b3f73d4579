import { setTimeout as wait } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import closeWithGrace from 'close-with-grace'
import type { Logger } from 'pino'
import { hasAdministrator } from './access/administrators.ts'
import { createApp } from './app.ts'
import { backgroundJobs } from './background/jobs.ts'
import { createTicker } from './background/ticker.ts'
import { type Config, loadEnvironment, readConfig } from './config.ts'
import { serveCommands } from './control/serve-commands.ts'
import { StartError } from './errors.ts'
import { createLogger } from './http/log.ts'
import { openServices, type Services } from './services.ts'

const SHUTDOWN_MS = 9000

/**
 * So long a service that a supervisor stops still takes requests. Meanwhile /readyz says no, streams end and every answer
 * closes its connection, so that a proxy has gone elsewhere before anybody is refused or finds a kept connection gone.
 */
const DRAIN_MS = 2000

// Nothing this process writes is for other users of the machine.
process.umask(0o077)

try {
  await start()
} catch (error) {
  process.stderr.write(`${error instanceof StartError ? `latchkey: ${error.message}` : describe(error)}\n`)
  process.exit(1)
}

async function start(): Promise<void> {
  const config = readConfig(loadEnvironment())
  const log = createLogger(config.logLevel, process.stdout.isTTY ? await forPeople() : undefined)
  const services = await openServices(config, { log, now: Date.now })
  const app = await createApp(services)
  const ticker = createTicker(services, backgroundJobs(services))
  let drainMs = 0
  // Registered last: by the time of this hook every other one has been told.
  await app.register(async (part) => part.addHook('preClose', () => wait(drainMs)))
  const stopCommands = await serveCommands(services)
  const stopMetrics = await offerMetrics(services)

  closeWithGrace({ delay: SHUTDOWN_MS, logger: false }, async ({ err, signal }) => {
    if (err) log.fatal({ err }, 'Stopping after an unexpected error.')
    else log.info({ signal }, 'Stopping.')
    // Nobody at a terminal waits for proxies.
    if (signal === 'SIGTERM') drainMs = DRAIN_MS
    await app.close()
    await stopCommands()
    await stopMetrics?.()
    await ticker.stop()
    await services.close()
  })

  await listen(app.listen.bind(app), config)
  ticker.start()
  await announce(services, log)
  setTimeout(giveBackMemory, 1000).unref()
}

async function offerMetrics({ config, metrics, log }: Services): Promise<(() => Promise<void>) | undefined> {
  if (!metrics || !config.metricsAddress) return undefined
  const { serveMetrics } = await import('./metrics/serve-metrics.ts')
  const { address, close } = await serveMetrics(metrics, config.metricsAddress)
  log.info({ address }, 'Metrics can be read.')
  return close
}

/** Colours and columns, on a terminal alone. */
async function forPeople() {
  const { default: pretty } = await import('pino-pretty')
  return pretty({ sync: true })
}

/** Starting leaves as much garbage behind as the service will ever use: it is collected once, and the memory returned. */
function giveBackMemory(): void {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as (options: object) => void
  // V8 forgets the shape of objects of which none is alive, and code that was made for them then takes a slow way for
  // good. Ticks are the ones that every request makes; this one is still to come while the memory is collected.
  process.nextTick(() => {})
  collect({ type: 'major', flavor: 'last-resort' })
}

async function listen(on: (address: { port: number; host: string }) => Promise<string>, { port, host }: Config) {
  try {
    await on({ port, host })
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === 'EADDRINUSE')
      throw new StartError(`Port ${port} on ${host} is in use. Stop what uses it, or set PORT.`)
    if (code === 'EACCES')
      throw new StartError(`Port ${port} needs more rights than this user has. Set PORT to one above 1023.`)
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
      throw new StartError(`HOST is ${JSON.stringify(host)}, but this machine has no such address.`)
    throw error
  }
}

/** The first thing a person sees. The set-up link carries a secret, so it goes to the terminal and never to the log. */
async function announce({ config, db, bootstrapSecret }: Services, log: Logger): Promise<void> {
  const { dashboardOrigin, baseUrl } = config
  log.info({ address: `${config.host}:${config.port}`, issuer: baseUrl }, 'Latchkey is listening.')
  const lines = [`Latchkey is running: ${dashboardOrigin}`]
  if (!(await hasAdministrator(db))) {
    const secret = config.adminBootstrapSecret === undefined ? `#secret=${bootstrapSecret}` : ''
    lines.push(`There is no administrator yet. Set up the first one: ${dashboardOrigin}/setup${secret}`)
  }
  if (baseUrl.startsWith('http:') && !/^http:\/\/(localhost|127\.|\[::1\])/.test(baseUrl)) {
    lines.push(
      'BASE_URL is plain http on a public name: browsers will not keep sessions or make passkeys there. Use https.',
    )
  }
  process.stdout.write(`${lines.join('\n')}\n`)
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
