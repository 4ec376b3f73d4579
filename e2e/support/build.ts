import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { RUN_FOLDER } from './folder.ts'

/** The server serves what is built, so the tests see the dashboard as it is now. Returns what to do after the last test. */
export default function prepare(): () => void {
  execFileSync(process.execPath, ['scripts/build-dashboard.ts', '--if-stale'], { stdio: 'inherit' })
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-e2e-'))
  process.env[RUN_FOLDER] = folder
  return () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
}
