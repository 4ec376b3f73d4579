import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addRows, deleteBefore, left } from '../many-jobs.ts'
import { addAlone, type Open } from './open.ts'

/** Deleting many rows while other work goes on. */
export function slices(open: Open): void {
  test('exactly the rows that match are deleted, and counted', async (t) => {
    const { db } = await open(t)
    await addRows(db, 60)
    assert.equal(await deleteBefore(db, 5), 5)
    assert.equal(await deleteBefore(db, 45), 40)
    assert.equal(await deleteBefore(db, 45), 0)
    assert.equal(await left(db), 15)
  })

  test('it ends with the current slice when it is stopped', async (t) => {
    const { db } = await open(t)
    await addRows(db, 30)
    assert.equal(await deleteBefore(db, 30, AbortSignal.abort()), 0)
    const stop = new AbortController()
    const deleting = deleteBefore(db, 30, stop.signal)
    stop.abort()
    assert.equal(await deleting, 10)
    assert.equal(await left(db), 20)
  })

  test('it goes on beside other writes, and none is lost', async (t) => {
    const { db } = await open(t)
    await addRows(db, 400)
    const added = Array.from({ length: 50 }, (_, n) => addAlone(db, `new${n}`, 1000))
    const [deleted] = await Promise.all([deleteBefore(db, 400), ...added])
    assert.equal(deleted, 400)
    assert.equal(await left(db), 50)
  })
}
