import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { latchkey } from '../support/command.ts'
import { createStorage } from '../support/engines.ts'
import { sendRequest } from '../support/http-client.ts'
import { readInAnotherProcess } from '../support/other-process.ts'
import { startReplica } from '../support/replicas.ts'

const PASSWORD = 'correct horse battery staple'
const COUNT = 5

const emailsIn = (file: string): string[] => {
  const database = new DatabaseSync(file, { readOnly: true })
  try {
    return (database.prepare('select email from users order by email').all() as { email: string }[]).map(
      ({ email }) => email,
    )
  } finally {
    database.close()
  }
}

test('when another process opens, reads and closes the SQLite file after a restart, no write that is acknowledged later is lost', async (t) => {
  const storage = await createStorage('sqlite')
  t.after(storage.remove)
  const backups = mkdtempSync(join(tmpdir(), 'latchkey-backups-'))
  t.after(() => rmSync(backups, { recursive: true, force: true }))
  const file = storage.databaseUrl.slice('sqlite:'.length)
  const start = () => startReplica(t, storage, { environment: { DATA_DIR: storage.dataDir } })

  // The first start creates the files; the second opens existing ones.
  assert.equal(await (await start()).stop(), 0)
  const replica = await start()
  await readInAnotherProcess(file)
  const emails = Array.from({ length: COUNT }, (_, index) => `after${index}@example.com`)
  for (const email of emails) {
    const answer = await sendRequest(replica.address, 'POST', '/api/auth/register', {
      json: { email, password: PASSWORD },
    })
    assert.equal(answer.status, 201, answer.body)
  }
  const backup = await latchkey(storage, ['backup', join(backups, 'backup')])
  assert.equal(backup.code, 0, backup.stderr)
  await readInAnotherProcess(file)
  await replica.kill()

  const again = await start()
  for (const email of emails) {
    const answer = await sendRequest(again.address, 'POST', '/api/auth/login', { json: { email, password: PASSWORD } })
    assert.equal(answer.status, 200, `${email}: ${answer.body}`)
  }
  assert.deepEqual(emailsIn(join(backups, 'backup', 'latchkey.db')), emails)
})
