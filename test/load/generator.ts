import { type Connection, openConnection } from '../../bench/connection.ts'
import type { Share } from './traffic.ts'

/** The result of a run. */
export interface Outcome {
  seconds: number
  steps: number
  /** Milliseconds of every successful step by the name of the operation, sorted. */
  times: Map<string, Float64Array>
  failures: string[]
}

/** With a longer queue the run ends, because the service is too slow and the times would only measure the queue. */
const MAX_QUEUED = 20_000
const MAX_FAILURES = 20

export async function openConnections(port: number, count: number): Promise<Connection[]> {
  const connections: Connection[] = []
  for (let at = 0; at < count; at++) connections.push(await openConnection(port))
  return connections
}

/** Closed loop: every connection sends its next request after the answer. Measures the maximum throughput. */
export async function runClosed(connections: Connection[], shares: Share[], milliseconds: number): Promise<Outcome> {
  const log = createLog()
  const next = mixtureOf(shares)
  const end = performance.now() + milliseconds
  const work = async (connection: Connection, worker: number) => {
    for (let before = performance.now(); before < end && !log.hasTooManyFailures();) {
      await log.run(next(), connection, worker, before)
      before = performance.now()
    }
  }
  await Promise.all(connections.map(work))
  return log.outcome()
}

/**
 * Open loop: sends at a fixed rate, whether the service keeps up or not. The time of a request is measured from when it was
 * due, so that it includes waiting behind slow requests.
 */
export async function runOpen(
  connections: Connection[],
  shares: Share[],
  { rate, milliseconds }: { rate: number; milliseconds: number },
): Promise<Outcome> {
  const log = createLog()
  const next = mixtureOf(shares)
  const idle = connections.map((_, worker) => worker)
  const due: number[] = []
  const started = performance.now()
  const total = Math.floor((rate * milliseconds) / 1000)
  const running = new Set<Promise<void>>()

  const dispatch = () => {
    while (due.length > 0 && idle.length > 0) {
      const at = due.shift() ?? 0
      // Connections take turns, so that none is idle until the service closes it.
      const worker = idle.shift() ?? 0
      const ended = log.run(next(), connections[worker]!, worker, at).then(() => {
        idle.push(worker)
        running.delete(ended)
        dispatch()
      })
      running.add(ended)
    }
  }
  for (let scheduled = 0; scheduled < total && !log.hasTooManyFailures() && due.length < MAX_QUEUED;) {
    for (; scheduled < total && started + (scheduled * 1000) / rate <= performance.now(); scheduled++) {
      due.push(started + (scheduled * 1000) / rate)
    }
    dispatch()
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
  if (due.length >= MAX_QUEUED) log.fail('The service is slower than the rate.')
  while (running.size > 0) await Promise.all(running)
  return log.outcome()
}

/** The same sequence in every run: steps of the golden ratio distribute the shares evenly and without a pattern. */
function mixtureOf(shares: Share[]): () => Share {
  const total = shares.reduce((sum, { weight }) => sum + weight, 0)
  let at = 0
  return () => {
    at = (at + 0.618_033_988_749_895) % 1
    let left = at * total
    return shares.find(({ weight }) => (left -= weight) < 0) ?? shares[0]!
  }
}

function createLog() {
  const started = performance.now()
  const times = new Map<string, number[]>()
  const failures: string[] = []
  let steps = 0
  return {
    hasTooManyFailures: () => failures.length >= MAX_FAILURES,
    fail: (reason: string) => void failures.push(reason),
    async run({ name, step }: Share, connection: Connection, worker: number, since: number): Promise<void> {
      try {
        await step(connection, worker)
        steps++
        const known = times.get(name)
        const took = performance.now() - since
        if (known) known.push(took)
        else times.set(name, [took])
      } catch (error) {
        failures.push(`${name}: ${error instanceof Error ? error.message : String(error)}`)
      }
    },
    outcome: (): Outcome => ({
      seconds: (performance.now() - started) / 1000,
      steps,
      times: new Map([...times].map(([name, each]) => [name, Float64Array.from(each).toSorted()])),
      failures,
    }),
  }
}

export const quantile = (sorted: Float64Array, share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
