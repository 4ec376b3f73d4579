import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { sendCommand } from '../../../src/operations/control/send-command.ts'

test('a command does not wait for ever for a service that accepts it and never answers', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-command-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'latchkey.db')
  const server = createServer(() => {})
  server.listen(`${file}.sock`)
  await once(server, 'listening')
  t.after(() => void server.close())
  await assert.rejects(
    sendCommand(`sqlite:${file}`, { name: 'rotate-keys', how: 'publish' }, 100),
    /it did not answer within 0\.1 seconds/,
  )
})
