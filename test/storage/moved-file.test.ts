import assert from 'node:assert/strict'
import { copyFileSync, renameSync, rmSync } from 'node:fs'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createLogger } from '../../src/platform/http/log.ts'
import { isUnwritable } from '../../src/storage/failure.ts'
import { openStorage } from '../../src/storage/open.ts'
import { createStorage } from '../support/engines.ts'

test('writes to a database file that was moved away or replaced are refused until it is back', async (t) => {
  const storage = await createStorage('sqlite')
  t.after(storage.remove)
  const file = storage.databaseUrl.slice('sqlite:'.length)
  const lines: string[] = []
  const log = createLogger('info', { write: (line: string) => void lines.push(line) })
  const { db, close } = await openStorage(storage.databaseUrl, log, 0)
  t.after(close)
  const write = () =>
    db.transaction((trx) =>
      trx
        .insertInto('background_jobs')
        .values({ name: `job-${lines.length}-${performance.now()}`, next_run_at: 0 })
        .execute(),
    )
  /** The place is looked at again after a moment. */
  const until = async (isRefused: boolean) => {
    for (;;) {
      const refused = await write().then(
        () => false,
        (error: unknown) => isUnwritable(error) || Promise.reject(error as Error),
      )
      if (refused === isRefused) return
      await sleep(5)
    }
  }
  await write()
  renameSync(file, `${file}.away`)
  await until(true)
  assert.equal((await db.read.selectFrom('background_jobs').select('name').execute()).length > 0, true)
  copyFileSync(`${file}.away`, file)
  await assert.rejects(write(), isUnwritable)
  rmSync(file)
  renameSync(`${file}.away`, file)
  await until(false)
  assert.match(lines.join(''), /was moved, removed or replaced\. Writes are refused.*is there again/s)
})
