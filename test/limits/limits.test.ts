import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '../../src/errors.ts'
import type { Limit } from '../../src/limits/limit.ts'
import { startApp } from '../support/app.ts'
import { onEachEngine } from '../support/engines.ts'

const HOUR = 3_600_000
const ONE: Limit = { name: 'test-one', max: 1, windowMs: HOUR }

const isWrong = (error: unknown): boolean => error instanceof AppError && error.code === 'wrong_password'
const statusOf = (error: unknown): number => (error instanceof AppError ? error.status : 500)

onEachEngine('limits', (engine) => {
  test('attempts at one key wait for those that run, and so many of them that the rest is refused at once', async (t) => {
    const { limits } = (await startApp(t, { engine })).services
    // From here on the key is known, and no attempt at it reads the database first.
    await limits.attempt([[ONE, 'key']], async () => 200, isWrong)
    const { promise: end, resolve } = Promise.withResolvers<void>()
    let most = 0
    let running = 0
    const run = async () => {
      most = Math.max(most, ++running)
      await end
      running--
      return 200
    }
    const attempts = Array.from({ length: 150 }, () =>
      limits.attempt([[ONE, 'key']], run, isWrong).catch((error: unknown) => statusOf(error)),
    )
    const refused = await Promise.race(attempts)
    assert.equal(refused, 429)
    resolve()
    const statuses = await Promise.all(attempts)
    assert.equal(statuses.filter((status) => status === 200).length, 101)
    assert.equal(statuses.filter((status) => status === 429).length, 49)
    assert.equal(most, 1)
  })

  test('when the last failure is used up, all that wait are told', async (t) => {
    const { limits } = (await startApp(t, { engine })).services
    const attempts = Array.from({ length: 20 }, () =>
      limits
        .attempt([[ONE, 'key']], () => Promise.reject(new AppError('wrong_password', 'No.')), isWrong)
        .catch((error: unknown) => statusOf(error)),
    )
    assert.deepEqual(await Promise.all(attempts), [400, ...Array<number>(19).fill(429)])
  })

  test('a window that was begun by a clock a year ahead holds nobody back once the clock is right', async (t) => {
    const app = await startApp(t, { engine })
    const { limits } = app.services
    const year = 365 * 24 * HOUR
    app.clock.advance(year)
    assert.equal(await limits.fail(ONE, 'key'), true)
    assert.equal(await limits.fail(ONE, 'key'), false)
    assert.throws(() => limits.check(ONE, 'key'))
    app.clock.advance(-year)
    limits.check(ONE, 'key')
    assert.equal(await limits.fail(ONE, 'key'), true)
    assert.equal(await limits.fail(ONE, 'key'), false)
  })

  test('failures that are counted on this replica alone are refused from the first one too many until the window ends', async (t) => {
    const app = await startApp(t, { engine })
    const { limits } = app.services
    limits.failHere(ONE, 'key')
    assert.throws(() => limits.failHere(ONE, 'key'), /Try again in 60 minutes/)
    limits.failHere(ONE, 'another key')
    app.clock.advance(HOUR)
    limits.failHere(ONE, 'key')
    const rows = await app.services.db.read.selectFrom('rate_limits').select('bucket').execute()
    assert.deepEqual(rows, [])
  })
})
