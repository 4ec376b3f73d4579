import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, copyFileSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../test/support/free-port.ts'
import { get, withConnection } from './connection.ts'
import { type Fixture, ISSUER, SECRET_KEY } from './fixture.ts'
import { seed } from './seed.ts'

/** The servers share one core and their load generators the other. */
export const SERVER_CORE = '0'
export const LOAD_CORE = '1'

export interface Server {
  name: string
  port: number
  pid: number
  /** From the start of the process to its first answer. */
  startSeconds: number
  stop(): Promise<void>
}

const HERE = import.meta.dirname
const MAX_START_MS = 30_000

/** A temporary folder for databases and logs, which is removed at the end of a run. */
export const newFolder = (): string => mkdtempSync(join(tmpdir(), 'latchkey-bench-'))

export interface Seeded {
  file: string
  fixture: Fixture
}

/** Fills one SQLite file. Each server gets a copy of it. */
export async function seedFile(folder: string, revoked: number): Promise<Seeded> {
  const file = join(folder, 'seed.db')
  const fixture = await seed(`sqlite:${file}`, folder, revoked)
  return { file, fixture }
}

interface LatchkeyOptions {
  folder: string
  databaseUrl: string
  nodeFlags?: string[]
  logLevel?: string
  core?: string
}

const FLAGS = ['--max-semi-space-size=16', '--no-allocation-site-pretenuring']

/** Starts Latchkey with the flags of `npm start`. Its log level is `warn`, because the other servers write no log. */
export async function startLatchkey(options: LatchkeyOptions): Promise<Server> {
  const { folder, databaseUrl, nodeFlags = [], core = SERVER_CORE } = options
  const port = await freePort()
  const environment = {
    PORT: String(port),
    BASE_URL: ISSUER,
    DATA_DIR: folder,
    DATABASE_URL: databaseUrl,
    SECRET_KEY,
    RATE_LIMITS: 'off',
    // Of the load generator, which is the proxy of forward-auth.
    TRUST_PROXY: '127.0.0.1',
    LOG_LEVEL: options.logLevel ?? 'warn',
    // The same as in `npm start`.
    MALLOC_ARENA_MAX: '1',
  }
  const args = [...FLAGS, ...nodeFlags, join(HERE, '../dist/main.js')]
  return start('latchkey', { folder, port, args, environment, core })
}

/** After this time a server has done what follows its start. */
const SETTLING_MS = 3000

export const settle = (): Promise<void> => sleep(SETTLING_MS)

/** Starts Latchkey on a copy of the SQLite file. */
export function startOnCopy(folder: string, file: string, options: Partial<LatchkeyOptions> = {}): Promise<Server> {
  const own = join(folder, 'latchkey.db')
  copyFileSync(file, own)
  return startLatchkey({ folder, databaseUrl: `sqlite:${own}`, ...options })
}

/** oidc-provider, which keeps its tokens in memory or in a SQLite file. */
export async function startPeer(folder: string, storage: 'memory' | 'sqlite', fixture: Fixture): Promise<Server> {
  const port = await freePort()
  const where = storage === 'sqlite' ? join(folder, 'peer.db') : storage
  const args = [join(HERE, 'peer-server.ts'), String(port), where, JSON.stringify(fixture)]
  return start(`peer-${storage}`, { folder, port, args })
}

/** However this process ends, its servers end with it. */
const running = new Set<ChildProcess>()
process.once('exit', () => running.forEach((child) => child.kill()))

interface Start {
  folder: string
  port: number
  args: string[]
  environment?: Record<string, string>
  core?: string
}

async function start(
  name: string,
  { folder, port, args, environment = {}, core = SERVER_CORE }: Start,
): Promise<Server> {
  const output = openSync(join(folder, `${name}-${port}.log`), 'w')
  const child = spawn('taskset', ['-c', core, process.execPath, ...args], {
    env: { PATH: process.env['PATH'], NODE_ENV: 'production', ...environment },
    stdio: ['ignore', output, output],
  })
  closeSync(output)
  running.add(child)
  child.once('exit', () => running.delete(child))
  const started = performance.now()
  const startSeconds = await firstAnswer(child, port, started).catch((error: unknown) => {
    child.kill('SIGKILL')
    throw new Error(`${name} did not start: ${readFileSync(join(folder, `${name}-${port}.log`), 'utf8')}`, {
      cause: error,
    })
  })
  const { pid } = child
  if (pid === undefined) throw new Error(`${name} has no process.`)
  return {
    name,
    port,
    pid,
    startSeconds,
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return
      child.kill('SIGTERM')
      const killer = setTimeout(() => child.kill('SIGKILL'), 10_000)
      await once(child, 'exit')
      clearTimeout(killer)
    },
  }
}

async function firstAnswer(child: ChildProcess, port: number, started: number): Promise<number> {
  while (performance.now() - started < MAX_START_MS) {
    if (child.exitCode !== null) throw new Error('The process ended.')
    try {
      const { status } = await withConnection(port, (connection) => connection.send(get('/.well-known/jwks.json')))
      if (status === 200) return (performance.now() - started) / 1000
    } catch {
      // It does not listen yet.
    }
    await sleep(5)
  }
  throw new Error('There was no answer in time.')
}

/** Nanoseconds of processor time that all threads of a process have used. */
export function processorTime(pid: number): number {
  let sum = 0
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    const [ran = '0'] = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')
    sum += Number(ran)
  }
  return sum
}

/** Resident memory of a process in megabytes. */
export function residentMemory(pid: number): number {
  const [, kilobytes = '0'] = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kilobytes) / 1024
}

export const removeFolder = (folder: string): void => rmSync(folder, { recursive: true, force: true })
