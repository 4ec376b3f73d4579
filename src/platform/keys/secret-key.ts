import { randomBytes } from 'node:crypto'
import { chmodSync, existsSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { StartError } from '../../errors.ts'
import { makeFolder, storeFile, syncFolder } from '../../storage/durable-files.ts'
import type { Config } from '../config/config.ts'
import { SECRET_KEY_FILE } from '../config/data-files.ts'

/**
 * The secret that seals every key at rest: SECRET_KEY, or the content of a file in the data folder. A new one is made only
 * when nothing was sealed yet, and it is durable before anything is sealed with it.
 */
export async function resolveSecretKey(
  config: Pick<Config, 'secretKey' | 'dataDir'>,
  anythingSealed: boolean,
): Promise<string> {
  if (config.secretKey !== undefined) return config.secretKey
  const file = join(config.dataDir, SECRET_KEY_FILE)
  if (existsSync(file)) {
    const key = readSecretKey(file)
    // The process that made it may have been killed before the name of the file was durable.
    if (!anythingSealed) await withWriteError(file, () => syncWithParent(config.dataDir))
    return key
  }
  if (anythingSealed) {
    throw new StartError(
      `The database contains encrypted keys, but SECRET_KEY is not set and ${file} is missing. Restore the file from a backup, or set SECRET_KEY to its content.`,
    )
  }
  const made = randomBytes(32).toString('base64url')
  await withWriteError(file, async () => {
    makeFolder(config.dataDir)
    await storeFile(config.dataDir, file, `${made}\n`)
  })
  return made
}

async function syncWithParent(dataDir: string): Promise<void> {
  await syncFolder(dataDir)
  await syncFolder(dirname(resolve(dataDir)))
}

async function withWriteError(file: string, write: () => Promise<void>): Promise<void> {
  try {
    await write()
  } catch (error) {
    throw new StartError(`The key file ${file} can't be written: ${(error as Error).message}.`)
  }
}

function readSecretKey(file: string): string {
  let text: string
  try {
    chmodSync(file, 0o600)
    text = readFileSync(file, 'utf8').trim()
  } catch (error) {
    throw new StartError(`The key file ${file} can't be read: ${(error as Error).message}.`)
  }
  if (!/^[\x21-\x7e]{32,}$/.test(text)) {
    throw new StartError(
      `The key file ${file} is damaged: it must contain at least 32 characters on one line. Restore it from a backup.`,
    )
  }
  return text
}
