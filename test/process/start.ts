import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { freePort } from '../support/postgres.ts'

export interface Running {
  child: ChildProcessWithoutNullStreams
  url: string
  /** What it wrote to both streams so far. */
  output(): string
  stdout(): string
  stderr(): string
  said(pattern: RegExp): Promise<RegExpExecArray>
  exit(): Promise<number | null>
}

/** Starts the service as people start it, in an empty folder. */
export async function start(
  t: TestContext,
  environment: Record<string, string> = {},
  envFile?: string,
): Promise<Running> {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-process-'))
  if (envFile !== undefined) writeFileSync(join(folder, '.env'), envFile)
  const port = await freePort()
  const child = spawn(process.execPath, [join(import.meta.dirname, '../../src/main.ts')], {
    cwd: folder,
    env: { PATH: process.env['PATH'] ?? '', PORT: String(port), DATA_DIR: join(folder, 'data'), ...environment },
  })
  const heard = { stdout: '', stderr: '' }
  const listeners = new Set<() => void>()
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].on('data', (chunk: Buffer) => {
      heard[name] += chunk.toString()
      for (const listener of listeners) listener()
    })
  }
  const output = () => heard.stdout + heard.stderr
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
    stdout: () => heard.stdout,
    stderr: () => heard.stderr,
    said: (pattern) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const found = pattern.exec(output())
          if (found) resolve(found)
        }
        listeners.add(look)
        void ended.then(() => reject(new Error(`It ended without saying ${pattern}: ${output()}`)))
        look()
      }),
    exit: async () => {
      await ended
      return child.exitCode
    },
  }
}
