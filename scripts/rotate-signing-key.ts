import { parseArgs } from 'node:util'
import { loadEnvironment, readConfig } from '../src/config.ts'
import { StartError } from '../src/errors.ts'
import { createLogger } from '../src/http/log.ts'
import { activateNextKey, publishNextKey, retirePreviousKeys } from '../src/keys/rotate-signing-key.ts'
import { openServices, type Services } from '../src/services.ts'

const USAGE = `Rotates the key that signs ID tokens.

  npm run keys:rotate                        publish the next key; ten minutes later a running copy puts it to use
  npm run keys:rotate -- --now               publish it and sign with it at once, for a key that has leaked
  npm run keys:rotate -- --retire-previous   withdraw all earlier keys: what they signed is no longer believed

A service that runs on SQLite holds its file. Send it SIGUSR2 instead of the first, or stop it for the others.`

try {
  const { values } = parseArgs({
    options: {
      now: { type: 'boolean', default: false },
      'retire-previous': { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  })
  if (values.help) process.stdout.write(`${USAGE}\n`)
  else await withServices((services) => rotate(services, values))
} catch (error) {
  const message = error instanceof Error ? error.message : String(error)
  process.stderr.write(`latchkey: ${message}\n${error instanceof StartError ? '' : `${USAGE}\n`}`)
  process.exit(1)
}

async function rotate(services: Services, { now, ...rest }: { now: boolean; 'retire-previous': boolean }) {
  if (rest['retire-previous']) {
    const retired = await retirePreviousKeys(services)
    return say(retired.length === 0 ? 'There was no earlier key.' : `Withdrawn: ${retired.join(', ')}.`)
  }
  const id = await publishNextKey(services)
  if (!now) return say(`${id} is published. In ten minutes it signs.`)
  await activateNextKey(services, 0)
  return say(`${id} signs from now on.`)
}

async function withServices(work: (services: Services) => Promise<void>): Promise<void> {
  const services = await openServices(readConfig(loadEnvironment()), { log: createLogger('warn'), now: Date.now })
  try {
    await work(services)
  } finally {
    await services.close()
  }
}

function say(text: string): void {
  process.stdout.write(`${text}\n`)
}
