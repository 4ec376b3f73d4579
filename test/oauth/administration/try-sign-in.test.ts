import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ADMIN_ROLE } from '../../../src/vocabulary/built-in-roles.ts'
import { ORIGIN, sharedApp } from '../../support/app.ts'
import { consent, isLive, locationOf, registerApplication } from '../../support/application.ts'
import { onMainEngine } from '../../support/engines.ts'
import { signedInPerson, type SignedInPerson } from '../../support/people.ts'

interface Trial {
  authorizeUrl: string
  state: string
  codeVerifier: string
}

interface Result {
  idToken: { header: Record<string, unknown>; claims: Record<string, unknown> } | null
  userinfo: Record<string, unknown> | null
  introspection: Record<string, unknown>
}

onMainEngine('trying a sign-in', (engine) => {
  const app = sharedApp({ engine })
  const begin = async (person: SignedInPerson, clientId: string): Promise<Trial> => {
    const answer = await person.post(`/oauth/clients/${clientId}/trial`)
    assert.equal(answer.statusCode, 200, answer.body)
    return answer.json<Trial>()
  }
  /** Signs in and consents, and returns the page that the browser ends on. */
  const signIn = async (person: SignedInPerson, { authorizeUrl }: Trial): Promise<URL> => {
    const next = locationOf(await person.get(authorizeUrl))
    return next.pathname === '/consent' ? consent(person, next) : next
  }
  const finish = (person: SignedInPerson, clientId: string, code: string, { codeVerifier }: Trial) =>
    person.post(`/oauth/clients/${clientId}/trial/result`, { code, codeVerifier })

  test('a whole sign-in ends on a page of the dashboard, which gets the claims and no tokens, once', async () => {
    const admin = await signedInPerson(app(), { admin: true })
    const application = await registerApplication(app(), {
      scopes: ['openid', 'email'],
      claims: [{ name: 'tenant', in: ['id_token', 'userinfo', 'introspection'], value: 'north' }],
    })
    const { clientId } = application
    const trial = await begin(admin, clientId)
    const page = await signIn(admin, trial)
    assert.equal(page.origin + page.pathname, `${ORIGIN}/admin/applications/${clientId}/trial`)
    assert.equal(page.searchParams.get('state'), trial.state)
    const code = page.searchParams.get('code') ?? ''
    const answer = await finish(admin, clientId, code, trial)
    assert.equal(answer.statusCode, 200, answer.body)
    const { idToken, userinfo, introspection } = answer.json<Result>()
    assert.deepEqual(
      [idToken?.header['alg'], idToken?.claims['sub'], idToken?.claims['tenant']],
      ['ES256', admin.user.id, 'north'],
    )
    assert.deepEqual([userinfo?.['email'], userinfo?.['tenant']], [admin.user.email, 'north'])
    assert.deepEqual([introspection['active'], introspection['tenant']], [true, 'north'])
    assert.doesNotMatch(answer.body, /"(?:at|rt)_[\w-]{30,}"/)
    assert.equal((await finish(admin, clientId, code, trial)).statusCode, 400, 'only once')
    const rows = await app().services.db.read.selectFrom('oauth_authorization_codes').selectAll().execute()
    assert.ok(rows.filter((row) => row.client_id === clientId).every((row) => row.revoked_at !== null))
    assert.equal(await isLive(app(), application, code), false)
  })

  test('somebody without oauth_clients:read gets no code for that page, whoever sends them there', async () => {
    const admin = await signedInPerson(app(), { admin: true })
    const { clientId } = await registerApplication(app(), { consent: 'skip', scopes: ['openid'] })
    const trial = await begin(admin, clientId)
    const person = await signedInPerson(app())
    const page = await signIn(person, trial)
    assert.deepEqual([page.searchParams.get('error'), page.searchParams.has('code')], ['access_denied', false])
    assert.deepEqual((await person.get('/api/account/oauth/grants')).json(), { grants: [] })
    assert.equal((await person.post(`/oauth/clients/${clientId}/trial`)).statusCode, 403)
    assert.equal((await finish(person, clientId, 'ac_x', trial)).statusCode, 403)
  })

  test("nobody finishes another one's trial, one of another application, or a sign-in of the application itself", async () => {
    const [admin, other] = [await signedInPerson(app(), { admin: true }), await signedInPerson(app(), { admin: true })]
    const application = await registerApplication(app(), { scopes: ['openid'] })
    const { clientId } = application
    const trial = await begin(admin, clientId)
    const code = (await signIn(admin, trial)).searchParams.get('code') ?? ''
    assert.equal((await finish(other, clientId, code, trial)).statusCode, 400)
    const second = await registerApplication(app(), { scopes: ['openid'] })
    assert.equal((await finish(admin, second.clientId, code, trial)).statusCode, 400)
    assert.equal((await finish(admin, clientId, code, await begin(admin, clientId))).statusCode, 400)
    const own = {
      ...trial,
      authorizeUrl: trial.authorizeUrl.replace(
        /redirect_uri=[^&]*/,
        `redirect_uri=${encodeURIComponent(application.redirectUri)}`,
      ),
    }
    const real = (await signIn(admin, own)).searchParams.get('code') ?? ''
    assert.match(real, /^ac_/)
    assert.equal((await finish(admin, clientId, real, trial)).statusCode, 400)
    assert.equal((await finish(admin, clientId, code, trial)).statusCode, 200, 'no refusal has used it up')
  })

  test('a trial is refused like the sign-in itself, and needs an application that uses codes', async () => {
    const reader = await signedInPerson(app(), { permissions: ['oauth_clients:read'] })
    const restricted = await registerApplication(app(), { allowedRoles: [ADMIN_ROLE], scopes: ['openid'] })
    assert.equal((await signIn(reader, await begin(reader, restricted.clientId))).pathname, '/no-access')
    const machine = await registerApplication(app(), { grantTypes: ['client_credentials'], redirectUris: [] })
    assert.equal((await reader.post(`/oauth/clients/${machine.clientId}/trial`)).statusCode, 409)
    assert.equal((await reader.post('/oauth/clients/unknown/trial')).statusCode, 404)
  })
})
