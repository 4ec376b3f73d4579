import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { UndeliverableMail } from '../../src/mail/mail.ts'
import { createSmtp } from '../../src/mail/smtp.ts'
import { startApp, type TestApp } from '../support/app.ts'
import { cuttable } from '../support/cuttable.ts'
import { createPlace, type EngineName, onEachEngine } from '../support/engines.ts'
import { anonymous } from '../support/people.ts'
import { until } from '../support/replicas.ts'
import { startMailServer } from './mail-server.ts'

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

const register = async (app: TestApp, email: string): Promise<void> => {
  const response = await anonymous(app).post('/api/auth/register', { email, password: 'correct horse battery staple' })
  assert.equal(response.statusCode, 201, response.body)
}

const waiting = async ({ services }: TestApp): Promise<number> =>
  (await services.db.read.selectFrom('outgoing_mail').select('id').execute()).length

/** A mail server that takes a mail and says nothing until it is told to. */
async function silentServer(t: TestContext) {
  const { promise, resolve: answer } = Promise.withResolvers<void>()
  const first = Promise.withResolvers<void>()
  let asked = 0
  const server = await startMailServer(t, {
    decide: () => {
      first.resolve()
      return ++asked === 1 ? promise : Promise.resolve()
    },
  })
  t.after(() => answer())
  return { ...server, answer, gotOne: first.promise }
}

onEachEngine('a mail server that is slow', (engine: EngineName) => {
  test('one that is silent for minutes gets the mail once, from whichever replica, and others do not wait for it', async (t) => {
    const server = await silentServer(t)
    const config = { smtpUrl: server.url }
    const one = await startApp(t, { engine, config })
    const two = engine === 'sqlite' ? one : await startApp(t, { engine, config, place: one.place, clock: one.clock })
    await register(one, 'slow@example.com')
    const sending = one.tick()
    await server.gotOne
    await sending
    for (let half = 0; half < 16; half++) {
      one.clock.advance(MINUTE / 2)
      await one.tick()
      await two.tick()
    }
    assert.equal(server.received.length, 1, 'after eight minutes')
    await register(one, 'quick@example.com')
    await one.tick()
    assert.equal(server.received.length, 2)
    server.answer()
    while ((await waiting(one)) > 0) await one.tick()
    one.clock.advance(DAY)
    await one.tick()
    await two.tick()
    assert.equal(server.received.length, 2)
  })

  test('one that never comes to an end is given up after twenty minutes, and gets nothing twice', async (t) => {
    const server = await silentServer(t)
    const app = await startApp(t, { engine, config: { smtpUrl: server.url } })
    await register(app, 'never@example.com')
    await app.tick()
    for (let minute = 0; minute < 20; minute++) {
      assert.equal(await waiting(app), 1)
      app.clock.advance(MINUTE)
      await app.tick()
    }
    assert.equal(await waiting(app), 0)
    assert.equal(server.received.length, 1)
    const events = await app.services.db.read
      .selectFrom('audit_events')
      .select('data')
      .where('action', '=', 'mail.failed')
      .execute()
    assert.equal(events.length, 1)
    assert.match(events[0]?.data ?? '', /may or may not have accepted the mail/)
  })

  test('a mail that waits for a time that a wrong clock has set is sent when the clock is right', async (t) => {
    const server = await startMailServer(t)
    const app = await startApp(t, { engine, config: { smtpUrl: server.url } })
    app.clock.adjust(400 * DAY)
    await register(app, 'later@example.com')
    // As a replica leaves it that was killed while it was sending.
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
    assert.equal(await waiting(app), 0)
  })

  test('a clock that is set while a mail is being sent does not send it twice', async (t) => {
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

test('a mail that was taken while the database went away is not sent again when it is back', async (t) => {
  const place = await createPlace('postgres')
  t.after(place.remove)
  const line = await cuttable(t, place.databaseUrl)
  const server = await startMailServer(t, { decide: () => line.cut() })
  const app = await startApp(t, {
    engine: 'postgres',
    place: { ...place, databaseUrl: line.url },
    config: { smtpUrl: server.url },
  })
  await register(app, 'taken@example.com')
  await app.tick()
  assert.equal(server.received.length, 1)
  await line.mend()
  // The lease is over by the clock, and this replica knows that the mail is gone.
  app.clock.advance(5 * MINUTE)
  await until(async () => {
    await app.tick()
    // The pool may still hold connections that were cut.
    return (await waiting(app).catch(() => 1)) === 0
  })
  assert.equal(server.received.length, 1)
})

const MAIL = { to: 'a@example.com', subject: 'Hello', text: 'Hello', html: '<p>Hello</p>', link: 'https://example.com' }

test('a server that has the whole mail and stays silent for too long is not asked again', async (t) => {
  const server = await startMailServer(t, { decide: () => new Promise(() => {}) })
  const transport = createSmtp(server.url, 'door@example.com', 300)
  await assert.rejects(transport.send('1', MAIL), UndeliverableMail)
  assert.equal(server.received.length, 1)
})

test('a server that stays silent for too long before it has the mail is asked again', async (t) => {
  const server = await startMailServer(t, { options: { onRcptTo: () => {} } })
  const transport = createSmtp(server.url, 'door@example.com', 300)
  await assert.rejects(transport.send('1', MAIL), (error) => !(error instanceof UndeliverableMail))
})
