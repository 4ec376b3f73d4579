import { randomUUID } from 'node:crypto'
import { copyFileSync, existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe } from 'node:test'
import { pino } from 'pino'
import { sqliteFileOf } from '../../src/storage/database-url.ts'
import { openStorage } from '../../src/storage/open.ts'
import { MIGRATIONS_FINGERPRINT } from './migrations-fingerprint.ts'
import { createDatabase, dropDatabase } from './postgres.ts'

export type EngineName = 'sqlite' | 'postgres'

const ALL_ENGINES: readonly EngineName[] = ['sqlite', 'postgres']
/** With `TEST_ENGINE` one alone, which everything runs on then. */
const ENGINES = chosenEngines(process.env['TEST_ENGINE'])

/** Where tests run whose subject is the same on every engine, such as a protocol, a validation or a text. */
export const MAIN_ENGINE = ENGINES[0]!

/** Throws for a name that no engine has: without an engine most suites would contain nothing, and pass. */
export function chosenEngines(name: string | undefined): readonly EngineName[] {
  if (name === undefined) return ALL_ENGINES
  const chosen = ALL_ENGINES.filter((engine) => engine === name)
  if (chosen.length === 0) throw new Error(`TEST_ENGINE is ${ALL_ENGINES.join(' or ')}, not “${name}”.`)
  return chosen
}

/** Runs a suite on both engines: its subject is SQL, transactions, locks, or what happens at the same time. */
export function onEachEngine(name: string, suite: (engine: EngineName) => void): void {
  for (const engine of ENGINES) describe(`${name} (${engine})`, () => suite(engine))
}

/** Runs a suite on one engine: its subject is the same on both. */
export function onMainEngine(name: string, suite: (engine: EngineName) => void): void {
  describe(`${name} (${MAIN_ENGINE})`, () => suite(MAIN_ENGINE))
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

/** Creates a data folder and a database that contains all tables: applying the migrations takes a quarter of the start of an app. */
export async function createMigratedStorage(engine: EngineName): Promise<TestStorage> {
  const storage = await createStorage(engine)
  const file = sqliteFileOf(storage.databaseUrl)
  if (file !== undefined) copyFileSync(await migratedFile(), file)
  return storage
}

/** A SQLite file that contains all tables. All processes of a run share it. */
async function migratedFile(): Promise<string> {
  const file = join(tmpdir(), `latchkey-template-${MIGRATIONS_FINGERPRINT}.db`)
  if (existsSync(file)) return file
  const { databaseUrl, dataDir, remove } = await createStorage('sqlite')
  const { close } = await openStorage(databaseUrl, pino({ level: 'silent' }), 0)
  await close()
  renameSync(join(dataDir, 'latchkey.db'), file)
  await remove()
  return file
}
