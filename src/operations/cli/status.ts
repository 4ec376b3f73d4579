import { type Config, loadSettings, readConfig, type SettingsSource } from '../../platform/config/config.ts'
import { VERSION } from '../../platform/config/version.ts'
import { readArguments } from './usage.ts'
import { describePlace, say } from './with-services.ts'

const USAGE = `Usage: latchkey status

Asks the service that has these settings, on this machine, whether it can serve requests and which version it has. The exit code
is 0 when it can, and 1 when it can't or does not run.

Example:
  latchkey status`

const MAX_WAIT_MS = 5000

export async function run(args: string[], source: SettingsSource): Promise<void> {
  readArguments(args, USAGE, { words: 0 })
  const { environment, file } = loadSettings(source)
  const config = readConfig(environment)
  say(describePlace(config, file))
  const address = addressOf(config)
  const version = await ask(`${address}/version`)
  if (!version) {
    say(`Nothing answers at ${address}: the service does not run, or listens elsewhere.`)
    process.exitCode = 1
    return
  }
  const { version: running } = version.body as { version?: string }
  const isOther = running !== VERSION ? ` (this command is ${VERSION})` : ''
  say(`Latchkey ${running ?? 'of an unknown version'}${isOther} answers at ${address}.`)
  const ready = await ask(`${address}/readyz`)
  if (ready?.status === 200) return say('It is ready to serve requests.')
  const { error = 'it did not answer' } = (ready?.body ?? {}) as { error?: string }
  say(`It is not ready: ${error}`)
  process.exitCode = 1
}

/** A service that listens on all addresses listens on the loopback address too. */
function addressOf({ host, port }: Pick<Config, 'host' | 'port'>): string {
  const known: Record<string, string> = { '0.0.0.0': '127.0.0.1', '::': '[::1]' }
  return `http://${known[host] ?? (host.includes(':') ? `[${host}]` : host)}:${port}`
}

async function ask(url: string): Promise<{ status: number; body: unknown } | undefined> {
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(MAX_WAIT_MS) })
    return { status: answer.status, body: await answer.json().catch(() => ({})) }
  } catch {
    return undefined
  }
}
