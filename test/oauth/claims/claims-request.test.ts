import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ORIGIN, sharedApp } from '../../support/app.ts'
import {
  authorize,
  authorizeUrl,
  claimsOf,
  getTokens,
  locationOf,
  newPkce,
  refresh,
  registerApplication,
  type Tokens,
  userinfo,
} from '../../support/application.ts'
import { onMainEngine } from '../../support/engines.ts'
import { signedInPerson } from '../../support/people.ts'

onMainEngine('claims requested by name', (engine) => {
  const app = sharedApp({ engine })

  test('are returned where they were requested, and need consent to their scope', async () => {
    const application = await registerApplication(app())
    const person = await signedInPerson(app())
    await authorize(person, application, newPkce(), { scope: 'openid offline_access' })
    const claims = JSON.stringify({
      id_token: { email: null, given_name: { essential: true } },
      userinfo: { preferred_username: null, nickname: null },
    })
    const scope = 'openid offline_access'
    const page = locationOf(await person.get(authorizeUrl(application, newPkce(), { scope, claims })))
    assert.equal(page.pathname, '/consent')
    const details = (await person.get(`/oauth/details${page.search}`)).json<{ scopes: string[] }>()
    assert.deepEqual(details.scopes, ['openid', 'offline_access', 'profile', 'email'])

    const tokens = await getTokens(app(), person, application, { scope, claims })
    assert.equal(tokens.scope, scope)
    assert.equal(claimsOf(tokens.id_token)['email'], person.user.email)
    assert.equal('given_name' in claimsOf(tokens.id_token), false)
    assert.deepEqual((await userinfo(app(), tokens.access_token)).json(), {
      sub: person.user.id,
      preferred_username: person.user.preferredUsername,
    })
    const refreshed = (await refresh(app(), application, tokens.refresh_token)).json<Tokens>()
    assert.equal(claimsOf(refreshed.id_token)['email'], person.user.email)
    assert.equal(claimsOf(refreshed.id_token)['sub'], person.user.id)
  })

  test('are left out when the client may not request their scope, and never replace a protocol claim', async () => {
    const application = await registerApplication(app(), { scopes: ['openid'] })
    const person = await signedInPerson(app())
    const claims = JSON.stringify({ id_token: { email: null, iss: { value: 'evil' } }, userinfo: { email: null } })
    const tokens = await getTokens(app(), person, application, { scope: 'openid', claims })
    assert.equal('email' in claimsOf(tokens.id_token), false)
    assert.equal(claimsOf(tokens.id_token)['iss'], ORIGIN)
    assert.deepEqual((await userinfo(app(), tokens.access_token)).json(), { sub: person.user.id })
  })

  test('with a value for sub give a code to that user only', async () => {
    const application = await registerApplication(app())
    const person = await signedInPerson(app())
    const claims = JSON.stringify({ id_token: { sub: { value: 'usr_other' } } })
    const url = authorizeUrl(application, newPkce(), { prompt: 'none', claims })
    assert.equal(locationOf(await person.get(url)).searchParams.get('error'), 'login_required')
  })

  test('with an essential acr that the person has nothing for are refused at once', async () => {
    const application = await registerApplication(app())
    const person = await signedInPerson(app())
    const claims = JSON.stringify({ id_token: { acr: { essential: true, values: ['phr'] } } })
    const url = locationOf(await person.get(authorizeUrl(application, newPkce(), { claims })))
    assert.equal(url.searchParams.get('error'), 'unmet_authentication_requirements')
    const weaker = JSON.stringify({ id_token: { acr: { essential: true, values: ['phr', '1'] } } })
    const accepted = locationOf(await person.get(authorizeUrl(application, newPkce(), { claims: weaker })))
    assert.equal(accepted.pathname, '/consent')
  })
})
