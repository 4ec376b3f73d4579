import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import { differenceOf, isClockWrong } from '../../src/storage/clock-difference.ts'
import { startApp } from '../support/app.ts'
import { anonymous } from '../support/people.ts'
import { until } from '../support/replicas.ts'

test('the clock of the database was read at some moment between question and answer', () => {
  assert.equal(differenceOf({ sentAt: 1000, answeredAt: 5000, databaseNow: 3000 }), 0)
  assert.equal(differenceOf({ sentAt: 1000, answeredAt: 5000, databaseNow: 6000 }), 1000)
  assert.equal(differenceOf({ sentAt: 1000, answeredAt: 5000, databaseNow: 0 }), -1000)
  assert.deepEqual([undefined, 30_000, -30_000, 30_001, -30_001].map(isClockWrong), [false, false, false, true, true])
})

test('a replica whose clock differs from the database by more than 30 seconds says so and is not ready until it agrees', async (t) => {
  mock.timers.enable({ apis: ['setInterval'] })
  t.after(() => mock.timers.reset())
  let aheadMs = 20_000
  const app = await startApp(t, {
    engine: 'postgres',
    config: { metricsAddress: { host: '127.0.0.1', port: 0 } },
    postgres: { systemNow: () => Date.now() + aheadMs },
  })
  const becomes = (seconds: number) =>
    until(async () => {
      mock.timers.tick(5000)
      return Math.abs((app.services.clockDifference() ?? 0) / 1000 - seconds) < 5
    })
  const ready = async () => (await anonymous(app).get('/readyz')).statusCode
  await becomes(-20)
  assert.equal(await ready(), 200)

  for (const wrong of [3_600_000, -60_000]) {
    aheadMs = wrong
    await becomes(-wrong / 1000)
    const answer = await anonymous(app).get('/readyz')
    assert.equal(answer.statusCode, 503)
    assert.match(answer.body, /clock and that of the database differ by (3600|3599|60|59) seconds/)
    assert.ok(Number(answer.headers['retry-after']) > 0)
    assert.equal((await anonymous(app).get('/healthz')).statusCode, 200)
    assert.match((await app.services.metrics?.render()) ?? '', /latchkey_clock_difference_seconds -?\d/)
    aheadMs = 0
    await becomes(0)
    assert.equal(await ready(), 200)
  }
  const count = (text: string) => app.logged().split(text).length - 1
  assert.equal(count('clock differs from that of the database by more than 30 seconds'), 2, 'once each time')
  assert.equal(count('clock agrees with that of the database again'), 2)
})

test('on SQLite there is one clock only', async (t) => {
  const app = await startApp(t, { engine: 'sqlite', postgres: { systemNow: () => 0 } })
  assert.equal((await anonymous(app).get('/readyz')).statusCode, 200)
})
