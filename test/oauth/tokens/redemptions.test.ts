import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createRedemptions } from '../../../src/oauth/tokens/redemptions.ts'
import { createClock } from '../../support/clock.ts'

describe('a code that is already redeemed', () => {
  const start = () => {
    const clock = createClock()
    return { clock, redemptions: createRedemptions(clock), redeemedAt: clock.now() }
  }

  test('is not a reuse when the request started before the redemption ended', async () => {
    const { redemptions, redeemedAt } = start()
    const early = redemptions.start()
    redemptions.noteRedeemed('code')
    assert.equal(await redemptions.isReuse('code', early, redeemedAt), false)
  })

  test('is a reuse when a single request comes after the redemption, however soon', async () => {
    const { redemptions, redeemedAt } = start()
    redemptions.noteRedeemed('code')
    assert.equal(await redemptions.isReuse('code', redemptions.start(), redeemedAt), true)
  })

  test('is not a reuse when several requests arrive in a burst, which were sent at the same time', async () => {
    const { clock, redemptions, redeemedAt } = start()
    redemptions.noteRedeemed('code')
    const results: Promise<boolean>[] = []
    for (let at = 0; at < 10; at++) {
      clock.advance(400)
      results.push(redemptions.isReuse('code', redemptions.start(), redeemedAt))
    }
    assert.deepEqual(new Set(await Promise.all(results)), new Set([false]))
    clock.advance(501)
    assert.equal(await redemptions.isReuse('code', redemptions.start(), redeemedAt), true)
  })

  test('redeemed by another replica is judged by the clocks, which may differ by two seconds', async () => {
    const { clock, redemptions, redeemedAt } = start()
    for (const difference of [0, 2000, -4000]) {
      clock.adjust(difference)
      assert.equal(await redemptions.isReuse(`code ${difference}`, redemptions.start(), redeemedAt), false)
    }
    clock.adjust(4001)
    assert.equal(await redemptions.isReuse('code', redemptions.start(), redeemedAt), true)
    clock.adjust(-3_600_000)
    assert.equal(await redemptions.isReuse('code', redemptions.start(), redeemedAt), true)
  })

  test('that is no longer in memory is judged by the clocks', async () => {
    const { clock, redemptions, redeemedAt } = start()
    redemptions.noteRedeemed('code')
    for (let at = 0; at < 1000; at++) redemptions.noteRedeemed(`other ${at}`)
    clock.advance(2001)
    assert.equal(await redemptions.isReuse('code', redemptions.start(), redeemedAt), true)
  })
})
