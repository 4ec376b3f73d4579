import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { SECRET_KEY } from './app.ts'
import type { Clock } from './clock.ts'
import type { Place } from './engines.ts'
import { freePort } from './postgres.ts'

/** A real process of the service. */
export interface Replica {
  address: string
  port: number
  pid: number
  output(): string
  /** kill -9, and waits until it is dead. */
  kill(): Promise<void>
  /** SIGTERM, and the exit code. */
  stop(): Promise<number | null>
}

/** The time that real processes go by. */
export const REAL_CLOCK: Clock = {
  now: Date.now,
  monotonicNow: () => performance.now(),
  advance: () => {},
  adjust: () => {},
}

interface Circumstances {
  /** Where the replica before it listened, for one that takes its place. */
  port?: number
  environment?: Record<string, string>
  /** A command that ends by running the one that is appended to it. */
  within?: string[]
}

/** Starts the service as people start it, on the database of that place. */
export async function startReplica(
  t: Pick<TestContext, 'after'>,
  place: Pick<Place, 'databaseUrl'>,
  { port: given, environment = {}, within = [] }: Circumstances = {},
): Promise<Replica> {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-replica-'))
  const port = given ?? (await freePort())
  const [command, ...args] = [...within, process.execPath, join(import.meta.dirname, '../../src/main.ts')]
  const child = spawn(command, args, {
    cwd: folder,
    env: {
      PATH: process.env['PATH'] ?? '',
      PORT: String(port),
      DATA_DIR: join(folder, 'data'),
      DATABASE_URL: place.databaseUrl,
      BASE_URL: 'http://localhost:3000',
      SECRET_KEY,
      ...environment,
    },
  })
  const exited = once(child, 'close')
  let output = ''
  const hear = (chunk: Buffer) => {
    output += chunk.toString()
  }
  child.stdout.on('data', hear)
  child.stderr.on('data', hear)
  const address = `http://127.0.0.1:${port}`
  const end = async (signal: NodeJS.Signals): Promise<number | null> => {
    if (isAlive(child)) child.kill(signal)
    await exited
    return child.exitCode
  }
  t.after(async () => {
    await end('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  })
  await until(async () => {
    if (!isAlive(child)) throw new Error(`The replica ended: ${output}`)
    return fetch(`${address}/healthz`).then(
      ({ ok }) => ok,
      () => false,
    )
  })
  return {
    address,
    port,
    pid: child.pid ?? 0,
    output: () => output,
    kill: async () => void (await end('SIGKILL')),
    stop: () => end('SIGTERM'),
  }
}

const isAlive = ({ exitCode, signalCode }: ChildProcess): boolean => exitCode === null && signalCode === null

/** Looks until it is so; for what another process does in its own time. */
export async function until(isSo: () => Promise<boolean>, withinMs = 120_000): Promise<void> {
  const end = Date.now() + withinMs
  while (!(await isSo())) {
    if (Date.now() > end) throw new Error(`It was not so within ${withinMs} ms.`)
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
}
