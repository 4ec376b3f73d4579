import { chmodSync, mkdtempSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * Tests write to memory if there is enough space: they create some hundred databases, and would be slow on a busy disk.
 */
const MEMORY_FOLDER = '/dev/shm'
const MIN_FREE_BYTES = 4 * 1024 ** 3

/** The folder for everything that this run of the tests writes. Whoever asks for it deletes it. */
export function newTestFolder(): string {
  const folder = mkdtempSync(join(hasSpace(MEMORY_FOLDER) ? MEMORY_FOLDER : tmpdir(), 'latchkey-tests-'))
  // PostgreSQL runs under another account.
  chmodSync(folder, 0o755)
  process.env['TMPDIR'] = folder
  // The processes of the server tests load the same sources.
  process.env['NODE_COMPILE_CACHE'] = 'node_modules/.cache/tests'
  return folder
}

/** How Node's test runner runs tests of the server, in so many processes at a time. */
export const serverTestArguments = (maxTestMs: number, concurrency: number): string[] => [
  // Most of what a test makes is garbage soon after: collecting it less often saves a twelfth of the processor time.
  '--min-semi-space-size=32',
  '--max-semi-space-size=64',
  '--import=./test/support/without-promise-hooks.ts',
  '--test',
  `--test-concurrency=${concurrency}`,
  `--test-timeout=${maxTestMs}`,
  '--test-global-setup=test/support/global-setup.ts',
]

function hasSpace(path: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(path)
    return bavail * bsize > MIN_FREE_BYTES
  } catch {
    return false
  }
}
