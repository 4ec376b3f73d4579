import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Fixture } from './fixture.ts'
import type { LoadCommand, LoadReply, Measured } from './load.ts'
import { LOAD_CORE, processorTime, residentMemory, type Server } from './servers.ts'

/** A server with a load generator of its own. */
export interface LoadedServer {
  server: Server
  prepare(operation: string, fixture: Fixture, workers: number): Promise<void>
  run(milliseconds: number): Promise<Round>
  close(): void
}

export interface Round extends Measured {
  /** Microseconds of the server's processor time for one step. */
  cpu: number
}

/** The time limit for a command to a load generator. */
const MAX_COMMAND_MS = 60_000

/** How long to measure. */
export interface Length {
  rounds: number
  milliseconds: number
}

export interface Plan extends Length {
  workers: number
  warmUp: number
  revoked: number
  /** How many hosts wait for the revocation list, and for how long while nothing changes. */
  waitingHosts: number
  unchangedMs: number
}

/** Medians of the rounds. `memory` is in megabytes, at the end. */
export interface Result {
  cpu: number
  rate: number
  p50: number
  p99: number
  memory: number
}

export interface Comparison {
  first: Result
  second: Result
  /** Processor time per step of the second, divided by that of the first: the median over the rounds. */
  ratio: number
}

export async function attachLoad(server: Server, core: string = LOAD_CORE): Promise<LoadedServer> {
  const load = spawn('taskset', ['-c', core, process.execPath, join(import.meta.dirname, 'load.ts')], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  await once(load, 'spawn')
  return {
    server,
    async prepare(operation, fixture, workers) {
      await sendCommand(server, load, { do: 'prepare', operation, port: server.port, fixture, workers })
    },
    async run(milliseconds) {
      const before = processorTime(server.pid)
      const reply = await sendCommand(server, load, { do: 'run', milliseconds })
      const used = processorTime(server.pid) - before
      if (!('measured' in reply)) throw new Error('The load generator did not measure.')
      return { ...reply.measured, cpu: used / 1000 / reply.measured.steps }
    },
    close: () => load.disconnect(),
  }
}

async function sendCommand(server: Server, load: ChildProcess, command: LoadCommand): Promise<LoadReply> {
  const done = new AbortController()
  const signal = AbortSignal.any([done.signal, AbortSignal.timeout(MAX_COMMAND_MS)])
  load.send(command)
  const [reply] = (await Promise.race([
    once(load, 'message', { signal }),
    once(load, 'exit', { signal }).then(() => [{ failed: 'The load generator ended.' }]),
  ]).finally(() => done.abort())) as [LoadReply]
  if ('failed' in reply) throw new Error(`${server.name}: ${reply.failed}`)
  return reply
}

/**
 * Runs both at the same time on the same core, so that whatever slows the machine down affects both. They are compared by
 * the processor time that each used, not by elapsed time.
 */
export async function compare(
  first: LoadedServer,
  second: LoadedServer,
  { rounds, milliseconds }: Length,
): Promise<Comparison> {
  const results: { first: Round; second: Round }[] = []
  for (let round = 0; round < rounds; round++) {
    const [a, b] = await Promise.all([first.run(milliseconds), second.run(milliseconds)])
    results.push({ first: a, second: b })
  }
  return {
    first: summary(
      results.map((each) => each.first),
      first.server,
    ),
    second: summary(
      results.map((each) => each.second),
      second.server,
    ),
    ratio: median(results.map((each) => each.second.cpu / each.first.cpu)),
  }
}

/** Measures one server alone. */
export async function measureAlone(loaded: LoadedServer, { rounds, milliseconds }: Length): Promise<Result> {
  const results: Round[] = []
  for (let round = 0; round < rounds; round++) results.push(await loaded.run(milliseconds))
  return summary(results, loaded.server)
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
