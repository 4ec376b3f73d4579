import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sharedApp } from '../../support/app.ts'
import { claimsOf, getTokens, introspect, registerApplication, userinfo } from '../../support/application.ts'
import { onEachEngine } from '../../support/engines.ts'
import { signedInPerson } from '../../support/people.ts'
import { BODY, type CreateResponse, newWriter } from '../administration/new-client.ts'

const SETTINGS = {
  backchannelLogoutUri: 'https://app.example/logout?from=here',
  backchannelLogoutSessionRequired: true,
  sessionExpiry: true,
  refreshTokens: 'session',
}
const DEFAULTS = {
  backchannelLogoutUri: null,
  backchannelLogoutSessionRequired: false,
  sessionExpiry: false,
  refreshTokens: 'offline',
}

const settingsIn = (client: Record<string, unknown>) =>
  Object.fromEntries(Object.keys(DEFAULTS).map((name) => [name, client[name]]))

onEachEngine('settings of clients that are told when access ends', (engine) => {
  const app = sharedApp({ engine })

  test('are taken when a client is made, changed one by one, and shown in its record', async () => {
    const writer = await newWriter(app())
    const made = (await writer.post('/oauth/clients', { ...BODY, ...SETTINGS })).json<CreateResponse>()
    assert.deepEqual(settingsIn(made.client), SETTINGS)
    const url = `/oauth/clients/${made.client_id}`
    const expected: Record<string, unknown> = { ...SETTINGS }
    for (const [name, value] of Object.entries(DEFAULTS)) {
      const answer = await writer.patch(url, { [name]: value })
      assert.equal(answer.statusCode, 200, answer.body)
      expected[name] = value
      assert.deepEqual(settingsIn(answer.json<CreateResponse>().client), expected)
      assert.deepEqual(settingsIn((await writer.get(url)).json<CreateResponse>().client), expected)
    }
  })

  test('have defaults', async () => {
    const made = await (await newWriter(app())).post('/oauth/clients', BODY)
    assert.deepEqual(settingsIn(made.json<CreateResponse>().client), DEFAULTS)
  })

  test('are refused where they make no sense', async () => {
    const writer = await newWriter(app())
    const { clientId } = await registerApplication(app())
    for (const body of [
      { backchannelLogoutUri: 'https://app.example/logout#here' },
      { backchannelLogoutUri: 'https://user:word@app.example/logout' },
      { backchannelLogoutUri: '/logout' },
      { backchannelLogoutUri: 'com.example.app:/logout' },
      { backchannelLogoutUri: 'https:///logout' },
      { backchannelLogoutUri: 'http://app.example/logout' },
      { backchannelLogoutUri: 'https://app.example\\@other.example/' },
      { backchannelLogoutUri: 'https://app.example/\r\nHost: x' },
      { backchannelLogoutUri: '' },
      { backchannelLogoutUri: 7 },
      { backchannelLogoutSessionRequired: 'yes' },
      { sessionExpiry: null },
      { refreshTokens: 'never' },
    ])
      for (const answer of [
        await writer.patch(`/oauth/clients/${clientId}`, body),
        await writer.post('/oauth/clients', { ...BODY, ...body }),
      ]) {
        assert.equal(answer.statusCode, 400, JSON.stringify(body))
        const { issues } = answer.json<{ issues: { path: string }[] }>()
        assert.match(issues[0]?.path ?? '', new RegExp(Object.keys(body)[0] ?? ''), answer.body)
      }
  })

  test('an address that is not public is refused unless OUTGOING_ALLOW names it, when a client is made or changed', async () => {
    const writer = await newWriter(app())
    const { clientId } = await registerApplication(app())
    for (const host of ['127.0.0.1', 'localhost', '10.0.0.1', '[::ffff:127.0.0.1]', '169.254.169.254']) {
      const body = { backchannelLogoutUri: `https://${host}/logout` }
      for (const answer of [
        await writer.patch(`/oauth/clients/${clientId}`, body),
        await writer.post('/oauth/clients', { ...BODY, ...body }),
      ]) {
        assert.equal(answer.statusCode, 409, host)
        assert.equal(answer.json<{ code: string }>().code, 'address_not_allowed')
        assert.match(answer.body, /OUTGOING_ALLOW/)
      }
    }
  })

  test('are not those of a site behind a proxy', async () => {
    const writer = await newWriter(app())
    for (const [name, value] of Object.entries(SETTINGS)) {
      const body = { name: 'Site', clientType: 'proxied', hosts: [`${name.toLowerCase()}.example`], [name]: value }
      const answer = await writer.post('/oauth/clients', body)
      assert.equal(answer.statusCode, 400, answer.body)
      assert.match(answer.body, /site behind a proxy/)
    }
  })

  test('sid and session_expiry can not be mapped', async () => {
    const writer = await newWriter(app())
    for (const name of ['sid', 'session_expiry']) {
      const claims = [{ name, in: ['id_token'], value: 'mine' }]
      const answer = await writer.post('/oauth/clients', { ...BODY, claims })
      assert.equal(answer.statusCode, 400)
      assert.match(answer.body, new RegExp(name))
    }
  })

  test('a mapping of session_expiry that was stored before has no effect, and hinders no other change', async () => {
    const writer = await newWriter(app())
    const person = await signedInPerson(app())
    const application = await registerApplication(app())
    const claims = ['session_expiry', 'other'].map((name) => ({
      name,
      in: ['id_token', 'userinfo', 'introspection'],
      value: 'mine',
    }))
    await app().services.db.transaction((trx) =>
      trx
        .updateTable('oauth_clients')
        .set({ claims: JSON.stringify(claims) })
        .where('client_id', '=', application.clientId)
        .execute(),
    )
    const tokens = await getTokens(app(), person, application)
    for (const told of [
      claimsOf(tokens.id_token),
      (await userinfo(app(), tokens.access_token)).json<Record<string, unknown>>(),
      (await introspect(app(), application, tokens.access_token)).json<Record<string, unknown>>(),
    ])
      assert.deepEqual([told['other'], told['session_expiry']], ['mine', undefined])
    assert.equal((await writer.patch(`/oauth/clients/${application.clientId}`, { name: 'New' })).statusCode, 200)
  })
})
