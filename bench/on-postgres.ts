import { execFileSync } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { createDatabase, createEmptyDatabase, startPostgres } from '../test/support/postgres.ts'
import { attachLoad, compare, type Comparison, type LoadedServer, measureAlone, type Result } from './compare.ts'
import type { Plan } from './measure.ts'
import type { Operation } from './operations.ts'
import { seed } from './seed.ts'
import { BOTH_CORES, type Seeded, type Server, startLatchkey, startOnCopy, startPeer } from './servers.ts'

export interface PostgresRow {
  operation: Operation
  /** Latchkey on PostgreSQL is the first, Latchkey on SQLite the second. */
  engines: Comparison
  /** Latchkey is the first, oidc-provider the second, both on PostgreSQL. */
  peer?: Comparison
  one: Result
  /** Several processes at the same time, which share the connections of the load. */
  two: Result[]
  three: Result[]
}

/** The two cores of the servers and the load generators, and two for the database. */
const CORES_WITH_DATABASE = 4

export const databaseHasOwnCores = (): boolean => availableParallelism() >= CORES_WITH_DATABASE

/** With PostgreSQL's defaults: every commit is synced. */
export async function measureOnPostgres(
  folder: string,
  seeded: Seeded,
  operations: Operation[],
  plan: Plan,
): Promise<PostgresRow[]> {
  const postgres = await startPostgres([])
  const servers: Server[] = []
  const loaded: LoadedServer[] = []
  const add = async (starting: Promise<Server>, core?: string): Promise<LoadedServer> => {
    const server = await starting
    servers.push(server)
    const withLoad = await attachLoad(server, core)
    loaded.push(withLoad)
    return withLoad
  }
  try {
    // All processes that the server starts later inherit it.
    if (databaseHasOwnCores())
      execFileSync('taskset', ['-acp', `2-${availableParallelism() - 1}`, String(postgres.pid())])
    const databaseUrl = await createDatabase(postgres.url, 'bench')
    const fixture = await seed(databaseUrl, folder, plan.revoked)
    const latchkey = await add(startLatchkey({ folder, databaseUrl }))
    const sqlite = await add(startOnCopy(folder, seeded.file))
    const peer = await add(startPeer(folder, await createEmptyDatabase(postgres.url, 'peer'), fixture))
    const free = { folder, databaseUrl, core: BOTH_CORES }
    const several = [
      await add(startLatchkey(free), BOTH_CORES),
      await add(startLatchkey(free), BOTH_CORES),
      await add(startLatchkey(free), BOTH_CORES),
    ]

    const prepare = (each: LoadedServer, { name }: Operation, workers = plan.workers) =>
      each.prepare(name, each === sqlite ? seeded.fixture : fixture, workers)
    const compareWith = async (other: LoadedServer, operation: Operation): Promise<Comparison> => {
      for (const each of [other, latchkey]) {
        await prepare(each, operation)
        await each.run(plan.warmUp)
      }
      return compare(latchkey, other, plan.baseline)
    }
    const together = async (count: number, operation: Operation): Promise<Result[]> => {
      const some = several.slice(0, count)
      const workers = Math.max(1, Math.floor(plan.workers / count))
      for (const each of some) await prepare(each, operation, workers)
      await Promise.all(some.map((each) => each.run(plan.warmUp)))
      return Promise.all(some.map((each) => measureAlone(each, plan.alone)))
    }
    const rows: PostgresRow[] = []
    for (const operation of operations) {
      const engines = await compareWith(sqlite, operation)
      const withPeer = operation.peerTarget === undefined ? {} : { peer: await compareWith(peer, operation) }
      const one = await measureAlone(latchkey, plan.alone)
      const [two, three] = [await together(2, operation), await together(3, operation)]
      rows.push({ operation, engines, ...withPeer, one, two, three })
    }
    return rows
  } finally {
    for (const each of loaded) each.close()
    await Promise.all(servers.map((server) => server.stop()))
    await postgres.stop()
  }
}
