import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { compareEngines, compareWithCheckout, compareWithPeer, measureOurs } from './against.ts'
import type { Plan } from './compare.ts'
import { OPERATIONS } from './operations.ts'
import { profile } from './profile.ts'
import { measureWaits, UNCHANGED_MS } from './waits.ts'

const FULL: Plan = {
  workers: 32,
  warmUp: 5000,
  rounds: 9,
  milliseconds: 1000,
  revoked: 100_000,
  waitingHosts: 10_000,
  unchangedMs: UNCHANGED_MS,
}
/** Shows in a minute that everything works. It is too short for reliable figures. */
const QUICK: Plan = {
  workers: 8,
  warmUp: 200,
  rounds: 1,
  milliseconds: 200,
  revoked: 2000,
  waitingHosts: 500,
  unchangedMs: 2000,
}
const PROFILE_MS = 8000

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true, default: [] },
    profile: { type: 'string' },
    against: { type: 'string' },
    engines: { type: 'boolean', default: false },
    peer: { type: 'string' },
    waits: { type: 'boolean', default: false },
    managed: { type: 'boolean', default: false },
    different: { type: 'boolean', default: false },
    postgres: { type: 'boolean', default: false },
  },
})
const plan = values.quick ? QUICK : FULL
const operations = OPERATIONS.filter(({ name }) => values.only.length === 0 || values.only.includes(name))

if (process.platform !== 'linux' || availableParallelism() < 2)
  throw new Error('The benchmark pins processes to cores and reads /proc: it needs Linux, taskset and two cores.')
if (operations.length === 0) throw new Error(`The operations are ${OPERATIONS.map(({ name }) => name).join(', ')}.`)
// Servers are stopped in the 'exit' handler, which Node does not run when a signal ends the process.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))

for await (const line of lines()) process.stdout.write(`${line}\n`)

async function* lines(): AsyncGenerator<string> {
  const { against, peer } = values
  if (against !== undefined) yield* compareWithCheckout(resolve(against), operations, plan)
  else if (peer === 'memory' || peer === 'sqlite') yield* compareWithPeer(peer, operations, plan)
  else if (peer !== undefined) throw new Error('--peer is memory or sqlite.')
  else if (values.engines) yield* compareEngines(operations, plan)
  else if (values.waits) yield* describeWaits()
  else if (values.profile === undefined) yield* measureOurs(operations, plan)
  else yield* await profile(values.profile, process.cwd(), values.quick ? 1000 : PROFILE_MS)
}

async function* describeWaits(): AsyncGenerator<string> {
  const { managed, different, postgres: onPostgres } = values
  const { waitingHosts, revoked, unchangedMs } = plan
  const { hosts, idle, core, memory, first, second, disable } = await measureWaits({
    hosts: waitingHosts,
    managed,
    different,
    revoked,
    unchangedMs,
    onPostgres,
  })
  yield `idle: ${idle.toFixed(0)} MB`
  yield `${hosts} hosts wait, nothing changes: ${(core * 100).toFixed(1)} % of a core, ${memory.toFixed(0)} MB`
  for (const [what, wave] of Object.entries({ 'a revocation': first, 'another one': second, 'a disable': disable }))
    yield `${what}: all told after ${wave.told.toFixed(0)} ms, all have the lists after ${wave.fetched.toFixed(0)} ms (${wave.processor.toFixed(0)} ms of the processor); ${wave.memory.toFixed(0)} MB`
}
