import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { sweepExpired } from '../../../src/operations/background/sweep-expired.ts'
import { createTicker } from '../../../src/operations/background/ticker.ts'
import { sharedApp } from '../../support/app.ts'
import { createStorage, onEachEngine } from '../../support/engines.ts'
import { startReplica, until } from '../../support/replicas.ts'

const EXPIRED_ROWS = 300_000

onEachEngine('background work that is stopped', (engine) => {
  const shared = sharedApp({ engine })

  test('ends after the current batch, and the next run does the rest', async () => {
    const { services, clock } = shared()
    const count = 1000
    const rows = Array.from({ length: count }, (_, n) => ({ bucket: `old${n}`, failures: 1, expires_at: 1 }))
    await services.db.transaction((trx) => trx.insertInto('rate_limits').values(rows).execute())
    const left = async () =>
      (await services.db.read.selectFrom('rate_limits').select('bucket').where('expires_at', '=', 1).execute()).length
    const job = { name: 'sweep', run: (stop: AbortSignal) => sweepExpired(services, stop) }
    const ticker = createTicker(services, [job])
    const ticked = ticker.tick()
    while ((await left()) === count);
    await ticker.stop()
    await ticked
    const after = await left()
    assert.ok(after > 0 && after < count, `${after} are left`)
    assert.equal(await sweepExpired({ ...services, now: clock.now }), after)
  })
})

test('SIGTERM during a sweep of 300,000 rows stops the service cleanly and leaves the remaining rows for the next start', async (t) => {
  const storage = await createStorage('sqlite')
  t.after(storage.remove)
  const file = storage.databaseUrl.slice('sqlite:'.length)
  const start = () => startReplica(t, storage, { environment: { DATA_DIR: storage.dataDir } })
  assert.equal(await (await start()).stop(), 0)
  const database = new DatabaseSync(file, { timeout: 5000 })
  t.after(() => database.close())
  database.exec(`
    with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${EXPIRED_ROWS})
    insert into rate_limits (bucket, failures, expires_at) select 'old' || n, 1, 1 from numbers;
    delete from background_jobs`)
  const count = database.prepare('select count(*) as count from rate_limits')
  const left = () => Number(count.get()?.['count'])

  const replica = await start()
  await until(async () => left() < EXPIRED_ROWS)
  // Exit code 0 is a clean shutdown. One that takes more than nine seconds is cut off with exit code 1.
  assert.equal(await replica.stop(), 0)
  assert.ok(left() > 0, 'the sweep was not finished first')
})
