import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Connection, withConnection } from '../../bench/connection.ts'
import { newFolder, removeFolder, residentMemory, seedFile, startOnCopy } from '../../bench/servers.ts'
import { addFigure } from './figures.ts'
import { openConnections, type Outcome, quantile, runClosed, runOpen } from './generator.ts'
import { shortOrLong, isLong } from './run-length.ts'
import { slopeOf } from './slope.ts'
import { mixedTraffic, type Share } from './traffic.ts'

const CONNECTIONS = shortOrLong(8, 32)
const REVOKED_CERTIFICATES = shortOrLong(100, 10_000)
const MAX_RATE_RUN_MS = 15_000
const MINUTES = Number(process.env['LOAD_MINUTES'] ?? 10)
const SHORT_MS = 8000
/** Low enough for a machine that also runs other tests. */
const SHORT_RATE = 60
const SHARE_OF_MAX_RATE = Number(process.env['LOAD_SHARE'] ?? 0.7)
/** During these the young heap reaches its full size and SQLite's two caches of 16 MB fill up; later growth would be a leak. */
const WARM_UP_STEPS = 400_000
const MAX_WARM_UP_MS = 300_000
const WARM_UP_SHARE = 0.2
const SAMPLE_MS = 2000
const MAX_MB_PER_MINUTE = 1

test('mixed traffic is answered without a failure, and memory does not grow', async (t) => {
  const folder = newFolder()
  t.after(() => removeFolder(folder))
  const { file, fixture } = await seedFile(folder, REVOKED_CERTIFICATES)
  const server = await startOnCopy(folder, file)
  t.after(() => server.stop())
  const traffic = await withConnection(server.port, (connection) => mixedTraffic(connection, fixture, CONNECTIONS))
  const connections = await openConnections(server.port, CONNECTIONS)
  t.after(() => connections.forEach((each) => each.close()))

  let rate = SHORT_RATE
  if (isLong) {
    await warmUp(connections, traffic)
    const closedLoop = await runClosed(connections, traffic, MAX_RATE_RUN_MS)
    assert.deepEqual(closedLoop.failures, [])
    const maxRate = closedLoop.steps / closedLoop.seconds
    rate = Math.floor(maxRate * SHARE_OF_MAX_RATE)
    addFigure('Load', 'mixed traffic, maximum operations a second on one core (SQLite)', maxRate.toFixed(0))
  }

  const milliseconds = isLong ? MINUTES * 60_000 : SHORT_MS
  const memory: { minute: number; megabytes: number }[] = []
  const started = performance.now()
  const sampling = setInterval(() => {
    memory.push({ minute: (performance.now() - started) / 60_000, megabytes: residentMemory(server.pid) })
  }, SAMPLE_MS)
  t.after(() => clearInterval(sampling))
  const outcome = await runOpen(connections, traffic, { rate, milliseconds })
  clearInterval(sampling)

  assert.deepEqual(outcome.failures, [])
  assert.ok(outcome.steps >= Math.floor((rate * milliseconds) / 1000))
  if (!isLong) return
  const settled = memory.slice(Math.floor(memory.length * WARM_UP_SHARE))
  const slope = slopeOf(settled.map(({ minute, megabytes }) => [minute, megabytes]))
  report(outcome, { rate, slope, memory: settled.map(({ megabytes }) => megabytes) })
  t.diagnostic(`memory in MB: ${memory.map(({ megabytes }) => megabytes.toFixed(0)).join(' ')}`)
  assert.ok(slope < MAX_MB_PER_MINUTE, `memory grows by ${slope} MB a minute`)
})

async function warmUp(connections: Connection[], traffic: Share[]): Promise<void> {
  const end = performance.now() + MAX_WARM_UP_MS
  for (let steps = 0; steps < WARM_UP_STEPS && performance.now() < end;) {
    const outcome = await runClosed(connections, traffic, MAX_RATE_RUN_MS)
    assert.deepEqual(outcome.failures, [])
    steps += outcome.steps
  }
}

function report(
  { times, steps, seconds }: Outcome,
  { rate, slope, memory }: { rate: number; slope: number; memory: number[] },
) {
  const minutes = (seconds / 60).toFixed(1)
  addFigure('Load', `${minutes} minutes at ${rate} operations a second, failures`, `0 of ${steps.toLocaleString('en')}`)
  addFigure(
    'Load',
    'resident memory after the warm-up',
    `${Math.min(...memory).toFixed(0)} to ${Math.max(...memory).toFixed(0)} MB`,
  )
  addFigure('Load', 'slope of resident memory after the warm-up', `${slope.toFixed(2)} MB a minute`)
  for (const [name, sorted] of [...times].toSorted(([a], [b]) => a.localeCompare(b))) {
    const figures = `${quantile(sorted, 0.5).toFixed(1)} / ${quantile(sorted, 0.99).toFixed(1)} ms`
    addFigure('Load', `${name}, p50 / p99`, figures)
  }
}
