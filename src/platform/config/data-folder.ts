import { accessSync, constants } from 'node:fs'
import { isSqliteUrl } from '../../storage/database-url.ts'
import { makeFolder } from '../../storage/durable-files.ts'
import { type Config, refuseValue } from './config.ts'

/** Makes the data folder where something will be written to it, so that a place where that can't work stops the start. */
export function prepareDataFolder({ dataDir, databaseUrl, secretKey, s3, smtpUrl }: Config): void {
  const isUsed = isSqliteUrl(databaseUrl) || secretKey === undefined || !s3 || smtpUrl === undefined
  if (!isUsed) return
  try {
    makeFolder(dataDir)
    accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (error) {
    refuseValue('DATA_DIR', dataDir, (error as NodeJS.ErrnoException).code)
  }
}
