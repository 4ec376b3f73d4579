import { test } from 'node:test'
import { createPlace } from '../support/engines.ts'
import { crashAgainAndAgain } from './crash.ts'
import { assertSoundFile } from './invariants.ts'

test('kill -9 under mixed writes on SQLite loses nothing that was acknowledged', async (t) => {
  const place = await createPlace('sqlite')
  t.after(place.remove)
  const file = place.databaseUrl.slice('sqlite:'.length)
  await crashAgainAndAgain(t, {
    part: 'Crash on SQLite',
    place,
    environment: { DATA_DIR: place.dataDir },
    unavailable: 'never',
    async crash(copy, start) {
      await copy.kill()
      await assertSoundFile(file)
      return start()
    },
  })
  await assertSoundFile(file)
})
