import { test } from 'node:test'
import { createDatabase, DURABLE, startPostgres } from '../support/postgres.ts'
import { until } from '../support/replicas.ts'
import { ask } from '../support/visitor.ts'
import { crashAgainAndAgain } from './crash.ts'
import { assertSoundServer } from './invariants.ts'

test('kill -9 of the service and of PostgreSQL under mixed writes loses nothing that was acknowledged', async (t) => {
  const server = await startPostgres(DURABLE)
  t.after(server.stop)
  const databaseUrl = await createDatabase(server.url, 'crash')
  await crashAgainAndAgain(t, {
    part: 'Crash on PostgreSQL',
    // The service, the database, and both at once.
    crashes: 3,
    place: { databaseUrl },
    environment: {},
    unavailable: 'done or not',
    async crash(replica, start, round) {
      const [serviceDies, databaseDies] = [round % 3 !== 1, round % 3 !== 0]
      await Promise.all([serviceDies && replica.kill(), databaseDies && server.halt('SIGQUIT')])
      if (databaseDies) await server.resume()
      await assertSoundServer(databaseUrl)
      const serving = serviceDies ? await start() : replica
      await until(async () => (await ask(serving.address, 'GET', '/readyz')).status === 200, 10_000)
      return serving
    },
  })
  await assertSoundServer(databaseUrl)
})
