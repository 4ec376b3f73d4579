import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { sql } from 'kysely'
import pg from 'pg'
import type { Database } from '../../src/storage/database.ts'
import { listStatements } from '../../src/storage/statement.ts'
import { sharedApp } from '../support/app.ts'
import { onEachEngine } from '../support/engines.ts'

const SOURCE = join(import.meta.dirname, '../../src')

const filesWithStatements = globSync('**/*.ts', { cwd: SOURCE })
  .map((file) => join(SOURCE, file))
  .filter((file) => /\b(read|write)Statement\(/.test(readFileSync(file, 'utf8')))

// Files of this folder have a process of their own. Elsewhere there would be statements that tests have made.
onEachEngine('prepared statements', (engine) => {
  const running = sharedApp({ engine })
  const statementsOf = async (db: Database) => {
    for (const file of filesWithStatements) await import(file)
    const statements = listStatements(db.read)
    assert.ok(statements.length > 60, `${statements.length} statements were found`)
    return statements
  }

  test('are understood by the engine, each of them', async (t) => {
    const { services, storage } = running()
    const statements = await statementsOf(services.db)
    if (engine === 'sqlite') {
      for (const { sql: text } of statements) await sql.raw(`explain ${text}`).execute(services.db.read)
      return
    }
    // Without values, which only the simple protocol allows.
    const client = new pg.Client(storage.databaseUrl)
    await client.connect()
    t.after(() => client.end())
    for (const { sql: text } of statements) await client.query(`explain (generic_plan) ${text}`)
  })

  test('name their columns, so that a column that a newer version adds does not change them', async () => {
    const statements = await statementsOf(running().services.db)
    // `select *`, `users.*` and `returning *`, but neither `count(*)` nor a product.
    const withAsterisk = statements.filter(({ sql }) =>
      /(\bselect|\breturning|,|\.)\s*\*/i.test(sql.replaceAll('"', '')),
    )
    assert.deepEqual(
      withAsterisk.map(({ sql }) => sql),
      [],
    )
  })
})
