import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { createLogger } from '../../../src/platform/http/log.ts'
import { openMail } from '../../../src/platform/mail/mail.ts'
import { startApp } from '../../support/app.ts'
import { onEachEngine } from '../../support/engines.ts'
import { freePort } from '../../support/free-port.ts'
import { sentMails } from '../../support/mail.ts'
import { anonymous, signedInPerson } from '../../support/people.ts'
import { startMailServer } from './mail-server.ts'

const MINUTE = 60_000

onEachEngine('mail', (engine) => {
  test('is sent over SMTP as plain text and HTML, from MAIL_FROM', async (t) => {
    const port = await freePort()
    const { received } = await startMailServer(t, { port })
    const config = { smtpUrl: `smtp://127.0.0.1:${port}`, mailFrom: 'Our Door <door@example.com>' }
    const app = await startApp(t, { engine, config })
    await signedInPerson(app, { email: 'reader@example.com' })
    await anonymous(app).post('/api/auth/password-reset', { email: 'reader@example.com' })
    await app.tick()
    await app.tick()
    assert.equal(received.length, 1)
    assert.match(received[0] ?? '', /^From: Our Door <door@example.com>/m)
    assert.match(received[0] ?? '', /^To: reader@example.com/m)
    assert.match(received[0] ?? '', /text\/plain/)
    assert.match(received[0] ?? '', /text\/html/)
    assert.equal((await app.services.db.read.selectFrom('outgoing_mail').selectAll().execute()).length, 0)
  })

  test('is sent later when the mail server is down, and no request waits for it', async (t) => {
    const port = await freePort()
    const app = await startApp(t, { engine, config: { smtpUrl: `smtp://127.0.0.1:${port}` } })
    const response = await anonymous(app).post('/api/auth/register', {
      email: 'later@example.com',
      password: 'correct horse battery staple',
    })
    assert.equal(response.statusCode, 201)
    await app.tick()
    assert.match(app.logged(), /could not be sent yet/)
    const { received } = await startMailServer(t, { port })
    await app.tick()
    assert.equal(received.length, 0, 'it waits before the next attempt')
    app.clock.advance(MINUTE)
    await app.tick()
    assert.equal(received.length, 1)
    app.clock.advance(MINUTE)
    await app.tick()
    assert.equal(received.length, 1, 'an accepted mail is not sent again')
  })

  test('in the queue survives a restart, and its text is encrypted in the database', async (t) => {
    const port = await freePort()
    const config = { smtpUrl: `smtp://127.0.0.1:${port}` }
    const first = await startApp(t, { engine, config })
    await anonymous(first).post('/api/auth/register', {
      email: 'sealed@example.com',
      password: 'correct horse battery staple',
    })
    const [row] = await first.services.db.read.selectFrom('outgoing_mail').selectAll().execute()
    await first.close()
    const { received } = await startMailServer(t, { port })
    const second = await startApp(t, { engine, config, storage: first.storage, clock: first.clock })
    await second.tick()
    assert.equal(received.length, 1)
    const [mail = ''] = received
    const [token] = /ev_[\w-]{20,}/.exec(mail) ?? []
    assert.ok(token, mail)
    assert.ok(!JSON.stringify(row).includes(token))
  })

  test('without SMTP is written to a private file in the outbox, and its link is not in the log', async (t) => {
    const app = await startApp(t, { engine })
    await anonymous(app).post('/api/auth/register', {
      email: 'local@example.com',
      password: 'correct horse battery staple',
    })
    const [mail] = await sentMails(app)
    assert.equal(mail?.to, 'local@example.com')
    const line = app
      .logged()
      .split('\n')
      .find((each) => each.includes('Mail written'))
    const { file } = JSON.parse(line ?? '{}') as { file: string }
    assert.match(file, /^outbox\/[\w-]+\.eml$/)
    assert.equal(statSync(join(app.storage.dataDir, file)).mode & 0o777, 0o600)
    assert.ok(mail?.token)
    assert.ok(!app.logged().includes(mail.token))
  })
})

test('of two replicas on one PostgreSQL, exactly one sends each mail', async (t) => {
  const port = await freePort()
  const { received } = await startMailServer(t, { port })
  const config = { smtpUrl: `smtp://127.0.0.1:${port}` }
  const one = await startApp(t, { engine: 'postgres', config })
  const two = await startApp(t, { engine: 'postgres', config, storage: one.storage, clock: one.clock })
  for (let n = 0; n < 8; n++) {
    await anonymous(one).post('/api/auth/register', {
      email: `replica${n}@example.com`,
      password: 'correct horse battery staple',
    })
  }
  await Promise.all([one.tick(), two.tick(), one.tick(), two.tick()])
  await Promise.all([one.tick(), two.tick()])
  assert.equal(received.length, 8)
})

test('without SMTP, the link of a mail is printed only on a terminal', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-outbox-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const lines: string[] = []
  const log = createLogger('info', { write: (line) => void lines.push(line) })
  const config = { smtpUrl: undefined, mailFrom: 'Latchkey <no-reply@example.com>', dataDir: folder }
  const mail = {
    to: 'ada@example.com',
    subject: 'Hello',
    text: 'Hello',
    html: '<p>Hello',
    link: 'http://x/verify#ev_1',
  }
  for (const isTerminal of [true, false]) {
    const transport = openMail(config, log, isTerminal)
    await transport.send(`mail-${isTerminal}`, mail)
    await transport.close()
  }
  const links = lines.map((line) => (JSON.parse(line) as { link?: string }).link)
  assert.deepEqual(links, ['http://x/verify#ev_1', undefined])
})
