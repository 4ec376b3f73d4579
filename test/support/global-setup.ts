import { type PostgresServer, startPostgres } from './postgres.ts'

let server: PostgresServer | undefined

/** One PostgreSQL for the whole run; each test creates its own database in it. */
export async function globalSetup(): Promise<void> {
  if (process.env['TEST_POSTGRES_URL'] !== undefined) return
  server = await startPostgres()
  process.env['TEST_POSTGRES_URL'] = server.url
}

export async function globalTeardown(): Promise<void> {
  await server?.stop()
}
