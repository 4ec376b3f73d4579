import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { StartError } from '../../errors.ts'
import type { SettingsSource, Config } from '../../platform/config/config.ts'
import { SECRET_KEY_FILE } from '../../platform/config/data-files.ts'
import { VARIABLES } from '../../platform/config/variables.ts'
import { createVault } from '../../platform/crypto/vault.ts'
import { opensAll, resealKeys } from '../../platform/keys/reseal-keys.ts'
import { resolveSecretKey } from '../../platform/keys/secret-key.ts'
import { isSqliteUrl, refuseWithoutDatabase } from '../../storage/database-url.ts'
import { storeFile, syncFolder } from '../../storage/durable-files.ts'
import { openStorage } from '../../storage/open.ts'
import { readArguments, UsageError } from './usage.ts'
import { sendOrRun, readSettings, say, actAsOwner, logForCommands } from './with-services.ts'

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

/**
 * Seals everything at rest with a new secret. With SECRET_KEY the new one is in a file that the operator names, and must be
 * configured afterwards; otherwise the key file in the data folder is replaced. The new file is durable under another name before
 * anything is sealed with it: after a crash the command is run again, and finds out how far it came.
 */
async function reseal(config: Config, newKeyFile: string | undefined): Promise<void> {
  const isConfigured = config.secretKey !== undefined
  if (isConfigured !== (newKeyFile !== undefined)) {
    throw new StartError(
      isConfigured
        ? 'SECRET_KEY is set: put the new one into a file, and name it with --new-key-file.'
        : 'SECRET_KEY is not set: the key file in the data folder is replaced, and --new-key-file must be left out.',
    )
  }
  const given = newKeyFile === undefined ? undefined : readNewKey(newKeyFile)
  actAsOwner(config)
  await refuseWithoutDatabase(config.databaseUrl)
  if (!isSqliteUrl(config.databaseUrl)) {
    const { refuseBesideReplicas } = await import('../../storage/postgres/start.ts')
    await refuseBesideReplicas(config.databaseUrl)
  }
  // Opening a SQLite file locks it, so that no service runs beside this.
  const { db, close } = await openStorage(config.databaseUrl, logForCommands(), Date.now())
  try {
    const current = createVault(await resolveSecretKey(config, true))
    const next = given ?? (await prepareKeyFile(config.dataDir))
    const isDone = await opensAll(db.read, createVault(next))
    const { keys, mails, webhooks, streams, authenticatorApps } = isDone
      ? { keys: 0, mails: 0, webhooks: 0, streams: 0, authenticatorApps: 0 }
      : await resealKeys({ db, now: Date.now }, current, createVault(next))
    if (given === undefined) await finishKeyFile(config.dataDir)
    say(
      isDone
        ? 'Everything was sealed with the new secret already.'
        : `Sealed with the new secret: ${keys} keys, ${mails} mails, ${webhooks} webhooks, ${streams} streams of shared signals, ${authenticatorApps} authenticator apps.`,
    )
    say(
      given === undefined
        ? `${join(config.dataDir, SECRET_KEY_FILE)} is replaced. Backups that were made before contain the old one.`
        : 'Set SECRET_KEY to the new value on every replica now, then start the service. Keep the old one for backups that were made before.',
    )
  } finally {
    await close()
  }
}

function readNewKey(file: string): string {
  let text: string
  try {
    text = readFileSync(file, 'utf8').replace(/\r?\n$/, '')
  } catch (error) {
    throw new StartError(`${file} can't be read: ${(error as Error).message}.`)
  }
  if (VARIABLES.SECRET_KEY.parse(text) === undefined)
    throw new StartError(`The content of ${file} must be ${VARIABLES.SECRET_KEY.accepts}.`)
  return text
}

const nextFileOf = (dataDir: string): string => join(dataDir, `${SECRET_KEY_FILE}.next`)

async function prepareKeyFile(dataDir: string): Promise<string> {
  const file = nextFileOf(dataDir)
  if (!existsSync(file)) await storeFile(dataDir, file, `${randomBytes(32).toString('base64url')}\n`)
  const text = readFileSync(file, 'utf8').trim()
  if (text.length >= 32) return text
  rmSync(file)
  return prepareKeyFile(dataDir)
}

async function finishKeyFile(dataDir: string): Promise<void> {
  renameSync(nextFileOf(dataDir), join(dataDir, SECRET_KEY_FILE))
  await syncFolder(dataDir)
}
