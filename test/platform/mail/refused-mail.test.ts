import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { SMTPServerOptions } from 'smtp-server'
import type { Notification } from '../../../src/identity/notifications/notification-store.ts'
import { startApp } from '../../support/app.ts'
import { type EngineName, onMainEngine } from '../../support/engines.ts'
import { freePort } from '../../support/free-port.ts'
import { anonymous, type Person, signedInPerson } from '../../support/people.ts'
import { reply, startMailServer } from './mail-server.ts'
import { countQueued, register } from './queue.ts'

const HOUR = 3_600_000
const RECIPIENT = 'nobody@example.com'

async function setUp(t: TestContext, engine: EngineName, options: SMTPServerOptions, credentials = '') {
  const server = await startMailServer(t, { options })
  const smtpUrl = server.url.replace('//', `//${credentials}`)
  const app = await startApp(t, { engine, config: { smtpUrl } })
  const admins = [await signedInPerson(app, { admin: true }), await signedInPerson(app, { admin: true })] as const
  await register(app, RECIPIENT)
  return { app, server, admins }
}

const failureNotifications = async (person: Person): Promise<Notification['data'][]> => {
  const response = await person.get('/api/notifications')
  const { notifications } = response.json<{ notifications: Notification[] }>()
  return notifications.filter(({ type }) => type === 'mail.failed').map(({ data }) => data)
}

const REFUSALS: { name: string; options: SMTPServerOptions; expectedReason: RegExp }[] = [
  {
    name: 'the recipient with 550',
    options: { onRcptTo: (_address, _session, done) => done(reply(550, 'No such user here')) },
    expectedReason: /550 No such user here/,
  },
  {
    name: 'the sender with 553',
    options: { onMailFrom: (_address, _session, done) => done(reply(553, 'Sender not allowed')) },
    expectedReason: /553 Sender not allowed/,
  },
  {
    name: 'the content with 554',
    options: {
      onData(stream, _session, done) {
        stream.resume()
        stream.on('end', () => done(reply(554, 'Rejected as spam')))
      },
    },
    expectedReason: /554 Rejected as spam/,
  },
]

onMainEngine('mail that a server refuses', (engine) => {
  for (const { name, options, expectedReason } of REFUSALS) {
    test(`a server that refuses ${name} is tried once, and administrators are notified once`, async (t) => {
      const { app, server, admins } = await setUp(t, engine, options)
      for (let round = 0; round < 5; round++) {
        await app.tick()
        app.clock.advance(HOUR)
      }
      assert.equal(server.connections(), 1)
      assert.equal(await countQueued(app), 0)
      for (const admin of admins) {
        const [failure, ...more] = await failureNotifications(admin)
        assert.equal(more.length, 0)
        assert.deepEqual(
          { ...failure, reason: '' },
          { recipient: RECIPIENT, subject: failure?.['subject'], reason: '' },
        )
        assert.match(String(failure?.['subject']), /Confirm your email/)
        assert.match(String(failure?.['reason']), expectedReason)
      }
      const response = await admins[0].get('/api/admin/audit?action=mail.failed')
      const { events } = response.json<{ events: { outcome: string; data: { recipient: string } }[] }>()
      assert.deepEqual(
        events.map(({ outcome, data }) => [outcome, data.recipient]),
        [['refused', RECIPIENT]],
      )
    })
  }

  test('a link that the server quotes in its reply is removed from notifications and logs', async (t) => {
    const { app, admins } = await setUp(t, engine, {
      onData(stream, _session, done) {
        let mail = ''
        stream.on('data', (chunk: Buffer) => (mail += chunk.toString()))
        stream.on('end', () => {
          const [token = 'none'] = /ev_[\w-]+/.exec(mail.replaceAll('=\r\n', '')) ?? []
          done(reply(554, `Bad link https://example.com/?token=${token}`))
        })
      },
    })
    await app.tick()
    const [failure] = await failureNotifications(admins[0])
    assert.match(String(failure?.['reason']), /Bad link .*token=\[token\]/)
    assert.doesNotMatch(app.logged(), /ev_[\w-]{20}/)
  })

  test('a temporary refusal (450) is retried, and nobody is notified', async (t) => {
    let isBusy = true
    const { app, server, admins } = await setUp(t, engine, {
      onRcptTo: (_address, _session, done) => done(isBusy ? reply(450, 'Try again later') : null),
    })
    await app.tick()
    assert.equal(await countQueued(app), 1)
    isBusy = false
    app.clock.advance(10_000)
    await app.tick()
    assert.equal(server.received.length, 1)
    assert.equal(await countQueued(app), 0)
    assert.deepEqual(await failureNotifications(admins[0]), [])
  })

  test('wrong credentials (535) do not discard the mail, which is sent once they are correct', async (t) => {
    let isCorrect = false
    const options: SMTPServerOptions = {
      disabledCommands: ['STARTTLS'],
      allowInsecureAuth: true,
      onAuth: (_auth, _session, done) => (isCorrect ? done(null, { user: 'us' }) : done(reply(535, 'Wrong password'))),
    }
    const { app, server, admins } = await setUp(t, engine, options, 'us:secret@')
    await app.tick()
    assert.equal(await countQueued(app), 1)
    isCorrect = true
    app.clock.advance(10_000)
    await app.tick()
    assert.equal(server.received.length, 1)
    assert.deepEqual(await failureNotifications(admins[0]), [])
  })
})

onMainEngine('mail whose link no longer works', (engine) => {
  const startOffline = async (t: TestContext) => {
    const port = await freePort()
    const app = await startApp(t, { engine, config: { smtpUrl: `smtp://127.0.0.1:${port}` } })
    const admin = await signedInPerson(app, { admin: true })
    return { app, admin, startServer: () => startMailServer(t, { port }) }
  }

  test('a confirmation whose link expired in the queue is not sent, and administrators are notified', async (t) => {
    const { app, admin, startServer } = await startOffline(t)
    await register(app, RECIPIENT)
    await app.tick()
    app.clock.advance(24 * HOUR)
    const { received } = await startServer()
    await app.tick()
    assert.equal(received.length, 0)
    assert.equal(await countQueued(app), 0)
    const [failure, ...more] = await failureNotifications(admin)
    assert.match(String(failure?.['reason']), /link expired.*ECONNREFUSED/)
    assert.equal(more.length, 0)
  })

  test('a confirmation is sent until the moment its link expires', async (t) => {
    const { app, startServer } = await startOffline(t)
    await register(app, RECIPIENT)
    await app.tick()
    app.clock.advance(24 * HOUR - 1)
    const { received } = await startServer()
    await app.tick()
    assert.equal(received.length, 1)
  })

  test('a mail whose link was used or whose account is disabled is not sent, and nobody is notified', async (t) => {
    const { app, admin, startServer } = await startOffline(t)
    const { db, vault } = app.services
    const owner = await signedInPerson(app, { email: 'owner@example.com', password: 'an old password of theirs' })
    const disabledUser = await signedInPerson(app, { email: 'leaver@example.com' })
    for (const { user } of [owner, disabledUser])
      await anonymous(app).post('/api/auth/password-reset', { email: user.email })
    await app.tick()
    await app.tick()
    const rows = await db.read
      .selectFrom('outgoing_mail')
      .selectAll()
      .where('recipient', '=', owner.user.email)
      .execute()
    assert.equal(rows.length, 1)
    const [{ id, content_sealed }] = rows as [(typeof rows)[0]]
    const [token] = /pr_[\w-]+/.exec(vault.open(`mail:${id}`, content_sealed).toString()) ?? []
    const newPassword = 'a new password of theirs, longer'
    const used = await anonymous(app).post('/api/auth/password-reset/confirm', { token, newPassword })
    assert.equal(used.statusCode, 200, used.body)
    await admin.post(`/api/admin/users/${disabledUser.user.id}/lifecycle`, { action: 'disable' })

    const { received } = await startServer()
    app.clock.advance(60_000)
    await app.tick()
    assert.equal(received.length, 0)
    assert.equal(await countQueued(app), 0)
    assert.deepEqual(await failureNotifications(admin), [])
  })
})
