import { join } from 'node:path'
import { attachLoad, compare, type LoadedServer } from './compare.ts'
import type { Plan } from './measure.ts'
import type { Operation } from './operations.ts'
import * as ours from './servers.ts'

const ROUNDS = 9

/**
 * Compares this version with another checkout, usually an older version: both on one core, as with the baseline and the
 * peer. Each fills its own database, since their tables may differ. Yields a line for each operation.
 */
export async function* compareWithCheckout(checkout: string, operations: Operation[], plan: Plan) {
  const theirs = (await import(join(checkout, 'bench/servers.ts'))) as typeof ours
  const closing: (() => Promise<void> | void)[] = []
  const start = async ({ newFolder, removeFolder, seedFile, startOnCopy }: typeof ours) => {
    const folder = newFolder()
    closing.unshift(() => removeFolder(folder))
    const { file, fixture } = await seedFile(folder, plan.revoked)
    const server = await startOnCopy(folder, file)
    closing.unshift(() => server.stop())
    const loaded = await attachLoad(server)
    closing.unshift(() => loaded.close())
    return { loaded, fixture }
  }
  try {
    const [here, there] = [await start(ours), await start(theirs)]
    for (const { name, title } of operations) {
      for (const { loaded, fixture } of [there, here]) await warmUp(loaded, name, fixture, plan)
      const { milliseconds } = plan.baseline
      const { ratio } = await compare(here.loaded, there.loaded, { rounds: ROUNDS, milliseconds })
      yield `${title.padEnd(36)}${ratio.toFixed(2)}`
    }
  } finally {
    for (const close of closing) await close()
  }
}

async function warmUp(loaded: LoadedServer, operation: string, fixture: ours.Seeded['fixture'], plan: Plan) {
  await loaded.prepare(operation, fixture, plan.workers)
  await loaded.run(plan.warmUp)
}
