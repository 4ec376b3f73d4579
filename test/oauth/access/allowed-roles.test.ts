import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ADMIN_ROLE } from '../../../src/vocabulary/built-in-roles.ts'
import { ORIGIN, sharedApp, startApp } from '../../support/app.ts'
import {
  type Application,
  authorize,
  authorizeUrl,
  basic,
  exchangeCode,
  getCode,
  getTokens,
  introspect,
  isLive,
  locationOf,
  newPkce,
  postForm,
  refresh,
  registerApplication,
  type Tokens,
  userinfo,
} from '../../support/application.ts'
import { onEachEngine } from '../../support/engines.ts'
import { signedInPerson, type SignedInPerson } from '../../support/people.ts'

const MINUTE = 60_000

onEachEngine('who may use an application', (engine) => {
  const app = sharedApp({ engine })
  let count = 0

  const newRole = async (admin: SignedInPerson, name = `Role ${++count} of ${engine}`): Promise<string> =>
    (await admin.post('/api/admin/roles', { name })).json<{ role: { id: string } }>().role.id
  const give = (admin: SignedInPerson, person: SignedInPerson, roleId: string) =>
    admin.post(`/api/admin/users/${person.user.id}/roles`, { roleId })
  const take = (admin: SignedInPerson, person: SignedInPerson, roleId: string) =>
    admin.delete(`/api/admin/users/${person.user.id}/roles/${roleId}`)
  const restrict = async (admin: SignedInPerson, { clientId }: Application, allowedRoles: string[] | null) => {
    const answer = await admin.patch(`/oauth/clients/${clientId}`, { allowedRoles })
    assert.equal(answer.statusCode, 200, answer.body)
  }
  const listOf = async (admin: SignedInPerson, { clientId }: Application) =>
    (await admin.get(`/oauth/clients/${clientId}`)).json<{ client: { allowedRoles: string[] | null } }>().client
      .allowedRoles

  /** An application for the holders of one role, and a person who holds it and has tokens. */
  const restricted = async () => {
    const admin = await signedInPerson(app(), { admin: true })
    const person = await signedInPerson(app())
    const roleId = await newRole(admin)
    await give(admin, person, roleId)
    const application = await registerApplication(app(), { allowedRoles: [roleId] })
    const tokens = await getTokens(app(), person, application)
    return { admin, person, roleId, application, tokens }
  }

  test('an administrator sees which applications a person may use, and why', async () => {
    const { admin, person, roleId, application } = await restricted()
    const open = await registerApplication(app())
    const closed = await registerApplication(app(), { allowedRoles: [await newRole(admin)] })
    const machine = await registerApplication(app(), { grantTypes: ['client_credentials'], redirectUris: [] })
    const otherMachine = await registerApplication(app(), { grantTypes: ['client_credentials'], redirectUris: [] })
    await app().services.db.transaction((trx) =>
      trx
        .updateTable('oauth_clients')
        .set({ grant_types: JSON.stringify(['client_credentials', 'urn:example:machine']) })
        .where('client_id', '=', otherMachine.clientId)
        .execute(),
    )
    const path = `/api/admin/users/${person.user.id}/apps`
    const { apps } = (await admin.get(path)).json<{ apps: Record<string, unknown>[] }>()
    const found = ({ clientId }: Application) => apps.find((each) => each['client_id'] === clientId)
    const { roles, everybody, authorized } = found(application) ?? {}
    assert.deepEqual([everybody, authorized], [false, true])
    assert.deepEqual(
      (roles as { id: string }[]).map(({ id }) => id),
      [roleId],
    )
    assert.partialDeepStrictEqual(found(open), { everybody: true, roles: [], authorized: false })
    for (const unlisted of [closed, machine, otherMachine]) assert.equal(found(unlisted), undefined)
    assert.equal((await person.get(path)).statusCode, 403)
    assert.equal((await admin.get('/api/admin/users/usr_nobody/apps')).statusCode, 404)
  })

  const assertDead = async (application: Application, tokens: Tokens) => {
    assert.equal(await isLive(app(), application, tokens.access_token), false, 'introspection of the access token')
    assert.equal(await isLive(app(), application, tokens.refresh_token), false, 'introspection of the refresh token')
    assert.equal((await userinfo(app(), tokens.access_token)).statusCode, 401, 'userinfo')
    const answer = await refresh(app(), application, tokens.refresh_token)
    assert.deepEqual([answer.statusCode, answer.json<{ error: string }>().error], [400, 'invalid_grant'], 'refresh')
  }

  test('allowedRoles is null by default, keeps its order, and takes only roles that exist', async () => {
    const admin = await signedInPerson(app(), { admin: true })
    const application = await registerApplication(app())
    assert.equal(await listOf(admin, application), null)
    const roles = [await newRole(admin), await newRole(admin), await newRole(admin)].toReversed()
    await restrict(admin, application, roles)
    assert.deepEqual(await listOf(admin, application), roles)
    const unknown = await admin.patch(`/oauth/clients/${application.clientId}`, { allowedRoles: ['no-such-role'] })
    assert.deepEqual(
      [unknown.statusCode, unknown.json<{ issues: { path: string }[] }>().issues[0]?.path],
      [400, 'allowedRoles/0'],
    )
    assert.deepEqual(await listOf(admin, application), roles, 'a refused change changes nothing')
    const body = { name: 'X', clientType: 'public', redirectUris: ['https://x.example/'], scopes: [] }
    const created = await admin.post('/oauth/clients', { ...body, allowedRoles: ['no-such-role'] })
    assert.equal(created.statusCode, 400)
  })

  test('whoever holds an allowed role gets a code, and whoever holds none is sent to the page /no-access', async () => {
    const { person, application } = await restricted()
    assert.ok((await authorize(person, application, newPkce())).searchParams.has('code'))
    const stranger = await signedInPerson(app())
    const page = locationOf(await stranger.get(authorizeUrl(application, newPkce())))
    assert.equal(page.origin + page.pathname, `${ORIGIN}/no-access`)
    const details = await stranger.get(`/oauth/details${page.search}`)
    assert.equal(details.json<{ allowed: boolean }>().allowed, false)
    const approved = await stranger.post('/oauth/approve', Object.fromEntries(page.searchParams))
    assert.deepEqual([approved.statusCode, approved.json<{ code: string }>().code], [403, 'not_allowed'])
    const denied = await stranger.post('/oauth/approve', { ...Object.fromEntries(page.searchParams), approve: false })
    const back = new URL(denied.json<{ redirectTo: string }>().redirectTo)
    assert.equal(back.searchParams.get('error'), 'access_denied')
    assert.deepEqual((await stranger.get('/api/account/oauth/grants')).json(), { grants: [] })
  })

  test('prompt=none answers access_denied at once, and prompt=consent leads to /no-access', async () => {
    const { application } = await restricted()
    const stranger = await signedInPerson(app())
    const silent = locationOf(await stranger.get(authorizeUrl(application, newPkce(), { prompt: 'none' })))
    assert.equal(silent.searchParams.get('error'), 'access_denied')
    const asked = locationOf(await stranger.get(authorizeUrl(application, newPkce(), { prompt: 'consent' })))
    assert.equal(asked.pathname, '/no-access')
  })

  test('an empty list admits nobody, administrators included', async () => {
    const admin = await signedInPerson(app(), { admin: true })
    const application = await registerApplication(app(), { allowedRoles: [] })
    assert.deepEqual(await listOf(admin, application), [])
    assert.equal(locationOf(await admin.get(authorizeUrl(application, newPkce()))).pathname, '/no-access')
  })

  test('client credentials are not concerned', async () => {
    const application = await registerApplication(app(), { allowedRoles: [] })
    const answer = await postForm(
      app(),
      '/oauth/token',
      { grant_type: 'client_credentials' },
      { authorization: basic(application) },
    )
    assert.equal(answer.statusCode, 200)
    const { access_token: token } = answer.json<Tokens>()
    assert.equal(await isLive(app(), application, token), true)
  })

  test('a role that is taken away ends every token at once and for good, and the grant stays', async () => {
    const { admin, person, roleId, application, tokens } = await restricted()
    assert.equal(await isLive(app(), application, tokens.access_token), true)
    assert.equal((await take(admin, person, roleId)).statusCode, 200)
    await assertDead(application, tokens)
    await give(admin, person, roleId)
    await assertDead(application, tokens)
    const grants = (await person.get('/api/account/oauth/grants')).json<{ grants: unknown[] }>().grants
    assert.equal(grants.length, 1)
    assert.ok(locationOf(await person.get(authorizeUrl(application, newPkce()))).searchParams.has('code'))
  })

  test('a code is not exchanged after the role was taken away, also when it was given back', async () => {
    const { admin, person, roleId, application } = await restricted()
    const pkce = newPkce()
    const code = await getCode(person, application, pkce)
    await take(admin, person, roleId)
    assert.equal((await exchangeCode(app(), application, code, pkce)).json<{ error: string }>().error, 'invalid_grant')
    await give(admin, person, roleId)
    assert.equal((await exchangeCode(app(), application, code, pkce)).json<{ error: string }>().error, 'invalid_grant')
  })

  test('a role that is taken away ends nothing at applications that the person may still use', async () => {
    const { admin, person, roleId, application } = await restricted()
    const other = await newRole(admin)
    await give(admin, person, other)
    await restrict(admin, application, [roleId, other])
    const everybody = await registerApplication(app())
    const [here, there] = [await getTokens(app(), person, application), await getTokens(app(), person, everybody)]
    await take(admin, person, roleId)
    assert.equal(await isLive(app(), application, here.access_token), true)
    assert.equal(await isLive(app(), everybody, there.access_token), true)
  })

  test('a deleted role leaves the list, which admits nobody then and never everybody', async () => {
    const { admin, person, roleId, application, tokens } = await restricted()
    assert.equal((await admin.delete(`/api/admin/roles/${roleId}`)).statusCode, 200)
    assert.deepEqual(await listOf(admin, application), [])
    await assertDead(application, tokens)
    assert.equal(locationOf(await person.get(authorizeUrl(application, newPkce()))).pathname, '/no-access')
  })

  test('a list that was narrowed by mistake signs nobody out if it is mended within 10 minutes', async () => {
    const { admin, roleId, application, tokens } = await restricted()
    await restrict(admin, application, [ADMIN_ROLE])
    assert.equal(await isLive(app(), application, tokens.access_token), false)
    app().clock.advance(9 * MINUTE)
    await app().tick()
    await restrict(admin, application, [ADMIN_ROLE, roleId])
    assert.equal(await isLive(app(), application, tokens.access_token), true)
    app().clock.advance(20 * MINUTE)
    await app().tick()
    assert.equal(await isLive(app(), application, tokens.access_token), true)
  })

  test('10 minutes after a list was narrowed the tokens of those who are out are revoked for good', async () => {
    const { admin, roleId, application, tokens } = await restricted()
    await give(admin, admin, roleId)
    const kept = await getTokens(app(), admin, application)
    await restrict(admin, application, [ADMIN_ROLE])
    app().clock.advance(11 * MINUTE)
    await app().tick()
    await restrict(admin, application, [roleId])
    await assertDead(application, tokens)
    assert.equal(await isLive(app(), application, kept.access_token), true)
  })

  test('the same holds 10 minutes after a role was deleted', async () => {
    const admin = await signedInPerson(app(), { admin: true })
    const roleId = await newRole(admin)
    const application = await registerApplication(app(), { allowedRoles: [roleId] })
    const people = await Promise.all(
      Array.from({ length: 5 }, async () => {
        const person = await signedInPerson(app())
        await give(admin, person, roleId)
        return person
      }),
    )
    const tokens = await Promise.all(people.map((person) => getTokens(app(), person, application)))
    await admin.delete(`/api/admin/roles/${roleId}`)
    app().clock.advance(11 * MINUTE)
    await app().tick()
    await restrict(admin, application, null)
    for (const each of tokens) await assertDead(application, each)
  })

  test('a code that is being issued while the role is taken away is revoked or never issued', async () => {
    for (let round = 0; round < 5; round++) {
      const { admin, person, roleId, application } = await restricted()
      const pkce = newPkce()
      const [answer] = await Promise.all([person.get(authorizeUrl(application, pkce)), take(admin, person, roleId)])
      const code = locationOf(answer).searchParams.get('code')
      await give(admin, person, roleId)
      if (code === null) continue
      const exchanged = await exchangeCode(app(), application, code, pkce)
      assert.equal(exchanged.json<{ error: string }>().error, 'invalid_grant')
    }
  })

  test('the applications of a person are those with a launch URL that they may use', async () => {
    const { admin, person, roleId, application } = await restricted()
    const patch = (client: Application, body: object) => admin.patch(`/oauth/clients/${client.clientId}`, body)
    await patch(application, { launchUrl: 'https://app.example/start', name: 'Photos' })
    const hidden = await registerApplication(app(), { name: 'No launch URL' })
    const other = await registerApplication(app(), { launchUrl: 'https://other.example/', allowedRoles: [ADMIN_ROLE] })
    const mine = async () =>
      (await person.get('/api/account/apps'))
        .json<{ apps: { client_id: string }[] }>()
        .apps.filter(({ client_id }) => [application.clientId, hidden.clientId, other.clientId].includes(client_id))
    assert.deepEqual(await mine(), [
      {
        client_id: application.clientId,
        name: 'Photos',
        logoUrl: null,
        launchUrl: 'https://app.example/start',
        authorized: true,
      },
    ])
    await take(admin, person, roleId)
    assert.deepEqual(await mine(), [])
  })
})

test('a role that one replica takes away ends tokens on another one at the next request', async (t) => {
  const first = await startApp(t, { engine: 'postgres' })
  const second = await startApp(t, { engine: 'postgres', storage: first.storage })
  const admin = await signedInPerson(first, { admin: true })
  const roleId = (await admin.post('/api/admin/roles', { name: 'Readers' })).json<{ role: { id: string } }>().role.id
  const application = await registerApplication(first, { allowedRoles: [roleId] })
  const person = await signedInPerson(first)
  await admin.post(`/api/admin/users/${person.user.id}/roles`, { roleId })
  const tokens = await getTokens(first, person, application)
  assert.equal((await introspect(second, application, tokens.access_token)).json<{ active: boolean }>().active, true)
  await admin.delete(`/api/admin/users/${person.user.id}/roles/${roleId}`)
  assert.equal((await introspect(second, application, tokens.access_token)).json<{ active: boolean }>().active, false)
})
