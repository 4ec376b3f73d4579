import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import type { Response } from 'light-my-request'
import { sharedApp, startApp } from '../../support/app.ts'
import {
  credentials,
  encode,
  exchangeCode,
  getCode,
  getTokens,
  isLive,
  newPkce,
  refresh,
  registerApplication,
  type Tokens,
  userinfo,
} from '../../support/application.ts'
import { createClock } from '../../support/clock.ts'
import { onEachEngine } from '../../support/engines.ts'
import { signedInPerson } from '../../support/people.ts'

const FIFTY = Array.from({ length: 50 }, (_, at) => at)

/** Expects one 200 and otherwise invalid_grant; returns the tokens of the 200. */
function assertOneSucceeded(answers: Response[]): Tokens {
  const [succeeded, ...others] = answers.toSorted((a, b) => a.statusCode - b.statusCode)
  assert.ok(succeeded)
  assert.equal(succeeded.statusCode, 200, succeeded.body)
  for (const answer of others)
    assert.deepEqual([answer.statusCode, answer.json<{ error: string }>().error], [400, 'invalid_grant'])
  return succeeded.json<Tokens>()
}

onEachEngine('codes and refresh tokens that may be used once', (engine) => {
  const app = sharedApp({ engine })

  test('of 50 concurrent exchanges of one code at most one succeeds, and nothing that it issued is live when all are answered', async () => {
    const application = await registerApplication(app())
    const person = await signedInPerson(app())
    for (let round = 0; round < 5; round++) {
      const pkce = newPkce()
      const code = await getCode(person, application, pkce, { scope: 'openid offline_access' })
      const answers = await Promise.all(FIFTY.map(() => exchangeCode(app(), application, code, pkce)))
      const { access_token, refresh_token } = assertOneSucceeded(answers)
      for (const token of [access_token, refresh_token])
        assert.equal(await isLive(app(), application, token), false, `in round ${round}`)
    }
    const events = await app()
      .services.db.read.selectFrom('audit_events')
      .select('action')
      .where('action', '=', 'oauth_code.reused')
      .where('target_id', '=', application.clientId)
      .execute()
    assert.equal(events.length, 5, 'each code is recorded once')
  })

  test('of 50 exchanges written at once over separate connections, one succeeds, and what it issued is not live', async () => {
    const application = await registerApplication(app())
    const { port } = new URL(await app().listen())
    const person = await signedInPerson(app())
    const pkce = newPkce()
    const code = await getCode(person, application, pkce)
    const sockets = FIFTY.map(() => connect(Number(port), '127.0.0.1'))
    await Promise.all(sockets.map((socket) => once(socket, 'connect')))
    const form = encode({
      grant_type: 'authorization_code',
      ...credentials(application),
      code,
      redirect_uri: application.redirectUri,
      code_verifier: pkce.verifier,
    })
    const head = `POST /oauth/token HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: ${form.length}\r\n\r\n`
    const bodies = sockets.map((socket) => text(socket))
    for (const socket of sockets) socket.write(head + form)
    const answers = await Promise.all(bodies)
    const succeeded = answers.filter((answer) => answer.startsWith('HTTP/1.1 200'))
    assert.equal(succeeded.length, 1)
    assert.equal(answers.filter((answer) => answer.startsWith('HTTP/1.1 400')).length, 49)
    const accessToken = /"access_token":"([^"]+)"/.exec(succeeded[0] ?? '')?.[1] ?? ''
    assert.equal(await isLive(app(), application, accessToken), false)
  })

  test('a code used again immediately after its answer revokes the tokens it issued, since the order counts and not the clock', async () => {
    const application = await registerApplication(app())
    const pkce = newPkce()
    const code = await getCode(await signedInPerson(app()), application, pkce)
    const { access_token } = (await exchangeCode(app(), application, code, pkce)).json<Tokens>()
    assert.equal((await exchangeCode(app(), application, code, pkce)).statusCode, 400)
    assert.equal(await isLive(app(), application, access_token), false)
  })

  test('a code used again later is refused, revokes the tokens it issued, and is recorded', async () => {
    const application = await registerApplication(app())
    const person = await signedInPerson(app())
    const pkce = newPkce()
    const code = await getCode(person, application, pkce, { scope: 'openid offline_access' })
    const first = (await exchangeCode(app(), application, code, pkce)).json<Tokens>()
    const second = (await refresh(app(), application, first.refresh_token)).json<Tokens>()
    app().clock.advance(30_000)
    const again = await exchangeCode(app(), application, code, pkce)
    assert.deepEqual([again.statusCode, again.json<{ error: string }>().error], [400, 'invalid_grant'])
    for (const token of [first.access_token, second.access_token, second.refresh_token])
      assert.equal(await isLive(app(), application, token), false)
    assert.equal((await userinfo(app(), first.access_token)).statusCode, 401)
    assert.equal((await refresh(app(), application, second.refresh_token)).statusCode, 400)
    const events = await app()
      .services.db.read.selectFrom('audit_events')
      .select('action')
      .where('action', '=', 'oauth_code.reused')
      .where('target_id', '=', application.clientId)
      .execute()
    assert.equal(events.length, 1)
    const administrator = await signedInPerson(app(), { permissions: ['oauth_clients:read'] })
    const { refusals } = (await administrator.get(`/oauth/clients/${application.clientId}/refusals`)).json<{
      refusals: { error: string; hint: string }[]
    }>()
    const twice = refusals.find(({ hint }) => hint.startsWith('The application sends the same code twice'))
    assert.equal(twice?.error, 'invalid_grant')
  })

  test('a used code that is sent by another client or with a wrong verifier revokes nothing', async () => {
    const application = await registerApplication(app())
    const other = await registerApplication(app())
    const pkce = newPkce()
    const code = await getCode(await signedInPerson(app()), application, pkce)
    const { access_token } = (await exchangeCode(app(), application, code, pkce)).json<Tokens>()
    assert.equal((await exchangeCode(app(), other, code, pkce)).statusCode, 400)
    assert.equal((await exchangeCode(app(), application, code, newPkce())).statusCode, 400)
    assert.equal(await isLive(app(), application, access_token), true)
  })

  test('50 concurrent refreshes with one token all get siblings, of which one can be used', async () => {
    const application = await registerApplication(app())
    const { refresh_token } = await getTokens(app(), await signedInPerson(app()), application)
    const answers = await Promise.all(FIFTY.map(() => refresh(app(), application, refresh_token)))
    assert.deepEqual(new Set(answers.map(({ statusCode }) => statusCode)), new Set([200]))
    const siblings = answers.map((answer) => answer.json<Tokens>().refresh_token)
    assert.equal(new Set(siblings).size, 50)
    const next = await refresh(app(), application, siblings[7] ?? '')
    assert.equal(next.statusCode, 200)
    // Once a successor was used, the first token no longer counts as a retry.
    assert.equal((await refresh(app(), application, refresh_token)).statusCode, 400)
    assert.equal((await refresh(app(), application, siblings[8] ?? '')).statusCode, 400)
    assert.equal(await isLive(app(), application, next.json<Tokens>().access_token), false)
  })
})

for (const difference of [0, 1500, -1500]) {
  test(`of 50 concurrent exchanges of one code on two replicas whose clocks differ by ${difference} ms, at most one succeeds, and nothing that it issued is live`, async (t) => {
    const first = await startApp(t, { engine: 'postgres' })
    const clock = createClock(first.clock.now() + difference)
    const second = await startApp(t, { engine: 'postgres', storage: first.storage, clock })
    const application = await registerApplication(first)
    const person = await signedInPerson(first)
    for (let round = 0; round < 3; round++) {
      const pkce = newPkce()
      const code = await getCode(person, application, pkce)
      const answers = await Promise.all(
        FIFTY.map((at) => exchangeCode(at % 2 === 0 ? first : second, application, code, pkce)),
      )
      const { access_token } = assertOneSucceeded(answers)
      for (const replica of [first, second]) assert.equal(await isLive(replica, application, access_token), false)
    }
  })
}

test('a code that one replica redeemed and that is used again at another one at once revokes the tokens it issued', async (t) => {
  const first = await startApp(t, { engine: 'postgres' })
  const second = await startApp(t, { engine: 'postgres', storage: first.storage, clock: first.clock })
  const application = await registerApplication(first)
  const pkce = newPkce()
  const code = await getCode(await signedInPerson(first), application, pkce)
  const { access_token } = (await exchangeCode(first, application, code, pkce)).json<Tokens>()
  assert.equal((await exchangeCode(second, application, code, pkce)).statusCode, 400)
  assert.equal(await isLive(first, application, access_token), false)
})

test('50 concurrent refreshes with one token on two replicas all get siblings, and a reuse revokes them on both', async (t) => {
  const first = await startApp(t, { engine: 'postgres' })
  const second = await startApp(t, { engine: 'postgres', storage: first.storage, clock: first.clock })
  const application = await registerApplication(first)
  const { refresh_token } = await getTokens(first, await signedInPerson(first), application)
  const answers = await Promise.all(
    FIFTY.map((at) => refresh(at % 2 === 0 ? first : second, application, refresh_token)),
  )
  assert.deepEqual(new Set(answers.map(({ statusCode }) => statusCode)), new Set([200]))
  first.clock.advance(10_001)
  assert.equal((await refresh(second, application, refresh_token)).statusCode, 400)
  for (const answer of answers)
    assert.equal(await isLive(first, application, answer.json<Tokens>().access_token), false)
})
