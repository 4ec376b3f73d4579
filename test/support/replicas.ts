import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import type { Clock } from './clock.ts'
import type { TestStorage } from './engines.ts'
import { freePort } from './free-port.ts'
import { SECRET_KEY } from './settings.ts'

/** A separate process of the service. */
export interface Replica {
  address: string
  port: number
  pid: number
  output(): string
  /** Sends SIGKILL and waits for the exit. */
  kill(): Promise<void>
  /** Sends SIGTERM and returns the exit code. */
  stop(): Promise<number | null>
}

/** The system clock, for tests with separate processes. */
export const REAL_CLOCK: Clock = {
  now: Date.now,
  monotonicNow: () => performance.now(),
  advance: () => {},
  adjust: () => {},
}

const BUNDLE = join(import.meta.dirname, '../../dist/main.js')

interface Options {
  /** The port of a previous replica that this one replaces. */
  port?: number
  environment?: Record<string, string>
  /** The file to run, if it is not the bundle of this version. */
  program?: string
  /** A command prefix that runs the command appended to it. */
  within?: string[]
}

/** Starts the service in a separate process on the given database, and waits until it accepts connections. */
export async function startReplica(
  t: Pick<TestContext, 'after'>,
  storage: Pick<TestStorage, 'databaseUrl'>,
  { port: requestedPort, environment = {}, program = BUNDLE, within = [] }: Options = {},
): Promise<Replica> {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-replica-'))
  const port = requestedPort ?? (await freePort())
  const [command, ...args] = [...within, process.execPath, program]
  const child = spawn(command, args, {
    cwd: folder,
    env: {
      PATH: process.env['PATH'] ?? '',
      PORT: String(port),
      DATA_DIR: join(folder, 'data'),
      DATABASE_URL: storage.databaseUrl,
      BASE_URL: 'http://localhost:3000',
      SECRET_KEY,
      ...environment,
    },
  })
  const exited = once(child, 'close')
  let output = ''
  const append = (chunk: Buffer) => {
    output += chunk.toString()
  }
  child.stdout.on('data', append)
  child.stderr.on('data', append)
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
    if (!isAlive(child)) throw new Error(`The replica exited: ${output}`)
    return acceptsConnections(port)
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

async function acceptsConnections(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}

/** Polls until the condition is true, for example for something that another process does. */
export async function until(condition: () => Promise<boolean>, timeoutMs = 120_000): Promise<void> {
  const end = Date.now() + timeoutMs
  while (!(await condition())) {
    if (Date.now() > end) throw new Error(`The condition was not true within ${timeoutMs} ms.`)
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
}
