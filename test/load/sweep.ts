import { execFileSync } from 'node:child_process'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
import { SECRET_KEY } from '../../bench/fixture.ts'
import { run } from '../../bench/grow.ts'
import { expiredStatements } from '../../bench/growth.ts'
import { sweepExpired } from '../../src/background/sweep-expired.ts'
import { readConfig } from '../../src/config/config.ts'
import { createLogger } from '../../src/http/log.ts'
import { openServices } from '../../src/open-services.ts'

const NANOSECONDS = 1e6
const CONTROL_MS = 10_000

export interface Sweep {
  rows: number
  seconds: number
  longestPause: number
  /** The longest that this process was kept from running while it did nothing: what the machine is to blame for. */
  pauseOfTheMachine: number
}

/** Lets so many rows expire, sweeps them away in this process, and watches how long it keeps anything else from running. */
export async function measureSweep(
  { databaseUrl, folder }: { databaseUrl: string; folder: string },
  expired: number,
): Promise<Sweep> {
  await run(databaseUrl, expiredStatements(expired, Math.floor(expired / 10), Date.now()))
  // Else the kernel is still writing gigabytes of that, and the first commits of the sweeper wait for it.
  execFileSync('sync')
  const config = readConfig({ DATA_DIR: folder, DATABASE_URL: databaseUrl, SECRET_KEY })
  const services = await openServices(config, { log: createLogger('silent'), now: Date.now })
  try {
    const control = await longestPauseOf(async () => {
      const end = performance.now() + CONTROL_MS
      while (performance.now() < end) await setImmediate()
    })
    const sweep = await longestPauseOf(() => sweepExpired(services))
    return {
      rows: sweep.result,
      seconds: sweep.seconds,
      longestPause: sweep.longestPause,
      pauseOfTheMachine: control.longestPause,
    }
  } finally {
    await services.close()
  }
}

async function longestPauseOf<T>(work: () => Promise<T>) {
  const delay = monitorEventLoopDelay({ resolution: 1 })
  // What was done before is none of its doing.
  await sleep(100)
  delay.enable()
  const started = performance.now()
  const result = await work()
  const seconds = (performance.now() - started) / 1000
  delay.disable()
  return { result, seconds, longestPause: delay.max / NANOSECONDS }
}
