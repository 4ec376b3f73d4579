import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestStorage } from './engines.ts'
import { SECRET_KEY } from './settings.ts'

export interface Outcome {
  code: number | null
  stdout: string
  stderr: string
}

const ROOT = join(import.meta.dirname, '../..')

/** Runs the `latchkey` command in a separate process, on the given database. `root` is where it is installed. */
export async function latchkey(
  storage: Pick<TestStorage, 'databaseUrl' | 'dataDir'>,
  args: string[],
  environment: Record<string, string> = {},
  root: string = ROOT,
): Promise<Outcome> {
  const child = spawn(process.execPath, ['--', join(root, 'dist/cli.js'), ...args], {
    cwd: tmpdir(),
    env: {
      PATH: process.env['PATH'] ?? '',
      DATA_DIR: storage.dataDir,
      DATABASE_URL: storage.databaseUrl,
      SECRET_KEY,
      ...environment,
    },
  })
  const output = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].on('data', (chunk: Buffer) => {
      output[name] += chunk.toString()
    })
  }
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, ...output }
}
