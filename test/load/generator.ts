import { type Connection, openConnection } from '../../bench/connection.ts'
import type { Share } from './traffic.ts'

/** What came of it, by the name of the operation. */
export interface Outcome {
  seconds: number
  steps: number
  /** Milliseconds of every step that went well, sorted. */
  times: Map<string, Float64Array>
  failures: string[]
}

/** Above this the service has fallen behind for good, and going on would only measure the queue. */
const MOST_WAITING = 20_000
const MOST_FAILURES = 20

export async function openConnections(port: number, count: number): Promise<Connection[]> {
  const connections: Connection[] = []
  for (let at = 0; at < count; at++) connections.push(await openConnection(port))
  return connections
}

/** Every connection asks as fast as it is answered: what the service can do at most. */
export async function runClosed(connections: Connection[], shares: Share[], milliseconds: number): Promise<Outcome> {
  const log = createLog()
  const next = inMixture(shares)
  const end = performance.now() + milliseconds
  const work = async (connection: Connection, worker: number) => {
    for (let before = performance.now(); before < end && !log.isHopeless();) {
      await log.take(next(), connection, worker, before)
      before = performance.now()
    }
  }
  await Promise.all(connections.map(work))
  return log.outcome()
}

/**
 * So many a second, whether the service keeps up or not. A request's time counts from when it was due, so that waiting
 * behind a slow one is not left out.
 */
export async function runOpen(
  connections: Connection[],
  shares: Share[],
  { rate, milliseconds }: { rate: number; milliseconds: number },
): Promise<Outcome> {
  const log = createLog()
  const next = inMixture(shares)
  const idle = connections.map((_, worker) => worker)
  const due: number[] = []
  const started = performance.now()
  const total = Math.floor((rate * milliseconds) / 1000)
  const running = new Set<Promise<void>>()

  const dispatch = () => {
    while (due.length > 0 && idle.length > 0) {
      const at = due.shift() ?? 0
      // In turn, so that none is idle for so long that the service closes it.
      const worker = idle.shift() ?? 0
      const ended = log.take(next(), connections[worker]!, worker, at).then(() => {
        idle.push(worker)
        running.delete(ended)
        dispatch()
      })
      running.add(ended)
    }
  }
  for (let asked = 0; asked < total && !log.isHopeless() && due.length < MOST_WAITING;) {
    for (; asked < total && started + (asked * 1000) / rate <= performance.now(); asked++) {
      due.push(started + (asked * 1000) / rate)
    }
    dispatch()
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
  if (due.length >= MOST_WAITING) log.fail('The service has fallen behind.')
  while (running.size > 0) await Promise.all(running)
  return log.outcome()
}

/** The same mixture every time: a step of the golden ratio visits all shares evenly, in an order without a pattern. */
function inMixture(shares: Share[]): () => Share {
  const whole = shares.reduce((sum, { weight }) => sum + weight, 0)
  let at = 0
  return () => {
    at = (at + 0.618_033_988_749_895) % 1
    let left = at * whole
    return shares.find(({ weight }) => (left -= weight) < 0) ?? shares[0]!
  }
}

function createLog() {
  const started = performance.now()
  const times = new Map<string, number[]>()
  const failures: string[] = []
  let steps = 0
  return {
    isHopeless: () => failures.length >= MOST_FAILURES,
    fail: (reason: string) => void failures.push(reason),
    async take({ name, step }: Share, connection: Connection, worker: number, since: number): Promise<void> {
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
