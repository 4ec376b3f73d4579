import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FastifyRequest } from 'fastify'
import { readConfig } from '../../src/platform/config/config.ts'
import { createLogger } from '../../src/platform/http/log.ts'
import { createTrustedPeers } from '../../src/proxy/trusted-peer.ts'
import { startApp } from '../support/app.ts'
import { startCuttableProxy } from '../support/cuttable-proxy.ts'
import { createStorage } from '../support/engines.ts'
import { signedInPerson } from '../support/people.ts'
import { authRequest, createSite, forwardAuth, NAVIGATION, TRUSTING } from './visits.ts'

test('only a peer within the ranges of TRUST_PROXY is believed, and the log says once what is wrong', () => {
  const cases: [string[] | number | undefined, string, boolean][] = [
    [['10.0.0.0/8', '2001:db8::/32'], '10.1.2.3', true],
    [['10.0.0.0/8'], '::ffff:10.1.2.3', true],
    [['::ffff:10.0.0.0/104'], '10.1.2.3', true],
    [['2001:db8::/32'], '2001:db8::1', true],
    [['10.0.0.0/8'], '11.0.0.1', false],
    [['10.0.0.1'], '10.0.0.2', false],
    [['10.0.0.0/8'], '', false],
    [1, '127.0.0.1', false],
    [undefined, '127.0.0.1', false],
  ]
  for (const [trustProxy, remoteAddress, expected] of cases) {
    const lines: string[] = []
    const log = createLogger('info', { write: (line: string) => void lines.push(line) })
    const isTrusted = createTrustedPeers({ log, config: { ...readConfig({}), trustProxy } })
    const request = { raw: { socket: { remoteAddress } }, headers: { 'x-forwarded-for': '10.0.0.1' } }
    for (let at = 0; at < 2; at++)
      assert.equal(isTrusted(request as unknown as FastifyRequest), expected, remoteAddress)
    assert.equal(lines.length, expected ? 0 : 1)
  }
})

test('without a trusted proxy both endpoints refuse, and while the database is away nobody is let through', async (t) => {
  const storage = await createStorage('postgres')
  t.after(storage.remove)
  const line = await startCuttableProxy(t, storage.databaseUrl)
  const app = await startApp(t, { config: TRUSTING, timeoutFactor: 1, storage: { ...storage, databaseUrl: line.url } })
  const { origin } = await createSite(await signedInPerson(app, { admin: true }), {
    rules: [{ path: '/*', policy: 'bypass' }],
  })
  for (const ask of [forwardAuth, authRequest]) {
    const answer = await ask(app, { url: `${origin}/`, from: '192.0.2.1', headers: { 'x-forwarded-for': '127.0.0.1' } })
    assert.deepEqual([answer.statusCode, answer.json().code], [403, 'proxy_not_trusted'])
    assert.equal((await ask(app, { url: `${origin}/` })).statusCode, 200)
  }
  await line.cut()
  for (const ask of [forwardAuth, authRequest])
    assert.equal((await ask(app, { url: `${origin}/`, headers: NAVIGATION })).statusCode, 503)
})
