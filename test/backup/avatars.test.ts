import assert from 'node:assert/strict'
import fs, { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test, type TestContext } from 'node:test'
import { makeBackup } from '../../src/backup/make-backup.ts'
import { picture, putAvatar } from '../account/upload.ts'
import { startApp } from '../support/app.ts'
import { signedInPerson } from '../support/people.ts'

function newFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-avatars-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** The pictures that the accounts in a backup point at, and that are not in it. */
function missingIn(folder: string): string[] {
  const database = new DatabaseSync(join(folder, 'latchkey.db'), { readOnly: true })
  const named = "select id || '/' || avatar_version || '.webp' as name from users where avatar_version is not null"
  const rows = database.prepare(named).all() as { name: string }[]
  database.close()
  const names = rows.map(({ name }) => name)
  assert.ok(names.length > 0)
  return names.filter((name) => !existsSync(join(folder, 'avatars', name)))
}

/** Right before a file is copied, so many times, something happens. */
function beforeCopying(t: TestContext, times: number, happen: () => Promise<void>): () => number {
  let left = times
  const { copyFile } = fs.promises
  fs.promises.copyFile = async (...args) => {
    if (left > 0) {
      left--
      await happen()
    }
    return copyFile(...args)
  }
  syncBuiltinESMExports()
  t.after(() => {
    fs.promises.copyFile = copyFile
    syncBuiltinESMExports()
  })
  return () => left
}

test('an avatar that is replaced while a backup is made is in the backup, in the version that the backup names', async (t) => {
  const app = await startApp(t)
  const person = await signedInPerson(app)
  await putAvatar(person, await picture())
  const left = beforeCopying(t, 4, async () => {
    assert.equal((await putAvatar(person, await picture(20))).statusCode, 200)
  })
  const backup = await makeBackup(app.services.config, join(newFolder(t), 'mine'), app.clock.now())
  assert.deepEqual(missingIn(backup.folder), [])
  assert.equal(left(), 0)
})

test('an account whose picture was lost before is no reason to make no backup', async (t) => {
  const app = await startApp(t)
  const person = await signedInPerson(app)
  await putAvatar(person, await picture())
  rmSync(join(app.place.dataDir, 'avatars', person.user.id), { recursive: true })
  const backup = await makeBackup(app.services.config, join(newFolder(t), 'mine'), app.clock.now())
  assert.equal(missingIn(backup.folder).length, 1)
})
