import pg from 'pg'
import { StartError } from '../errors.ts'
import { OWN_TABLE } from './find-database.ts'
import { OLDER_PROGRAMS, PROGRAMS } from './postgres-programs.ts'

/** What to look at, by the server's own code (PostgreSQL manual, appendix A). */
const HINTS: Record<string, string> = {
  '28P01': 'Check the user and the password in DATABASE_URL.',
  '28000': 'Check the user in DATABASE_URL, and pg_hba.conf on the server.',
  '3D000': 'Create that database, or check its name in DATABASE_URL.',
  '42501': 'Its user must be allowed to create tables there.',
  '25006': 'It can only be read: DATABASE_URL must name the primary server.',
}
const TLS = /\b(ssl|tls|cert|certificate)|_CERT|SIGNATURE/i
const UNREACHABLE = /timeout|terminated|ECONN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|^ *$/i

/**
 * Connects once, before anything else does, so that a problem with DATABASE_URL or the server is one clear line at the start.
 * Returns whether the tables of Latchkey are there.
 */
export async function tryPostgres(settings: pg.ClientConfig, url: string): Promise<{ hasTables: boolean }> {
  let client: pg.Client | undefined
  try {
    client = new pg.Client(settings)
    // A lost connection makes the next query fail as well. Without a listener the event would end the process.
    client.on('error', () => {})
    await client.connect()
    const { rows } = await client.query<{ found: boolean }>('select to_regclass($1) is not null as found', [OWN_TABLE])
    return { hasTables: rows[0]?.found === true }
  } catch (error) {
    throw explain(error, url)
  } finally {
    await client?.end().catch(() => {})
  }
}

/** Turns an error that the operator can mend into a sentence; any other error is returned unchanged. */
export function explainRefusal(error: unknown, url: string): unknown {
  const cause = error instanceof Error && error.cause instanceof pg.DatabaseError ? error.cause : error
  return cause instanceof pg.DatabaseError && Object.hasOwn(HINTS, cause.code ?? '') ? explain(cause, url) : error
}

function explain(error: unknown, url: string): StartError {
  const { message, code = '' } = error as { message: string; code?: string }
  const where = `The database at ${URL.parse(url)?.host || 'the default address'}`
  if (!(error instanceof pg.DatabaseError) && UNREACHABLE.test(`${code} ${message}`)) {
    return new StartError(`${where} can't be reached. Check DATABASE_URL, and that PostgreSQL is running.`)
  }
  const isTls = TLS.test(`${code} ${message}`)
  const hint = HINTS[code] ?? (isTls ? 'Check sslmode in DATABASE_URL, and TLS on the server.' : 'Check DATABASE_URL.')
  return new StartError(`${where} can't be used: ${message.replaceAll(/\s+/g, ' ').replace(/\.?$/, '.')} ${hint}`)
}

/** The migrations that were applied, without changing anything. None when the tables are not there yet. */
export async function listAppliedMigrations(url: string): Promise<string[]> {
  const settings = { connectionString: url, application_name: PROGRAMS.start, connectionTimeoutMillis: 5000 }
  if (!(await tryPostgres(settings, url)).hasTables) return []
  const client = new pg.Client(settings)
  client.on('error', () => {})
  try {
    await client.connect()
    const { rows } = await client.query<{ name: string }>('select name from schema_migrations order by name')
    return rows.map(({ name }) => name)
  } finally {
    await client.end().catch(() => {})
  }
}

/** Refuses while another process of the service is connected: it would seal what it makes with the secret that it was started with. */
export async function refuseBesideReplicas(url: string): Promise<void> {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'latchkey-command',
    connectionTimeoutMillis: 5000,
  })
  client.on('error', () => {})
  try {
    await client.connect()
    const { rows } = await client.query<{ count: number }>(
      'select count(*)::int as count from pg_stat_activity where datname = current_database() and application_name = any($1)',
      [[...Object.values(PROGRAMS), ...OLDER_PROGRAMS]],
    )
    if ((rows[0]?.count ?? 0) === 0) return
  } finally {
    await client.end().catch(() => {})
  }
  throw new StartError(
    'The service is still running: processes of it are connected to the database. Stop all replicas first.',
  )
}
