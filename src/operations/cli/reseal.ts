import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { StartError } from '../../errors.ts'
import type { Config } from '../../platform/config/config.ts'
import { SECRET_KEY_FILE } from '../../platform/config/data-files.ts'
import { VARIABLES } from '../../platform/config/variables.ts'
import { createVault } from '../../platform/crypto/vault.ts'
import { opensAll, resealKeys } from '../../platform/keys/reseal-keys.ts'
import { resolveSecretKey } from '../../platform/keys/secret-key.ts'
import { isSqliteUrl, refuseWithoutDatabase } from '../../storage/database-url.ts'
import { storeFile, syncFolder } from '../../storage/durable-files.ts'
import { openStorage } from '../../storage/open.ts'
import { actAsOwner, logForCommands, say } from './with-services.ts'

/**
 * Seals everything at rest with a new secret. With SECRET_KEY the new one is in a file that the operator names, and must be
 * configured afterwards; otherwise the key file in the data folder is replaced. The new file is durable under another name before
 * anything is sealed with it: after a crash the command is run again, and finds out how far it came.
 */
export async function reseal(config: Config, newKeyFile: string | undefined): Promise<void> {
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
    const { keys, mails } = isDone
      ? { keys: 0, mails: 0 }
      : await resealKeys({ db, now: Date.now }, current, createVault(next))
    if (given === undefined) await finishKeyFile(config.dataDir)
    say(
      isDone
        ? 'Everything was sealed with the new secret already.'
        : `Sealed with the new secret: ${keys} keys, ${mails} mails.`,
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
