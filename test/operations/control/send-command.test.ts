import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, renameSync, rmSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test, type TestContext } from 'node:test'
import { StartError } from '../../../src/errors.ts'
import { sendCommand } from '../../../src/operations/control/send-command.ts'

const COMMAND = { name: 'rotate-keys', how: 'publish' } as const

function newDatabaseUrl(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-send-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return `sqlite:${join(folder, 'latchkey.db')}`
}

/** Listens where a service would, and handles each connection with the given function. */
async function listenAt(path: string, handle: (connection: Socket) => void) {
  const server = createServer(handle)
  server.listen(path)
  await once(server, 'listening')
  return server
}

async function listenFor(t: TestContext, handle: (connection: Socket) => void): Promise<string> {
  const databaseUrl = newDatabaseUrl(t)
  const server = await listenAt(`${databaseUrl.slice('sqlite:'.length)}.sock`, handle)
  t.after(() => void server.close())
  return databaseUrl
}

describe('sending a command to the running service', () => {
  test('writes the command as one line, and reads the answer to its end', async (t) => {
    let received = ''
    const databaseUrl = await listenFor(t, (connection) => {
      connection.on('data', (chunk) => {
        received += chunk.toString()
        if (!received.endsWith('\n')) return
        connection.write('{"said":"Do')
        setImmediate(() => connection.end('ne."}\n'))
      })
    })
    assert.deepEqual(await sendCommand(databaseUrl, COMMAND), { said: 'Done.' })
    assert.equal(received, '{"name":"rotate-keys","how":"publish"}\n')
  })

  test('finds no service when there is no socket, when its path is too long, and on PostgreSQL', async (t) => {
    assert.equal(await sendCommand(newDatabaseUrl(t), COMMAND), undefined)
    assert.equal(await sendCommand(`sqlite:/tmp/${'x'.repeat(120)}/latchkey.db`, COMMAND), undefined)
    assert.equal(await sendCommand('postgres://localhost/latchkey', COMMAND), undefined)
  })

  test('finds no service behind a socket that a dead process left', async (t) => {
    const databaseUrl = newDatabaseUrl(t)
    const socket = `${databaseUrl.slice('sqlite:'.length)}.sock`
    // Because the file is renamed, it stays when the server closes, as after a crash.
    const server = await listenAt(`${socket}.before`, () => {})
    renameSync(`${socket}.before`, socket)
    server.close()
    assert.equal(await sendCommand(databaseUrl, COMMAND), undefined)
  })

  test('reports in one line that the connection ended without a complete answer', async (t) => {
    for (const incomplete of ['', '{"said":"Do', '{"said":"Done."}']) {
      const databaseUrl = await listenFor(t, (connection) => {
        connection.once('data', () => connection.end(incomplete))
      })
      await assert.rejects(sendCommand(databaseUrl, COMMAND), (error) => {
        assert.ok(error instanceof StartError, String(error))
        assert.equal(error.message, 'The running service ended the connection before its answer was whole.')
        return true
      })
    }
  })
})
