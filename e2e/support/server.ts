import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

export type Server = { origin: string; dataDir: string; setupLink: string; stop: () => Promise<void> }

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const address = probe.address()
  probe.close()
  await once(probe, 'close')
  if (address === null || typeof address === 'string') throw new Error('There is no free port.')
  return address.port
}

/** Starts the real server with a data folder of its own, as a person would on a new machine. */
export async function startServer(): Promise<Server> {
  const port = await freePort()
  const dataDir = await mkdtemp(join(tmpdir(), 'latchkey-e2e-'))
  const env = { PATH: process.env.PATH, PORT: String(port), DATA_DIR: dataDir, LOG_LEVEL: 'warn', RATE_LIMITS: 'off' }
  const child = spawn(process.execPath, ['src/main.ts'], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  async function stop() {
    child.kill('SIGTERM')
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    await rm(dataDir, { recursive: true, force: true })
  }
  try {
    return { origin: `http://localhost:${port}`, dataDir, setupLink: await printedSetupLink(child), stop }
  } catch (error) {
    await stop()
    throw error
  }
}

async function printedSetupLink(child: ChildProcess): Promise<string> {
  if (!child.stdout) throw new Error('The server has no output to read.')
  const lines = createInterface(child.stdout)
  for await (const line of lines) {
    const link = /https?:\/\/\S+\/setup#secret=\S+/.exec(line)?.[0]
    if (link) {
      child.stdout.resume()
      return link
    }
  }
  throw new Error('The server ended before it printed the set-up link.')
}
