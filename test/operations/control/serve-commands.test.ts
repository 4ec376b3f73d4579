import assert from 'node:assert/strict'
import { existsSync, statSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { describe, test, type TestContext } from 'node:test'
import { sql } from 'kysely'
import { controlSocketOf, sendCommand } from '../../../src/operations/control/send-command.ts'
import { serveCommands } from '../../../src/operations/control/serve-commands.ts'
import { startApp } from '../../support/app.ts'
import { signedInPerson } from '../../support/people.ts'

/** A service that listens for commands, and the path of its socket. */
async function startServing(t: TestContext) {
  const app = await startApp(t)
  const { databaseUrl } = app.services.config
  const socket = controlSocketOf(databaseUrl) ?? ''
  const stop = await serveCommands(app.services)
  t.after(stop)
  return { app, databaseUrl, socket, stop }
}

/** Sends these pieces of text one after the other, and returns the answer of the service. */
const send = (socket: string, ...pieces: string[]) =>
  new Promise<string>((resolve, reject) => {
    let received = ''
    const connection = connect(socket)
    connection.setNoDelay()
    const sendNext = () => {
      const piece = pieces.shift()
      if (piece !== undefined) connection.write(piece, () => setImmediate(sendNext))
    }
    connection.on('connect', sendNext)
    connection.on('data', (chunk) => (received += chunk.toString()))
    connection.on('error', reject)
    connection.on('close', () => resolve(received))
  })

describe('a service that listens for commands', () => {
  test('executes a command and reports the result', async (t) => {
    const { app, databaseUrl } = await startServing(t)
    const person = await signedInPerson(app, { email: 'ada@example.com' })
    const grant = () => sendCommand(databaseUrl, { name: 'grant-administrator', email: 'Ada@example.com' })
    assert.deepEqual(await grant(), { said: 'ada@example.com is an administrator now.' })
    assert.equal((await person.get('/api/admin/users')).statusCode, 200)
    assert.deepEqual(await grant(), { said: 'ada@example.com was an administrator already.' })
  })

  test('reports why it refuses a command', async (t) => {
    const { databaseUrl } = await startServing(t)
    assert.deepEqual(await sendCommand(databaseUrl, { name: 'grant-administrator', email: 'nobody@example.com' }), {
      refused: 'There is no account with the email nobody@example.com.',
    })
  })

  test('logs an unexpected failure, and returns no details of it', async (t) => {
    const { app, databaseUrl } = await startServing(t)
    await app.services.db.transaction((trx) => sql`alter table users rename to lost_users`.execute(trx))
    const answer = await sendCommand(databaseUrl, { name: 'grant-administrator', email: 'ada@example.com' })
    assert.deepEqual(answer, { refused: 'It failed. The log of the running service says why.' })
    const line = JSON.parse(app.logged()) as { msg: string; command: string; err: { at: string[] } }
    assert.deepEqual([line.msg, line.command], ['A command failed.', 'grant-administrator'])
    assert.ok(line.err.at.length > 0, 'where it failed')
  })

  test('reads a command that arrives in pieces, and only the first line', async (t) => {
    const { socket } = await startServing(t)
    const answer = await send(
      socket,
      '{"name":"grant-admini',
      'strator","email":"x@example.com"}',
      '\n{"name":"rotate-keys"',
    )
    assert.deepEqual(JSON.parse(answer), { refused: 'There is no account with the email x@example.com.' })
  })

  test('closes the connection when a line is too long', async (t) => {
    const { socket } = await startServing(t)
    assert.equal(await send(socket, 'x'.repeat(4097)), '')
    const accepted = await send(socket, `${'x'.repeat(4000)}\n`)
    assert.match(accepted, /does not know this command/)
  })

  test('makes the socket accessible to its owner alone, and removes it at the end', async (t) => {
    const { socket, stop, databaseUrl } = await startServing(t)
    assert.equal(statSync(socket).mode & 0o777, 0o600)
    await stop()
    assert.ok(!existsSync(socket))
    assert.equal(await sendCommand(databaseUrl, { name: 'rotate-keys', how: 'publish' }), undefined)
    await stop()
  })

  test('replaces the file that a dead process left at the path of the socket', async (t) => {
    const app = await startApp(t)
    const { databaseUrl } = app.services.config
    writeFileSync(controlSocketOf(databaseUrl) ?? '', 'left behind')
    t.after(await serveCommands(app.services))
    const answer = await sendCommand(databaseUrl, { name: 'grant-administrator', email: 'nobody@example.com' })
    assert.match(answer?.refused ?? '', /no account/)
  })

  test('continues without a socket, with a warning, when none can be created', async (t) => {
    const app = await startApp(t)
    const serveAt = async (databaseUrl: string) => {
      const stop = await serveCommands({ ...app.services, config: { ...app.services.config, databaseUrl } })
      await stop()
    }
    await serveAt(`sqlite:/tmp/${'x'.repeat(120)}/latchkey.db`)
    assert.match(app.logged(), /too long for a socket/)
    await serveAt(`sqlite:${app.storage.dataDir}/no-such-folder/latchkey.db`)
    assert.match(app.logged(), /could not be opened/)
  })

  test('opens no socket on PostgreSQL', async (t) => {
    const app = await startApp(t, { engine: 'postgres' })
    const stop = await serveCommands(app.services)
    await stop()
    assert.equal(await sendCommand(app.services.config.databaseUrl, { name: 'rotate-keys', how: 'publish' }), undefined)
  })
})
