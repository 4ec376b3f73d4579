import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { freePort } from '../support/free-port.ts'
import { registerResourceServer } from '../third-party/resource-server.ts'
import { runProgram } from '../third-party/run-application.ts'
import { realProvider } from './provider.ts'

const ROOT = join(import.meta.dirname, '../..')
const guide = readFileSync(join(ROOT, 'docs/resource-servers.md'), 'utf8')
const example = /```js title=api\.mjs\n([\s\S]*?)```/.exec(guide)?.[1] ?? ''

const provider = realProvider('sqlite')

test('the API in the guide for resource servers checks tokens, and notices at once that one was revoked', async (t) => {
  const { issuer } = provider()
  const server = await registerResourceServer(provider(), {
    clientType: 'confidential',
    scopes: [],
    grantTypes: ['client_credentials'],
  })
  const run = async (issuerOfApi: string) => {
    const home = `http://localhost:${await freePort()}`
    const { clientId, clientSecret } = server.credentials
    await runProgram(t, {
      command: process.execPath,
      args: ['--input-type=module', '--eval', example],
      folder: ROOT,
      environment: { ISSUER: issuerOfApi, CLIENT_ID: clientId, CLIENT_SECRET: clientSecret, PORT: new URL(home).port },
      home,
    })
    return async (token?: string) => {
      const answer = await fetch(home, token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } })
      return `${answer.status} ${answer.headers.get('www-authenticate') ?? (await answer.text())}`
    }
  }

  const get = await run(issuer)
  const { token, clientId, revoke } = await server.newToken('reports')
  assert.equal(await get(token), `200 Hello ${clientId}`)
  assert.equal(await get(), '401 Bearer')
  assert.equal(await get('at_unknown'), '401 Bearer error="invalid_token"')
  const other = await server.newToken('reports2')
  assert.equal(await get(other.token), '403 Bearer error="insufficient_scope", scope="reports"')
  await revoke()
  assert.equal(await get(token), '401 Bearer error="invalid_token"')

  const whenUnreachable = await run(`http://127.0.0.1:${await freePort()}`)
  assert.match(await whenUnreachable(other.token), /^503/)
})
