import { type TestContext } from 'node:test'
import { createLogger } from '../../../src/platform/http/log.ts'
import type { Database, Engine, Reader, Trx } from '../../../src/storage/database.ts'
import { openStorage } from '../../../src/storage/open.ts'
import { readStatement, type Values, writeStatement } from '../../../src/storage/statement.ts'
import { createMigratedStorage, type EngineName } from '../../support/engines.ts'

export interface OpenEngine extends Engine {
  /** Opens the same database again, as another replica does. */
  replica(): Promise<Engine>
}

export type Open = (t: TestContext) => Promise<OpenEngine>

/** Each test has a database of its own, with all tables. */
export const opener =
  (name: EngineName): Open =>
  async (t) => {
    const storage = await createMigratedStorage(name)
    const opened: Engine[] = []
    const replica = async () => {
      const engine = await openStorage(storage.databaseUrl, createLogger('silent'), 0, { timeoutFactor: 5 })
      opened.push(engine)
      return engine
    }
    t.after(async () => {
      for (const engine of opened.toReversed()) await engine.close()
      await storage.remove()
    })
    return { ...(await replica()), replica }
  }

export const FIFTY = Array.from({ length: 50 }, (_, index) => index)

/** The table `background_jobs` stands for any table: a name that is unique, and a number. */
export const add = (trx: Trx, name: string, value = 1) =>
  trx.insertInto('background_jobs').values({ name, next_run_at: value }).execute()

/** In its own transaction. */
export const addAlone = (db: Database, name: string, value = 1) => db.transaction((trx) => add(trx, name, value))

export const addByStatement = writeStatement((trx, value: Values<{ name: string }>) =>
  trx
    .insertInto('background_jobs')
    .values({ name: value('name'), next_run_at: 1 })
    .returning('name'),
)

export const findByStatement = readStatement((reader, value: Values<{ name: string }>) =>
  reader.selectFrom('background_jobs').select('name').where('name', '=', value('name')),
)

export const names = async (reader: Reader): Promise<string[]> =>
  (await reader.selectFrom('background_jobs').select('name').orderBy('name').execute()).map(({ name }) => name)

export const valueOf = async (reader: Reader, name: string): Promise<number | undefined> =>
  (await reader.selectFrom('background_jobs').select('next_run_at').where('name', '=', name).executeTakeFirst())
    ?.next_run_at

export const user = (name: string, email = `${name}@example.com`) => ({
  id: `usr_${name}`,
  email,
  email_verified: 0,
  password_hash: null,
  display_name: null,
  given_name: null,
  family_name: null,
  preferred_username: name,
  avatar_version: null,
  disabled_at: null,
  created_at: 1,
  last_login_at: null,
})
