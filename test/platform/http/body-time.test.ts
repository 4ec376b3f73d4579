import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { test } from 'node:test'
import { ORIGIN, startApp } from '../../support/app.ts'
import { signedInPerson } from '../../support/people.ts'

/** Sends the head of a request and one byte of its body over a connection of its own, and returns the answer. */
async function sendOneByte(address: string, path: string, cookie: string): Promise<string> {
  const { hostname, port } = new URL(address)
  const socket = connect(Number(port), hostname)
  const chunks: Buffer[] = []
  socket.on('data', (chunk: Buffer) => chunks.push(chunk))
  const head = [
    `PATCH ${path} HTTP/1.1`,
    `Host: ${hostname}`,
    `Origin: ${ORIGIN}`,
    `Cookie: session=${cookie}`,
    'Content-Type: application/json',
    'Content-Length: 20',
  ]
  socket.write(`${head.join('\r\n')}\r\n\r\n{`)
  await once(socket, 'close')
  return Buffer.concat(chunks).toString()
}

test('a request whose body does not arrive in time answers 408, and its connection is closed', async (t) => {
  const app = await startApp(t, { maxBodyMs: 200 })
  const person = await signedInPerson(app)
  const answer = await sendOneByte(await app.listen(), '/api/account/profile', person.cookie)
  assert.match(answer, /^HTTP\/1\.1 408 /)
  assert.match(answer, /"code":"request_timeout"/)
  assert.match(answer, /connection: close/i)
})
