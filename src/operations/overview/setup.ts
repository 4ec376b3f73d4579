import { Type } from 'typebox'
import type { Config } from '../../platform/config/config.ts'
import { findLastBackup } from '../../platform/config/last-backup.ts'
import { isSqliteUrl } from '../../storage/database-url.ts'
import type { Reader } from '../../storage/database.ts'
import { countSetUp } from './setup-store.ts'

/** What a new installation still needs. */
export const Setup = Type.Object(
  {
    mail: Type.Boolean({ description: 'Whether a mail server is configured.' }),
    application: Type.Boolean({ description: 'Whether there is an application besides the built-in one.' }),
    host: Type.Boolean({ description: 'Whether a host was added.' }),
    secondAdministrator: Type.Boolean({ description: 'Whether more than one user has the role admin.' }),
    backup: Type.Enum(['made', 'missing', 'unknown'], {
      description: 'Whether `latchkey backup` was run. Unknown with PostgreSQL, which has tools of its own.',
    }),
    https: Type.Boolean({ description: 'Whether BASE_URL is https.' }),
  },
  { title: 'Setup' },
)
export type Setup = Type.Static<typeof Setup>

type Needs = { config: Pick<Config, 'smtpUrl' | 'baseUrl' | 'databaseUrl' | 'dataDir'>; read: Reader }

export async function readSetup({ config, read }: Needs, administrators: number): Promise<Setup> {
  return {
    mail: config.smtpUrl !== undefined,
    ...(await countSetUp(read)),
    secondAdministrator: administrators > 1,
    backup: findBackup(config),
    https: config.baseUrl.startsWith('https://'),
  }
}

function findBackup({ databaseUrl, dataDir }: Needs['config']): Setup['backup'] {
  if (!isSqliteUrl(databaseUrl)) return 'unknown'
  return findLastBackup(dataDir) === undefined ? 'missing' : 'made'
}
