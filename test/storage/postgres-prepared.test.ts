import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import pg from 'pg'
import { readStatement, type Values, writeStatement } from '../../src/storage/statement.ts'
import { sharedApp } from '../support/app.ts'
import { getTokens, isLive, refresh, registerApplication } from '../support/application.ts'
import { signedInPerson } from '../support/people.ts'

// With an asterisk, which no statement of the service has, so that the columns change.
const readAll = readStatement((db, value: Values<{ bucket: string }>) =>
  db.selectFrom('rate_limits').selectAll().where('bucket', '=', value('bucket')),
)
const raiseAll = writeStatement((db, value: Values<{ bucket: string }>) =>
  db
    .updateTable('rate_limits')
    .set((eb) => ({ failures: eb('failures', '+', 1) }))
    .where('bucket', '=', value('bucket'))
    .returningAll(),
)
const add = writeStatement((db, value: Values<{ bucket: string }>) =>
  db.insertInto('rate_limits').values({ bucket: value('bucket'), failures: 0, expires_at: 1 }),
)

describe('statements that are prepared on PostgreSQL', () => {
  after(() => other.end())
  const running = sharedApp({ engine: 'postgres' })
  let other: pg.Client
  before(async () => {
    other = new pg.Client(running().storage.databaseUrl)
    await other.connect()
  })
  const db = () => running().services.db
  /** One that the server does not know by that name ends the prepared ones of its connection. */
  const forget = { name: '', sql: 'deallocate all' } as never

  test('are prepared again when their columns have changed, together with others, alone and in a transaction', async () => {
    const bucket = 'columns'
    await add(db(), { bucket })
    const runAll = async () => [
      ...(await Promise.all([readAll(db().read, { bucket }), readAll(db().read, { bucket })])),
      await raiseAll(db(), { bucket }),
      await db().transaction((trx) => raiseAll(trx, { bucket })),
    ]
    await runAll()
    for (const column of ['first_added', 'second_added']) {
      await other.query(`alter table rate_limits add column ${column} text default 'new'`)
      for (const [row] of await runAll()) assert.equal((row as unknown as Record<string, unknown>)[column], 'new')
    }
    assert.equal((await readAll(db().read, { bucket }))[0]?.failures, 6, 'each change was made once')
  })

  test('are prepared again when the server does not know them any more', async () => {
    const bucket = 'forgotten'
    await add(db(), { bucket })
    await Promise.all([readAll(db().read, { bucket }), raiseAll(db(), { bucket })])
    await Promise.all([db().read.run(forget, []), db().run(forget, [])])
    assert.deepEqual((await readAll(db().read, { bucket }))[0]?.failures, 1)
    assert.deepEqual((await raiseAll(db(), { bucket }))[0]?.failures, 2)
  })

  test('undo and repeat the transaction in which the server does not know them any more', async () => {
    const bucket = 'repeated'
    await add(db(), { bucket })
    await db().transaction((trx) => raiseAll(trx, { bucket }))
    let tries = 0
    await db().transaction(async (trx) => {
      tries++
      await add(trx, { bucket: 'beside it' })
      await trx.run(forget, [])
      await raiseAll(trx, { bucket })
    })
    assert.equal(tries, 2)
    assert.equal((await readAll(db().read, { bucket }))[0]?.failures, 2)
  })

  test('go on to work on a running replica whatever column is added to whichever table', async () => {
    const app = running()
    const application = await registerApplication(app)
    const person = await signedInPerson(app)
    const useEverything = async () => {
      const tokens = await getTokens(app, person, application, { prompt: 'consent' })
      assert.equal(await isLive(app, application, tokens.access_token), true)
      assert.equal((await refresh(app, application, tokens.refresh_token)).statusCode, 200)
      assert.equal((await person.get('/api/auth/me')).statusCode, 200)
    }
    await useEverything()
    const { rows: tables } = await other.query<{ name: string }>(
      `select tablename as name from pg_tables where schemaname = 'public'`,
    )
    assert.ok(tables.length > 30)
    for (const { name } of tables) await other.query(`alter table "${name}" add column added_later text default 'x'`)
    await useEverything()
  })
})
