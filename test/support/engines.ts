import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe } from 'node:test'
import { createDatabase, dropDatabase } from './postgres.ts'

export type EngineName = 'sqlite' | 'postgres'

/** Runs a suite on both engines. */
export function onEachEngine(name: string, suite: (engine: EngineName) => void): void {
  for (const engine of ['sqlite', 'postgres'] as const) describe(`${name} (${engine})`, () => suite(engine))
}

/** A database and a data folder. */
export interface TestStorage {
  databaseUrl: string
  dataDir: string
  remove(): Promise<void>
}

/** Creates an empty database and data folder. */
export async function createStorage(engine: EngineName): Promise<TestStorage> {
  const dataDir = mkdtempSync(join(tmpdir(), 'latchkey-test-'))
  const removeFolder = () => rmSync(dataDir, { recursive: true, force: true })
  if (engine === 'sqlite') {
    return { databaseUrl: `sqlite:${join(dataDir, 'latchkey.db')}`, dataDir, remove: async () => removeFolder() }
  }
  const server = process.env['TEST_POSTGRES_URL']
  if (server === undefined) throw new Error('Run the tests through npm, which starts PostgreSQL for them.')
  const name = `test_${randomUUID().replaceAll('-', '')}`
  return {
    databaseUrl: await createDatabase(server, name),
    dataDir,
    async remove() {
      removeFolder()
      await dropDatabase(server, name)
    },
  }
}
