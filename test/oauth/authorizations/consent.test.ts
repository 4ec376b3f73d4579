import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ORIGIN, sharedApp } from '../../support/app.ts'
import {
  authorizationQuery,
  authorize,
  authorizeUrl,
  consent,
  exchangeCode,
  getTokens,
  isLive,
  locationOf,
  newPkce,
  refresh,
  registerApplication,
} from '../../support/application.ts'
import { MAIN_ENGINE, onEachEngine } from '../../support/engines.ts'
import { anonymous, signedInPerson } from '../../support/people.ts'

onEachEngine('consent', (engine) => {
  const app = sharedApp({ engine })
  const toBody = (query: string) => Object.fromEntries(new URLSearchParams(query))

  test('concurrent approvals of different scopes are combined', async () => {
    const application = await registerApplication(app())
    const person = await signedInPerson(app())
    await Promise.all(
      ['openid', 'profile', 'email', 'offline_access'].map((scope) =>
        person.post('/oauth/approve', toBody(authorizationQuery(application, newPkce(), { scope }))),
      ),
    )
    const { grants } = (await person.get('/api/account/oauth/grants')).json<{ grants: { scopes: string[] }[] }>()
    assert.deepEqual(grants[0]?.scopes.toSorted(), ['email', 'offline_access', 'openid', 'profile'])
  })

  // The rest is the same on every engine.
  if (engine !== MAIN_ENGINE) return

  test('details returns the client, the scopes and the user of a request', async () => {
    const application = await registerApplication(app(), { name: 'Photos' })
    const person = await signedInPerson(app())
    const url = authorizeUrl(application, newPkce(), { scope: 'openid email' })
    const page = locationOf(await person.get(url))
    assert.equal(page.origin + page.pathname, `${ORIGIN}/consent`)
    const answer = await person.get(`/oauth/details${page.search}`)
    assert.equal(answer.statusCode, 200)
    assert.deepEqual(answer.json(), {
      client_id: application.clientId,
      name: 'Photos',
      operator: null,
      logoUrl: null,
      scopes: ['openid', 'email'],
      claims: [],
      redirect_uri: application.redirectUri,
      allowed: true,
      user: { id: person.user.id, email: person.user.email, displayName: null, avatarUrl: null },
    })
    const direct = await person.get(url.replace('/authorize', '/details'))
    assert.deepEqual(direct.json(), answer.json())
  })

  test('the sign-in page learns which application somebody signs in to, by a valid request only', async () => {
    const application = await registerApplication(app(), { name: 'Photos' })
    const reader = anonymous(app())
    const url = authorizeUrl(application, newPkce(), { prompt: 'login' })
    assert.deepEqual((await reader.get(url.replace('/authorize', '/application'))).json(), {
      name: 'Photos',
      logoUrl: null,
    })
    // As the sign-in page gets it: the address to come back to.
    const returnTo = locationOf(await reader.get(url)).searchParams.get('return_to') ?? ''
    const found = await reader.get(returnTo.replace('/authorize', '/application'))
    assert.equal(found.json().name, 'Photos')
    const other = authorizeUrl(application, newPkce(), { redirect_uri: 'https://evil.example/' })
    const refused = await reader.get(other.replace('/authorize', '/application'))
    assert.equal(refused.statusCode, 400)
    assert.equal(refused.body.includes('Photos'), false)
  })

  test('details returns the current operator of the application', async () => {
    const { clientId, ...application } = await registerApplication(app(), { operator: 'Example Ltd' })
    const person = await signedInPerson(app(), { permissions: ['oauth_clients:write'] })
    const url = authorizeUrl({ clientId, ...application }, newPkce()).replace('/authorize', '/details')
    const operator = async () => (await person.get(url)).json<{ operator: string | null }>().operator
    assert.equal(await operator(), 'Example Ltd')
    await person.patch(`/oauth/clients/${clientId}`, { operator: 'Sold Ltd' })
    assert.equal(await operator(), 'Sold Ltd')
    await person.patch(`/oauth/clients/${clientId}`, { operator: null })
    assert.equal(await operator(), null)
  })

  test('details and approve answer 401 without a session, before any other check', async () => {
    for (const answer of [
      await anonymous(app()).get('/oauth/details?client_id=x'),
      await anonymous(app()).post('/oauth/approve', { client_id: 'x' }),
    ])
      assert.deepEqual([answer.statusCode, answer.json<{ code: string }>().code], [401, 'unauthenticated'])
  })

  test('approving records the grant, notifies the user, and returns a code', async () => {
    const application = await registerApplication(app(), { name: 'Photos' })
    const person = await signedInPerson(app())
    const pkce = newPkce()
    const answer = await person.post('/oauth/approve', toBody(authorizationQuery(application, pkce)))
    assert.equal(answer.statusCode, 200)
    const { success, redirectTo } = answer.json<{ success: boolean; redirectTo: string }>()
    assert.equal(success, true)
    const url = new URL(redirectTo)
    assert.equal(url.searchParams.get('state'), 'some-state')
    assert.equal(url.searchParams.get('iss'), ORIGIN)
    const tokens = await exchangeCode(app(), application, url.searchParams.get('code') ?? '', pkce)
    assert.equal(tokens.statusCode, 200)

    const { db } = app().services
    const notifications = await db.read
      .selectFrom('notifications')
      .selectAll()
      .where('user_id', '=', person.user.id)
      .execute()
    assert.deepEqual(
      notifications.map(({ type, data }) => [type, JSON.parse(data)]),
      [['oauth.grant_added', { client_id: application.clientId, name: 'Photos', scopes: ['openid'] }]],
    )
    const events = await db.read
      .selectFrom('audit_events')
      .select('action')
      .where('actor_id', '=', person.user.id)
      .execute()
    assert.deepEqual(
      events.map(({ action }) => action),
      ['oauth_grant.added'],
    )
  })

  test('denying consent redirects to the application with access_denied, and grants nothing', async () => {
    const application = await registerApplication(app())
    const person = await signedInPerson(app())
    const page = locationOf(await person.get(authorizeUrl(application, newPkce())))
    const url = await consent(person, page, false)
    assert.equal(url.origin + url.pathname, application.redirectUri)
    assert.equal(url.searchParams.get('error'), 'access_denied')
    assert.equal(url.searchParams.get('state'), 'some-state')
    assert.deepEqual((await person.get('/api/account/oauth/grants')).json(), { grants: [] })
  })

  test('a later request within the granted scopes needs no consent, and one beyond them does', async () => {
    const application = await registerApplication(app())
    const person = await signedInPerson(app())
    await authorize(person, application, newPkce(), { scope: 'openid profile' })
    for (const scope of ['openid', 'profile openid', 'profile']) {
      const url = locationOf(await person.get(authorizeUrl(application, newPkce(), { scope })))
      assert.match(url.searchParams.get('code') ?? '', /^ac_/)
    }
    const page = locationOf(await person.get(authorizeUrl(application, newPkce(), { scope: 'openid email' })))
    await consent(person, page)
    const { grants } = (await person.get('/api/account/oauth/grants')).json<{ grants: { scopes: string[] }[] }>()
    assert.deepEqual(grants[0]?.scopes, ['openid', 'profile', 'email'])
  })

  test('approve repeats all checks, and refuses what authorize would refuse', async () => {
    const application = await registerApplication(app())
    const person = await signedInPerson(app())
    const good = toBody(authorizationQuery(application, newPkce()))
    const changes = [
      { client_id: 'nobody' },
      { redirect_uri: 'https://evil.example/cb' },
      { scope: 'openid admin' },
      { code_challenge_method: 'plain' },
      { code_challenge: '' },
      { response_type: 'token' },
      { pending_request: 'made-up' },
      { scope: ['openid'] },
      { state: { a: 1 } },
      { approve: 'yes' },
    ]
    for (const change of changes) {
      const answer = await person.post('/oauth/approve', { ...good, ...change })
      assert.equal(answer.statusCode, 400, `${JSON.stringify(change)} ${answer.body}`)
      assert.equal(typeof answer.json<{ code: string }>().code, 'string')
    }
    assert.deepEqual((await person.get('/api/account/oauth/grants')).json(), { grants: [] })
  })

  test('a page of another origin can’t approve a request', async () => {
    const application = await registerApplication(app())
    const person = await signedInPerson(app())
    const body = toBody(authorizationQuery(application, newPkce()))
    for (const headers of [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { origin: ORIGIN, 'content-type': 'text/plain' },
      { origin: ORIGIN, 'content-type': 'application/x-www-form-urlencoded' },
    ]) {
      const answer = await person.post('/oauth/approve', JSON.stringify(body), headers)
      assert.ok([403, 415].includes(answer.statusCode))
    }
    const crossSite = await app().app.inject({
      method: 'POST',
      url: '/oauth/approve',
      headers: { cookie: `session=${person.cookie}`, 'sec-fetch-site': 'cross-site' },
      payload: body,
    })
    assert.equal(crossSite.statusCode, 403)
    assert.deepEqual((await person.get('/api/account/oauth/grants')).json(), { grants: [] })
  })

  test('users see and revoke only their own grants', async () => {
    const application = await registerApplication(app(), { name: 'Photos' })
    const [person, other] = [await signedInPerson(app()), await signedInPerson(app())]
    await authorize(person, application, newPkce(), { scope: 'openid email' })
    const at = app().clock.now()
    assert.deepEqual((await person.get('/api/account/oauth/grants')).json(), {
      grants: [
        { client_id: application.clientId, name: 'Photos', scopes: ['openid', 'email'], createdAt: at, updatedAt: at },
      ],
    })
    assert.deepEqual((await other.get('/api/account/oauth/grants')).json(), { grants: [] })
    assert.equal((await other.delete(`/api/account/oauth/grants/${application.clientId}`)).statusCode, 404)
    assert.equal((await anonymous(app()).get('/api/account/oauth/grants')).statusCode, 401)
    assert.equal((await anonymous(app()).delete('/api/account/oauth/grants/x')).statusCode, 401)
  })

  test('revoking a grant revokes its access tokens, refresh tokens and unused codes, and consent is needed again', async () => {
    const application = await registerApplication(app())
    const person = await signedInPerson(app())
    const tokens = await getTokens(app(), person, application)
    const pkce = newPkce()
    const unusedCode = (await authorize(person, application, pkce)).searchParams.get('code') ?? ''
    const answer = await person.delete(`/api/account/oauth/grants/${application.clientId}`)
    assert.deepEqual([answer.statusCode, answer.json()], [200, { success: true }])

    assert.equal(await isLive(app(), application, tokens.access_token), false)
    assert.equal(await isLive(app(), application, tokens.refresh_token), false)
    for (const refused of [
      await refresh(app(), application, tokens.refresh_token),
      await exchangeCode(app(), application, unusedCode, pkce),
    ])
      assert.deepEqual([refused.statusCode, refused.json<{ error: string }>().error], [400, 'invalid_grant'])
    assert.equal(locationOf(await person.get(authorizeUrl(application, pkce))).pathname, '/consent')
    assert.equal((await person.delete(`/api/account/oauth/grants/${application.clientId}`)).statusCode, 404)
  })
})
