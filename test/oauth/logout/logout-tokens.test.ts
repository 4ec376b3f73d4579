import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { sharedApp } from '../../support/app.ts'
import {
  encode,
  getTokens,
  locationOf,
  registerApplication,
  userinfo,
  authorizeUrl,
  newPkce,
} from '../../support/application.ts'
import { onEachEngine } from '../../support/engines.ts'
import { signedInPerson, type SignedInPerson } from '../../support/people.ts'
import { until } from '../../support/replicas.ts'
import { giveAccess } from '../../support/ways-access-ends.ts'
import { type LogoutReceiver, startLogoutReceiver, verifyLogoutToken } from './logout-receiver.ts'

const SECOND = 1000
const HOUR = 3600 * SECOND

onEachEngine('logout tokens', (engine) => {
  const app = sharedApp({ engine, config: { outgoingAllow: ['127.0.0.1'] } })
  let receiver: LogoutReceiver
  let admin: SignedInPerson
  before(async () => {
    receiver = await startLogoutReceiver()
  })
  after(() => receiver.close())
  beforeEach(async () => {
    receiver.requests.length = 0
    admin = await signedInPerson(app(), { admin: true })
  })
  const settings = () => ({ backchannelLogoutUri: receiver.uri })

  const deliveriesTo = ({ clientId }: { clientId: string }) =>
    app()
      .services.db.read.selectFrom('outbox_deliveries')
      .select(['state', 'attempts', 'last_status as status', 'last_error as error'])
      .where('receiver_id', '=', clientId)
      .orderBy('number')
      .execute()
  const untilState = (application: { clientId: string }, state: string, attempts: number) =>
    until(async () => {
      const [first] = await deliveriesTo(application)
      return first?.state === state && first.attempts === attempts && (state !== 'waiting' || first.status !== null)
    }, 5000)

  test('are signed by the algorithm of the client', async () => {
    const answer = await admin.post('/oauth/clients', {
      name: 'RS256',
      clientType: 'confidential',
      redirectUris: ['https://app.example/cb'],
      scopes: ['openid', 'offline_access'],
      id_token_signed_response_alg: 'RS256',
      ...settings(),
    })
    const made = answer.json<{ client_id: string; client_secret: string }>()
    const application = { clientId: made.client_id, secret: made.client_secret, redirectUri: 'https://app.example/cb' }
    const person = await signedInPerson(app())
    await getTokens(app(), person, application)
    assert.equal((await person.post('/api/auth/logout')).statusCode, 200)
    await verifyLogoutToken(app(), application, await receiver.token(1), 'RS256')
  })

  test('204 acknowledges; another answer is tried again with a new jti, and times of that attempt', async () => {
    for (const status of [500, 404, 302, 201]) {
      receiver.requests.length = 0
      receiver.answers.push(status, 204)
      const { application, person } = await giveAccess(app(), admin, settings())
      assert.equal((await person.post('/api/auth/logout')).statusCode, 200)
      const first = await verifyLogoutToken(app(), application, await receiver.token(1))
      await untilState(application, 'waiting', 1)
      app().clock.advance(5 * SECOND)
      await app().tick()
      const second = await verifyLogoutToken(app(), application, await receiver.token(2))
      assert.notEqual(second.jti, first.jti)
      assert.equal(second.iat, (first.iat ?? 0) + 5)
      assert.deepEqual([second.sub, second['sid']], [first.sub, first['sid']])
      await untilState(application, 'acknowledged', 2)
    }
  })

  test('400 is tried four times, whatever else went wrong, and is refused then', async () => {
    receiver.answers.push(400, 500, 503, 400, 500, 400, 400, 200)
    const { application, person } = await giveAccess(app(), admin, settings())
    assert.equal((await person.post('/api/auth/logout')).statusCode, 200)
    for (let attempt = 1; attempt < 7; attempt++) {
      await receiver.token(attempt)
      await untilState(application, 'waiting', attempt)
      app().clock.advance(HOUR)
      await app().tick()
    }
    await receiver.token(7)
    await untilState(application, 'refused', 7)
    app().clock.advance(HOUR)
    await app().tick()
    assert.equal(receiver.requests.length, 7)
    receiver.answers.length = 0
    assert.equal(
      (await (await signedInPerson(app(), { admin: true })).post(`/api/admin/users/${person.user.id}/sign-out`))
        .statusCode,
      200,
    )
    assert.deepEqual((await verifyLogoutToken(app(), application, await receiver.token(8)))['sid'], undefined)
  })

  test('a deleted application is told once it answers again, and its row goes after that', async () => {
    const { application, person } = await giveAccess(app(), admin, settings())
    receiver.answers.push(500)
    assert.equal((await admin.delete(`/oauth/clients/${application.clientId}`)).statusCode, 200)
    await receiver.token(1)
    await untilState(application, 'waiting', 1)
    const isThere = async () =>
      (
        await app()
          .services.db.read.selectFrom('oauth_clients')
          .select('client_id')
          .where('client_id', '=', application.clientId)
          .execute()
      ).length > 0
    assert.equal(await isThere(), true)
    app().clock.advance(10 * SECOND)
    await app().tick()
    assert.equal(await isThere(), true)
    assert.equal((await verifyLogoutToken(app(), application, await receiver.token(2))).sub, person.user.id)
    await untilState(application, 'acknowledged', 2)
    app().clock.advance(10 * SECOND)
    await app().tick()
    assert.equal(await isThere(), false)
  })

  test('an application that takes none any more gets none', async () => {
    const { application, person } = await giveAccess(app(), admin, settings())
    receiver.answers.push(500)
    assert.equal((await person.post('/api/auth/logout')).statusCode, 200)
    await receiver.token(1)
    await untilState(application, 'waiting', 1)
    const change = { backchannelLogoutUri: null }
    assert.equal((await admin.patch(`/oauth/clients/${application.clientId}`, change)).statusCode, 200)
    app().clock.advance(5 * SECOND)
    await app().tick()
    await untilState(application, 'given_up', 2)
    assert.equal(receiver.requests.length, 1)
  })

  test('are taken for no token of another kind, and no other token for one of them', async () => {
    const { application, person, elsewhere, tokens } = await giveAccess(app(), admin, settings())
    assert.equal((await person.post('/api/auth/logout')).statusCode, 200)
    const token = await receiver.token(1)
    assert.equal((await userinfo(app(), token)).statusCode, 401)
    assert.equal((await elsewhere.get(`/oauth/logout?${encode({ id_token_hint: token })}`)).statusCode, 400)
    assert.equal((await elsewhere.get('/api/auth/me')).statusCode, 200)
    const hinted = await elsewhere.get(authorizeUrl(application, newPkce(), { id_token_hint: token, prompt: 'none' }))
    assert.notEqual(locationOf(hinted).searchParams.get('error'), null)
    await assert.rejects(verifyLogoutToken(app(), application, tokens.id_token), /typ/)
    const other = await registerApplication(app(), settings())
    await assert.rejects(verifyLogoutToken(app(), other, token), /aud/)
  })
})
