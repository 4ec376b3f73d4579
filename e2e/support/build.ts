import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { RUN_FOLDER } from './folder.ts'

/** Builds the dashboard and the server if they have changed, because the tests use what a release contains. Returns the cleanup after the last test. */
export default function prepare(): () => void {
  for (const script of ['scripts/build-dashboard.ts', 'scripts/build-server.ts']) {
    execFileSync(process.execPath, [script, '--if-stale'], { stdio: 'inherit' })
  }
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-e2e-'))
  process.env[RUN_FOLDER] = folder
  return () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
}
