import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { createLogger } from '../../src/http/log.ts'
import { isDuplicate, isMissingReference } from '../../src/storage/failure.ts'
import { openStorage } from '../../src/storage/open.ts'
import type { Reader, Trx } from '../../src/storage/database.ts'
import { createPlace, type EngineName, onEachEngine } from '../support/engines.ts'

async function open(t: TestContext, engine: EngineName): Promise<Reader> {
  const place = await createPlace(engine)
  const { db, close } = await openStorage(place.databaseUrl, createLogger('silent'), 0)
  t.after(async () => {
    await close()
    await place.remove()
  })
  return db
}

const count = (db: Trx, name: string, value: number) =>
  db.insertInto('background_jobs').values({ name, next_run_at: value }).execute()

const names = async (db: Trx): Promise<string[]> =>
  (await db.selectFrom('background_jobs').select('name').orderBy('name').execute()).map(({ name }) => name)

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
  test('a write is there for whoever reads after its answer', async (t) => {
    const db = await open(t, engine)
    await count(db, 'a', 1)
    assert.deepEqual(await names(db), ['a'])
  })

  test('a failing statement among others fails alone', async (t) => {
    const db = await open(t, engine)
    await count(db, 'taken', 1)
    const results = await Promise.allSettled([count(db, 'a', 1), count(db, 'taken', 2), count(db, 'b', 1)])
    assert.deepEqual(
      results.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    )
    assert.deepEqual(await names(db), ['a', 'b', 'taken'])
  })

  test('a failing transaction among writes undoes its own part alone', async (t) => {
    const db = await open(t, engine)
    const failing = db.transaction(async (trx) => {
      await count(trx, 'undone', 1)
      throw new Error('no')
    })
    const passing = db.transaction(async (trx) => {
      await count(trx, 'kept', 1)
      return 'done'
    })
    const results = await Promise.allSettled([count(db, 'a', 1), failing, passing, count(db, 'b', 1)])
    assert.deepEqual(
      results.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled', 'fulfilled'],
    )
    assert.deepEqual(await names(db), ['a', 'b', 'kept'])
  })

  test('a transaction sees its own writes and nobody else does before it commits', async (t) => {
    const db = await open(t, engine)
    await db.transaction(async (trx) => {
      await count(trx, 'inside', 1)
      assert.deepEqual(await names(trx), ['inside'])
      assert.deepEqual(await names(db), [])
    })
    assert.deepEqual(await names(db), ['inside'])
  })

  test('a broken unique rule names its table and column, inside a transaction and outside', async (t) => {
    const db = await open(t, engine)
    const add = (trx: Trx, name: string) => trx.insertInto('users').values(user(name, 'same@example.com')).execute()
    await add(db, 'one')
    const isEmailTaken = (error: unknown) =>
      isDuplicate(error, 'users.email') && !isDuplicate(error, 'users.preferred_username')
    await assert.rejects(add(db, 'two'), isEmailTaken)
    await assert.rejects(
      db.transaction((trx) => add(trx, 'two')),
      isEmailTaken,
    )
    await assert.rejects(
      count(db, 'a', 1).then(() => count(db, 'a', 2)),
      (error) => isDuplicate(error),
    )
  })

  test('a reference to nobody is refused', async (t) => {
    const db = await open(t, engine)
    const orphan = db.insertInto('user_roles').values({ user_id: 'usr_nobody', role_id: 'none' }).execute()
    await assert.rejects(orphan, isMissingReference)
  })

  test('of fifty that consume a row at once, one gets it', async (t) => {
    const db = await open(t, engine)
    await count(db, 'once', 1)
    const consume = () =>
      db.deleteFrom('background_jobs').where('name', '=', 'once').returning('name').executeTakeFirst()
    const taken = await Promise.all(Array.from({ length: 50 }, consume))
    assert.equal(taken.filter(Boolean).length, 1)
  })

  test('of fifty that claim a row at once, one gets it', async (t) => {
    const db = await open(t, engine)
    await count(db, 'claim', 1)
    const claim = () =>
      db
        .updateTable('background_jobs')
        .set({ next_run_at: 2 })
        .where('name', '=', 'claim')
        .where('next_run_at', '=', 1)
        .returning('name')
        .executeTakeFirst()
    const taken = await Promise.all(Array.from({ length: 50 }, claim))
    assert.equal(taken.filter(Boolean).length, 1)
  })

  test('of fifty that add the same row at once, one succeeds', async (t) => {
    const db = await open(t, engine)
    const results = await Promise.allSettled(Array.from({ length: 50 }, () => count(db, 'same', 1)))
    assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 1)
  })

  test('fifty transactions that count upwards at once lose no step', async (t) => {
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
    const row = await db
      .selectFrom('counters')
      .select('value')
      .where('name', '=', 'ssh_serial')
      .executeTakeFirstOrThrow()
    assert.equal(Number(row.value), 50)
  })

  test('deleting a user takes everything of theirs along', async (t) => {
    const db = await open(t, engine)
    await db.insertInto('users').values(user('a', 'a@example.com')).execute()
    await db
      .insertInto('passkey_challenges')
      .values({ id: 'c', user_id: 'usr_a', challenge: 'x', expires_at: 1, created_at: 1 })
      .execute()
    await db.deleteFrom('users').where('id', '=', 'usr_a').execute()
    assert.deepEqual(await db.selectFrom('passkey_challenges').selectAll().execute(), [])
  })
})
