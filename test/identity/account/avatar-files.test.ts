import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test, type TestContext } from 'node:test'
import type { User } from '../../../src/identity/users/user.ts'
import { createPictureSweeper } from '../../../src/platform/pictures/sweep-pictures.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { createClock } from '../../support/clock.ts'
import { type EngineName, MAIN_ENGINE, onEachEngine } from '../../support/engines.ts'
import { loseNextCommit } from '../../support/lost-commit.ts'
import { type Person, signedInPerson } from '../../support/people.ts'
import { pollDuring } from '../../support/poll-during.ts'
import { startS3 } from '../../support/s3.ts'
import { AVATAR_PATH, picture, putAvatar } from './upload.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR

/** The service with its avatars in a folder or in an object store, and the names of the stored files. */
interface Fixture {
  app: TestApp
  names(): Promise<string[]>
}

const STORES: Record<string, (t: TestContext, engine: EngineName) => Promise<Fixture>> = {
  'in a folder': async (t, engine) => {
    const app = await startApp(t, { engine, clock: createClock(Date.now()) })
    const folder = join(app.storage.dataDir, 'avatars')
    const names = async () =>
      existsSync(folder)
        ? readdirSync(folder, { recursive: true })
            .map(String)
            .filter((name) => name.includes('/'))
        : []
    return { app, names }
  },
  'in an object store': async (t, engine) => {
    const s3 = await startS3(t)
    const app = await startApp(t, { engine, clock: createClock(Date.now()), config: { s3: s3.config } })
    return { app, names: s3.names }
  },
}

const avatarOf = async (person: Person) => (await person.get('/api/account/profile')).json<User>().avatarUrl

for (const [where, open] of Object.entries(STORES)) {
  onEachEngine(`avatars stored ${where}`, (engine) => {
    test('an upload whose commit succeeds but is reported as failed keeps the picture that the account refers to', async (t) => {
      const { app, names } = await open(t, engine)
      const person = await signedInPerson(app)
      assert.equal((await putAvatar(person, await picture(10))).statusCode, 200)
      const before = await avatarOf(person)
      const isLost = loseNextCommit(t)
      assert.equal((await putAvatar(person, await picture(20))).statusCode, 503)
      assert.ok(isLost())
      assert.notEqual(await avatarOf(person), before, 'the account refers to the new one')
      assert.equal((await person.get(AVATAR_PATH)).statusCode, 200)
      assert.equal((await names()).length, 2)

      app.clock.advance(DAY + HOUR)
      assert.equal(await createPictureSweeper(app.services)(), 1, 'the old one is deleted after a day')
      assert.equal((await person.get(AVATAR_PATH)).statusCode, 200)
      assert.equal((await names()).length, 1)
    })

    test('eight concurrent uploads and two deletions leave only the picture that the profile shows', async (t) => {
      const { app, names } = await open(t, engine)
      const person = await signedInPerson(app)
      const pictures = await Promise.all(Array.from({ length: 8 }, (_, index) => picture(10 + index)))
      const answers = await Promise.all([
        ...pictures.map((bytes) => putAvatar(person, bytes)),
        person.delete(AVATAR_PATH),
        person.delete(AVATAR_PATH),
      ])
      for (const { statusCode, body } of answers) assert.equal(statusCode, 200, body)
      const shown = await avatarOf(person)
      assert.equal((await names()).length, shown === null ? 0 : 1)
      assert.equal((await person.get(AVATAR_PATH)).statusCode, shown === null ? 404 : 200)
    })

    // The rest is the same on every engine.
    if (engine !== MAIN_ENGINE) return

    test('a refused upload leaves no file behind', async (t) => {
      const { app, names } = await open(t, engine)
      const person = await signedInPerson(app)
      // The session ends between the guard and the transaction.
      const { put } = app.services.blobs
      app.services.blobs.put = async (...args) => {
        await put(...args)
        await app.services.db.transaction((trx) =>
          trx.deleteFrom('sessions').where('id', '=', person.sessionId).execute(),
        )
      }
      assert.equal((await putAvatar(person, await picture())).statusCode, 401)
      assert.deepEqual(await names(), [])
    })

    test('deleting an account removes all of its pictures, including an orphaned one', async (t) => {
      const { app, names } = await open(t, engine)
      const admin = await signedInPerson(app, { admin: true })
      const [person, other] = [await signedInPerson(app), await signedInPerson(app)]
      for (const each of [person, other]) await putAvatar(each, await picture())
      await app.services.blobs.put(`${person.user.id}/leftover.webp`, Buffer.from('old'), 'image/webp')
      assert.equal((await names()).length, 3)
      assert.equal((await admin.delete(`/api/admin/users/${person.user.id}`)).statusCode, 200)
      assert.equal((await names()).length, 1)
      assert.equal((await other.get(AVATAR_PATH)).statusCode, 200)
    })

    test('the sweeper keeps files that are younger than a day, that an account refers to, or that are not avatars', async (t) => {
      const { app, names } = await open(t, engine)
      const person = await signedInPerson(app)
      await putAvatar(person, await picture())
      const { blobs } = app.services
      const orphans = [`${person.user.id}/orphan.webp`, 'usr_nobody/orphan.webp']
      for (const name of [...orphans, 'something/else.webp']) await blobs.put(name, Buffer.from('x'), 'image/webp')
      assert.equal((await names()).length, 4)
      const sweep = createPictureSweeper(app.services)
      assert.equal(await sweep(), 0, 'nothing is a day old')
      app.clock.advance(DAY - HOUR)
      assert.equal(await sweep(), 0)
      app.clock.advance(2 * HOUR)
      assert.equal(await sweep(), 2)
      for (const name of orphans) assert.equal(await blobs.get(name), undefined)
      assert.ok(await blobs.get('something/else.webp'))
      assert.equal((await person.get(AVATAR_PATH)).statusCode, 200)
    })
  })
}

test('the sweeper checks a thousand files in one run, continues from there in the next, and deletes unfinished uploads too', async (t) => {
  const app = await startApp(t)
  const { dataDir } = app.storage
  const old = app.clock.now() / 1000 - 2 * 24 * 3600
  const names = Array.from({ length: 1050 }, (_, index) => `usr_${index}/orphan.webp`)
  names.push('usr_1/upload.webp.6b1f6f6e-0a0c-4b8e-9a39-1a52fd5cf0f4.part')
  for (const name of names) {
    const path = join(dataDir, 'avatars', name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, 'x')
    utimesSync(path, old, old)
  }
  const sweep = createPictureSweeper(app.services)
  assert.equal(await sweep(), 1000)
  assert.equal(await sweep(), 51)
  assert.deepEqual(readdirSync(join(dataDir, 'avatars')), [], 'empty folders are deleted too')
})

test('a request for an avatar that is being replaced gets the old one or the new one', async (t) => {
  const app = await startApp(t)
  const person = await signedInPerson(app)
  await putAvatar(person, await picture())
  const replacing = (async () => {
    for (let round = 0; round < 10; round++) await putAvatar(person, await picture(20 + round))
  })()
  const seen = await pollDuring(replacing, async () => (await person.get(AVATAR_PATH)).statusCode)
  assert.deepEqual([...seen], [200])
  await replacing
})
