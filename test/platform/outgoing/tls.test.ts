import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { promisify } from 'node:util'
import { OutgoingError } from '../../../src/platform/outgoing/outgoing-failure.ts'
import { createOutgoing, type Outgoing, type OutgoingOptions } from '../../../src/platform/outgoing/outgoing.ts'
import { createCertificateAuthority } from '../../support/certificate-authority.ts'
import { startRawReceiver, startReceiver } from './receiver.ts'

const authority = createCertificateAuthority()
const lookup = async () => [{ address: '127.0.0.1', family: 4 }]

function open(t: TestContext, options: OutgoingOptions = {}): Outgoing {
  const outgoing = createOutgoing({ outgoingAllow: ['127.0.0.0/8'] }, { ca: authority.ca, lookup, ...options })
  t.after(() => outgoing.close())
  return outgoing
}

const failsWith = (message: RegExp) => (error: unknown) => {
  assert.ok(error instanceof OutgoingError)
  assert.equal(error.kind, 'tls', error.message)
  assert.match(error.message, message)
  return true
}

test('a name that only a range allows is reached with https, and its certificate is that of the name', async (t) => {
  const certificate = authority.issue('receiver.test')
  const receiver = await startReceiver(t, { certificate })
  const outgoing = open(t)
  assert.equal((await outgoing.send({ url: `https://receiver.test:${receiver.port}/` })).status, 204)
  assert.equal((await outgoing.send({ url: `https://Receiver.Test.:${receiver.port}/` })).status, 204)
  assert.equal(receiver.connections(), 1)
  await assert.rejects(outgoing.send({ url: `http://receiver.test:${receiver.port}/` }), { kind: 'bad_request' })
})

test('a certificate of another name is refused, before anything of the request is sent', async (t) => {
  const receiver = await startReceiver(t, { certificate: authority.issue('other.test', '127.0.0.1') })
  const outgoing = open(t)
  await assert.rejects(
    outgoing.send({ url: `https://receiver.test:${receiver.port}/`, body: 'x' }),
    failsWith(/another name/),
  )
  assert.equal(receiver.received.length, 0)
})

test('an address is reached with a certificate of that address only', async (t) => {
  const good = await startReceiver(t, { certificate: authority.issue('127.0.0.1') })
  const bad = await startReceiver(t, { certificate: authority.issue('127.0.0.2', 'receiver.test') })
  assert.equal((await open(t).send({ url: `https://127.0.0.1:${good.port}/` })).status, 204)
  await assert.rejects(open(t).send({ url: `https://127.0.0.1:${bad.port}/` }), failsWith(/another name/))
})

test('a certificate of an authority that is not trusted is refused', async (t) => {
  const receiver = await startReceiver(t, { certificate: createCertificateAuthority().issue('receiver.test') })
  await assert.rejects(open(t).send({ url: `https://receiver.test:${receiver.port}/` }), failsWith(/does not trust/))
})

test('NODE_EXTRA_CA_CERTS names authorities that are trusted too', async (t) => {
  const receiver = await startReceiver(t, { certificate: authority.issue('127.0.0.1') })
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-ca-'))
  t.after(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, 'ca.pem'), authority.ca)
  const program = `
    import { createOutgoing } from ${JSON.stringify(import.meta.resolve('../../../src/platform/outgoing/outgoing.ts'))}
    const outgoing = createOutgoing({ outgoingAllow: ['127.0.0.1'] })
    const answer = await outgoing.send({ url: 'https://127.0.0.1:${receiver.port}/' }).catch((error) => error)
    console.log(answer.status ?? answer.kind)`
  const run = async (environment: NodeJS.ProcessEnv) => {
    const env = { ...process.env, ...environment }
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program], { env })
    return stdout.trim()
  }
  assert.equal(await run({ NODE_EXTRA_CA_CERTS: join(folder, 'ca.pem') }), '204')
  assert.equal(await run({ NODE_EXTRA_CA_CERTS: '' }), 'tls')
})

test('NODE_TLS_REJECT_UNAUTHORIZED can’t turn the check off', async (t) => {
  const receiver = await startReceiver(t, { certificate: createCertificateAuthority().issue('receiver.test') })
  const before = process.env['NODE_TLS_REJECT_UNAUTHORIZED']
  process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0'
  t.after(() => {
    if (before === undefined) delete process.env['NODE_TLS_REJECT_UNAUTHORIZED']
    else process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = before
  })
  await assert.rejects(open(t).send({ url: `https://receiver.test:${receiver.port}/` }), failsWith(/does not trust/))
})

test('a host that speaks no TLS, or never ends the handshake, is a failure', async (t) => {
  const plain = await startReceiver(t)
  await assert.rejects(open(t).send({ url: `https://receiver.test:${plain.port}/` }), failsWith(/no TLS connection/))
  const silent = await startRawReceiver(t, () => undefined)
  const sent = open(t).send({ url: `https://receiver.test:${silent.port}/`, timeoutMs: 200 })
  await assert.rejects(sent, { kind: 'timeout', message: 'The TLS handshake took longer than 0.2 seconds.' })
})
