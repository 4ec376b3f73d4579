import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { beginsWith, contains } from '../../../src/storage/columns.ts'
import type { Reader } from '../../../src/storage/database.ts'
import { addAlone, names, type Open, user, valueOf } from './open.ts'

/** What is stored is read again as the same value, of the same type. */
export function values(open: Open): void {
  test('texts are stored as they are, and an empty one is not null', async (t) => {
    const { db } = await open(t)
    const texts = ['', `it's "quoted" \\ % _ ; --`, 'Zoë Ångström 漢字 😀', 'a\nb\tc', 'x'.repeat(100_000)]
    for (const [index, text] of texts.entries()) {
      const person = { ...user(`text${index}`), display_name: text, given_name: null }
      await db.transaction((trx) => trx.insertInto('users').values(person).execute())
    }
    const rows = await db.read.selectFrom('users').select(['display_name', 'given_name']).orderBy('id').execute()
    assert.deepEqual(
      rows,
      texts.map((text) => ({ display_name: text, given_name: null })),
    )
  })

  test('times are numbers, and counters are exact as texts beyond Number.MAX_SAFE_INTEGER', async (t) => {
    const { db } = await open(t)
    await addAlone(db, 'late', 8_640_000_000_000_000)
    assert.equal(await valueOf(db.read, 'late'), 8_640_000_000_000_000)
    const far = 2n ** 62n
    await db.transaction(async (trx) => {
      const counter = trx.updateTable('counters').where('name', '=', 'ssh_serial')
      await counter.set({ value: far }).execute()
      await counter.set((eb) => ({ value: eb('value', '+', 1n) })).execute()
    })
    const text = sql<string>`cast(value as text)`.as('value')
    const counters = await db.read.selectFrom('counters').select(text).where('name', '=', 'ssh_serial').execute()
    assert.deepEqual(counters, [{ value: String(far + 1n) }])
  })

  test('counts and sums are numbers', async (t) => {
    const { db } = await open(t)
    for (const [name, value] of [
      ['a', 3],
      ['b', 4],
    ] as const)
      await addAlone(db, name, value)
    const row = await db.read
      .selectFrom('background_jobs')
      .select((eb) => [eb.fn.countAll<number>().as('count'), eb.fn.max('next_run_at').as('latest')])
      .executeTakeFirstOrThrow()
    assert.deepEqual(row, { count: 2, latest: 4 })
  })

  test('a search finds a text in any case, also of letters beyond ASCII, and % and _ mean themselves', async (t) => {
    const { db } = await open(t)
    const all = ['Änne Öztürk', 'ann_e', 'anne', '100 %', 'back\\slash']
    for (const name of all) await addAlone(db, name)
    const find = async (reader: Reader, how: typeof contains, text: string) =>
      (await reader.selectFrom('background_jobs').select('name').where(how('name', text)).execute())
        .map(({ name }) => name)
        .toSorted()
    assert.deepEqual(await find(db.read, contains, 'ÖZT'), ['Änne Öztürk'])
    assert.deepEqual(await find(db.read, contains, 'NN_'), ['ann_e'])
    assert.deepEqual(await find(db.read, contains, '%'), ['100 %'])
    assert.deepEqual(await find(db.read, contains, '\\'), ['back\\slash'])
    assert.deepEqual(await find(db.read, beginsWith, 'äNN'), ['Änne Öztürk'])
    assert.deepEqual(await find(db.read, beginsWith, 'ANN'), ['ann_e', 'anne'])
    assert.deepEqual(await find(db.read, beginsWith, 'nne'), [])
    assert.equal((await names(db.read)).length, all.length)
  })
}
