import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '../../../src/errors.ts'
import type { Limit } from '../../../src/platform/limits/failure-counts.ts'
import { startApp } from '../../support/app.ts'
import { onEachEngine } from '../../support/engines.ts'

const HOUR = 3_600_000
const ONE_PER_HOUR: Limit = { name: 'test-one', max: 1, windowMs: HOUR }

const isWrong = (error: unknown): boolean => error instanceof AppError && error.code === 'wrong_password'
const statusOf = (error: unknown): number => (error instanceof AppError ? error.status : 500)

onEachEngine('limits', (engine) => {
  test('attempts on one key run one at a time, a hundred of them wait, and the rest is refused immediately', async (t) => {
    const { limits } = (await startApp(t, { engine })).services
    // After this the key is cached, and no attempt reads the database first.
    await limits.attempt([[ONE_PER_HOUR, 'key']], async () => 200, isWrong)
    const { promise: end, resolve } = Promise.withResolvers<void>()
    let maxRunning = 0
    let running = 0
    const run = async () => {
      maxRunning = Math.max(maxRunning, ++running)
      await end
      running--
      return 200
    }
    const attempts = Array.from({ length: 150 }, () =>
      limits.attempt([[ONE_PER_HOUR, 'key']], run, isWrong).catch((error: unknown) => statusOf(error)),
    )
    const refused = await Promise.race(attempts)
    assert.equal(refused, 429)
    resolve()
    const statuses = await Promise.all(attempts)
    assert.equal(statuses.filter((status) => status === 200).length, 101)
    assert.equal(statuses.filter((status) => status === 429).length, 49)
    assert.equal(maxRunning, 1)
  })

  test('when the last allowed failure is used up, all waiting attempts are refused', async (t) => {
    const { limits } = (await startApp(t, { engine })).services
    const attempts = Array.from({ length: 20 }, () =>
      limits
        .attempt([[ONE_PER_HOUR, 'key']], () => Promise.reject(new AppError('wrong_password', 'No.')), isWrong)
        .catch((error: unknown) => statusOf(error)),
    )
    assert.deepEqual(await Promise.all(attempts), [400, ...Array<number>(19).fill(429)])
  })

  test('a window that began while the clock was a year ahead refuses nobody once the clock is correct', async (t) => {
    const app = await startApp(t, { engine })
    const { limits } = app.services
    const year = 365 * 24 * HOUR
    app.clock.advance(year)
    assert.equal(await limits.fail(ONE_PER_HOUR, 'key'), true)
    assert.equal(await limits.fail(ONE_PER_HOUR, 'key'), false)
    assert.throws(() => limits.check(ONE_PER_HOUR, 'key'))
    app.clock.advance(-year)
    limits.check(ONE_PER_HOUR, 'key')
    assert.equal(await limits.fail(ONE_PER_HOUR, 'key'), true)
    assert.equal(await limits.fail(ONE_PER_HOUR, 'key'), false)
  })

  test('failures that are counted on this replica alone are refused above the limit until the window ends', async (t) => {
    const app = await startApp(t, { engine })
    const { limits } = app.services
    limits.failHere(ONE_PER_HOUR, 'key')
    assert.throws(() => limits.failHere(ONE_PER_HOUR, 'key'), /Try again in 60 minutes/)
    limits.failHere(ONE_PER_HOUR, 'another key')
    app.clock.advance(HOUR)
    limits.failHere(ONE_PER_HOUR, 'key')
    const rows = await app.services.db.read.selectFrom('rate_limits').select('bucket').execute()
    assert.deepEqual(rows, [])
  })
})
