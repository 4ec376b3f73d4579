import assert from 'node:assert/strict'
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test, type TestContext } from 'node:test'
import { modOauth2 } from '../../catalogue/entries/mod-oauth2.ts'
import { fillIn } from '../../catalogue/fill-in.ts'
import { realProvider } from '../interop/provider.ts'
import { freePort } from '../support/free-port.ts'
import { until } from '../support/replicas.ts'
import { registerResourceServer } from './resource-server.ts'
import { startApache } from './run-apache.ts'
import { debianName, needs } from './software.ts'

const { folder, skip } = await needs('debian')
const PAGE = `<!--#echo var="REMOTE_USER" --> <!--#echo var="OAUTH2_CLAIM_client_id" -->`

describe(debianName(folder, 'mod_oauth2', 'libapache2-mod-oauth2'), { skip }, () => {
  const provider = realProvider('sqlite')

  async function runApi(t: TestContext, expiry: string, cache = '') {
    const server = await registerResourceServer(provider(), modOauth2.client)
    const { issuer } = provider()
    const home = `http://localhost:${await freePort()}`
    const filled = fillIn(modOauth2, { path: 'api', scope: 'reports' }, { issuer, ...server.credentials })
    assert.ok(!filled.problems)
    const location = (filled.snippets[0]?.text ?? '')
      .replace('<Location /api>', '<Location />')
      .replace('&expiry=10', expiry)
    const settings = `${cache}\n${location}`
    await startApache(t, { folder, home, module: 'oauth2', page: PAGE, settings })
    const get = async (token?: string) => {
      const answer = await fetch(home, token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } })
      return { status: answer.status, body: (await answer.text()).trim() }
    }
    return { ...server, get }
  }

  test('lets programs in with a token that has the scope, and nobody else', async (t) => {
    const { get, newToken } = await runApi(t, '&expiry=10')
    const { token, clientId } = await newToken('reports')
    assert.deepEqual(await get(token), { status: 200, body: `${clientId} ${clientId}` })
    assert.equal((await get()).status, 401)
    assert.equal((await get('at_unknown')).status, 401)
    assert.equal((await get((await newToken('other')).token)).status, 401)
  })

  test('accepts a revoked token for as long as expiry says', async (t) => {
    const afterRevocation = async (expiry: string) => {
      const { get, newToken } = await runApi(t, expiry)
      const { token, revoke } = await newToken('reports')
      assert.equal((await get(token)).status, 200)
      await revoke()
      return async () => (await get(token)).status
    }
    assert.equal(await (await afterRevocation('&expiry=3600'))(), 200)
    const shortly = await afterRevocation('&expiry=1')
    await until(async () => (await shortly()) === 401)
  })

  for (const [when, expiry, seconds] of [
    ['by default', '', 300],
    ['with the settings of the catalogue', '&expiry=10', 10],
  ] as const)
    test(`keeps an answer for ${seconds} seconds ${when}`, async (t) => {
      const cache = mkdtempSync(join(tmpdir(), 'latchkey-oauth2-cache-'))
      t.after(() => rmSync(cache, { recursive: true, force: true }))
      // Apache writes there as another user when root starts it.
      chmodSync(cache, 0o777)
      const { get, newToken } = await runApi(t, expiry, `OAuth2Cache file dir=${cache}`)
      assert.equal((await get((await newToken('reports')).token)).status, 200)
      const answer = readdirSync(cache).find((name) => name.startsWith('oauth2-cache-')) ?? ''
      assert.ok(Math.abs(secondsKept(join(cache, answer)) - seconds) <= 1)
    })
})

/** The file of an answer begins with its length and the time at which it ends. */
const secondsKept = (file: string): number =>
  Number(readFileSync(file).readBigInt64LE(8)) - Math.floor(statSync(file).mtimeMs / 1000)
