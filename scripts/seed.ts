// Fills an empty database with made-up people, tokens and certificates, to try the service with a large one.
import { parseArgs } from 'node:util'
import { grow } from '../bench/grow.ts'
import { openServices } from '../src/open-services.ts'
import { loadEnvironment, readConfig } from '../src/platform/config/config.ts'
import { createLogger } from '../src/platform/http/log.ts'

const { values } = parseArgs({
  options: {
    users: { type: 'string', default: '1000000' },
    tokens: { type: 'string', default: '5000000' },
    certificates: { type: 'string', default: '1000000' },
    trial: { type: 'boolean', default: false },
  },
})

try {
  await seed()
} catch (error) {
  process.stderr.write(`seed: ${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
}

async function seed(): Promise<void> {
  const sizes = {
    users: count('users', 1),
    tokens: count('tokens', 0),
    certificates: count('certificates', 0),
  }
  const config = readConfig(loadEnvironment())
  const where = config.databaseUrl.replace(/\/\/[^@]*@/, '//')
  if (!values.trial) {
    throw new Error(
      `This fills ${where} with made-up people. If it is there for a trial and nothing else, add --trial.`,
    )
  }
  // Opening creates the tables; closing releases the file.
  const services = await openServices(config, { log: createLogger('warn'), now: Date.now })
  const someone = await services.db.read.selectFrom('users').select('id').limit(1).executeTakeFirst()
  await services.close()
  if (someone) throw new Error(`There are people in ${where} already. Only an empty database is filled.`)

  const started = performance.now()
  await grow(config.databaseUrl, { ...sizes, now: Date.now() })
  const seconds = ((performance.now() - started) / 1000).toFixed(0)
  const parts = Object.entries(sizes).map(([name, size]) => `${size.toLocaleString('en')} ${name}`)
  process.stdout.write(`${where} has ${parts.join(', ')}; it took ${seconds} seconds.\n`)
}

function count(name: 'users' | 'tokens' | 'certificates', min: number): number {
  const value = Number(values[name])
  if (Number.isSafeInteger(value) && value >= min && value <= 100_000_000) return value
  throw new Error(`--${name} takes a whole number from ${min} to 100000000.`)
}
