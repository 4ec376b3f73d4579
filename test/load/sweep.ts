import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { run } from '../../bench/grow.ts'
import { expiredStatements } from '../../bench/growth.ts'
import { SERVER_CORE } from '../../bench/servers.ts'
import { longest, longestWithout, type Pause } from './pauses.ts'
import type { Swept } from './sweep-process.ts'

export interface Sweep extends Omit<Swept, 'pauses'> {
  /** The longest pauses of the event loop, in milliseconds. */
  pauses: {
    sweeping: number
    /** Of an idle process on the same core: the machine did not run it. */
    idle: number
    /** While sweeping, without the time in which the idle process was paused too. */
    own: number
  }
}

/** Adds expired rows, sweeps them, and measures how long that blocks the event loop. */
export async function measureSweep(
  { databaseUrl, folder }: { databaseUrl: string; folder: string },
  expired: number,
): Promise<Sweep> {
  await run(databaseUrl, expiredStatements(expired, Math.floor(expired / 10), Date.now()))
  // Otherwise the kernel still writes these gigabytes, and the first commits of the sweeper wait for that.
  execFileSync('sync')
  const idle = start('idle-process.ts')
  try {
    await reportOf(idle)
    const { pauses: sweeping, ...swept } = await reportOf<Swept>(start('sweep-process.ts', databaseUrl, folder))
    idle.send('report')
    const resting = await reportOf<Pause[]>(idle)
    const own = longestWithout(sweeping, resting)
    return { ...swept, pauses: { sweeping: longest(sweeping), idle: longest(resting), own } }
  } finally {
    idle.kill()
  }
}

/** Both on one core, so that whatever takes it away from one takes it from the other. */
const start = (file: string, ...args: string[]): ChildProcess =>
  spawn('taskset', ['-c', SERVER_CORE, process.execPath, join(import.meta.dirname, file), ...args], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })

async function reportOf<Report>(child: ChildProcess): Promise<Report> {
  const [report] = (await Promise.race([
    once(child, 'message'),
    // All messages come before it; the end of the process may come before the last one.
    once(child, 'disconnect').then(() => {
      throw new Error('The process ended without a report.')
    }),
  ])) as [Report]
  return report
}
