import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { type PostgresServer, startPostgres } from './postgres.ts'

let server: PostgresServer | undefined

/**
 * One PostgreSQL for the whole run; each test creates its own database in it. Tests that start processes start the bundle,
 * which is what a release contains.
 */
export async function globalSetup(): Promise<void> {
  const build = join(import.meta.dirname, '../../scripts/build-server.ts')
  execFileSync(process.execPath, [build, '--if-stale'], { stdio: 'inherit' })
  if (process.env['TEST_POSTGRES_URL'] !== undefined) return
  server = await startPostgres()
  process.env['TEST_POSTGRES_URL'] = server.url
}

export async function globalTeardown(): Promise<void> {
  await server?.stop()
}
