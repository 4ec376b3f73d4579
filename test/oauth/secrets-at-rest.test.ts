import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { sql } from 'kysely'
import { startApp, type TestApp } from '../support/app.ts'
import {
  authorizeUrl,
  credentials,
  exchangeCode,
  getCode,
  getTokens,
  locationOf,
  newPkce,
  postForm,
  refresh,
  registerApplication,
  type Tokens,
} from '../support/application.ts'
import { onMainEngine } from '../support/engines.ts'
import { signedInPerson } from '../support/people.ts'

const TABLES = [
  'oauth_clients',
  'oauth_grants',
  'oauth_answered_requests',
  'oauth_authorization_codes',
  'oauth_access_tokens',
  'oauth_refresh_tokens',
  'audit_events',
  'notifications',
] as const

async function everythingStored({ services, storage }: TestApp): Promise<string> {
  const rows: unknown[] = []
  for (const table of TABLES) rows.push((await sql`select * from ${sql.table(table)}`.execute(services.db.read)).rows)
  const files = readdirSync(storage.dataDir, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && entry.name !== 'secret.key')
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
  return JSON.stringify(rows) + files.join('')
}

onMainEngine('secrets at rest', (engine) => {
  test('no code, token, secret or pending request is stored or logged in plaintext', async (t) => {
    const app = await startApp(t, { engine, logLevel: 'debug' })
    const application = await registerApplication(app)
    const person = await signedInPerson(app)
    const pkce = newPkce()
    const code = await getCode(person, application, pkce, { scope: 'openid offline_access' })
    const first = (await exchangeCode(app, application, code, pkce)).json<Tokens>()
    const second = (await refresh(app, application, first.refresh_token)).json<Tokens>()
    const machine = (
      await postForm(app, '/oauth/token', { grant_type: 'client_credentials', ...credentials(application) })
    ).json<Tokens>()
    const page = locationOf(await person.get(authorizeUrl(application, newPkce(), { prompt: 'login' })))
    const pending = new URL(page.searchParams.get('return_to') ?? '', page).searchParams.get('pending_request')
    await exchangeCode(app, application, code, pkce)
    await getTokens(app, person, application)
    await postForm(app, '/oauth/token', {
      grant_type: 'client_credentials',
      ...credentials(application),
      client_secret: 'cs_wrong-secret',
    })

    const stored = `${await everythingStored(app)}${app.logged()}`
    const secrets = [
      code,
      first.access_token,
      first.refresh_token,
      first.id_token,
      second.refresh_token,
      machine.access_token,
      application.secret,
      pending,
      pkce.verifier,
      person.cookie,
      'cs_wrong-secret',
    ]
    for (const secret of secrets) {
      assert.ok(secret)
      assert.ok(!stored.includes(secret), secret.slice(0, 6))
    }
    assert.ok(stored.includes(application.clientId))
  })
})
