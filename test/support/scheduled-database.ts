import type { Scheduler } from 'fast-check'
import type { Database, Reader } from '../../src/storage/database.ts'
import { StorageFailure } from '../../src/storage/failure.ts'

/** Whether a statement or a transaction fails as unavailable, and whether it was done all the same. */
export type DatabaseFault = 'none' | 'before' | 'after'

/** The same database, in which the scheduler decides when each statement and each transaction starts and is answered. */
export function scheduleDatabase(
  db: Database,
  scheduler: Scheduler,
  nextFault: () => DatabaseFault = () => 'none',
): Database {
  const later =
    <Args extends unknown[], T>(run: (...args: Args) => Promise<T>) =>
    async (...args: Args): Promise<T> => {
      const fault = nextFault()
      await scheduler.schedule(Promise.resolve(), 'start')
      if (fault === 'before') throw new StorageFailure('unavailable', 'before it was done')
      const result = await run(...args)
      await scheduler.schedule(Promise.resolve(), 'answer')
      if (fault === 'after') throw new StorageFailure('unavailable', 'after it was done')
      return result
    }
  const read = new Proxy(db.read, {
    get(target, key) {
      const found: unknown = Reflect.get(target, key, target)
      if (typeof found !== 'function') return found
      const bound = found.bind(target) as Reader['run']
      return key === 'run' ? later(bound) : bound
    },
  })
  return { ...db, read, run: later(db.run), transaction: later(db.transaction) }
}
