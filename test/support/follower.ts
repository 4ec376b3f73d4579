import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import type { TestStorage } from './engines.ts'
import { SECRET_KEY } from './settings.ts'

const CLI = join(import.meta.dirname, '../../dist/cli.js')

interface FollowerProcess {
  output(): string
  /** Sends SIGTERM and returns the exit code. */
  stop(): Promise<number | null>
  kill(): Promise<void>
}

/** Runs `latchkey backup --follow` until the test ends or it is stopped, and waits until the first copy is whole. */
export async function startFollower(
  t: Pick<TestContext, 'after'>,
  storage: Pick<TestStorage, 'databaseUrl' | 'dataDir'>,
  target: string,
  environment: Record<string, string> = {},
): Promise<FollowerProcess> {
  const child = spawn(process.execPath, ['--', CLI, 'backup', '--follow', target], {
    env: { PATH: '', DATA_DIR: storage.dataDir, DATABASE_URL: storage.databaseUrl, SECRET_KEY, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const exited = once(child, 'close')
  t.after(() => child.kill('SIGKILL'))
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()))
  await Promise.race([
    once(child.stdout, 'data'),
    exited.then(() => Promise.reject(new Error(`The follower ended: ${output}`))),
  ])
  const end = async (signal: NodeJS.Signals) => {
    child.kill(signal)
    await exited
    return child.exitCode
  }
  return { output: () => output, stop: () => end('SIGTERM'), kill: async () => void (await end('SIGKILL')) }
}
