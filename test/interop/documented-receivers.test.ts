import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { decodeJwt } from 'jose'
import type { Application } from '../support/application.ts'
import { freePort } from '../support/free-port.ts'
import { type SignedInPerson, signedInPerson, signIn } from '../support/people.ts'
import { until } from '../support/replicas.ts'
import { end } from '../third-party/ends-of-access.ts'
import { createOrganisation } from '../third-party/organisation.ts'
import { tokensOf } from '../third-party/tokens-of.ts'
import { visit } from '../third-party/visitor.ts'
import { realProvider } from './provider.ts'
import { LANGUAGES, runReceiver } from './run-receiver.ts'

const { express, next, python, golang } = LANGUAGES
const MAX_WAIT_MS = 10_000

describe('the receivers in the documents', () => {
  const provider = realProvider('sqlite', { outgoingAllow: ['127.0.0.0/8'] })

  for (const [title, language] of [
    ['express-logout.mjs', express],
    ['app/backchannel-logout/route.js', next],
    ['logout.py', python],
    ['logout.go', golang],
  ] as const) {
    test(`${title} ends sessions for logout tokens, and for nothing else`, { skip: language.skip }, async (t) => {
      const { app, issuer } = provider()
      const url = `http://127.0.0.1:${await freePort()}/backchannel-logout`
      const organisation = await createOrganisation(provider(), '/callback', { backchannelLogoutUri: url })
      const told = await runReceiver(t, language, title, { ...organisation.environment, PORT: new URL(url).port })
      const { id: sub } = organisation.member.user

      const elsewhere = await signIn(app, organisation.member.user)
      const { id_token: idToken } = await tokensOf(issuer, organisation, 'openid', visit(provider(), elsewhere))
      for (const fields of [{ logout_token: idToken }, { logout_token: 'no token' }, { other: 'field' }]) {
        const answer = await fetch(url, { method: 'POST', body: new URLSearchParams(fields) })
        assert.ok(answer.status >= 400, JSON.stringify(fields))
      }
      assert.deepEqual(told(), [])

      await elsewhere.post('/api/auth/logout', undefined, { origin: issuer })
      await until(async () => told().length > 0, MAX_WAIT_MS)
      assert.deepEqual(told(), [{ sub, sid: decodeJwt(idToken)['sid'] }])
      await end(provider(), organisation, 'disabled')
      await until(async () => told().length > 1, MAX_WAIT_MS)
      assert.deepEqual(told()[1], { sub })
    })
  }

  for (const [title, language] of [
    ['express-webhook.mjs', express],
    ['app/webhooks/latchkey/route.js', next],
    ['webhook.py', python],
    ['webhook.go', golang],
  ] as const) {
    test(`${title} takes what Latchkey has signed, and nothing else`, { skip: language.skip }, async (t) => {
      const { app, issuer } = provider()
      const admin = await signedInPerson(app, { admin: true })
      const url = `http://127.0.0.1:${await freePort()}/webhooks/latchkey`
      const { secret } = await addWebhook(admin, issuer, url)
      const told = await runReceiver(t, language, title, { WEBHOOK_SECRET: secret, PORT: new URL(url).port })

      const headers = {
        'content-type': 'application/json',
        'webhook-id': 'msg_1',
        'webhook-timestamp': String(Math.floor(Date.now() / 1000)),
        'webhook-signature': `v1,${'A'.repeat(43)}=`,
      }
      for (const each of [headers, { 'content-type': 'application/json' }]) {
        const answer = await fetch(url, { method: 'POST', headers: each, body: '{"type":"user.disabled"}' })
        assert.equal(answer.status, 400)
      }
      assert.deepEqual(told(), [])

      const { user } = await signedInPerson(app)
      const disabled = await admin.post(
        `/api/admin/users/${user.id}/lifecycle`,
        { action: 'disable' },
        { origin: issuer },
      )
      assert.ok(disabled.statusCode < 300, disabled.body)
      await until(async () => told().length > 0, MAX_WAIT_MS)
      assert.deepEqual(
        told().map((each) => (each as { type: string }).type),
        ['user.disabled'],
      )
    })
  }

  test('express-signals.mjs takes the events of its stream, and nothing else', { skip: express.skip }, async (t) => {
    const { issuer } = provider()
    const url = `http://127.0.0.1:${await freePort()}/signals`
    const organisation = await createOrganisation(provider(), '/callback', (home) => ({
      redirectUris: [`${home}/callback`, new URL('/callback', url).href],
      scopes: ['openid', 'ssf.read', 'ssf.manage'],
    }))
    const told = await runReceiver(t, express, 'express-signals.mjs', {
      ...organisation.environment,
      PORT: new URL(url).port,
    })
    await addStream(issuer, organisation.application, url)
    const { id_token: idToken } = await tokensOf(issuer, organisation, 'openid')

    for (const body of [idToken, 'no token']) {
      const headers = { 'content-type': 'application/secevent+jwt' }
      const answer = await fetch(url, { method: 'POST', headers, body })
      assert.equal(answer.status, 400)
    }
    assert.deepEqual(told(), [])
    await end(provider(), organisation, 'disabled')
    await until(async () => told().length > 1, MAX_WAIT_MS)
    assert.deepEqual(
      told().map((each) => (each as { type: string }).type.replace(/^.*event-type/, '')),
      ['/session-revoked', '/account-disabled'],
    )
  })
})

async function addStream(issuer: string, { clientId, secret = '' }: Application, url: string): Promise<void> {
  const granted = await fetch(`${issuer}/oauth/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${clientId}:${secret}`)}` },
    body: new URLSearchParams({ grant_type: 'client_credentials', scope: 'ssf.manage' }),
  })
  const { access_token: token } = (await granted.json()) as { access_token: string }
  const made = await fetch(`${issuer}/ssf/stream`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ delivery: { method: 'urn:ietf:rfc:8935', endpoint_url: url } }),
  })
  assert.equal(made.status, 201, await made.text())
}

async function addWebhook(admin: SignedInPerson, issuer: string, url: string): Promise<{ secret: string }> {
  const answer = await admin.post('/api/admin/webhooks', { url, events: ['user.disabled'] }, { origin: issuer })
  assert.equal(answer.statusCode, 201, answer.body)
  return answer.json<{ secret: string }>()
}
