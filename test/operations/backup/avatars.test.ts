import assert from 'node:assert/strict'
import fs, { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test, type TestContext } from 'node:test'
import { makeBackup } from '../../../src/operations/backup/make-backup.ts'
import { form, MULTIPART, picture, putAvatar } from '../../identity/account/upload.ts'
import { startApp } from '../../support/app.ts'
import { registerApplication } from '../../support/application.ts'
import { signedInPerson } from '../../support/people.ts'

function newFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-avatars-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** The pictures that accounts in the backup refer to but that the backup lacks. */
function missingPictures(folder: string): string[] {
  const database = new DatabaseSync(join(folder, 'latchkey.db'), { readOnly: true })
  const named = "select id || '/' || avatar_version || '.webp' as name from users where avatar_version is not null"
  const rows = database.prepare(named).all() as { name: string }[]
  database.close()
  const names = rows.map(({ name }) => name)
  assert.ok(names.length > 0)
  return names.filter((name) => !existsSync(join(folder, 'avatars', name)))
}

/** Runs `action` right before a file is copied, for the first `times` copies. Returns how many of these are left. */
function beforeCopying(t: TestContext, times: number, action: () => Promise<void>): () => number {
  let left = times
  const { copyFile } = fs.promises
  fs.promises.copyFile = async (...args) => {
    if (left > 0) {
      left--
      await action()
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

test('a backup made while an avatar is replaced contains the version that its database refers to', async (t) => {
  const app = await startApp(t)
  const person = await signedInPerson(app)
  await putAvatar(person, await picture())
  const left = beforeCopying(t, 4, async () => {
    assert.equal((await putAvatar(person, await picture(20))).statusCode, 200)
  })
  const backup = await makeBackup(app.services.config, join(newFolder(t), 'mine'), app.clock.now())
  assert.deepEqual(missingPictures(backup.folder), [])
  assert.equal(left(), 0)
})

test('a backup contains the logos of applications', async (t) => {
  const app = await startApp(t)
  const admin = await signedInPerson(app, { admin: true })
  const { clientId } = await registerApplication(app)
  const put = async () => admin.put(`/oauth/clients/${clientId}/logo`, form({ bytes: await picture() }), MULTIPART)
  await put()
  const left = beforeCopying(t, 2, async () => assert.equal((await put()).statusCode, 200))
  const backup = await makeBackup(app.services.config, join(newFolder(t), 'mine'), app.clock.now())
  const { logoUrl } = (await admin.get(`/oauth/clients/${clientId}`)).json<{ client: { logoUrl: string } }>().client
  const version = new URLSearchParams(logoUrl.split('?')[1]).get('v') ?? ''
  assert.ok(existsSync(join(backup.folder, 'avatars', `app_${clientId}`, `${version}.webp`)))
  assert.equal(left(), 0)
})

test('a backup succeeds when the picture of an account is already missing', async (t) => {
  const app = await startApp(t)
  const person = await signedInPerson(app)
  await putAvatar(person, await picture())
  rmSync(join(app.storage.dataDir, 'avatars', person.user.id), { recursive: true })
  const backup = await makeBackup(app.services.config, join(newFolder(t), 'mine'), app.clock.now())
  assert.equal(missingPictures(backup.folder).length, 1)
})
