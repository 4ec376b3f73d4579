import { join } from 'node:path'
import { createDatabase, startPostgres } from '../test/support/postgres.ts'
import { attachLoad, compare, type Comparison, type LoadedServer, measureAlone, type Plan } from './compare.ts'
import type { Operation } from './operations.ts'
import { seed } from './seed.ts'
import * as ours from './servers.ts'

type Close = () => Promise<void> | void

/** A running server with its load generator. */
interface Side {
  loaded: LoadedServer
  fixture: ours.Seeded['fixture']
}

/**
 * Compares this version with another checkout, usually an older version: both on one core. Each fills its own database, since their tables may differ. Yields a line for each operation.
 */
export async function* compareWithCheckout(checkout: string, operations: Operation[], plan: Plan) {
  const theirs = (await import(join(checkout, 'bench/servers.ts'))) as typeof ours
  yield* compareSides(operations, plan, [
    (closing) => start(closing, plan, ours),
    (closing) => start(closing, plan, theirs),
  ])
}

/** Measures this version alone. */
export async function* measureOurs(operations: Operation[], plan: Plan) {
  const closing: Close[] = []
  try {
    const side = await start(closing, plan, ours)
    for (const { name, title } of operations) {
      await warmUp(side, name, plan)
      const { cpu, rate, p50, p99 } = await measureAlone(side.loaded, plan)
      yield `${title.padEnd(36)}${fixed(cpu)} µs ${rate.toFixed(0).padStart(7)}/s   p50 ${p50.toFixed(1)} ms   p99 ${p99.toFixed(1)} ms`
    }
  } finally {
    for (const close of closing) await close()
  }
}

/** Compares oidc-provider with this version: how many times as much processor time it takes. */
export async function* compareWithPeer(storage: 'memory' | 'sqlite', operations: Operation[], plan: Plan) {
  yield* compareSides(
    operations.filter(({ ofPeer }) => ofPeer),
    plan,
    [(closing) => start(closing, plan, ours), (closing) => startPeerOn(closing, plan, storage)],
  )
}

async function startPeerOn(closing: Close[], plan: Plan, storage: 'memory' | 'sqlite'): Promise<Side> {
  const folder = ours.newFolder()
  closing.unshift(() => ours.removeFolder(folder))
  const { fixture } = await ours.seedFile(folder, plan.revoked)
  return attach(closing, await ours.startPeer(folder, storage, fixture), fixture)
}

/** Compares this version on PostgreSQL with itself on SQLite: the processor time of each, and how many times it is on PostgreSQL. */
export async function* compareEngines(operations: Operation[], plan: Plan) {
  const describeEngines = ({ first, second, ratio }: Comparison) =>
    `${fixed(first.cpu)} µs on PostgreSQL, ${fixed(second.cpu)} on SQLite, ${(1 / ratio).toFixed(2)} times`
  yield* compareSides(
    operations,
    plan,
    [(closing) => startOnPostgres(closing, plan), (closing) => start(closing, plan, ours)],
    describeEngines,
  )
}

const fixed = (value: number): string => value.toFixed(0).padStart(5)

/** With PostgreSQL's defaults: every commit is synced. The database may use both cores. */
async function startOnPostgres(closing: Close[], plan: Plan): Promise<Side> {
  const folder = ours.newFolder()
  closing.unshift(() => ours.removeFolder(folder))
  const postgres = await startPostgres([])
  closing.unshift(() => postgres.stop())
  const databaseUrl = await createDatabase(postgres.url, 'bench')
  const fixture = await seed(databaseUrl, folder, plan.revoked)
  return attach(closing, await ours.startLatchkey({ folder, databaseUrl }), fixture)
}

async function start(
  closing: Close[],
  plan: Plan,
  { newFolder, removeFolder, seedFile, startOnCopy }: typeof ours,
): Promise<Side> {
  const folder = newFolder()
  closing.unshift(() => removeFolder(folder))
  const { file, fixture } = await seedFile(folder, plan.revoked)
  return attach(closing, await startOnCopy(folder, file), fixture)
}

async function attach(closing: Close[], server: ours.Server, fixture: ours.Seeded['fixture']): Promise<Side> {
  closing.unshift(() => server.stop())
  const loaded = await attachLoad(server)
  closing.unshift(() => loaded.close())
  return { loaded, fixture }
}

async function* compareSides(
  operations: Operation[],
  plan: Plan,
  [startHere, startThere]: [(closing: Close[]) => Promise<Side>, (closing: Close[]) => Promise<Side>],
  describe = ({ ratio }: Comparison): string => ratio.toFixed(2),
) {
  const closing: Close[] = []
  try {
    const [here, there] = [await startHere(closing), await startThere(closing)]
    for (const { name, title } of operations) {
      for (const side of [there, here]) await warmUp(side, name, plan)
      const compared = await compare(here.loaded, there.loaded, plan)
      yield `${title.padEnd(36)}${describe(compared)}`
    }
  } finally {
    for (const close of closing) await close()
  }
}

async function warmUp({ loaded, fixture }: Side, operation: string, plan: Plan) {
  await loaded.prepare(operation, fixture, plan.workers)
  await loaded.run(plan.warmUp)
}
