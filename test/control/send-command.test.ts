import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, renameSync, rmSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test, type TestContext } from 'node:test'
import { sendCommand } from '../../src/control/send-command.ts'
import { StartError } from '../../src/errors.ts'

const COMMAND = { name: 'rotate-keys', how: 'publish' } as const

function newDatabaseUrl(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-ask-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return `sqlite:${join(folder, 'latchkey.db')}`
}

/** Something that listens where a service would, and treats each connection in the given way. */
async function listenAt(path: string, treat: (connection: Socket) => void) {
  const server = createServer(treat)
  server.listen(path)
  await once(server, 'listening')
  return server
}

async function listenFor(t: TestContext, treat: (connection: Socket) => void): Promise<string> {
  const databaseUrl = newDatabaseUrl(t)
  const server = await listenAt(`${databaseUrl.slice('sqlite:'.length)}.sock`, treat)
  t.after(() => void server.close())
  return databaseUrl
}

describe('asking the service that runs', () => {
  test('sends the command as one line, and reads the answer to its end', async (t) => {
    let heard = ''
    const databaseUrl = await listenFor(t, (connection) => {
      connection.on('data', (chunk) => {
        heard += chunk.toString()
        if (!heard.endsWith('\n')) return
        connection.write('{"said":"Do')
        setImmediate(() => connection.end('ne."}\n'))
      })
    })
    assert.deepEqual(await sendCommand(databaseUrl, COMMAND), { said: 'Done.' })
    assert.equal(heard, '{"name":"rotate-keys","how":"publish"}\n')
  })

  test('finds none when there is no socket, when its path is too long, and on PostgreSQL', async (t) => {
    assert.equal(await sendCommand(newDatabaseUrl(t), COMMAND), undefined)
    assert.equal(await sendCommand(`sqlite:/tmp/${'x'.repeat(120)}/latchkey.db`, COMMAND), undefined)
    assert.equal(await sendCommand('postgres://localhost/latchkey', COMMAND), undefined)
  })

  test('finds none behind a socket that a dead process left', async (t) => {
    const databaseUrl = newDatabaseUrl(t)
    const socket = `${databaseUrl.slice('sqlite:'.length)}.sock`
    // Under its other name the file stays when the server goes, as after a crash.
    const server = await listenAt(`${socket}.before`, () => {})
    renameSync(`${socket}.before`, socket)
    server.close()
    assert.equal(await sendCommand(databaseUrl, COMMAND), undefined)
  })

  test('says in one line that the connection ended without an answer, or with half of one', async (t) => {
    for (const half of ['', '{"said":"Do', '{"said":"Done."}']) {
      const databaseUrl = await listenFor(t, (connection) => {
        connection.once('data', () => connection.end(half))
      })
      await assert.rejects(sendCommand(databaseUrl, COMMAND), (error) => {
        assert.ok(error instanceof StartError, String(error))
        assert.equal(error.message, 'The running service ended the connection before its answer was whole.')
        return true
      })
    }
  })
})
