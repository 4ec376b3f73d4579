import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { RUN_FOLDER } from './folder.ts'

/** Builds the dashboard if it has changed, because the server serves the built files. Returns the cleanup after the last test. */
export default function prepare(): () => void {
  execFileSync(process.execPath, ['scripts/build-dashboard.ts', '--if-stale'], { stdio: 'inherit' })
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-e2e-'))
  process.env[RUN_FOLDER] = folder
  return () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
}
