import { type Connection, openConnection, type Step } from './connection.ts'
import type { Fixture } from './fixture.ts'
import { OPERATIONS } from './operations.ts'

/** A load generator in a process of its own, told what to do by messages. */
export type Order =
  | { do: 'prepare'; operation: string; port: number; fixture: Fixture; workers: number }
  | { do: 'run'; milliseconds: number }

export type Reply = { ready: true } | { measured: Measured } | { failed: string }

export interface Measured {
  steps: number
  seconds: number
  p50: number
  p99: number
}

/** Bounds a round in number as well as in time. */
const MOST_STEPS = 500_000

let connections: Connection[] = []
let step: Step = () => Promise.reject(new Error('Nothing is prepared.'))

process.on('disconnect', () => process.exit(0))
process.on('message', (order: Order) => {
  void carryOut(order).then(
    (reply) => process.send?.(reply),
    (error: unknown) => process.send?.({ failed: error instanceof Error ? error.message : String(error) }),
  )
})

async function carryOut(order: Order): Promise<Reply> {
  if (order.do === 'run') return { measured: await run(order.milliseconds) }
  const { operation: name, port, fixture, workers } = order
  const operation = OPERATIONS.find((each) => each.name === name)
  if (!operation) throw new Error(`There is no operation ${name}.`)
  for (const connection of connections) connection.close()
  connections = []
  for (let at = 0; at < workers; at++) connections.push(await openConnection(port))
  step = await operation.prepare(connections[0]!, fixture, workers)
  return { ready: true }
}

/** Every connection asks, waits for the answer and asks again, until the time is over. */
async function run(milliseconds: number): Promise<Measured> {
  const times: number[] = []
  const started = performance.now()
  const end = started + milliseconds
  const work = async (connection: Connection, worker: number) => {
    for (let before = performance.now(); before < end && times.length < MOST_STEPS;) {
      await step(connection, worker)
      const after = performance.now()
      times.push(after - before)
      before = after
    }
  }
  await Promise.all(connections.map(work))
  const seconds = (performance.now() - started) / 1000
  const sorted = Float64Array.from(times).toSorted()
  const at = (share: number) => sorted[Math.floor(sorted.length * share)] ?? 0
  return { steps: times.length, seconds, p50: at(0.5), p99: at(0.99) }
}
