import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import type { Trx } from '../../../src/storage/database.ts'
import { isDuplicate, isMissingReference, isUnavailable, isUnwritable } from '../../../src/storage/failure.ts'
import { writeStatement } from '../../../src/storage/statement.ts'
import type { EngineName } from '../../support/engines.ts'
import { add, addAlone, addByStatement, names, type Open, user } from './open.ts'

/** What the database refuses, and how that is named. */
export function constraints(open: Open, engine: EngineName): void {
  test('the violation of a unique constraint names its table and column, in a transaction and in a statement', async (t) => {
    const { db } = await open(t)
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
    const sameName = { ...user('one', 'other@example.com'), id: 'usr_other' }
    await assert.rejects(
      db.transaction((trx) => trx.insertInto('users').values(sameName).execute()),
      (error) => isDuplicate(error, 'users.preferred_username') && !isDuplicate(error, 'users.email'),
    )
  })

  test('a row that is there already can be left as it is, or changed by the same statement', async (t) => {
    const { db } = await open(t)
    const insert = (trx: Trx, value: number) =>
      trx.insertInto('background_jobs').values({ name: 'a', next_run_at: value })
    await addAlone(db, 'a', 1)
    const left = await db.transaction((trx) =>
      insert(trx, 2)
        .onConflict((oc) => oc.column('name').doNothing())
        .returning('next_run_at')
        .execute(),
    )
    assert.deepEqual(left, [])
    const changed = await db.transaction((trx) =>
      insert(trx, 3)
        .onConflict((oc) =>
          oc.column('name').doUpdateSet((eb) => ({
            next_run_at: eb('background_jobs.next_run_at', '+', eb.ref('excluded.next_run_at')),
          })),
        )
        .returning('next_run_at')
        .execute(),
    )
    assert.deepEqual(changed, [{ next_run_at: 4 }])
  })

  test('a reference to a missing row is refused', async (t) => {
    const { db } = await open(t)
    const orphan = db.transaction((trx) =>
      trx.insertInto('user_roles').values({ user_id: 'usr_nobody', role_id: 'none' }).execute(),
    )
    await assert.rejects(orphan, isMissingReference)
  })

  test('a row goes with the one that it belongs to', async (t) => {
    const { db } = await open(t)
    await db.transaction(async (trx) => {
      await trx.insertInto('users').values(user('a')).execute()
      await trx
        .insertInto('passkey_challenges')
        .values({ id: 'c', user_id: 'usr_a', challenge: 'x', expires_at: 1, created_at: 1 })
        .execute()
    })
    await db.transaction((trx) => trx.deleteFrom('users').where('id', '=', 'usr_a').execute())
    assert.deepEqual(await db.read.selectFrom('passkey_challenges').selectAll().execute(), [])
  })

  test('a query that changes data fails on the reading handle', async (t) => {
    const { db } = await open(t)
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

  test('a mistake in a query is no failure of the database, and the next query works', async (t) => {
    const { db } = await open(t)
    const isMistake = (error: unknown) => !isUnavailable(error) && !isDuplicate(error)
    await assert.rejects(sql`select nothing from nowhere`.execute(db.read), isMistake)
    await assert.rejects(
      db.transaction((trx) => sql`update nowhere set nothing = 1`.execute(trx)),
      isMistake,
    )
    await addAlone(db, 'after')
    assert.deepEqual(await names(db.read), ['after'])
  })
}
