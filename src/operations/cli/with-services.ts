import { accessSync, constants, statSync } from 'node:fs'
import type { Logger } from 'pino'
import { printError } from '../../describe-failure.ts'
import { StartError } from '../../errors.ts'
import type { IdentityServices } from '../../identity/access-events.ts'
import { type Config, loadSettings, readConfig, type SettingsSource } from '../../platform/config/config.ts'
import { describeMisspelt } from '../../platform/config/misspelt.ts'
import { createLogger } from '../../platform/http/log.ts'
import { ROOT_FOLDER } from '../../root-folder.ts'
import { isSqliteUrl, refuseWithoutDatabase } from '../../storage/database-url.ts'
import type { Command } from '../control/commands.ts'

export const say = (text: string): void => void process.stdout.write(`${text}\n`)

/** The settings of the service, as it would read them here. On a terminal the command says where they come from. */
export function readSettings(source: SettingsSource): Config {
  const { environment, file } = loadSettings(source)
  for (const warning of describeMisspelt(environment)) printError(warning)
  const config = readConfig(environment)
  if (process.stderr.isTTY) printError(describePlace(config, file))
  return config
}

export const describePlace = ({ dataDir }: Pick<Config, 'dataDir'>, file: string | undefined): string =>
  `Data: ${dataDir}. Settings: ${file ?? 'the environment alone'}.`

/** Warnings and errors only, on standard error. */
export const logForCommands = (): Logger => createLogger('warn', { write: (line) => process.stderr.write(line) })

export async function withServices<T>(config: Config, work: (services: IdentityServices) => Promise<T>): Promise<T> {
  actAsOwner(config)
  await refuseWithoutDatabase(config.databaseUrl)
  const log = logForCommands()
  const { openServices } = await import('../../open-services.ts')
  const services = await openServices(config, {
    log,
    now: Date.now,
    beforeMigration: async () => {
      const { backUpBeforeUpgrade } = await import('../backup/make-backup.ts')
      await backUpBeforeUpgrade(config, { log, now: Date.now })
    },
  })
  try {
    return await work(services)
  } finally {
    await services.close()
  }
}

/** Sends the command to the running service where there is one that holds the database, and runs it here otherwise. */
export async function sendOrRun(config: Config, command: Command): Promise<string> {
  actAsOwner(config)
  const { sendCommand } = await import('../control/send-command.ts')
  const answer = await sendCommand(config.databaseUrl, command)
  if (answer?.said !== undefined) return answer.said
  if (answer) throw new StartError(answer.refused ?? 'The running service gave no answer.')
  const { runCommand } = await import('../control/commands.ts')
  return withServices(config, (services) => runCommand(services, command))
}

/**
 * Files that another user makes in the data folder could not be opened by the service. So root becomes the user that the
 * folder belongs to, for the rest of the command, and other users are refused.
 */
export function actAsOwner(config: Pick<Config, 'databaseUrl' | 'dataDir'>): void {
  const folder = isSqliteUrl(config.databaseUrl) ? statSync(config.dataDir, { throwIfNoEntry: false }) : undefined
  if (folder === undefined || process.geteuid === undefined || folder.uid === process.geteuid()) return
  if (process.geteuid() !== 0) {
    throw new StartError(
      `${config.dataDir} belongs to the user with the id ${folder.uid}. Run this as that user, for example with: sudo -u '#${folder.uid}'`,
    )
  }
  process.setgroups?.([folder.gid])
  process.setgid?.(folder.gid)
  process.setuid?.(folder.uid)
  refuseUnreadable(config.dataDir, folder.uid)
}

/** Parts of the program are loaded later, and threads start from files of their own. */
function refuseUnreadable(dataDir: string, uid: number): void {
  try {
    accessSync(import.meta.filename, constants.R_OK)
  } catch {
    throw new StartError(
      `${dataDir} belongs to the user with the id ${uid}, who may not read Latchkey in ${ROOT_FOLDER}. Install it where that user can read it, for example in /opt/latchkey.`,
    )
  }
}
