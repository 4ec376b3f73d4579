import { test } from 'node:test'
import { createPlace } from '../support/engines.ts'
import { readFromOutside } from '../support/outside-process.ts'
import { crashAgainAndAgain } from './crash.ts'
import { assertSoundFile } from './invariants.ts'

test('kill -9 under mixed writes on SQLite loses nothing that was acknowledged', async (t) => {
  const place = await createPlace('sqlite')
  t.after(place.remove)
  const file = place.databaseUrl.slice('sqlite:'.length)
  await crashAgainAndAgain(t, {
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

test('programs that open, read and close the SQLite file under mixed writes, and then kill -9, lose nothing either', async (t) => {
  const place = await createPlace('sqlite')
  t.after(place.remove)
  const file = place.databaseUrl.slice('sqlite:'.length)
  await crashAgainAndAgain(t, {
    part: 'Outside readers and a crash on SQLite',
    crashes: 1,
    place,
    environment: { DATA_DIR: place.dataDir },
    unavailable: 'never',
    during: () => readFromOutside(file),
    async crash(replica, start) {
      await readFromOutside(file)
      await replica.kill()
      await assertSoundFile(file)
      return start()
    },
  })
  await assertSoundFile(file)
})
