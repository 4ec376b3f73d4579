import { execFileSync, fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { SECRET_KEY } from '../../bench/fixture.ts'
import { run } from '../../bench/grow.ts'
import { expiredStatements } from '../../bench/growth.ts'
import { sweepExpired } from '../../src/background/sweep-expired.ts'
import { readConfig } from '../../src/config/config.ts'
import { createLogger } from '../../src/http/log.ts'
import { openServices } from '../../src/open-services.ts'
import { longest, longestWithout, type Pause, recordPauses } from './pauses.ts'

export interface Sweep {
  rows: number
  seconds: number
  /** The longest pauses of the event loop, in milliseconds. */
  pauses: {
    sweeping: number
    /** Of an idle process at the same time: the machine did not run it. */
    idle: number
    /** While sweeping, without the time in which the idle process was paused too. */
    own: number
  }
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
  const idleProcess = fork(new URL('idle-process.ts', import.meta.url))
  try {
    await once(idleProcess, 'message')
    // Lets the work before it finish, so that it is not measured.
    await sleep(100)
    const stop = recordPauses()
    const started = performance.now()
    const rows = await sweepExpired(services)
    const seconds = (performance.now() - started) / 1000
    const sweeping = stop()
    idleProcess.send('report')
    const [idle] = (await once(idleProcess, 'message')) as [Pause[]]
    const own = longestWithout(sweeping, idle)
    return { rows, seconds, pauses: { sweeping: longest(sweeping), idle: longest(idle), own } }
  } finally {
    idleProcess.kill()
    await services.close()
  }
}
