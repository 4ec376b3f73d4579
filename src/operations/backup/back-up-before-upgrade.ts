import { existsSync, readdirSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Logger } from 'pino'
import { StartError } from '../../errors.ts'
import type { Config } from '../../platform/config/config.ts'
import { makeFolder } from '../../storage/durable-files.ts'
import { makeBackup } from './make-backup.ts'

/** In the data folder. */
const UPGRADES_FOLDER = 'before-upgrades'
const MAX_KEPT = 3

/**
 * Makes a backup before tables are changed, so that the version before can be used again: it restores this backup. Without
 * one the service does not start, and nothing is changed. The last three are kept.
 */
export async function backUpBeforeUpgrade(
  config: Config,
  { log, now }: { log: Logger; now: () => number },
): Promise<void> {
  const parent = join(config.dataDir, UPGRADES_FOLDER)
  try {
    makeFolder(parent)
    const { folder } = await makeBackup(config, parent, now())
    log.info({ folder }, 'The tables are about to be changed. A backup of the version before was made.')
  } catch (error) {
    throw new StartError(
      `The tables must be changed for this version, but no backup can be made before: ${(error as Error).message} Nothing was changed.`,
      { cause: error },
    )
  }
  await deleteOldest(parent)
}

async function deleteOldest(parent: string): Promise<void> {
  if (!existsSync(parent)) return
  const names = readdirSync(parent)
    .filter((name) => /^latchkey-\d{8}T\d{6}Z$/.test(name))
    .toSorted()
  for (const name of names.slice(0, -MAX_KEPT)) await rm(join(parent, name), { recursive: true, force: true })
}
