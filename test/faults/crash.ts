import type { TestContext } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import type { Place } from '../support/engines.ts'
import { type Replica, startReplica, until } from '../support/replicas.ts'
import type { Tolerance } from './attempt.ts'
import { between, figure, fork, rounds, seededRandom } from './rounds.ts'
import { createTraffic } from './traffic.ts'
import { createWorld, ENVIRONMENT } from './world.ts'

/** Of what earlier rounds left, so much is looked at again in each; at the end, all of it. */
const SAMPLE = 100
/** On a machine with no time to spare a round lasts until there is something to lose. */
const LEAST = 20

interface Subject {
  part: string
  /** How many crashes the short form has. */
  crashes: number
  place: Pick<Place, 'databaseUrl'>
  environment: Record<string, string>
  /** Whether a request may be told that the database is away. */
  unavailable: Tolerance['unavailable']
  /** What else goes on while there is traffic. What is acknowledged after it is lost no more than before. */
  during?(): Promise<void>
  /** Ends something at once, whatever it is doing, and answers the replica that serves afterwards. */
  crash(replica: Replica, start: () => Promise<Replica>, round: number): Promise<Replica>
}

/** Mixed writes, a crash in the midst of them, a look at everything that was acknowledged; and again. */
export async function crashAgainAndAgain(t: TestContext, subject: Subject): Promise<void> {
  const random = seededRandom(t)
  const { part, place } = subject
  const count = rounds(subject.crashes)
  const start = () => startReplica(t, place, { environment: { ...ENVIRONMENT, ...subject.environment } })
  let replica = await start()
  const world = await createWorld(replica.address)
  const traffic = createTraffic(t, world, fork(random))
  traffic.attempts.tolerance = { brokenConnections: true, unavailable: subject.unavailable }
  let checked = 0
  let longestRestart = 0
  for (let round = 0; round < count; round++) {
    const stop = traffic.start()
    await subject.during?.()
    const before = traffic.acknowledged()
    await setTimeout(between(random, 150, 900))
    await until(async () => traffic.acknowledged() - before >= LEAST)
    const crashed = performance.now()
    const stopped = stop()
    replica = await subject.crash(replica, start, round)
    await stopped
    longestRestart = Math.max(longestRestart, performance.now() - crashed)
    world.address = replica.address
    checked += await traffic.verify({ random, sample: SAMPLE })
  }
  await traffic.settle()
  const held = await traffic.verify('all')
  await replica.kill()
  figure(t, part, 'rounds', count)
  figure(t, part, 'acknowledged requests', traffic.acknowledged())
  figure(t, part, 'requests in flight at a crash', traffic.attempts.lost())
  figure(t, part, 'checks after a restart', checked + held)
  figure(t, part, 'acknowledged facts that hold at the end', held)
  figure(t, part, 'longest time from crash to service, ms', longestRestart)
  t.diagnostic(JSON.stringify(Object.fromEntries(traffic.attempts.acknowledged)))
}
