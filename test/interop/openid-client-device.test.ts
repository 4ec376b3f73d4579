import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as client from 'openid-client'
import { registerDeviceClient } from '../oauth/device/devices.ts'
import { onMainEngine } from '../support/engines.ts'
import { type SignedInPerson, signedInPerson } from '../support/people.ts'
import { realProvider } from './provider.ts'

const GRANT = 'urn:ietf:params:oauth:grant-type:device_code'

onMainEngine('openid-client on a device', (engine) => {
  const provider = realProvider(engine)

  async function configure() {
    const { app, issuer } = provider()
    const { clientId } = await registerDeviceClient(app)
    return client.discovery(new URL(issuer), clientId, undefined, client.None(), {
      execute: [client.allowInsecureRequests],
    })
  }

  const decide = (person: SignedInPerson, user_code: string, approve: boolean) =>
    person.post('/oauth/device/approve', { user_code, approve }, { origin: provider().issuer })

  test('signs in while the person approves in a browser, and refreshes', async () => {
    const config = await configure()
    const person = await signedInPerson(provider().app)
    const started = await client.initiateDeviceAuthorization(config, { scope: 'openid email offline_access' })
    assert.match(started.verification_uri_complete ?? '', /\/device\?user_code=/)
    const polled = client.pollDeviceAuthorizationGrant(config, started)
    // It reads the first answer as pending, and the next one is five seconds later.
    assert.equal((await decide(person, started.user_code, true)).statusCode, 200)
    const tokens = await polled
    assert.equal(tokens.claims()?.sub, person.user.id)
    assert.equal((await client.fetchUserInfo(config, tokens.access_token, person.user.id)).email, person.user.email)
    const refreshed = await client.refreshTokenGrant(config, tokens.refresh_token ?? '')
    assert.equal(refreshed.claims()?.sub, person.user.id)
  })

  test('recognizes every error of RFC 8628 section 3.5', async () => {
    const { app } = provider()
    const config = await configure()
    const person = await signedInPerson(app)
    const poll = (device_code: string) => client.genericGrantRequest(config, GRANT, { device_code })
    const started = await client.initiateDeviceAuthorization(config, { scope: 'openid' })
    await assert.rejects(poll(started.device_code), { error: 'authorization_pending', status: 400 })
    await assert.rejects(poll(started.device_code), { error: 'slow_down', status: 400 })
    await decide(person, started.user_code, false)
    await assert.rejects(client.pollDeviceAuthorizationGrant(config, { ...started, interval: 0 }), {
      error: 'access_denied',
    })
    const late = await client.initiateDeviceAuthorization(config, { scope: 'openid' })
    await app.services.db.transaction((trx) => trx.updateTable('oauth_device_codes').set({ expires_at: 1 }).execute())
    await assert.rejects(poll(late.device_code), { error: 'expired_token', status: 400 })
    await assert.rejects(poll('dc_unknown'), { error: 'invalid_grant', status: 400 })
    await assert.rejects(client.initiateDeviceAuthorization(config, { scope: 'more' }), { error: 'invalid_scope' })
  })
})
