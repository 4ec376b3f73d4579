import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { type Case, oauthCases } from './oauth.ts'
import type { Prepared } from './service.ts'

/**
 * npm run bench [-- <part of a name> …]. DATABASE_URL chooses the engine; without it, SQLite in a folder of its own.
 * The service and this load generator share the machine, so the processor time of the service says more than the rate.
 */
const WORKERS = 32
const WARM_UP_MS = 1000
const MEASURED_MS = 4000

const service = fork(join(import.meta.dirname, 'service.ts'), { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
const [prepared] = (await once(service, 'message')) as [Prepared]
const wanted = process.argv.slice(2)
const cases = Object.entries(await oauthCases(prepared, WORKERS)).filter(
  ([name]) => wanted.length === 0 || wanted.some((part) => name.includes(part)),
)

say(
  `${'case'.padEnd(20)}${'requests/s'.padStart(12)}${'CPU µs each'.padStart(14)}${'p50 ms'.padStart(10)}${'p99 ms'.padStart(10)}`,
)
for (const [name, run] of cases) {
  await load(run, WARM_UP_MS)
  const before = await cpuMicroseconds()
  const started = performance.now()
  const times = (await load(run, MEASURED_MS)).toSorted((a, b) => a - b)
  const seconds = (performance.now() - started) / 1000
  const cpu = ((await cpuMicroseconds()) - before) / times.length
  const at = (share: number) => (times[Math.floor(times.length * share)] ?? 0).toFixed(1).padStart(10)
  say(
    `${name.padEnd(20)}${(times.length / seconds).toFixed(0).padStart(12)}${cpu.toFixed(0).padStart(14)}${at(0.5)}${at(0.99)}`,
  )
}
service.disconnect()

/** Runs the case from all workers at once for so long; answers how long each run took. */
async function load(run: Case, milliseconds: number): Promise<number[]> {
  const times: number[] = []
  const end = performance.now() + milliseconds
  const work = async (worker: number) => {
    for (let now = performance.now(); now < end;) {
      await run(worker)
      const after = performance.now()
      times.push(after - now)
      now = after
    }
  }
  await Promise.all(Array.from({ length: WORKERS }, (_, worker) => work(worker)))
  return times
}

async function cpuMicroseconds(): Promise<number> {
  service.send('cpu')
  const [{ user, system }] = (await once(service, 'message')) as [NodeJS.CpuUsage]
  return user + system
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}
