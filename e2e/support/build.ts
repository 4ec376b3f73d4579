import { execFileSync } from 'node:child_process'

/** The server serves what is built, so the tests see the dashboard as it is now. */
export default function buildDashboard(): void {
  execFileSync(process.execPath, ['scripts/build-dashboard.ts', '--if-stale'], { stdio: 'inherit' })
}
