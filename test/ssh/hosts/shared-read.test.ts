import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { shareRead } from '../../../src/ssh/hosts/shared-read.ts'
import { createClock } from '../../support/clock.ts'

function watch(maxAgeMs = 1000, maxPauseMs = Infinity) {
  const clock = createClock()
  const reads: PromiseWithResolvers<number>[] = []
  const rests: { milliseconds: number; over: () => void }[] = []
  const rest = (milliseconds: number) => {
    const { promise, resolve } = Promise.withResolvers<void>()
    rests.push({ milliseconds, over: resolve })
    return promise
  }
  const shared = shareRead(
    () => {
      const read = Promise.withResolvers<number>()
      reads.push(read)
      return read.promise
    },
    { monotonicNow: clock.monotonicNow, maxAgeMs, maxPauseMs, rest },
  )
  const settled = () => new Promise((resolve) => setImmediate(resolve))
  return { clock, reads, rests, shared, settled }
}

suite('a read that is shared', () => {
  test('serves all who ask while it runs and until it is too old', async () => {
    const { clock, reads, shared } = watch()
    const asked = [shared.recent(), shared.recent(), shared.fresh()]
    assert.equal(reads.length, 1)
    reads[0]?.resolve(1)
    assert.deepEqual(await Promise.all(asked.slice(0, 2)), [1, 1])
    reads[1]?.resolve(2)
    assert.equal(await asked[2], 2, 'a fresh one began after it was asked for')
    clock.advance(999)
    assert.equal(await shared.recent(), 2)
    clock.advance(1)
    const again = shared.recent()
    reads[2]?.resolve(3)
    assert.equal(await again, 3)
  })

  test('leaves time for other work when fresh ones are asked for again and again, a tenth of a second at most', async () => {
    const { clock, reads, rests, shared, settled } = watch()
    for (const [took, pause] of [
      [5, 50],
      [5000, 100],
    ] as const) {
      const first = shared.fresh()
      const before = reads.length
      clock.advance(took)
      reads.at(-1)?.resolve(1)
      assert.equal(await first, 1)
      const asked = [shared.fresh(), shared.fresh()]
      await settled()
      assert.equal(reads.length, before)
      assert.equal(rests.at(-1)?.milliseconds, pause)
      rests.at(-1)?.over()
      await settled()
      assert.equal(reads.length, before + 1, 'all who have waited share it')
      reads.at(-1)?.resolve(2)
      assert.deepEqual(await Promise.all(asked), [2, 2])
      clock.advance(1000)
    }
  })

  test('of which one runs at a time is followed by one for all who asked for a fresh one meanwhile', async () => {
    const { reads, shared, settled } = watch()
    const first = shared.fresh()
    const later = [shared.fresh(), shared.fresh()]
    reads[0]?.resolve(1)
    assert.equal(await first, 1)
    await settled()
    assert.equal(reads.length, 2)
    reads[1]?.resolve(2)
    assert.deepEqual(await Promise.all(later), [2, 2])
  })

  test('does not begin beside one that is about to begin', async () => {
    const { reads, shared, settled } = watch()
    const first = shared.fresh()
    const second = shared.fresh()
    shared.expire()
    reads[0]?.resolve(1)
    await first
    const third = shared.recent()
    await settled()
    assert.equal(reads.length, 2)
    reads[1]?.resolve(2)
    assert.deepEqual(await Promise.all([second, third]), [2, 2])
  })

  test('that began before a change is not taken for one after it', async () => {
    const { reads, shared, settled } = watch()
    const before = shared.recent()
    shared.expire()
    const after = shared.recent()
    reads[0]?.resolve(1)
    assert.equal(await before, 1)
    await settled()
    reads[1]?.resolve(2)
    assert.equal(await after, 2)
    assert.equal(await shared.recent(), 2)
  })

  test('that failed is tried again, and what was read before it stays known', async () => {
    const { reads, shared } = watch()
    const first = shared.recent()
    reads[0]?.resolve(1)
    await first
    shared.expire()
    const failing = shared.recent()
    reads[1]?.reject(new Error('The database is away.'))
    await assert.rejects(failing, /away/)
    assert.equal(shared.last(), 1)
    const again = shared.recent()
    reads[2]?.resolve(2)
    assert.equal(await again, 2)
  })

  test('that takes long is not repeated for each change: reading takes a tenth of the time at most', async () => {
    const { clock, reads, shared } = watch(60_000)
    const first = shared.recent()
    clock.advance(500)
    reads[0]?.resolve(1)
    await first
    shared.expire()
    clock.advance(4999)
    assert.equal(await shared.recent(), 1)
    clock.advance(1)
    const again = shared.recent()
    reads[1]?.resolve(2)
    assert.equal(await again, 2)
  })

  test('that took very long delays a change no longer than it may', async () => {
    const { clock, reads, shared } = watch(60_000, 500)
    const first = shared.recent()
    clock.advance(2000)
    reads[0]?.resolve(1)
    await first
    shared.expire()
    clock.advance(499)
    assert.equal(await shared.recent(), 1)
    clock.advance(1)
    const again = shared.recent()
    reads[1]?.resolve(2)
    assert.equal(await again, 2)
  })
})
