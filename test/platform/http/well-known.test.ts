import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../support/app.ts'
import { anonymous } from '../../support/people.ts'

const BASE = 'https://id.example.com'
const DASHBOARD = 'https://app.example.com'

const at = (path: string) => `/.well-known/${path}`

test('password managers find the pages of the account, on the origin of the dashboard', async (t) => {
  const app = anonymous(await startApp(t, { config: { baseUrl: BASE, dashboardOrigin: DASHBOARD } }))
  const changed = await app.get(at('change-password'))
  assert.deepEqual([changed.statusCode, changed.headers['location']], [302, `${DASHBOARD}/account/password`])
  const passkeys = await app.get(at('passkey-endpoints'))
  assert.match(passkeys.headers['content-type'] as string, /^application\/json/)
  assert.deepEqual(passkeys.json(), {
    enroll: `${DASHBOARD}/account/passkeys`,
    manage: `${DASHBOARD}/account/passkeys`,
  })
  // Only where this is not found do password managers trust the redirect.
  assert.equal(
    (await app.get(at('resource-that-should-not-exist-whose-status-code-should-not-be-200'))).statusCode,
    404,
  )
})

test('security.txt has the contact and expires later, and is not there without a contact', async (t) => {
  const securityContact = 'mailto:security@example.com'
  const configured = await startApp(t, { config: { baseUrl: BASE, securityContact } })
  const answer = await anonymous(configured).get(at('security.txt'))
  assert.equal(answer.headers['content-type'], 'text/plain; charset=utf-8')
  const [contact, expires = '', canonical, ...rest] = answer.body.split('\n')
  assert.deepEqual(
    [contact, canonical, rest],
    [`Contact: ${securityContact}`, `Canonical: ${BASE}/.well-known/security.txt`, ['']],
  )
  const days = (Date.parse(expires.replace('Expires: ', '')) - configured.clock.now()) / (24 * 3600_000)
  assert.ok(days > 30 && days < 365, expires)

  const missing = await anonymous(await startApp(t)).get(at('security.txt'))
  assert.deepEqual([missing.statusCode, missing.json<{ code: string }>().code], [404, 'not_found'])
})
