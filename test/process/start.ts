import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { freePort } from '../support/free-port.ts'

export interface Running {
  child: ChildProcessWithoutNullStreams
  url: string
  /** The output of both streams so far. */
  output(): string
  stdout(): string
  stderr(): string
  /** Resolves when the output matches the pattern. */
  waitForOutput(pattern: RegExp): Promise<RegExpExecArray>
  exit(): Promise<number | null>
}

/** Starts the service as a user does, in an empty folder. */
export async function start(
  t: TestContext,
  environment: Record<string, string> = {},
  envFile?: string,
): Promise<Running> {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-process-'))
  if (envFile !== undefined) writeFileSync(join(folder, '.env'), envFile)
  const port = await freePort()
  const child = spawn(process.execPath, [join(import.meta.dirname, '../../dist/main.js')], {
    cwd: folder,
    env: { PATH: process.env['PATH'] ?? '', PORT: String(port), DATA_DIR: join(folder, 'data'), ...environment },
  })
  const written = { stdout: '', stderr: '' }
  const listeners = new Set<() => void>()
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].on('data', (chunk: Buffer) => {
      written[name] += chunk.toString()
      for (const listener of listeners) listener()
    })
  }
  const output = () => written.stdout + written.stderr
  const ended = once(child, 'close')
  t.after(async () => {
    child.kill('SIGKILL')
    await ended
    rmSync(folder, { recursive: true, force: true })
  })
  return {
    child,
    url: `http://127.0.0.1:${port}`,
    output,
    stdout: () => written.stdout,
    stderr: () => written.stderr,
    waitForOutput: (pattern) =>
      new Promise((resolve, reject) => {
        const check = () => {
          const found = pattern.exec(output())
          if (found) resolve(found)
        }
        listeners.add(check)
        void ended.then(() => reject(new Error(`The service ended without printing ${pattern}: ${output()}`)))
        check()
      }),
    exit: async () => {
      await ended
      return child.exitCode
    },
  }
}
