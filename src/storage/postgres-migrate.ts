import type pg from 'pg'
import type { Logger } from 'pino'
import { migrate } from './migrate.ts'
import type { Migration } from './migrations/all.ts'
import { runAlone } from './postgres-alone.ts'
import { createKysely } from './postgres-kysely.ts'
import { endOlderSessions } from './postgres-older-sessions.ts'
import { openPool } from './postgres-pool.ts'
import { PROGRAMS } from './postgres-programs.ts'
import { MIGRATING } from './postgres-session.ts'
import { explainRefusal, tryPostgres } from './postgres-start.ts'

interface MigrationOptions {
  log: Logger
  now: number
  timeoutFactor: number
  migrations?: readonly Migration[] | undefined
}

/** Without a time limit on queries: a replica that starts waits until another one has migrated. */
export async function migratePostgres(
  url: string,
  settings: pg.ClientConfig,
  { log, now, timeoutFactor, migrations }: MigrationOptions,
): Promise<void> {
  const own = { ...settings, application_name: PROGRAMS.start }
  await tryPostgres(own, url)
  const purpose = { program: PROGRAMS.start, limits: MIGRATING }
  const single = { pool: openPool({ ...own, max: 1 }, purpose, { log, timeoutFactor }) }
  const { kysely } = createKysely(single, (query) => runAlone(single, query))
  try {
    await migrate(kysely, now, { migrations, beforeUpgrade: () => endOlderSessions(own, log) })
  } catch (error) {
    throw explainRefusal(error, url)
  } finally {
    await single.pool.end()
  }
}
