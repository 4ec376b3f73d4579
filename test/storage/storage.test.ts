import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { sql } from 'kysely'
import { createLogger } from '../../src/platform/http/log.ts'
import { type Database, dryRun, type Reader, type Trx } from '../../src/storage/database.ts'
import { isDuplicate, isMissingReference, isUnwritable } from '../../src/storage/failure.ts'
import { openStorage } from '../../src/storage/open.ts'
import { readStatement, type Values, writeStatement } from '../../src/storage/statement.ts'
import { createStorage, type EngineName, onEachEngine } from '../support/engines.ts'

async function open(t: TestContext, engine: EngineName): Promise<Database> {
  const storage = await createStorage(engine)
  const { db, close } = await openStorage(storage.databaseUrl, createLogger('silent'), 0, { timeoutFactor: 5 })
  t.after(async () => {
    await close()
    await storage.remove()
  })
  return db
}

const add = (trx: Trx, name: string, value = 1) =>
  trx.insertInto('background_jobs').values({ name, next_run_at: value }).execute()

/** In its own transaction. */
const addAlone = (db: Database, name: string, value = 1) => db.transaction((trx) => add(trx, name, value))

const names = async (reader: Reader): Promise<string[]> =>
  (await reader.selectFrom('background_jobs').select('name').orderBy('name').execute()).map(({ name }) => name)

const addByStatement = writeStatement((trx, value: Values<{ name: string }>) =>
  trx
    .insertInto('background_jobs')
    .values({ name: value('name'), next_run_at: 1 })
    .returning('name'),
)

const findByStatement = readStatement((reader, value: Values<{ name: string }>) =>
  reader.selectFrom('background_jobs').select('name').where('name', '=', value('name')),
)

const user = (name: string, email: string) => ({
  id: `usr_${name}`,
  email,
  email_verified: 0,
  password_hash: null,
  display_name: null,
  given_name: null,
  family_name: null,
  preferred_username: name,
  avatar_version: null,
  disabled_at: null,
  created_at: 1,
  last_login_at: null,
})

onEachEngine('storage', (engine) => {
  test('a write is visible to every read after its answer', async (t) => {
    const db = await open(t, engine)
    await addAlone(db, 'a')
    assert.deepEqual(await names(db.read), ['a'])
  })

  test('a read outside a transaction sees only durable data', async (t) => {
    const db = await open(t, engine)
    await db.transaction(async (trx) => {
      await add(trx, 'inside')
      await addByStatement(trx, { name: 'by statement' })
      assert.deepEqual(await names(trx), ['by statement', 'inside'])
      assert.deepEqual(await findByStatement(trx, { name: 'inside' }), [{ name: 'inside' }])
      assert.deepEqual(await names(db.read), [])
      assert.deepEqual(await findByStatement(db.read, { name: 'inside' }), [])
      const { rows } = await sql`select name from background_jobs`.execute(db.read)
      assert.deepEqual(rows, [])
    })
    assert.deepEqual(await names(db.read), ['by statement', 'inside'])
    assert.deepEqual(await findByStatement(db.read, { name: 'inside' }), [{ name: 'inside' }])
  })

  test('a query that changes data fails on the reading handle', async (t) => {
    const db = await open(t, engine)
    await addAlone(db, 'kept')
    const changes = [
      sql`insert into background_jobs (name, next_run_at) values ('added', 1)`,
      sql`insert into background_jobs (name, next_run_at) values ('added', 1) returning name`,
      sql`update background_jobs set name = 'changed'`,
      sql`delete from background_jobs`,
      sql`drop table background_jobs`,
    ]
    // On PostgreSQL only the types prevent this, because reads and writes share one pool.
    if (engine === 'sqlite') {
      for (const change of changes) await assert.rejects(change.execute(db.read), isUnwritable)
    }
    // @ts-expect-error: the reading handle has no method that changes data.
    void (() => db.read.insertInto('background_jobs'))
    // @ts-expect-error: a function that needs a transaction does not accept the reading handle.
    void (() => add(db.read, 'added'))
    // @ts-expect-error: a write statement does not accept it either.
    void (() => addByStatement(db.read, { name: 'added' }))
    assert.deepEqual(await names(db.read), ['kept'])
  })

  test('a failing statement does not affect concurrent ones', async (t) => {
    const db = await open(t, engine)
    await addAlone(db, 'taken')
    const results = await Promise.allSettled([
      addByStatement(db, { name: 'a' }),
      addByStatement(db, { name: 'taken' }),
      addByStatement(db, { name: 'b' }),
    ])
    assert.deepEqual(
      results.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    )
    assert.deepEqual(await names(db.read), ['a', 'b', 'taken'])
  })

  test('a transaction that throws is rolled back, and concurrent ones are not', async (t) => {
    const db = await open(t, engine)
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

  test('a transaction that has ended runs no more statements', async (t) => {
    const db = await open(t, engine)
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
    const db = await open(t, engine)
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

  test('a write statement runs alone or in a transaction', async (t) => {
    const db = await open(t, engine)
    assert.deepEqual(await addByStatement(db, { name: 'alone' }), [{ name: 'alone' }])
    assert.deepEqual(await names(db.read), ['alone'])
    await db.transaction(async (trx) => {
      assert.deepEqual(await addByStatement(trx, { name: 'together' }), [{ name: 'together' }])
      assert.deepEqual(await names(db.read), ['alone'])
    })
    assert.deepEqual(await names(db.read), ['alone', 'together'])
    await assert.rejects(addByStatement(db, { name: 'alone' }), (error) => isDuplicate(error))
  })

  test('the violation of a unique constraint names its table and column, in a transaction and in a statement', async (t) => {
    const db = await open(t, engine)
    const addUser = (trx: Trx, name: string) => trx.insertInto('users').values(user(name, 'same@example.com'))
    await db.transaction((trx) => addUser(trx, 'one').execute())
    const isEmailTaken = (error: unknown) =>
      isDuplicate(error, 'users.email') && !isDuplicate(error, 'users.preferred_username')
    await assert.rejects(
      db.transaction((trx) => addUser(trx, 'two').execute()),
      isEmailTaken,
    )
    const addTwo = writeStatement((trx) => addUser(trx, 'two'))
    await assert.rejects(addTwo(db, {}), isEmailTaken)
    await assert.rejects(
      db.transaction((trx) => addTwo(trx, {})),
      isEmailTaken,
    )
  })

  test('a reference to a missing row is refused', async (t) => {
    const db = await open(t, engine)
    const orphan = db.transaction((trx) =>
      trx.insertInto('user_roles').values({ user_id: 'usr_nobody', role_id: 'none' }).execute(),
    )
    await assert.rejects(orphan, isMissingReference)
  })

  test('of fifty concurrent transactions that consume a row, exactly one gets it', async (t) => {
    const db = await open(t, engine)
    await addAlone(db, 'once')
    const consume = () =>
      db.transaction((trx) =>
        trx.deleteFrom('background_jobs').where('name', '=', 'once').returning('name').executeTakeFirst(),
      )
    const taken = await Promise.all(Array.from({ length: 50 }, consume))
    assert.equal(taken.filter(Boolean).length, 1)
  })

  test('of fifty concurrent statements that claim a row, exactly one gets it', async (t) => {
    const db = await open(t, engine)
    await addAlone(db, 'claim')
    const claim = writeStatement((trx, value: Values<{ at: number }>) =>
      trx
        .updateTable('background_jobs')
        .set({ next_run_at: value('at') })
        .where('name', '=', 'claim')
        .where('next_run_at', '=', 1)
        .returning('name'),
    )
    const taken = await Promise.all(Array.from({ length: 50 }, () => claim(db, { at: 2 })))
    assert.equal(taken.flat().length, 1)
  })

  test('of fifty concurrent transactions that add the same row, exactly one succeeds', async (t) => {
    const db = await open(t, engine)
    const results = await Promise.allSettled(Array.from({ length: 50 }, () => addAlone(db, 'same')))
    assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 1)
  })

  test('fifty concurrent increments of a counter are all counted', async (t) => {
    const db = await open(t, engine)
    const step = () =>
      db.transaction(async (trx) => {
        await trx
          .updateTable('counters')
          .set((eb) => ({ value: eb('value', '+', 1n) }))
          .where('name', '=', 'ssh_serial')
          .execute()
      })
    await Promise.all(Array.from({ length: 50 }, step))
    const row = await db.read
      .selectFrom('counters')
      .select('value')
      .where('name', '=', 'ssh_serial')
      .executeTakeFirstOrThrow()
    assert.equal(Number(row.value), 50)
  })

  test('deleting a user deletes the rows that belong to the user', async (t) => {
    const db = await open(t, engine)
    await db.transaction(async (trx) => {
      await trx.insertInto('users').values(user('a', 'a@example.com')).execute()
      await trx
        .insertInto('passkey_challenges')
        .values({ id: 'c', user_id: 'usr_a', challenge: 'x', expires_at: 1, created_at: 1 })
        .execute()
    })
    await db.transaction((trx) => trx.deleteFrom('users').where('id', '=', 'usr_a').execute())
    assert.deepEqual(await db.read.selectFrom('passkey_challenges').selectAll().execute(), [])
  })
})

test('two transactions that deadlock on PostgreSQL both complete', async (t) => {
  const db = await open(t, 'postgres')
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
