import { test } from 'node:test'
import { sendRequest } from '../support/http-client.ts'
import { createDatabase, DURABLE_FLAGS, startPostgres } from '../support/postgres.ts'
import { until } from '../support/replicas.ts'
import { crashRepeatedly } from './crash.ts'
import { assertSoundServer } from './invariants.ts'

test('when the service, PostgreSQL or both are killed with SIGKILL or SIGQUIT during mixed writes, no acknowledged write is lost', async (t) => {
  const server = await startPostgres(DURABLE_FLAGS)
  t.after(server.stop)
  const databaseUrl = await createDatabase(server.url, 'crash')
  await crashRepeatedly(t, {
    part: 'Crash on PostgreSQL',
    // The first kills the service, the second the database, the third both.
    crashes: 3,
    storage: { databaseUrl },
    environment: {},
    unavailable: 'unknown',
    async crash(replica, start, round) {
      const [serviceDies, databaseDies] = [round % 3 !== 1, round % 3 !== 0]
      await Promise.all([serviceDies && replica.kill(), databaseDies && server.halt('SIGQUIT')])
      if (databaseDies) await server.resume()
      await assertSoundServer(databaseUrl)
      const serving = serviceDies ? await start() : replica
      await until(async () => (await sendRequest(serving.address, 'GET', '/readyz')).status === 200, 10_000)
      return serving
    },
  })
  await assertSoundServer(databaseUrl)
})
