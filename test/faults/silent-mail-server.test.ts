import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import pg from 'pg'
import { startMailServer } from '../platform/mail/mail-server.ts'
import { createStorage } from '../support/engines.ts'
import { startReplica, until } from '../support/replicas.ts'
import { createInstallation, ENVIRONMENT } from './installation.ts'
import { figure, rounds } from './run-options.ts'

const PART = 'Silent mail server'
/** One minute in the long form. */
const SILENCE_MS = Math.min(60, rounds(12, 2)) * 1000

test('a mail server that takes a minute to accept a mail receives it once, although two replicas are running', async (t) => {
  const storage = await createStorage('postgres')
  const client = new pg.Client(storage.databaseUrl)
  await client.connect()
  t.after(async () => {
    await client.end()
    await storage.remove()
  })
  let silentSince: number | undefined
  const server = await startMailServer(t, {
    decide() {
      silentSince ??= performance.now()
      return setTimeout(SILENCE_MS)
    },
  })
  const environment = { ...ENVIRONMENT, SMTP_URL: server.url }
  const [one, two] = await Promise.all([
    startReplica(t, storage, { environment }),
    startReplica(t, storage, { environment }),
  ])
  // Registering the administrator sends a mail.
  await createInstallation(one.address)
  await until(async () => silentSince !== undefined)
  const countQueued = async () => (await client.query('select 1 from outgoing_mail')).rowCount ?? 0
  await until(async () => (await countQueued()) === 0, SILENCE_MS + 15_000)
  const ms = performance.now() - (silentSince ?? 0)
  assert.ok(ms >= SILENCE_MS - 100, `${ms} ms`)
  assert.equal(server.received.length, 1)
  assert.equal(server.connections(), 1)
  for (const replica of [one, two]) assert.equal(await replica.stop(), 0)
  figure(t, PART, 'time without a reply, ms; the mail was delivered once', ms)
})
