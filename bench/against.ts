import { join } from 'node:path'
import { createDatabase, startPostgres } from '../test/support/postgres.ts'
import { attachLoad, compare, type Comparison, type LoadedServer } from './compare.ts'
import type { Plan } from './measure.ts'
import type { Operation } from './operations.ts'
import { restrictApplication } from './restrict.ts'
import { seed } from './seed.ts'
import * as ours from './servers.ts'

const ROUNDS = 9

type Close = () => Promise<void> | void

/** A running server with its load generator. */
interface Side {
  loaded: LoadedServer
  fixture: ours.Seeded['fixture']
}

/**
 * Compares this version with another checkout, usually an older version: both on one core, as with the baseline and the
 * peer. Each fills its own database, since their tables may differ. Yields a line for each operation.
 */
export async function* compareWithCheckout(checkout: string, operations: Operation[], plan: Plan) {
  const theirs = (await import(join(checkout, 'bench/servers.ts'))) as typeof ours
  yield* compareSides(operations, plan, [
    (closing) => start(closing, plan, ours),
    (closing) => start(closing, plan, theirs),
  ])
}

/** Compares an application that is restricted to a role and told mapped claims with one that is not, in this version. */
export async function* compareRestricted(operations: Operation[], plan: Plan) {
  const restrict = (folder: string, { file, fixture }: ours.Seeded) =>
    restrictApplication(`sqlite:${file}`, folder, fixture.clientId)
  yield* compareSides(operations, plan, [
    (closing) => start(closing, plan, ours, restrict),
    (closing) => start(closing, plan, ours),
  ])
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
  const server = await ours.startLatchkey({ folder, databaseUrl })
  closing.unshift(() => server.stop())
  const loaded = await attachLoad(server)
  closing.unshift(() => loaded.close())
  return { loaded, fixture }
}

async function start(
  closing: Close[],
  plan: Plan,
  { newFolder, removeFolder, seedFile, startOnCopy }: typeof ours,
  change: (folder: string, seeded: ours.Seeded) => Promise<void> = async () => {},
): Promise<Side> {
  const folder = newFolder()
  closing.unshift(() => removeFolder(folder))
  const seeded = await seedFile(folder, plan.revoked)
  await change(folder, seeded)
  const server = await startOnCopy(folder, seeded.file)
  closing.unshift(() => server.stop())
  const loaded = await attachLoad(server)
  closing.unshift(() => loaded.close())
  return { loaded, fixture: seeded.fixture }
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
      const { milliseconds } = plan.baseline
      const compared = await compare(here.loaded, there.loaded, { rounds: ROUNDS, milliseconds })
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
