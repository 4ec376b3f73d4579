import type { Logger } from 'pino'
import { isClockWrong } from '../../storage/clock-difference.ts'
import { isDue, due } from '../../storage/columns.ts'
import type { Database, Engine, Reader, Trx } from '../../storage/database.ts'

/** Work that no request waits for. */
export interface Job {
  name: string
  /** Absent: at every tick, on every replica, because the job itself claims its work atomically. */
  everyMs?: number
  /** It compares no time that another replica may have stored, so that it runs while this machine's clock is wrong too. */
  runsWithWrongClock?: boolean
  /** Long work ends soon after `stop` is aborted; the rest is done by the next run. */
  run(stop: AbortSignal): Promise<unknown>
  /** Ends, within seconds, the work that a run has left in progress. */
  stop?(): Promise<void>
}

export interface Ticker {
  /** Runs what is due, once. Tests call it; the service calls it every second. */
  tick(): Promise<void>
  start(): void
  stop(): Promise<void>
}

const TICK_MS = 1000
/** A job that fails at every tick is noted this often. */
const NOTE_MS = 60_000

interface TickerServices {
  db: Database
  now: () => number
  log: Logger
  clockDifference: Engine['clockDifference']
}

export function createTicker({ db, now, log, clockDifference }: TickerServices, jobs: readonly Job[]): Ticker {
  const running = new Map<Job, Promise<void>>()
  const stopping = new AbortController()
  const noted = new Map<Job, number>()
  let timer: NodeJS.Timeout | undefined
  let wasClockWrong = false

  /** For the overview of administrators. Without a database the log alone says it. */
  const noteFailure = async (job: Job): Promise<void> => {
    const last = noted.get(job)
    if (last !== undefined && Math.abs(now() - last) < NOTE_MS) return
    noted.set(job, now())
    await db.transaction((trx) => markFailed(trx, job.name, now())).catch(() => noted.delete(job))
  }

  const runOne = async (job: Job): Promise<void> => {
    try {
      if (job.everyMs === undefined || (await claimIfDue(db, job.name, now(), job.everyMs)))
        await job.run(stopping.signal)
    } catch (error) {
      log.warn({ err: error, job: job.name }, 'Background work failed; it is tried again.')
      await noteFailure(job)
    }
  }

  /** With a wrong clock it would end sessions, delete rows and carry out plans before or after their time, for all replicas. */
  const listAllowed = (): readonly Job[] => {
    const isWrong = isClockWrong(clockDifference())
    if (isWrong && !wasClockWrong)
      log.warn("Background work waits until this machine's clock agrees with that of the database.")
    wasClockWrong = isWrong
    return isWrong ? jobs.filter(({ runsWithWrongClock }) => runsWithWrongClock) : jobs
  }

  /** No job waits for another: a mail server that hangs must not delay what is due now. */
  const tick = async (): Promise<void> => {
    for (const job of listAllowed().filter((each) => !running.has(each))) {
      const ended = runOne(job).finally(() => running.delete(job))
      running.set(job, ended)
    }
    await Promise.all(running.values())
  }

  return {
    tick,
    start() {
      timer = setInterval(() => void tick(), TICK_MS)
    },
    async stop() {
      clearInterval(timer)
      stopping.abort()
      await Promise.all([...running.values(), ...jobs.map((job) => job.stop?.())])
    },
  }
}

/**
 * Exactly one replica claims a run: the one whose statement moves the time of the next run. Where clocks differ, a job may
 * run once more than its interval says, which does no harm.
 */
async function claimIfDue(db: Database, name: string, now: number, everyMs: number): Promise<boolean> {
  const nextRunAt = await findNextRun(db.read, name)
  if (nextRunAt !== undefined && !isDue(nextRunAt, now, everyMs)) return false
  return db.transaction((trx) => claimRun(trx, { name, now, everyMs }))
}

async function findNextRun(db: Reader, name: string): Promise<number | undefined> {
  const row = await db.selectFrom('background_jobs').select('next_run_at').where('name', '=', name).executeTakeFirst()
  return row?.next_run_at
}

/** Moves the job to its next time if it is due. False when it is not, as when another replica has just claimed it. */
async function claimRun(
  trx: Trx,
  { name, now, everyMs }: { name: string; now: number; everyMs: number },
): Promise<boolean> {
  const claimed = await trx
    .insertInto('background_jobs')
    .values({ name, next_run_at: now + everyMs })
    .onConflict((conflict) =>
      conflict
        .column('name')
        .doUpdateSet({ next_run_at: now + everyMs })
        .where(due('background_jobs.next_run_at', now, everyMs)),
    )
    .returning('name')
    .execute()
  return claimed.length > 0
}

/** Remembers when a job failed last. */
async function markFailed(trx: Trx, name: string, at: number): Promise<void> {
  await trx
    .insertInto('failed_jobs')
    .values({ name, failed_at: at })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ failed_at: at }))
    .execute()
}
