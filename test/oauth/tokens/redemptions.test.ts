import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createRedemptions } from '../../../src/oauth/tokens/redemptions.ts'
import { createClock } from '../../support/clock.ts'

describe('a code that is found redeemed', () => {
  const start = () => {
    const clock = createClock()
    return { clock, redemptions: createRedemptions(clock), redeemedAt: clock.now() }
  }

  test('by a request that started before the redemption ended: it was used at the same time', async () => {
    const { redemptions, redeemedAt } = start()
    const early = redemptions.start()
    redemptions.noteRedeemed('code')
    assert.equal(await redemptions.isReuse('code', early, redeemedAt), false)
  })

  test('by one request alone, however soon after: it is used again', async () => {
    const { redemptions, redeemedAt } = start()
    redemptions.noteRedeemed('code')
    assert.equal(await redemptions.isReuse('code', redemptions.start(), redeemedAt), true)
  })

  test('by several that arrive one after the other: they were sent at once', async () => {
    const { clock, redemptions, redeemedAt } = start()
    redemptions.noteRedeemed('code')
    const verdicts: Promise<boolean>[] = []
    for (let at = 0; at < 10; at++) {
      clock.advance(400)
      verdicts.push(redemptions.isReuse('code', redemptions.start(), redeemedAt))
    }
    assert.deepEqual(new Set(await Promise.all(verdicts)), new Set([false]))
    clock.advance(501)
    assert.equal(await redemptions.isReuse('code', redemptions.start(), redeemedAt), true)
  })

  test('of another replica: the clocks decide, and may differ by two seconds', async () => {
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

  test('that was forgotten among thousands of others: the clocks decide', async () => {
    const { clock, redemptions, redeemedAt } = start()
    redemptions.noteRedeemed('code')
    for (let at = 0; at < 1000; at++) redemptions.noteRedeemed(`other ${at}`)
    clock.advance(2001)
    assert.equal(await redemptions.isReuse('code', redemptions.start(), redeemedAt), true)
  })
})
