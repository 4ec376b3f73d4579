import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readConfig } from '../../../src/platform/config/config.ts'
import { sharedApp, startApp } from '../../support/app.ts'
import { registerApplication } from '../../support/application.ts'
import { onMainEngine } from '../../support/engines.ts'
import { signedInPerson, type SignedInPerson } from '../../support/people.ts'

const RULES = {
  httpRedirectHosts: ['nas.lan', '*.home.example', '192.168.0.0/16', 'fd00::/8', '10.1.2.3'],
  redirectSchemes: ['immich', 'my-app'],
}

onMainEngine('redirect rules of a private network', (engine) => {
  const app = sharedApp({ engine, config: RULES })
  const register = async (person: SignedInPerson, body: object) =>
    (await person.post('/oauth/clients', { name: 'App', clientType: 'confidential', scopes: [], ...body })).statusCode

  test('http may go to the listed hosts and ranges, and private-use schemes to the listed ones', async () => {
    const admin = await signedInPerson(app(), { admin: true })
    for (const uri of [
      'http://nas.lan/cb',
      'http://nas.lan:8080/cb',
      'http://a.home.example/cb',
      'http://a.b.home.example/cb',
      'http://192.168.3.4:2283/cb',
      'http://[fd00::1]/cb',
      'http://10.1.2.3/cb',
      'http://localhost/cb',
      'immich:/cb',
      'my-app://cb',
    ])
      assert.equal(await register(admin, { redirectUris: [uri] }), 201, uri)
    for (const uri of [
      'http://home.example/cb',
      'http://evilhome.example/cb',
      'http://nas.lan.evil.example/cb',
      'http://nas.lan@evil.example/cb',
      'http://192.169.0.1/cb',
      'http://10.1.2.4/cb',
      'http://[fe80::1]/cb',
      'http://example.com/cb',
      'other:/cb',
      'javascript:alert(1)',
      'data:text/html,x',
    ])
      assert.equal(await register(admin, { redirectUris: [uri] }), 400, uri)
  })

  test('a launch URL is https, or http on loopback and the listed hosts', async () => {
    const admin = await signedInPerson(app(), { admin: true })
    const redirectUris = ['https://app.example/cb']
    for (const launchUrl of [
      'https://app.example/',
      'https://app.example/#/x',
      'http://nas.lan/',
      'http://[::1]:3000/',
      null,
    ])
      assert.equal(await register(admin, { redirectUris, launchUrl }), 201, String(launchUrl))
    for (const launchUrl of [
      'http://example.com/',
      'immich:/',
      'com.example.app:/x',
      'javascript:alert(1)',
      '/x',
      '#',
      '',
    ])
      assert.equal(await register(admin, { redirectUris, launchUrl }), 400, launchUrl)
  })

  test('other settings of a client can change after its redirect URL is no longer allowed', async (t) => {
    const lax = await startApp(t, { engine, config: RULES })
    const { clientId } = await registerApplication(lax, { redirectUris: ['http://nas.lan/cb'] })
    await lax.close()
    const strict = await startApp(t, { engine, storage: lax.storage, clock: lax.clock })
    const admin = await signedInPerson(strict, { admin: true })
    assert.equal((await admin.patch(`/oauth/clients/${clientId}`, { name: 'Renamed' })).statusCode, 200)
    const redirectUris = ['http://nas.lan/cb', 'https://app.example/cb']
    assert.equal((await admin.patch(`/oauth/clients/${clientId}`, { redirectUris })).statusCode, 400)
  })
})

test('HTTP_REDIRECT_HOSTS and REDIRECT_SCHEMES are lists, and unsafe ones stop the start', () => {
  const config = readConfig({ HTTP_REDIRECT_HOSTS: 'nas.lan, *.Home.example,10.0.0.0/8', REDIRECT_SCHEMES: 'immich' })
  assert.deepEqual(config.httpRedirectHosts, ['nas.lan', '*.home.example', '10.0.0.0/8'])
  assert.deepEqual(config.redirectSchemes, ['immich'])
  for (const scheme of ['javascript', 'data', 'file', 'vbscript', 'blob', 'about', 'https', 'a b', 'app:', ''])
    if (scheme !== '') assert.throws(() => readConfig({ REDIRECT_SCHEMES: `immich,${scheme}` }), /REDIRECT_SCHEMES/)
  for (const hosts of ['*', '*.', 'a..b', 'http://nas.lan', 'nas.lan/x', '10.0.0.0/40', 'a,,b'])
    assert.throws(() => readConfig({ HTTP_REDIRECT_HOSTS: hosts }), /HTTP_REDIRECT_HOSTS/)
  assert.throws(() => readConfig({ ALLOW_MISSING_PKCE: 'yes' }), /ALLOW_MISSING_PKCE/)
})
