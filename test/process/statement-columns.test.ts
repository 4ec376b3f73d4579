import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
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

  test('name their columns, so that a column that a newer version adds does not change them', async () => {
    for (const file of filesWithStatements) await import(file)
    const statements = listStatements(running().services.db.read)
    assert.ok(statements.length > 60, `${statements.length} statements were found`)
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
