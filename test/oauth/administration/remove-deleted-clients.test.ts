import assert from 'node:assert/strict'
import { before, test, type TestContext } from 'node:test'
import { afterEachWrite } from '../../support/after-each-write.ts'
import { sharedApp, type TestApp } from '../../support/app.ts'
import { type Application, getTokens, postForm, registerApplication } from '../../support/application.ts'
import { onEachEngine } from '../../support/engines.ts'
import { addCodes, countCodes } from '../../support/many-rows.ts'
import { type SignedInPerson, signedInPerson } from '../../support/people.ts'

const COUNT = 6000

onEachEngine('deleting a client or a grant with many authorizations', (engine) => {
  const shared = sharedApp({ engine })
  let app: TestApp
  let admin: SignedInPerson
  before(async () => {
    app = shared()
    admin = await signedInPerson(app, { admin: true })
  })

  const rowsOf = ({ clientId }: Application) =>
    app.services.db.read.selectFrom('oauth_clients').select('client_id').where('client_id', '=', clientId).execute()

  /** The numbers of codes, neither none nor all, that others read between two batches. */
  function watchCodes(t: TestContext, { clientId }: Application): Set<number> {
    const seen = new Set<number>()
    afterEachWrite(t, app.services.db, async () => {
      const count = await countCodes(app.services.db.read, clientId)
      if (count > 0 && count < COUNT) seen.add(count)
    })
    return seen
  }

  test('removes the rows of a client in batches, so that other requests are not blocked', async (t) => {
    const application = await registerApplication(app)
    const person = await signedInPerson(app)
    await addCodes(app.services.db, { userId: person.user.id, clientId: application.clientId }, COUNT)
    const intermediate = watchCodes(t, application)
    assert.equal((await admin.delete(`/oauth/clients/${application.clientId}`)).statusCode, 200)
    while ((await rowsOf(application)).length > 0) {
      app.clock.advance(10_000)
      await app.tick()
    }
    assert.equal(await countCodes(app.services.db.read, application.clientId), 0)
    assert.ok(intermediate.size > 1, `others see the number shrink: ${[...intermediate].join(', ')}`)
  })

  test('makes a client unknown and its tokens invalid while its rows still exist', async () => {
    const [application, observer] = [await registerApplication(app), await registerApplication(app)]
    const person = await signedInPerson(app)
    const tokens = await getTokens(app, person, application)
    const introspect = async (token: string | undefined) => {
      const credentials = { client_id: observer.clientId, client_secret: observer.secret }
      return (await postForm(app, '/oauth/introspect', { token, ...credentials })).json<{ active: boolean }>().active
    }
    for (const token of [tokens.access_token, tokens.refresh_token]) assert.equal(await introspect(token), true)
    // The state that a process leaves when it dies right after the commit.
    await app.services.db.transaction((trx) =>
      trx
        .updateTable('oauth_clients')
        .set({ deleted_at: app.clock.now() })
        .where('client_id', '=', application.clientId)
        .execute(),
    )
    app.clock.advance(1000)

    for (const token of [tokens.access_token, tokens.refresh_token]) assert.equal(await introspect(token), false)
    const headers = { authorization: `Bearer ${tokens.access_token}` }
    assert.equal((await app.app.inject({ url: '/oauth/userinfo', headers })).statusCode, 401)
    const refreshed = await postForm(app, '/oauth/token', {
      grant_type: 'refresh_token',
      refresh_token: tokens.refresh_token,
      client_id: application.clientId,
      client_secret: application.secret,
    })
    assert.equal(refreshed.json<{ error: string }>().error, 'invalid_client')
    const address = `/oauth/clients/${application.clientId}`
    assert.equal((await admin.patch(address, { name: 'Back' })).statusCode, 404)
    assert.equal((await admin.post(`${address}/secret`)).statusCode, 404)
    assert.equal((await admin.delete(address)).statusCode, 404)
    const { clients } = (await admin.get('/oauth/clients?limit=200')).json<{ clients: { client_id: string }[] }>()
    assert.ok(!clients.some(({ client_id }) => client_id === application.clientId))
    const { grants } = (await person.get('/api/account/oauth/grants')).json<{ grants: unknown[] }>()
    assert.deepEqual(grants, [])

    app.clock.advance(10_000)
    await app.tick()
    assert.deepEqual(await rowsOf(application), [])
    assert.equal(await countCodes(app.services.db.read, application.clientId), 0)
  })

  test('revokes a grant and all its codes in batches', async (t) => {
    const application = await registerApplication(app)
    const person = await signedInPerson(app)
    await addCodes(app.services.db, { userId: person.user.id, clientId: application.clientId }, COUNT)
    const intermediate = watchCodes(t, application)
    const revoked = await person.delete(`/api/account/oauth/grants/${application.clientId}`)
    assert.equal(revoked.statusCode, 200, revoked.body)
    assert.equal(await countCodes(app.services.db.read, application.clientId), 0)
    assert.ok(intermediate.size > 1, `others see the number shrink: ${[...intermediate].join(', ')}`)
  })
})
