import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Database, Engine } from '../../../src/storage/database.ts'
import { until } from '../../support/replicas.ts'
import { add, addAlone, FIFTY, names, type Open } from './open.ts'

const emit = (db: Database, clientId: string) =>
  db.transaction(async (trx) => trx.signal('client-changed', { clientId }))

/** What this engine hears. Nothing is heard before it listens, so signals are sent until the first one arrives. */
async function listen({ signals }: Engine, sender: Database): Promise<string[]> {
  const heard: string[] = []
  signals.on('client-changed', ({ clientId }) => heard.push(clientId))
  await until(async () => {
    await emit(sender, 'first')
    return heard.length > 0
  })
  return heard
}

export function signals(open: Open): void {
  test('a signal is delivered when its transaction has committed, once, and never when that is undone', async (t) => {
    const engine = await open(t)
    const { db } = engine
    const heard = await listen(engine, db)
    await assert.rejects(
      db.transaction(async (trx) => {
        trx.signal('client-changed', { clientId: 'undone' })
        throw new Error('refused')
      }),
      /refused/,
    )
    await db.transaction(async (trx) => {
      for (let time = 0; time < 3; time++) trx.signal('client-changed', { clientId: 'thrice' })
      await add(trx, 'before it is heard')
    })
    await emit(db, 'last')
    await until(async () => heard.includes('last'))
    assert.deepEqual(
      heard.filter((each) => each !== 'first'),
      ['thrice', 'last'],
    )
    assert.deepEqual(await names(db.read), ['before it is heard'])
  })

  test('a listener that was stopped hears nothing more', async (t) => {
    const engine = await open(t)
    const heard = await listen(engine, engine.db)
    const stopped: string[] = []
    engine.signals.on('client-changed', ({ clientId }) => stopped.push(clientId))()
    await emit(engine.db, 'later')
    await until(async () => heard.includes('later'))
    assert.deepEqual(stopped, [])
  })
}

/** For the engines on which several processes share a database. */
export function replicas(open: Open): void {
  test('what one replica has answered is seen by every other, and its signals are heard there', async (t) => {
    const one = await open(t)
    const other = await one.replica()
    const heard = await listen(other, one.db)
    await addAlone(one.db, 'from one')
    assert.deepEqual(await names(other.db.read), ['from one'])
    await emit(one.db, 'told')
    await until(async () => heard.includes('told'))
  })

  test('of fifty transactions of two replicas that consume a row, exactly one gets it', async (t) => {
    const one = await open(t)
    const other = await one.replica()
    await addAlone(one.db, 'once')
    const taken = await Promise.all(
      FIFTY.map((index) =>
        (index % 2 === 0 ? one : other).db.transaction((trx) =>
          trx.deleteFrom('background_jobs').where('name', '=', 'once').returning('name').executeTakeFirst(),
        ),
      ),
    )
    assert.equal(taken.filter(Boolean).length, 1)
  })
}

/** For the engines whose database belongs to one process. */
export function singleProcess(open: Open): void {
  test('a second process is refused with one line, and the first goes on', async (t) => {
    const one = await open(t)
    await assert.rejects(one.replica(), /Another Latchkey is already running on/)
    await addAlone(one.db, 'still there')
    assert.deepEqual(await names(one.db.read), ['still there'])
  })
}
