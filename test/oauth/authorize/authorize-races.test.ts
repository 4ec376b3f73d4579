import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sharedApp } from '../../support/app.ts'
import {
  type Application,
  authorizationQuery,
  authorize,
  authorizeUrl,
  exchangeCode,
  locationOf,
  newPkce,
  registerApplication,
} from '../../support/application.ts'
import { onEachEngine } from '../../support/engines.ts'
import { signedInPerson } from '../../support/people.ts'

onEachEngine('authorization during concurrent changes', (engine) => {
  const app = sharedApp({ engine })

  /** Changes the row as another replica does whose signal has not arrived yet: the cached client is the old one. */
  const changeWithoutSignal = (application: Application, change: Record<string, string>) =>
    app().services.db.transaction((trx) =>
      trx.updateTable('oauth_clients').set(change).where('client_id', '=', application.clientId).execute(),
    )

  const CHANGES: [string, Record<string, string>, (location: string | undefined, body: string) => void][] = [
    [
      'a redirect URL that was just removed gets no code',
      { redirect_uris: '["https://new.example/cb"]' },
      (location, body) => {
        assert.equal(location, undefined)
        assert.match(body, /not one that this application has registered/)
      },
    ],
    [
      'a client that just lost the code grant gets no code',
      { grant_types: '["client_credentials"]' },
      (location, body) => assert.match(location ?? body, /unauthorized_client|may not use authorization codes/),
    ],
    [
      'a scope that was just removed from the client is not granted',
      { scopes: '["profile"]' },
      (location, body) => assert.match(location ?? body, /invalid_scope|goes beyond what this application may ask/),
    ],
  ]
  for (const [name, change, check] of CHANGES) {
    test(name, async () => {
      const application = await registerApplication(app())
      const person = await signedInPerson(app())
      await authorize(person, application, newPkce())
      const query = authorizationQuery(application, newPkce())
      await changeWithoutSignal(application, change)
      const answer = await person.get(`/oauth/authorize?${query}`)
      assert.doesNotMatch(String(answer.headers.location), /code=/)
      check(answer.headers.location, answer.body)

      const approved = await person.post('/oauth/approve', Object.fromEntries(new URLSearchParams(query)))
      assert.equal(approved.statusCode, 400, approved.body)
      check(undefined, approved.body)
    })
  }

  test('a client that was just deleted gets no code and can’t be changed while its rows still exist', async () => {
    const application = await registerApplication(app())
    const person = await signedInPerson(app(), { permissions: ['oauth_clients:write'] })
    await authorize(person, application, newPkce())
    const url = `/oauth/clients/${application.clientId}`
    await app().services.db.transaction((trx) =>
      trx.updateTable('oauth_clients').set({ deleted_at: 1 }).where('client_id', '=', application.clientId).execute(),
    )
    const query = authorizationQuery(application, newPkce(), { scope: 'openid email' })
    const answers = [
      await person.get(authorizeUrl(application, newPkce())),
      await person.post('/oauth/approve', Object.fromEntries(new URLSearchParams(query))),
      await person.patch(url, { name: 'Back' }),
      await person.post(`${url}/secret`),
      await person.delete(url),
    ]
    assert.deepEqual(
      answers.map(({ statusCode }) => statusCode),
      [400, 400, 404, 404, 404],
    )
    for (const { headers } of answers) assert.equal(headers.location, undefined)
  })

  test('a request concurrent with the revocation of its grant gets a revoked code or the consent page', async () => {
    const application = await registerApplication(app())
    const person = await signedInPerson(app())
    for (let round = 0; round < 10; round++) {
      await authorize(person, application, newPkce())
      const pkce = newPkce()
      const [answers, revoked] = await Promise.all([
        Promise.all(Array.from({ length: 5 }, () => person.get(authorizeUrl(application, pkce)))),
        person.delete(`/api/account/oauth/grants/${application.clientId}`),
      ])
      assert.equal(revoked.statusCode, 200)
      for (const answer of answers) {
        const url = locationOf(answer)
        if (url.pathname === '/consent') continue
        const exchanged = await exchangeCode(app(), application, url.searchParams.get('code') ?? '', pkce)
        assert.deepEqual([exchanged.statusCode, exchanged.json<{ error: string }>().error], [400, 'invalid_grant'])
      }
    }
  })

  test('a request concurrent with the replacement of its grant by a narrower one does not get the old scopes', async () => {
    const application = await registerApplication(app())
    const person = await signedInPerson(app())
    for (let round = 0; round < 10; round++) {
      await authorize(person, application, newPkce(), { scope: 'openid email' })
      const narrow = Object.fromEntries(
        new URLSearchParams(authorizationQuery(application, newPkce(), { scope: 'openid' })),
      )
      const replace = async () => {
        await person.delete(`/api/account/oauth/grants/${application.clientId}`)
        await person.post('/oauth/approve', narrow)
      }
      const pkce = newPkce()
      const [answers] = await Promise.all([
        Promise.all(
          Array.from({ length: 5 }, () => person.get(authorizeUrl(application, pkce, { scope: 'openid email' }))),
        ),
        replace(),
      ])
      for (const answer of answers) {
        const url = locationOf(answer)
        if (url.pathname === '/consent') continue
        const exchanged = await exchangeCode(app(), application, url.searchParams.get('code') ?? '', pkce)
        assert.equal(exchanged.statusCode, 400, exchanged.body)
      }
    }
  })

  test('requests, approvals and exchanges concurrent with the deletion of a client leave no grant, code or live token', async () => {
    const admin = await signedInPerson(app(), { permissions: ['oauth_clients:write'] })
    const person = await signedInPerson(app())
    for (let round = 0; round < 10; round++) {
      const application = await registerApplication(app())
      const pkce = newPkce()
      const code = (await authorize(person, application, pkce)).searchParams.get('code') ?? ''
      const query = authorizationQuery(application, newPkce(), { scope: 'openid email' })
      const answers = await Promise.all([
        person.get(authorizeUrl(application, newPkce())),
        person.post('/oauth/approve', Object.fromEntries(new URLSearchParams(query))),
        exchangeCode(app(), application, code, pkce),
        admin.delete(`/oauth/clients/${application.clientId}`),
      ])
      for (const { statusCode, body } of answers) assert.ok(statusCode < 500, body)
      assert.equal(answers[3].statusCode, 200)
      const { db } = app().services
      app().clock.advance(60_000)
      await app().tick()
      for (const table of ['oauth_grants', 'oauth_authorization_codes'] as const) {
        const left = await db.read.selectFrom(table).selectAll().where('client_id', '=', application.clientId).execute()
        assert.deepEqual(left, [], table)
      }
      if (answers[2].statusCode !== 200) continue
      const { access_token } = answers[2].json<{ access_token: string }>()
      const headers = { authorization: `Bearer ${access_token}` }
      assert.equal((await app().app.inject({ url: '/oauth/userinfo', headers })).statusCode, 401)
    }
  })
})
