import { test } from 'node:test'
import { createPlace } from '../support/engines.ts'
import { readInAnotherProcess } from '../support/other-process.ts'
import { crashRepeatedly } from './crash.ts'
import { assertSoundFile } from './invariants.ts'

test('when the service is killed with SIGKILL during mixed writes on SQLite, no acknowledged write is lost', async (t) => {
  const place = await createPlace('sqlite')
  t.after(place.remove)
  const file = place.databaseUrl.slice('sqlite:'.length)
  await crashRepeatedly(t, {
    part: 'Crash on SQLite',
    crashes: 2,
    place,
    environment: { DATA_DIR: place.dataDir },
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
  const place = await createPlace('sqlite')
  t.after(place.remove)
  const file = place.databaseUrl.slice('sqlite:'.length)
  await crashRepeatedly(t, {
    part: 'Other readers and a crash on SQLite',
    crashes: 1,
    place,
    environment: { DATA_DIR: place.dataDir },
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
