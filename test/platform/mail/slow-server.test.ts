import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { UndeliverableMail } from '../../../src/platform/mail/mail.ts'
import { createSmtp } from '../../../src/platform/mail/smtp.ts'
import { startApp } from '../../support/app.ts'
import { startCuttableProxy } from '../../support/cuttable-proxy.ts'
import { createStorage, type EngineName, MAIN_ENGINE, onEachEngine } from '../../support/engines.ts'
import { until } from '../../support/replicas.ts'
import { startMailServer } from './mail-server.ts'
import { countQueued, register } from './queue.ts'

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

/** A mail server that receives a mail and does not reply to the first one until `answer` is called. */
async function silentServer(t: TestContext) {
  const { promise, resolve: answer } = Promise.withResolvers<void>()
  const first = Promise.withResolvers<void>()
  let decisions = 0
  const server = await startMailServer(t, {
    decide: () => {
      first.resolve()
      return ++decisions === 1 ? promise : Promise.resolve()
    },
  })
  t.after(() => answer())
  return { ...server, answer, receivedFirst: first.promise }
}

onEachEngine('slow mail servers', (engine: EngineName) => {
  test('a server that does not reply for minutes receives the mail once from all replicas, and other mails do not wait', async (t) => {
    const server = await silentServer(t)
    const config = { smtpUrl: server.url }
    const one = await startApp(t, { engine, config })
    const two =
      engine === 'sqlite' ? one : await startApp(t, { engine, config, storage: one.storage, clock: one.clock })
    await register(one, 'slow@example.com')
    const sending = one.tick()
    await server.receivedFirst
    await sending
    for (let step = 0; step < 16; step++) {
      one.clock.advance(MINUTE / 2)
      await one.tick()
      await two.tick()
    }
    assert.equal(server.received.length, 1, 'after eight minutes')
    await register(one, 'quick@example.com')
    await one.tick()
    assert.equal(server.received.length, 2)
    server.answer()
    while ((await countQueued(one)) > 0) await one.tick()
    one.clock.advance(DAY)
    await one.tick()
    await two.tick()
    assert.equal(server.received.length, 2)
  })

  // The rest is the same on every engine.
  if (engine !== MAIN_ENGINE) return

  test('a server that never replies is given up after twenty minutes, and receives nothing twice', async (t) => {
    const server = await silentServer(t)
    const app = await startApp(t, { engine, config: { smtpUrl: server.url } })
    await register(app, 'never@example.com')
    await app.tick()
    for (let minute = 0; minute < 20; minute++) {
      assert.equal(await countQueued(app), 1)
      app.clock.advance(MINUTE)
      await app.tick()
    }
    assert.equal(await countQueued(app), 0)
    assert.equal(server.received.length, 1)
    const events = await app.services.db.read
      .selectFrom('audit_events')
      .select('data')
      .where('action', '=', 'mail.failed')
      .execute()
    assert.equal(events.length, 1)
    assert.match(events[0]?.data ?? '', /may or may not have accepted the mail/)
  })

  test('a mail that was scheduled while the clock was ahead is sent once the clock is correct', async (t) => {
    const server = await startMailServer(t)
    const app = await startApp(t, { engine, config: { smtpUrl: server.url } })
    app.clock.adjust(400 * DAY)
    await register(app, 'later@example.com')
    // The state that a replica leaves when it is killed while sending.
    await app.services.db.transaction((trx) =>
      trx
        .updateTable('outgoing_mail')
        .set({ claim: 'gone', scheduled_at: app.clock.now(), next_attempt_at: app.clock.now() + 2 * MINUTE })
        .execute(),
    )
    await app.tick()
    assert.equal(server.received.length, 0)
    app.clock.adjust(-400 * DAY)
    await app.tick()
    assert.equal(server.received.length, 1)
    assert.equal(await countQueued(app), 0)
  })

  test('changing the clock while a mail is being sent does not send it twice', async (t) => {
    const server = await silentServer(t)
    const app = await startApp(t, { engine, config: { smtpUrl: server.url } })
    await register(app, 'jump@example.com')
    await app.tick()
    for (const jump of [400 * DAY, -800 * DAY, 400 * DAY]) {
      app.clock.adjust(jump)
      await app.tick()
    }
    assert.equal(server.received.length, 1)
  })
})

test('a mail that was accepted while the database was unavailable is not sent again when it is back', async (t) => {
  const storage = await createStorage('postgres')
  t.after(storage.remove)
  const line = await startCuttableProxy(t, storage.databaseUrl)
  const server = await startMailServer(t, { decide: () => line.cut() })
  const app = await startApp(t, {
    engine: 'postgres',
    storage: { ...storage, databaseUrl: line.url },
    config: { smtpUrl: server.url },
  })
  await register(app, 'taken@example.com')
  await app.tick()
  assert.equal(server.received.length, 1)
  await line.restore()
  // The lease has expired, but this replica knows that the mail was sent.
  app.clock.advance(5 * MINUTE)
  await until(async () => {
    await app.tick()
    // The pool may still hold connections that were cut.
    return (await countQueued(app).catch(() => 1)) === 0
  })
  assert.equal(server.received.length, 1)
})

const MAIL = { to: 'a@example.com', subject: 'Hello', text: 'Hello', html: '<p>Hello</p>', link: 'https://example.com' }

test('a mail is not retried when the server has received all of it and does not reply in time', async (t) => {
  const server = await startMailServer(t, { decide: () => new Promise(() => {}) })
  const transport = createSmtp(server.url, 'door@example.com', 300)
  await assert.rejects(transport.send('1', MAIL), UndeliverableMail)
  assert.equal(server.received.length, 1)
})

test('a mail is retried when the server does not reply in time before it has received it', async (t) => {
  const server = await startMailServer(t, { options: { onRcptTo: () => {} } })
  const transport = createSmtp(server.url, 'door@example.com', 300)
  await assert.rejects(transport.send('1', MAIL), (error) => !(error instanceof UndeliverableMail))
})
