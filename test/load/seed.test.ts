import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { promisify } from 'node:util'
import { SECRET_KEY, startApp } from '../support/app.ts'
import { createStorage, onEachEngine } from '../support/engines.ts'

const SCRIPT = join(import.meta.dirname, '../../scripts/seed.ts')
const SIZES = ['--users', '300', '--tokens', '500', '--certificates', '200']

onEachEngine('the seeding command', (engine) => {
  const setUp = async (t: TestContext) => {
    const storage = await createStorage(engine)
    t.after(() => storage.remove())
    const env = { ...process.env, DATA_DIR: storage.dataDir, DATABASE_URL: storage.databaseUrl, SECRET_KEY }
    const seed = (...args: string[]) =>
      promisify(execFile)(process.execPath, [SCRIPT, ...SIZES, ...args], { env, cwd: storage.dataDir }).then(
        ({ stdout }) => ({ code: 0, output: stdout }),
        (error: Error & { code: number; stderr: string }) => ({ code: error.code, output: error.stderr }),
      )
    return { storage, seed }
  }

  test('fills an empty database with --trial, and refuses without --trial or if there are users', async (t) => {
    const { storage, seed } = await setUp(t)
    const withoutTrial = await seed()
    assert.equal(withoutTrial.code, 1)
    assert.match(withoutTrial.output, /add --trial/)
    const filled = await seed('--trial')
    assert.equal(filled.code, 0, filled.output)
    assert.match(filled.output, /300 users, 500 tokens, 200 certificates/)
    const again = await seed('--trial')
    assert.equal(again.code, 1)
    assert.match(again.output, /people in .* already/)

    const { services } = await startApp(t, { storage })
    const { users } = await services.db.read
      .selectFrom('users')
      .select((eb) => eb.fn.countAll<number>().as('users'))
      .executeTakeFirstOrThrow()
    assert.equal(users, 300)
  })

  test('refuses a size that is not a whole number', async (t) => {
    const { seed } = await setUp(t)
    const { code, output } = await seed('--trial', '--users=-5')
    assert.equal(code, 1)
    assert.match(output, /--users takes a whole number/)
  })
})
