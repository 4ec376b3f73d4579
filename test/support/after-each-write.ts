import type { TestContext } from 'node:test'
import type { Database } from '../../src/storage/database.ts'

/** Until the test ends, runs the work after each transaction of this database, before whoever made it goes on. */
export function afterEachWrite(t: TestContext, db: Database, work: () => Promise<unknown>): void {
  const { transaction, writeInBackground } = db
  t.mock.method(db, 'transaction', async (write: Parameters<typeof transaction>[0]) => {
    const answer = await transaction(write)
    await work()
    return answer
  })
  t.mock.method(db, 'writeInBackground', async (query: Parameters<typeof writeInBackground>[0]) => {
    const changed = await writeInBackground(query)
    await work()
    return changed
  })
}
