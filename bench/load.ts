import { type Connection, openConnection, type Step, withConnection } from './connection.ts'
import type { Fixture } from './fixture.ts'
import { OPERATIONS } from './operations.ts'

/** A load generator is a process of its own. It gets these commands as messages. */
export type LoadCommand =
  | { do: 'prepare'; operation: string; port: number; fixture: Fixture; workers: number }
  | { do: 'run'; milliseconds: number }

export type LoadReply = { ready: true } | { measured: Measured } | { failed: string }

export interface Measured {
  steps: number
  seconds: number
  p50: number
  p99: number
}

/** The times of all steps of a round are kept in memory, so their number is limited. */
const MAX_STEPS = 500_000

let connections: Connection[] = []
let step: Step = () => Promise.reject(new Error('Nothing is prepared.'))

process.on('disconnect', () => process.exit(0))
process.on('message', (command: LoadCommand) => {
  void handle(command).then(
    (reply) => process.send?.(reply),
    (error: unknown) => process.send?.({ failed: error instanceof Error ? error.message : String(error) }),
  )
})

async function handle(command: LoadCommand): Promise<LoadReply> {
  if (command.do === 'run') return { measured: await run(command.milliseconds) }
  const { operation: name, port, fixture, workers } = command
  const operation = OPERATIONS.find((each) => each.name === name)
  if (!operation) throw new Error(`There is no operation ${name}.`)
  for (const connection of connections) connection.close()
  connections = []
  step = await withConnection(port, (connection) => operation.prepare(connection, fixture, workers))
  for (let at = 0; at < workers; at++) connections.push(await openConnection(port))
  return { ready: true }
}

/** Every connection sends a request, waits for the answer and sends the next one, until the time is over. */
async function run(milliseconds: number): Promise<Measured> {
  const times: number[] = []
  const started = performance.now()
  const end = started + milliseconds
  const work = async (connection: Connection, worker: number) => {
    for (let before = performance.now(); before < end && times.length < MAX_STEPS;) {
      await step(connection, worker)
      const after = performance.now()
      times.push(after - before)
      before = after
    }
  }
  await Promise.all(connections.map(work))
  const seconds = (performance.now() - started) / 1000
  const sorted = Float64Array.from(times).toSorted()
  const quantile = (share: number) => sorted[Math.floor(sorted.length * share)] ?? 0
  return { steps: times.length, seconds, p50: quantile(0.5), p99: quantile(0.99) }
}
