import assert from 'node:assert/strict'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { findStream } from '../../../src/oauth/signals/stream-store.ts'
import { openSecret } from '../../../src/operations/webhooks/webhook-secret.ts'
import { findStoredWebhook } from '../../../src/operations/webhooks/webhook-store.ts'
import { streamPurpose } from '../../../src/platform/outbox/stream-authorization-store.ts'
import { createStream, newReceiver } from '../../oauth/signals/receiver.ts'
import { SECRET_KEY, startApp } from '../../support/app.ts'
import { latchkey } from '../../support/command.ts'
import { onEachEngine } from '../../support/engines.ts'
import { anonymous } from '../../support/people.ts'
import { REAL_CLOCK, startReplica } from '../../support/replicas.ts'
import { webhookManager, WEBHOOKS } from '../webhooks/webhook-people.ts'
import { newFolder, newStorage } from './temporary.ts'

const NEW_KEY = 'another-secret-key-of-32-characters-or-more'

function keyFile(t: TestContext, content: string): string {
  const file = join(newFolder(t), 'new-key')
  writeFileSync(file, `${content}\n`)
  return file
}

onEachEngine('latchkey keys reseal', (engine) => {
  test('encrypts keys, waiting mail and secrets of webhooks and streams with the new SECRET_KEY, and changes nothing when it is refused', async (t) => {
    const storage = await newStorage(t, engine)
    const app = await startApp(t, { storage, clock: REAL_CLOCK })
    const json = { email: 'ada@example.com', password: 'correct horse battery staple' }
    assert.equal((await anonymous(app).post('/api/auth/register', json)).statusCode, 201)
    const receiver = await newReceiver(app)
    await createStream(app, receiver, {
      delivery: {
        method: 'urn:ietf:rfc:8935',
        endpoint_url: 'https://receiver.example/events',
        authorization_header: 'Bearer of the receiver',
      },
    })
    const jwks = app.services.signingKeys.jwks()
    const mails = (await app.services.db.read.selectFrom('outgoing_mail').selectAll().execute()).length
    assert.equal(mails, 1)
    const { add, manager } = await webhookManager(app)
    const { webhook, secret } = await add()
    const newer = (await manager.post(`${WEBHOOKS}/${webhook.id}/secret`)).json().secret
    const reseal = (...args: string[]) => latchkey(storage, ['keys', 'reseal', ...args])
    assert.match((await reseal('--new-key-file', keyFile(t, NEW_KEY))).stderr, /already running|still running/)
    await app.close()
    assert.match((await reseal()).stderr, /SECRET_KEY is set: put the new one into a file/)
    assert.match((await reseal('--new-key-file', keyFile(t, 'short'))).stderr, /must be at least 32 characters/)
    const wrong = await latchkey(storage, ['keys', 'reseal', '--new-key-file', keyFile(t, NEW_KEY)], {
      SECRET_KEY: `${NEW_KEY}x`,
    })
    assert.match(wrong.stderr, /can't be opened with the current SECRET_KEY\. Nothing was changed/)
    const done = await reseal('--new-key-file', keyFile(t, NEW_KEY))
    assert.equal(done.code, 0, done.stderr)
    assert.match(
      done.stdout,
      /^Sealed with the new secret: 4 keys, 1 mails, 1 webhooks, 1 streams of shared signals, 0 authenticator apps\.\nSet SECRET_KEY to the new value/,
    )
    assert.match(
      (await reseal('--new-key-file', keyFile(t, NEW_KEY))).stdout,
      /^Everything was sealed with the new secret already/,
    )

    await assert.rejects(startApp(t, { storage, clock: REAL_CLOCK, config: { secretKey: SECRET_KEY } }))
    const again = await startApp(t, { storage, clock: REAL_CLOCK, config: { secretKey: NEW_KEY } })
    assert.equal(again.services.signingKeys.jwks(), jwks)
    const stored = await findStoredWebhook(again.services.db.read, webhook.id)
    assert.deepEqual(
      [stored?.secret_sealed, stored?.previous_secret_sealed].map((sealed) =>
        openSecret(again.services, webhook.id, sealed ?? ''),
      ),
      [newer, secret],
    )
    const stream = await findStream(again.services.db.read, receiver.clientId)
    assert.equal(
      again.services.vault.open(streamPurpose(stream?.id ?? ''), stream?.authorizationSealed ?? '').toString(),
      'Bearer of the receiver',
    )
    await again.tick()
    assert.match(again.logged(), /Mail written to the outbox/)
  })
})

test('keys reseal replaces the key file of the data folder, not while the service runs, and continues after a crash', async (t) => {
  const storage = await newStorage(t)
  const environment = { DATA_DIR: storage.dataDir, SECRET_KEY: '' }
  const replica = await startReplica(t, storage, { environment })
  const file = join(storage.dataDir, 'secret.key')
  const before = readFileSync(file, 'utf8')
  const refused = await latchkey(storage, ['keys', 'reseal'], environment)
  assert.deepEqual([refused.code, /already running/.test(refused.stderr)], [1, true])
  await replica.stop()
  assert.equal((await latchkey(storage, ['keys', 'reseal'], environment)).code, 0)
  const after = readFileSync(file, 'utf8')
  assert.notEqual(after, before)
  // Killed after the commit and before the new file got its name.
  writeFileSync(`${file}.next`, after)
  writeFileSync(file, before)
  assert.match((await latchkey(storage, ['keys', 'reseal'], environment)).stdout, /^Everything was sealed/)
  assert.deepEqual([readFileSync(file, 'utf8'), existsSync(`${file}.next`)], [after, false])
  await startReplica(t, storage, { environment })
})
