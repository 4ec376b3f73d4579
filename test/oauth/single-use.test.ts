import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sharedApp, startApp } from '../support/app.ts'
import {
  exchangeCode,
  getCode,
  getTokens,
  isLive,
  newPkce,
  refresh,
  registerApplication,
  type Tokens,
  userinfo,
} from '../support/application.ts'
import { onEachEngine } from '../support/engines.ts'
import { signedInPerson } from '../support/people.ts'

const FIFTY = Array.from({ length: 50 }, (_, at) => at)

onEachEngine('what serves once', (engine) => {
  const app = sharedApp({ engine })

  test('of 50 exchanges of one code at once, one succeeds', async () => {
    const application = await registerApplication(app())
    const pkce = newPkce()
    const code = await getCode(await signedInPerson(app()), application, pkce)
    const answers = await Promise.all(FIFTY.map(() => exchangeCode(app(), application, code, pkce)))
    const statuses = answers.map(({ statusCode }) => statusCode).toSorted((a, b) => a - b)
    assert.deepEqual(statuses, [200, ...Array.from({ length: 49 }, () => 400)])
    for (const answer of answers.filter(({ statusCode }) => statusCode === 400))
      assert.equal(answer.json<{ error: string }>().error, 'invalid_grant')
  })

  test('a code used again later is refused, revokes what it issued, and is written down', async () => {
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
      .services.db.selectFrom('audit_events')
      .select('action')
      .where('action', '=', 'oauth_code.reused')
      .where('target_id', '=', application.clientId)
      .execute()
    assert.equal(events.length, 1)
  })

  test("another client's attempt, or a wrong verifier, on a used code revokes nothing", async () => {
    const application = await registerApplication(app())
    const other = await registerApplication(app())
    const pkce = newPkce()
    const code = await getCode(await signedInPerson(app()), application, pkce)
    const { access_token } = (await exchangeCode(app(), application, code, pkce)).json<Tokens>()
    assert.equal((await exchangeCode(app(), other, code, pkce)).statusCode, 400)
    assert.equal((await exchangeCode(app(), application, code, newPkce())).statusCode, 400)
    assert.equal(await isLive(app(), application, access_token), true)
  })

  test('50 refreshes with one token at once all get siblings, and the family lives on', async () => {
    const application = await registerApplication(app())
    const { refresh_token } = await getTokens(app(), await signedInPerson(app()), application)
    const answers = await Promise.all(FIFTY.map(() => refresh(app(), application, refresh_token)))
    assert.deepEqual(new Set(answers.map(({ statusCode }) => statusCode)), new Set([200]))
    const siblings = answers.map((answer) => answer.json<Tokens>().refresh_token)
    assert.equal(new Set(siblings).size, 50)
    const next = await refresh(app(), application, siblings[7] ?? '')
    assert.equal(next.statusCode, 200)
    // Now that a successor is in use, the first one is nobody's retry any more.
    assert.equal((await refresh(app(), application, refresh_token)).statusCode, 400)
    assert.equal((await refresh(app(), application, siblings[8] ?? '')).statusCode, 400)
    assert.equal(await isLive(app(), application, next.json<Tokens>().access_token), false)
  })
})

test('of 50 exchanges of one code on two copies at once, one succeeds', async (t) => {
  const first = await startApp(t, { engine: 'postgres' })
  const second = await startApp(t, { engine: 'postgres', place: first.place, clock: first.clock })
  const application = await registerApplication(first)
  const person = await signedInPerson(first)
  for (let round = 0; round < 3; round++) {
    const pkce = newPkce()
    const code = await getCode(person, application, pkce)
    const answers = await Promise.all(
      FIFTY.map((at) => exchangeCode(at % 2 === 0 ? first : second, application, code, pkce)),
    )
    assert.equal(answers.filter(({ statusCode }) => statusCode === 200).length, 1)
    assert.equal(answers.filter(({ statusCode }) => statusCode === 400).length, 49)
  }
})

test('50 refreshes with one token on two copies at once all get siblings; reuse kills them on both', async (t) => {
  const first = await startApp(t, { engine: 'postgres' })
  const second = await startApp(t, { engine: 'postgres', place: first.place, clock: first.clock })
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
