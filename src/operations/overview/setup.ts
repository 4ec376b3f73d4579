import { Type } from 'typebox'
import { SSH_CLIENT_ID } from '../../oauth/clients/client.ts'
import type { Config } from '../../platform/config/config.ts'
import { findLastBackup } from '../../platform/config/data-files.ts'
import { isSqliteUrl } from '../../storage/database-url.ts'
import type { Reader } from '../../storage/database.ts'

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

type SetupSources = { config: Pick<Config, 'smtpUrl' | 'baseUrl' | 'databaseUrl' | 'dataDir'>; read: Reader }

export async function readSetup({ config, read }: SetupSources, administrators: number): Promise<Setup> {
  return {
    mail: config.smtpUrl !== undefined,
    ...(await countSetUp(read)),
    secondAdministrator: administrators > 1,
    backup: findBackup(config),
    https: config.baseUrl.startsWith('https://'),
  }
}

function findBackup({ databaseUrl, dataDir }: SetupSources['config']): Setup['backup'] {
  if (!isSqliteUrl(databaseUrl)) return 'unknown'
  return findLastBackup(dataDir) === undefined ? 'missing' : 'made'
}

/** Whether there is an application of somebody's own, and a host. */
async function countSetUp(db: Reader): Promise<{ application: boolean; host: boolean }> {
  const application = await db
    .selectFrom('oauth_clients')
    .select('client_id')
    .where('deleted_at', 'is', null)
    .where('client_id', '!=', SSH_CLIENT_ID)
    .limit(1)
    .execute()
  const host = await db.selectFrom('ssh_hosts').select('id').limit(1).execute()
  return { application: application.length > 0, host: host.length > 0 }
}
