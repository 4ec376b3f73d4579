import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Fixture } from './fixture.ts'
import type { Measured, Order, Reply } from './load.ts'
import { LOAD_CORE, processorTime, residentMemory, type Server } from './servers.ts'

/** A server with a load generator of its own. */
export interface Contestant {
  server: Server
  prepare(operation: string, fixture: Fixture, workers: number): Promise<void>
  run(milliseconds: number): Promise<Round>
  close(): void
}

export interface Round extends Measured {
  /** Microseconds of the server's processor time for one step. */
  cpu: number
}

/** Whatever hangs ends the run. */
const LONGEST_ORDER_MS = 60_000

/** How long to measure. */
export interface Length {
  rounds: number
  milliseconds: number
}

/** What a contestant did, as medians of its rounds. */
export interface Result {
  cpu: number
  rate: number
  p50: number
  p99: number
  memory: number
}

export interface Duel {
  first: Result
  second: Result
  /** How much less processor time the first needs than the second: the median over the rounds. */
  ratio: number
}

export async function createContestant(server: Server, core: string = LOAD_CORE): Promise<Contestant> {
  const load = spawn('taskset', ['-c', core, process.execPath, join(import.meta.dirname, 'load.ts')], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  await once(load, 'spawn')
  return {
    server,
    async prepare(operation, fixture, workers) {
      await ask(server, load, { do: 'prepare', operation, port: server.port, fixture, workers })
    },
    async run(milliseconds) {
      const before = processorTime(server.pid)
      const reply = await ask(server, load, { do: 'run', milliseconds })
      const used = processorTime(server.pid) - before
      if (!('measured' in reply)) throw new Error('The load generator did not measure.')
      return { ...reply.measured, cpu: used / 1000 / reply.measured.steps }
    },
    close: () => load.disconnect(),
  }
}

async function ask(server: Server, load: ChildProcess, order: Order): Promise<Reply> {
  const heard = new AbortController()
  const signal = AbortSignal.any([heard.signal, AbortSignal.timeout(LONGEST_ORDER_MS)])
  load.send(order)
  const [reply] = (await Promise.race([
    once(load, 'message', { signal }),
    once(load, 'exit', { signal }).then(() => [{ failed: 'The load generator ended.' }]),
  ]).finally(() => heard.abort())) as [Reply]
  if ('failed' in reply) throw new Error(`${server.name}: ${reply.failed}`)
  return reply
}

/**
 * Both at the same time on the same core: whatever slows the machine down slows down both. Each is measured by the
 * processor time that it was given, not by the time on the clock.
 */
export async function duel(first: Contestant, second: Contestant, { rounds, milliseconds }: Length): Promise<Duel> {
  const seen: { first: Round; second: Round }[] = []
  for (let round = 0; round < rounds; round++) {
    const [a, b] = await Promise.all([first.run(milliseconds), second.run(milliseconds)])
    seen.push({ first: a, second: b })
  }
  return {
    first: summary(
      seen.map((each) => each.first),
      first.server,
    ),
    second: summary(
      seen.map((each) => each.second),
      second.server,
    ),
    ratio: median(seen.map((each) => each.second.cpu / each.first.cpu)),
  }
}

/** One server alone. */
export async function solo(contestant: Contestant, { rounds, milliseconds }: Length): Promise<Result> {
  const seen: Round[] = []
  for (let round = 0; round < rounds; round++) seen.push(await contestant.run(milliseconds))
  return summary(seen, contestant.server)
}

const summary = (rounds: Round[], server: Server): Result => ({
  cpu: median(rounds.map(({ cpu }) => cpu)),
  rate: median(rounds.map(({ steps, seconds }) => steps / seconds)),
  p50: median(rounds.map(({ p50 }) => p50)),
  p99: median(rounds.map(({ p99 }) => p99)),
  memory: residentMemory(server.pid),
})

export function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  return sorted.length % 2 === 1 ? (sorted[middle] ?? 0) : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2
}
