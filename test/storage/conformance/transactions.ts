import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { dryRun, dryRunning, type Trx } from '../../../src/storage/database.ts'
import { isDuplicate, isUnavailable } from '../../../src/storage/failure.ts'
import { add, addAlone, addByStatement, findByStatement, names, type Open } from './open.ts'

/** All or nothing, and when others see it. */
export function transactions(open: Open): void {
  test('a write is visible to every read after its answer', async (t) => {
    const { db } = await open(t)
    await addAlone(db, 'a')
    assert.deepEqual(await names(db.read), ['a'])
    await addByStatement(db, { name: 'b' })
    assert.deepEqual(await names(db.background), ['a', 'b'])
  })

  test('a read outside a transaction sees only durable data', async (t) => {
    const { db } = await open(t)
    await db.transaction(async (trx) => {
      await add(trx, 'inside')
      await addByStatement(trx, { name: 'by statement' })
      assert.deepEqual(await names(trx), ['by statement', 'inside'])
      assert.deepEqual(await findByStatement(trx, { name: 'inside' }), [{ name: 'inside' }])
      assert.deepEqual(await names(db.read), [])
      assert.deepEqual(await names(db.background), [])
      assert.deepEqual(await findByStatement(db.read, { name: 'inside' }), [])
      const { rows } = await sql`select name from background_jobs`.execute(db.read)
      assert.deepEqual(rows, [])
    })
    assert.deepEqual(await names(db.read), ['by statement', 'inside'])
    assert.deepEqual(await findByStatement(db.read, { name: 'inside' }), [{ name: 'inside' }])
  })

  test('a transaction that throws is rolled back, and concurrent ones are not', async (t) => {
    const { db } = await open(t)
    const failing = db.transaction(async (trx) => {
      await add(trx, 'undone')
      await addByStatement(trx, { name: 'undone too' })
      throw new Error('no')
    })
    const passing = db.transaction(async (trx) => {
      await add(trx, 'kept')
      return 'done'
    })
    const results = await Promise.allSettled([addAlone(db, 'a'), failing, passing, addByStatement(db, { name: 'b' })])
    assert.deepEqual(
      results.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled', 'fulfilled'],
    )
    await assert.rejects(failing, /^Error: no$/)
    assert.equal(await passing, 'done')
    assert.deepEqual(await names(db.read), ['a', 'b', 'kept'])
  })

  test('a transaction in which a statement has failed changes nothing, also when its work goes on', async (t) => {
    const { db } = await open(t)
    await addAlone(db, 'taken')
    const careless = db.transaction(async (trx) => {
      await add(trx, 'before')
      await assert.rejects(add(trx, 'taken'), (error) => isDuplicate(error))
      throw new Error('given up')
    })
    await assert.rejects(careless, /given up/)
    for (const fail of [add, (trx: Trx, name: string) => addByStatement(trx, { name })]) {
      const committed: string[] = []
      const ignoring = db.transaction(async (trx) => {
        trx.afterCommit(() => committed.push('ignoring'))
        await add(trx, 'before')
        await assert.rejects(fail(trx, 'taken'), (error) => isDuplicate(error))
        await assert.rejects(add(trx, 'later'))
        await assert.rejects(names(trx))
        await assert.rejects(findByStatement(trx, { name: 'taken' }))
      })
      // Together with one that has nothing to do with it.
      const [ignored, other] = await Promise.allSettled([ignoring, addAlone(db, 'other')])
      assert.ok(ignored.status === 'rejected' && isUnavailable(ignored.reason))
      assert.equal(other.status, 'fulfilled')
      assert.deepEqual(committed, [])
      assert.deepEqual(await names(db.read), ['other', 'taken'])
      await db.transaction((trx) => trx.deleteFrom('background_jobs').where('name', '=', 'other').execute())
    }
    await addAlone(db, 'after')
    assert.deepEqual(await names(db.read), ['after', 'taken'])
  })

  test('a transaction that has ended runs no more statements', async (t) => {
    const { db } = await open(t)
    const ended: Trx[] = []
    await db.transaction(async (trx) => {
      ended.push(trx)
      await add(trx, 'committed')
    })
    const undone = db.transaction(async (trx) => {
      ended.push(trx)
      throw new Error('no')
    })
    await assert.rejects(undone, /no/)
    for (const trx of ended) {
      await assert.rejects(add(trx, 'late'))
      await assert.rejects(addByStatement(trx, { name: 'late' }))
      await assert.rejects(names(trx))
      await assert.rejects(sql`delete from background_jobs`.execute(trx))
      // Nor do they run in another transaction that has started since.
      await db.transaction(async (other) => {
        await assert.rejects(add(trx, 'late'))
        await assert.rejects(addByStatement(trx, { name: 'late' }))
        await add(other, `other ${ended.indexOf(trx)}`)
      })
    }
    assert.deepEqual(await names(db.read), ['committed', 'other 0', 'other 1'])
  })

  test('a dry run returns the result of the work, and rolls it back', async (t) => {
    const { db } = await open(t)
    await addAlone(db, 'kept')
    const seen = await dryRun(db, async (trx) => {
      await add(trx, 'dry run')
      await trx.deleteFrom('background_jobs').where('name', '=', 'kept').execute()
      return names(trx)
    })
    assert.deepEqual(seen, ['dry run'])
    assert.equal(await dryRun(db, async () => undefined), undefined)
    await assert.rejects(
      dryRun(db, (trx) => add(trx, 'kept')),
      (error) => isDuplicate(error),
    )
    assert.deepEqual(await names(db.read), ['kept'])
  })

  test('a task for after the commit runs once when its transaction has committed, and never when that is undone', async (t) => {
    const { db } = await open(t)
    const ran: string[] = []
    await db.transaction(async (trx) => {
      trx.afterCommit(() => ran.push('committed'))
      await add(trx, 'a')
      assert.deepEqual(ran, [])
    })
    assert.deepEqual(ran, ['committed'])
    await assert.rejects(
      db.transaction(async (trx) => {
        trx.afterCommit(() => ran.push('undone'))
        throw new Error('refused')
      }),
      /refused/,
    )
    await dryRun(db, async (trx) => trx.afterCommit(() => ran.push('dry run')))
    assert.deepEqual(ran, ['committed'])
  })

  test('a write in the background is a transaction of its own, which says how many rows it changed', async (t) => {
    const { db } = await open(t)
    for (const name of ['a', 'b', 'c']) await addAlone(db, name)
    assert.equal(await dryRunning(db).writeInBackground(sql`delete from background_jobs`), 3)
    assert.equal(await db.writeInBackground(sql`delete from background_jobs where name in ('a', 'b')`), 2)
    assert.equal(await db.writeInBackground(sql`update background_jobs set next_run_at = 9 where name = 'none'`), 0)
    await assert.rejects(db.writeInBackground(sql`insert into background_jobs (name, next_run_at) values ('c', 1)`))
    assert.deepEqual(await names(db.read), ['c'])
  })
}
