import { test } from 'node:test'
import { createStorage } from '../support/engines.ts'
import { readInAnotherProcess } from '../support/other-process.ts'
import { crashRepeatedly } from './crash.ts'
import { assertSoundFile } from './invariants.ts'

test('when the service is killed with SIGKILL during mixed writes on SQLite, no acknowledged write is lost', async (t) => {
  const storage = await createStorage('sqlite')
  t.after(storage.remove)
  const file = storage.databaseUrl.slice('sqlite:'.length)
  await crashRepeatedly(t, {
    part: 'Crash on SQLite',
    crashes: 2,
    storage,
    environment: { DATA_DIR: storage.dataDir },
    unavailable: 'never',
    async crash(replica, start) {
      await replica.kill()
      await assertSoundFile(file)
      return start()
    },
  })
  await assertSoundFile(file)
})

test('when other programs open, read and close the SQLite file during mixed writes and the service is then killed, no acknowledged write is lost', async (t) => {
  const storage = await createStorage('sqlite')
  t.after(storage.remove)
  const file = storage.databaseUrl.slice('sqlite:'.length)
  await crashRepeatedly(t, {
    part: 'Other readers and a crash on SQLite',
    crashes: 1,
    storage,
    environment: { DATA_DIR: storage.dataDir },
    unavailable: 'never',
    during: () => readInAnotherProcess(file),
    async crash(replica, start) {
      await readInAnotherProcess(file)
      await replica.kill()
      await assertSoundFile(file)
      return start()
    },
  })
  await assertSoundFile(file)
})
