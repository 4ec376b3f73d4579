import { statSync } from 'node:fs'
import type { Logger } from 'pino'
import { type Config, loadEnvironment, readConfig } from '../config/config.ts'
import { describeMisspelt } from '../config/misspelt.ts'
import type { Command } from '../control/commands.ts'
import { printError } from '../describe-failure.ts'
import { AppError, StartError } from '../errors.ts'
import { createLogger } from '../http/log.ts'
import type { Services } from '../services.ts'
import { refuseWithoutDatabase } from '../storage/find-database.ts'
import { isSqliteUrl } from '../storage/sqlite-url.ts'

export const say = (text: string): void => void process.stdout.write(`${text}\n`)

/** The settings of the service, as it would read them here. */
export function readSettings(): Config {
  const environment = loadEnvironment()
  for (const warning of describeMisspelt(environment)) printError(warning)
  return readConfig(environment)
}

/** Warnings and errors only, on standard error. */
export const logForCommands = (): Logger => createLogger('warn', { write: (line) => process.stderr.write(line) })

export async function withServices<T>(config: Config, work: (services: Services) => Promise<T>): Promise<T> {
  refuseOtherUser(config)
  await refuseWithoutDatabase(config.databaseUrl)
  const { openServices } = await import('../open-services.ts')
  const services = await openServices(config, { log: logForCommands(), now: Date.now })
  try {
    return await work(services)
  } finally {
    await services.close()
  }
}

/** Sends the command to the running service where there is one that holds the database, and runs it here otherwise. */
export async function sendOrRun(config: Config, command: Command): Promise<string> {
  refuseOtherUser(config)
  const { sendCommand } = await import('../control/send-command.ts')
  const answer = await sendCommand(config.databaseUrl, command)
  if (answer?.said !== undefined) return answer.said
  if (answer) throw new AppError('conflict', answer.refused ?? 'The running service gave no answer.')
  const { runCommand } = await import('../control/commands.ts')
  return withServices(config, (services) => runCommand(services, command))
}

/** Files that another user, such as root, makes in the data folder could not be opened by the service. */
export function refuseOtherUser(config: Pick<Config, 'databaseUrl' | 'dataDir'>): void {
  const owner = isSqliteUrl(config.databaseUrl) ? statSync(config.dataDir, { throwIfNoEntry: false })?.uid : undefined
  if (owner === undefined || process.geteuid === undefined || owner === process.geteuid()) return
  throw new StartError(
    `${config.dataDir} belongs to the user with the id ${owner}. Run this as that user, for example with: sudo -u '#${owner}'`,
  )
}
