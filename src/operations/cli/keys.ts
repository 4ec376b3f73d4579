import type { SettingsSource } from '../../platform/config/config.ts'
import { readArguments, UsageError } from './usage.ts'
import { sendOrRun, readSettings, say } from './with-services.ts'

const USAGE = `Usage: latchkey keys rotate|rotate-ssh-ca|reseal [options]

  latchkey keys rotate                     publishes the next key; ten minutes later the service signs with it
  latchkey keys rotate --now               publishes it and signs with it at once, for a key that has leaked
  latchkey keys rotate --retire-previous   withdraws all earlier keys: what they signed is no longer accepted

  latchkey keys rotate-ssh-ca              makes a new key for the SSH CA. Hosts fetch both and trust both; after 24 hours the new
                                           one signs, and when the certificates of the old one have expired, hosts trust only the new one
  latchkey keys rotate-ssh-ca --trusted-for <hours>   another time than 24 hours; 0 to sign at once
  latchkey keys rotate-ssh-ca --retire-previous       withdraws the old one at once, for a key that has leaked
  latchkey keys rotate-ssh-ca --hosts …               the same for the CA that signs the certificates of hosts: people trust both, and
                                           hosts renew their certificates when the new one signs

  latchkey keys reseal                     replaces the secret that encrypts the keys at rest (SECRET_KEY). The service must be stopped
  latchkey keys reseal --new-key-file <file>   with SECRET_KEY: the file holds the new one

rotate and rotate-ssh-ca work while the service runs.

Example:
  latchkey keys rotate`

const MAX_HOURS = 24 * 365

export async function run(args: string[], source: SettingsSource): Promise<void> {
  const { words, on, values } = readArguments(args, USAGE, {
    words: 1,
    switches: ['now', 'retire-previous', 'hosts'],
    values: ['trusted-for', 'new-key-file'],
  })
  const [verb = ''] = words
  const given = [...Object.entries(on), ...Object.entries(values)].flatMap(([name, value]) => (value ? [name] : []))
  const allow = (...names: string[]) => {
    const other = given.find((name) => !names.includes(name))
    if (other !== undefined) throw new UsageError(`--${other} does not belong to latchkey keys ${verb}.`)
    const steps = given.filter((name) => name !== 'hosts')
    if (steps.length > 1) throw new UsageError(`--${steps.join(' and --')} are two steps: one at a time.`)
  }
  if (verb === 'rotate') {
    allow('now', 'retire-previous')
    const how = on['retire-previous'] ? 'retire-previous' : on.now ? 'at-once' : 'publish'
    return say(await sendOrRun(readSettings(source), { name: 'rotate-keys', how }))
  }
  if (verb === 'rotate-ssh-ca') {
    allow('trusted-for', 'retire-previous', 'hosts')
    const whose = on.hosts ? { of: 'hosts' as const } : {}
    const hours = readHours(values['trusted-for'])
    const config = readSettings(source)
    if (on['retire-previous'])
      return say(await sendOrRun(config, { name: 'rotate-ssh-ca', ...whose, how: 'retire-previous' }))
    return say(
      await sendOrRun(config, { name: 'rotate-ssh-ca', ...whose, how: 'publish', trustedForMs: hours * 3600_000 }),
    )
  }
  if (verb === 'reseal') {
    allow('new-key-file')
    const { reseal } = await import('./reseal.ts')
    return reseal(readSettings(source), values['new-key-file'])
  }
  readArguments([], USAGE, { words: 1 })
}

function readHours(text: string | undefined): number {
  if (text === undefined) return 24
  const hours = Number(text)
  if (!Number.isFinite(hours) || hours < 0 || hours > MAX_HOURS)
    throw new UsageError(`--trusted-for is a number of hours from 0 to ${MAX_HOURS}.`)
  return hours
}
