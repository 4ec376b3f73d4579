import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Trx } from '../../src/storage/database.ts'
import { add, opener } from './conformance/open.ts'

test('two transactions that deadlock on PostgreSQL both complete', async (t) => {
  const { db } = await opener('postgres')(t)
  await db.transaction(async (trx) => {
    for (const name of ['a', 'b', 'locked']) await add(trx, name, 0)
  })
  const increment = (trx: Trx, name: string) =>
    trx
      .updateTable('background_jobs')
      .set((eb) => ({ next_run_at: eb('next_run_at', '+', 1) }))
      .where('name', '=', name)
      .execute()
  const [isLocked, ends] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const locking = db.transaction(async (trx) => {
    await increment(trx, 'locked')
    isLocked.resolve()
    await ends.promise
  })
  await isLocked.promise
  let runs = 0
  /** Waits until the other transaction has locked its first row too, so that each then waits for the row of the other. */
  const updateBoth = (first: string, second: string, holds: () => void, otherHolds: Promise<void>) => {
    let tries = 0
    return db.transaction(async (trx) => {
      runs++
      // The first try waits for a lock and is soon given up. Only later ones wait for so long that the server finds a deadlock.
      if (++tries === 1) await increment(trx, 'locked')
      await increment(trx, first)
      holds()
      await otherHolds
      await increment(trx, second)
      return first
    })
  }
  const [one, other] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const ended = await Promise.all([
    updateBoth('a', 'b', one.resolve, other.promise),
    updateBoth('b', 'a', other.resolve, one.promise),
  ])
  assert.deepEqual(ended, ['a', 'b'])
  assert.equal(runs, 2 + 3, 'the server aborts one of them, and it runs again')
  ends.resolve()
  await locking
  const rows = await db.read.selectFrom('background_jobs').selectAll().orderBy('name').execute()
  assert.deepEqual(
    rows.map(({ name, next_run_at }) => [name, next_run_at]),
    [
      ['a', 2],
      ['b', 2],
      ['locked', 1],
    ],
  )
})
