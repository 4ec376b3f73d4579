import type { TestContext } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import type { TestStorage } from '../support/engines.ts'
import { type Replica, startReplica, until } from '../support/replicas.ts'
import type { Tolerance } from './attempt.ts'
import { createInstallation, ENVIRONMENT } from './installation.ts'
import { between, figure, fork, rounds, seededRandom } from './run-options.ts'
import { createTraffic } from './traffic.ts'

/** How many facts of earlier rounds are verified again in each round; at the end, all facts are. */
const SAMPLE_SIZE = 100
/** On a slow machine, a round lasts until so many requests were acknowledged. */
const MIN_REQUESTS = 20

interface CrashTest {
  part: string
  /** The number of crashes in the short form. */
  crashes: number
  storage: Pick<TestStorage, 'databaseUrl'>
  environment: Record<string, string>
  /** Whether a request may be answered 503 because the database is unavailable. */
  unavailable: Tolerance['unavailable']
  /** Runs during the traffic of each round, before the crash. */
  during?(): Promise<void>
  /** Kills a process and returns the replica that serves afterwards. */
  crash(replica: Replica, start: () => Promise<Replica>, round: number): Promise<Replica>
}

/** In each round: mixed writes, a crash during them, and a check that everything acknowledged is still there. */
export async function crashRepeatedly(t: TestContext, crashTest: CrashTest): Promise<void> {
  const random = seededRandom(t)
  const { part, storage } = crashTest
  const count = rounds(crashTest.crashes)
  const start = () => startReplica(t, storage, { environment: { ...ENVIRONMENT, ...crashTest.environment } })
  let replica = await start()
  const installation = await createInstallation(replica.address)
  const traffic = createTraffic(t, installation, fork(random))
  traffic.attempts.tolerance = { brokenConnections: true, unavailable: crashTest.unavailable }
  let checked = 0
  let maxRestartMs = 0
  for (let round = 0; round < count; round++) {
    const stop = traffic.start()
    await crashTest.during?.()
    const before = traffic.acknowledged()
    await setTimeout(between(random, 150, 900))
    await until(async () => traffic.acknowledged() - before >= MIN_REQUESTS)
    const crashedAt = performance.now()
    const stopped = stop()
    replica = await crashTest.crash(replica, start, round)
    await stopped
    maxRestartMs = Math.max(maxRestartMs, performance.now() - crashedAt)
    installation.address = replica.address
    checked += await traffic.verify({ random, sample: SAMPLE_SIZE })
  }
  await traffic.settle()
  const held = await traffic.verify('all')
  await replica.kill()
  figure(t, part, 'rounds', count)
  figure(t, part, 'acknowledged requests', traffic.acknowledged())
  figure(t, part, 'requests in flight at a crash', traffic.attempts.lost())
  figure(t, part, 'checks after a restart', checked + held)
  figure(t, part, 'acknowledged facts that hold at the end', held)
  figure(t, part, 'longest time from crash to service, ms', maxRestartMs)
  t.diagnostic(JSON.stringify(Object.fromEntries(traffic.attempts.acknowledged)))
}
