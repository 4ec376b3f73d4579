import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import { freePort } from '../../test/support/free-port.ts'
import { newFolder } from './folder.ts'

export type Server = {
  origin: string
  dataDir: string
  setupLink: string
  /** Stops the server and starts it again on the same port with the same data. */
  restart: () => Promise<void>
  stop: () => Promise<void>
}

/** Starts the server in a separate process with a new data folder, and with further settings if a test needs them. */
export async function startServer(settings: Record<string, string> = {}, program = 'dist/main.js'): Promise<Server> {
  const port = await freePort()
  const dataDir = newFolder('server')
  const env = {
    PATH: process.env.PATH,
    PORT: String(port),
    DATA_DIR: dataDir,
    LOG_LEVEL: 'warn',
    RATE_LIMITS: 'off',
    ...settings,
  }
  const origin = `http://localhost:${port}`
  let ending = false
  function run(): ChildProcess {
    const started = spawn(process.execPath, [program], { env, stdio: ['ignore', 'inherit', 'pipe'] })
    started.once('exit', (code, signal) => {
      if (!ending) process.stderr.write(`The server exited unexpectedly: ${signal ?? `code ${code}`}.\n`)
    })
    return started
  }
  let child = run()

  async function end() {
    ending = true
    child.kill('SIGTERM')
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  }
  async function stop() {
    await end()
    await rm(dataDir, { recursive: true, force: true })
  }
  async function restart() {
    await end()
    ending = false
    child = run()
    child.stderr?.pipe(process.stderr)
    await waitUntilReady(child, origin)
  }
  try {
    const setupLink = await waitForOutput(child.stderr, /https?:\/\/\S+\/setup#secret=\S+/)
    return { origin, dataDir, setupLink, restart, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** Waits until the server prints the pattern, which it does once it listens. */
async function waitForOutput(output: Readable | null, pattern: RegExp): Promise<string> {
  if (!output) throw new Error('The server has no output to read.')
  const lines: string[] = []
  for await (const line of createInterface(output)) {
    const found = pattern.exec(line)?.[0]
    if (found) {
      output.pipe(process.stderr)
      return found
    }
    lines.push(line)
  }
  throw new Error(`The server exited before it listened: ${lines.join(' ')}`)
}

async function waitUntilReady(child: ChildProcess, origin: string): Promise<void> {
  while (child.exitCode === null && child.signalCode === null) {
    const answer = await fetch(`${origin}/readyz`).catch(() => undefined)
    if (answer?.ok) return
    await wait(50)
  }
  throw new Error('The server exited before it listened.')
}
