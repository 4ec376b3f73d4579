import { createDatabase, startPostgres } from '../test/support/postgres.ts'
import { attachLoad, measureAlone, type Result } from './compare.ts'
import type { Plan } from './measure.ts'
import type { Operation } from './operations.ts'
import { seed } from './seed.ts'
import { BOTH_CORES, startLatchkey } from './servers.ts'

export interface PostgresRow {
  operation: Operation
  one: Result
  /** Two processes at the same time, each with half of the connections. */
  two: Result[]
}

/** With PostgreSQL's defaults: every commit is synced. No process is pinned, because there are more processes than cores. */
export async function measureOnPostgres(folder: string, operations: Operation[], plan: Plan): Promise<PostgresRow[]> {
  const postgres = await startPostgres([])
  try {
    const databaseUrl = await createDatabase(postgres.url, 'bench')
    const fixture = await seed(databaseUrl, folder, plan.revoked)
    const options = { folder, databaseUrl, core: BOTH_CORES }
    const servers = [await startLatchkey(options), await startLatchkey(options)]
    const loaded = await Promise.all(servers.map((server) => attachLoad(server, BOTH_CORES)))
    try {
      const rows: PostgresRow[] = []
      for (const operation of operations) {
        const [first] = loaded
        if (!first) break
        await first.prepare(operation.name, fixture, plan.workers)
        await first.run(plan.warmUp / 2)
        const one = await measureAlone(first, plan.alone)
        for (const each of loaded) await each.prepare(operation.name, fixture, plan.workers / 2)
        await loaded[1]?.run(plan.warmUp / 2)
        const two = await Promise.all(loaded.map((each) => measureAlone(each, plan.alone)))
        rows.push({ operation, one, two })
      }
      return rows
    } finally {
      for (const each of loaded) each.close()
      for (const server of servers) await server.stop()
    }
  } finally {
    await postgres.stop()
  }
}
