import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { promisify } from 'node:util'
import { SECRET_KEY, startApp } from '../support/app.ts'
import { createPlace, onEachEngine } from '../support/engines.ts'

const SCRIPT = join(import.meta.dirname, '../../scripts/seed.ts')
const FEW = ['--users', '300', '--tokens', '500', '--certificates', '200']

onEachEngine('the seeding command', (engine) => {
  const placeFor = async (t: TestContext) => {
    const place = await createPlace(engine)
    t.after(() => place.remove())
    const env = { ...process.env, DATA_DIR: place.dataDir, DATABASE_URL: place.databaseUrl, SECRET_KEY }
    const seed = (...args: string[]) =>
      promisify(execFile)(process.execPath, [SCRIPT, ...FEW, ...args], { env, cwd: place.dataDir }).then(
        ({ stdout }) => ({ code: 0, said: stdout }),
        (error: Error & { code: number; stderr: string }) => ({ code: error.code, said: error.stderr }),
      )
    return { place, seed }
  }

  test('fills an empty database that is there for a trial, and no other', async (t) => {
    const { place, seed } = await placeFor(t)
    const unsure = await seed()
    assert.equal(unsure.code, 1)
    assert.match(unsure.said, /add --trial/)
    const filled = await seed('--trial')
    assert.equal(filled.code, 0, filled.said)
    assert.match(filled.said, /300 users, 500 tokens, 200 certificates/)
    const again = await seed('--trial')
    assert.equal(again.code, 1)
    assert.match(again.said, /people in .* already/)

    const { services } = await startApp(t, { place })
    const { users } = await services.db.read
      .selectFrom('users')
      .select((eb) => eb.fn.countAll<number>().as('users'))
      .executeTakeFirstOrThrow()
    assert.equal(users, 300)
  })

  test('refuses sizes that are none', async (t) => {
    const { seed } = await placeFor(t)
    const { code, said } = await seed('--trial', '--users=-5')
    assert.equal(code, 1)
    assert.match(said, /--users takes a whole number/)
  })
})
