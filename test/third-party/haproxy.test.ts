import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type OutgoingHttpHeaders, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, test, type TestContext } from 'node:test'
import { haproxy } from '../../catalogue/entries/haproxy.ts'
import { fillIn } from '../../catalogue/fill-in.ts'
import { realProvider } from '../interop/provider.ts'
import { freePort } from '../support/free-port.ts'
import { registerResourceServer } from './resource-server.ts'
import { runProgram } from './run-application.ts'
import { debianEnvironment, debianName, debianProgram, needs } from './software.ts'

const { folder, skip } = await needs('debian')

describe(debianName(folder, 'HAProxy', 'haproxy'), { skip }, () => {
  const provider = realProvider('sqlite')

  /** HAProxy with the settings of the catalogue, but for TLS and the ports, before an API that answers with the subject. */
  async function runApi(t: TestContext, { issuer = provider().issuer, edit = (text: string) => text } = {}) {
    const api = await startApi(t)
    const server = await registerResourceServer(provider(), haproxy.client)
    const filled = fillIn(haproxy, { scope: 'reports' }, { issuer, ...server.credentials })
    assert.ok(!filled.problems)
    const runtime = mkdtempSync(join(tmpdir(), 'latchkey-haproxy-'))
    t.after(() => rmSync(runtime, { recursive: true, force: true }))
    const port = await freePort()
    const [script, config] = filled.snippets.map(({ text }) => text)
    writeFileSync(join(runtime, 'introspect.lua'), edit(script ?? ''))
    writeFileSync(
      join(runtime, 'haproxy.cfg'),
      `${(config ?? '')
        .replace('/etc/haproxy/introspect.lua', join(runtime, 'introspect.lua'))
        .replace(':443 ssl crt /etc/haproxy/api.pem', `127.0.0.1:${port}`)
        .replace('127.0.0.1:8080', api)}\n`,
    )
    const home = `http://127.0.0.1:${port}`
    await runProgram(t, {
      command: debianProgram(folder, 'usr/sbin/haproxy'),
      args: ['-db', '-f', join(runtime, 'haproxy.cfg')],
      folder,
      environment: debianEnvironment(folder),
      home,
    })
    const get = async (headers: OutgoingHttpHeaders = {}) => {
      // fetch does not send Connection.
      const sent = request(home, { headers: { connection: 'close', ...headers } }).end()
      const [answer] = (await once(sent, 'response')) as [IncomingMessage]
      return { status: answer.statusCode, body: await text(answer) }
    }
    return { ...server, get }
  }

  test('lets programs in with a token that has the scope, and tells the API whose it is', async (t) => {
    const { get, newToken } = await runApi(t)
    const { token, clientId } = await newToken('reports')
    assert.deepEqual(await get({ authorization: `Bearer ${token}` }), { status: 200, body: clientId })
    const forged = { authorization: `Bearer ${token}`, 'x-token-subject': 'usr_somebody' }
    assert.deepEqual(await get(forged), { status: 200, body: clientId })
  })

  test('lets no caller name another subject, take the name away with Connection, or ask for another protocol', async (t) => {
    const { get, newToken } = await runApi(t)
    const { token, clientId } = await newToken('reports')
    for (const headers of [
      ...['X_Token-Subject', 'X-Token_Subject', 'x_token_subject', 'X.Token.Subject'].map((name) => ({
        [name]: 'usr_somebody',
      })),
      { connection: 'close, X-Token-Subject' },
      { connection: 'X-Token-Subject, Authorization, close' },
      { connection: 'Upgrade, close', upgrade: 'h2c' },
    ])
      assert.deepEqual(
        await get({ ...headers, authorization: `Bearer ${token}` }),
        { status: 200, body: clientId },
        JSON.stringify(headers),
      )
  })

  test('answers 503 when the script fails', async (t) => {
    for (const line of [/^.*register_action.*$/m, /^ +local active.*$/m]) {
      const edit = (script: string) => script.replace(line, (found) => `${found}\nerror('broken')`)
      const { get, newToken } = await runApi(t, { edit })
      const { token } = await newToken('reports')
      assert.equal((await get({ authorization: `Bearer ${token}` })).status, 503, String(line))
    }
  })

  test('refuses requests without a token, with an unknown one, or with one that lacks the scope', async (t) => {
    const { get, newToken } = await runApi(t)
    const { token } = await newToken('reports2')
    for (const authorization of ['', 'Bearer at_unknown', `Bearer ${token}`, 'Bearer a&token=b', 'Basic YTpi']) {
      assert.equal((await get({ authorization, 'x-token-subject': 'usr_somebody' })).status, 401, authorization)
    }
  })

  test('answers 503, not 401, while Latchkey can’t be asked', async (t) => {
    const { get, newToken } = await runApi(t, { issuer: `http://127.0.0.1:${await freePort()}` })
    const { token } = await newToken('reports')
    assert.equal((await get({ authorization: `Bearer ${token}` })).status, 503)
    assert.equal((await get()).status, 401)
  })

  test('refuses a revoked token at the next request', async (t) => {
    const { get, newToken } = await runApi(t)
    const { token, revoke } = await newToken('reports')
    assert.equal((await get({ authorization: `Bearer ${token}` })).status, 200)
    await revoke()
    assert.equal((await get({ authorization: `Bearer ${token}` })).status, 401)
  })
})

async function startApi(t: TestContext): Promise<string> {
  const port = await freePort()
  const api = createServer((request, response) => {
    // All that an application might read as this header, and nothing where another proxy would leave it out.
    const named = Object.entries(request.headersDistinct).flatMap(([name, values = []]) =>
      /^x.token.subject$/.test(name) ? values : [],
    )
    const { connection = '', upgrade = '' } = request.headers
    response.end(/subject/i.test(connection) ? '' : named.join('|') + upgrade)
  }).listen(port, '127.0.0.1')
  t.after(() => api.close())
  return `127.0.0.1:${port}`
}
