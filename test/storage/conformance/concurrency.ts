import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Database, Trx } from '../../../src/storage/database.ts'
import { isDuplicate } from '../../../src/storage/failure.ts'
import { type Values, writeStatement } from '../../../src/storage/statement.ts'
import { add, addAlone, addByStatement, FIFTY, findByStatement, names, type Open, valueOf } from './open.ts'

/** Locks, and what happens at the same time: also from two replicas, which each engine that allows them has here. */
export function concurrency(open: Open): void {
  test('of fifty concurrent transactions that consume a row, exactly one gets it', async (t) => {
    const { db } = await open(t)
    await addAlone(db, 'once')
    const consume = () =>
      db.transaction((trx) =>
        trx.deleteFrom('background_jobs').where('name', '=', 'once').returning('name').executeTakeFirst(),
      )
    const taken = await Promise.all(FIFTY.map(consume))
    assert.equal(taken.filter(Boolean).length, 1)
  })

  test('of fifty concurrent statements that claim a row, exactly one gets it', async (t) => {
    const { db } = await open(t)
    await addAlone(db, 'claim')
    const claim = writeStatement((trx, value: Values<{ at: number }>) =>
      trx
        .updateTable('background_jobs')
        .set({ next_run_at: value('at') })
        .where('name', '=', 'claim')
        .where('next_run_at', '=', 1)
        .returning('name'),
    )
    const taken = await Promise.all(FIFTY.map(() => claim(db, { at: 2 })))
    assert.equal(taken.flat().length, 1)
  })

  test('of fifty concurrent transactions that add the same row, exactly one succeeds, and the others name what is taken', async (t) => {
    const { db } = await open(t)
    const results = await Promise.allSettled(FIFTY.map(() => addAlone(db, 'same')))
    const refused = results.filter((result) => result.status === 'rejected')
    assert.equal(refused.length, FIFTY.length - 1)
    assert.ok(refused.every(({ reason }) => isDuplicate(reason)))
  })

  test('fifty concurrent increments of a counter are all counted', async (t) => {
    const { db } = await open(t)
    const step = () =>
      db.transaction((trx) =>
        trx
          .updateTable('counters')
          .set((eb) => ({ value: eb('value', '+', 1n) }))
          .where('name', '=', 'ssh_serial')
          .execute(),
      )
    await Promise.all(FIFTY.map(step))
    const counters = db.read.selectFrom('counters').select('value').where('name', '=', 'ssh_serial')
    assert.equal(Number((await counters.executeTakeFirstOrThrow()).value), FIFTY.length)
  })

  test('transactions that wait for the row of a person hold up those of that person alone, and none of another database', async (t) => {
    const [{ db }, { db: other }] = [await open(t), await open(t)]
    const { promise: blocked, resolve: release } = Promise.withResolvers<void>()
    const ended: string[] = []
    const run = async (on: Database, key: string, what: string, work = async () => {}) => {
      await on.personQueue.run(key, work)
      ended.push(what)
    }
    const blocking = Array.from({ length: 3 }, () => run(db, 'usr_1', 'blocking', () => blocked))
    const waiting = run(db, 'usr_1', 'waiting')
    await run(db, 'usr_2', 'another person')
    await run(other, 'usr_1', 'another database')
    assert.deepEqual(ended, ['another person', 'another database'])
    release()
    await Promise.all([...blocking, waiting])
  })

  test('a row that was read with a lock is the same until the end of the transaction: no update is lost', async (t) => {
    const { db } = await open(t)
    await addAlone(db, 'total', 0)
    const addOne = () =>
      db.transaction(async (trx) => {
        const row = await trx
          .selectFrom('background_jobs')
          .select('next_run_at')
          .where('name', '=', 'total')
          .forNoKeyUpdate()
          .executeTakeFirstOrThrow()
        await trx
          .updateTable('background_jobs')
          .set({ next_run_at: row.next_run_at + 1 })
          .where('name', '=', 'total')
          .execute()
      })
    await Promise.all(FIFTY.map(addOne))
    assert.equal(await valueOf(db.read, 'total'), FIFTY.length)
  })

  test('transactions that lock the same rows in opposite orders all complete, each once', async (t) => {
    const { db } = await open(t)
    for (const name of ['a', 'b']) await addAlone(db, name, 0)
    let committed = 0
    const increment = (trx: Trx, name: string) =>
      trx
        .updateTable('background_jobs')
        .set((eb) => ({ next_run_at: eb('next_run_at', '+', 1) }))
        .where('name', '=', name)
        .execute()
    const updateBoth = (first: string, second: string) =>
      db.transaction(async (trx) => {
        trx.afterCommit(() => committed++)
        await increment(trx, first)
        await increment(trx, second)
      })
    for (let round = 0; round < 5; round++) await Promise.all([updateBoth('a', 'b'), updateBoth('b', 'a')])
    assert.deepEqual([await valueOf(db.read, 'a'), await valueOf(db.read, 'b'), committed], [10, 10, 10])
  })

  test('a failing statement does not affect concurrent ones, and each gets its own answer', async (t) => {
    const { db } = await open(t)
    await addAlone(db, 'taken')
    const wanted = [...FIFTY.map((index) => `new ${index}`), 'taken', ...FIFTY.map((index) => `further ${index}`)]
    const results = await Promise.allSettled(wanted.map((name) => addByStatement(db, { name })))
    results.forEach((result, index) => {
      if (wanted[index] === 'taken') assert.equal(result.status, 'rejected')
      else assert.deepEqual(result, { status: 'fulfilled', value: [{ name: wanted[index] }] })
    })
    assert.equal((await names(db.read)).length, wanted.length)
    const found = await Promise.all(wanted.map((name) => findByStatement(db.read, { name })))
    assert.deepEqual(
      found,
      wanted.map((name) => [{ name }]),
    )
  })

  test('work whose rows are the reason of another one waits for it, and sees what it did', async (t) => {
    const { db } = await open(t)
    await addAlone(db, 'state', 0)
    const [isLocked, mayGoOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const first = db.transaction(async (trx) => {
      await trx.updateTable('background_jobs').set({ next_run_at: 1 }).where('name', '=', 'state').execute()
      isLocked.resolve()
      await mayGoOn.promise
      await add(trx, 'by the first')
    })
    await isLocked.promise
    const second = db.transaction(async (trx) => {
      const { numUpdatedRows } = await trx
        .updateTable('background_jobs')
        .set({ next_run_at: 2 })
        .where('name', '=', 'state')
        .where('next_run_at', '=', 1)
        .executeTakeFirstOrThrow()
      return { changed: Number(numUpdatedRows), seen: await names(trx) }
    })
    mayGoOn.resolve()
    await first
    assert.deepEqual(await second, { changed: 1, seen: ['by the first', 'state'] })
  })
}
