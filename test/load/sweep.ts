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

const NANOSECONDS_PER_MS = 1e6
const IDLE_RUN_MS = 10_000

export interface Sweep {
  rows: number
  seconds: number
  maxPause: number
  /** The longest pause of the idle process, which is caused by the machine. */
  idlePause: number
}

/** Adds expired rows, sweeps them in this process, and measures how long that blocks the event loop. */
export async function measureSweep(
  { databaseUrl, folder }: { databaseUrl: string; folder: string },
  expired: number,
): Promise<Sweep> {
  await run(databaseUrl, expiredStatements(expired, Math.floor(expired / 10), Date.now()))
  // Otherwise the kernel still writes these gigabytes, and the first commits of the sweeper wait for that.
  execFileSync('sync')
  const config = readConfig({ DATA_DIR: folder, DATABASE_URL: databaseUrl, SECRET_KEY })
  const services = await openServices(config, { log: createLogger('silent'), now: Date.now })
  try {
    const idle = await measureMaxPause(async () => {
      const end = performance.now() + IDLE_RUN_MS
      while (performance.now() < end) await setImmediate()
    })
    const sweep = await measureMaxPause(() => sweepExpired(services))
    return {
      rows: sweep.result,
      seconds: sweep.seconds,
      maxPause: sweep.maxPause,
      idlePause: idle.maxPause,
    }
  } finally {
    await services.close()
  }
}

async function measureMaxPause<T>(work: () => Promise<T>) {
  const delay = monitorEventLoopDelay({ resolution: 1 })
  // Lets the work before it finish, so that it is not measured.
  await sleep(100)
  delay.enable()
  const started = performance.now()
  const result = await work()
  const seconds = (performance.now() - started) / 1000
  delay.disable()
  return { result, seconds, maxPause: delay.max / NANOSECONDS_PER_MS }
}
