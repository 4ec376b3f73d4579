import assert from 'node:assert/strict'
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

  async function runApi(t: TestContext, expiry: string) {
    const server = await registerResourceServer(provider(), modOauth2.client)
    const { issuer } = provider()
    const home = `http://localhost:${await freePort()}`
    const filled = fillIn(modOauth2, { path: 'api', scope: 'reports' }, { issuer, ...server.credentials })
    assert.ok(!filled.problems)
    const settings = (filled.snippets[0]?.text ?? '')
      .replace('<Location /api>', '<Location />')
      .replace('&expiry=10', expiry)
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

  test('accepts a revoked token for as long as expiry says, and by default for longer', async (t) => {
    const { get, newToken } = await runApi(t, '&expiry=1')
    const { token, revoke } = await newToken('reports')
    assert.equal((await get(token)).status, 200)
    await revoke()
    await until(async () => (await get(token)).status === 401)

    const byDefault = await runApi(t, '')
    const other = await byDefault.newToken('reports')
    assert.equal((await byDefault.get(other.token)).status, 200)
    await other.revoke()
    assert.equal((await byDefault.get(other.token)).status, 200)
  })
})
