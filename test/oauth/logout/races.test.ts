import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sharedApp } from '../../support/app.ts'
import {
  authorizeUrl,
  claimsOf,
  exchangeCode,
  getTokens,
  locationOf,
  newPkce,
  refresh,
  registerApplication,
  type Tokens,
} from '../../support/application.ts'
import { onEachEngine } from '../../support/engines.ts'
import { signedInPerson, signIn } from '../../support/people.ts'
import { LOGOUT_URI, toldOf } from './logouts.ts'

const ROUNDS = 15
const TOLD = { backchannelLogoutUri: LOGOUT_URI }

onEachEngine('at the same moment', (engine) => {
  const app = sharedApp({ engine, sends: false })

  test('a session ends and a code is issued: there is no code, or it is refused and the application is told', async () => {
    const application = await registerApplication(app(), TOLD)
    const first = await signedInPerson(app())
    await getTokens(app(), first, application)
    for (let round = 0; round < ROUNDS; round++) {
      const person = await signIn(app(), first.user)
      const elsewhere = await signIn(app(), first.user)
      const pkce = newPkce()
      const before = (await toldOf(app(), application, person)).length
      const [answer] = await Promise.all([
        person.get(authorizeUrl(application, pkce)),
        elsewhere.post(`/api/auth/sessions/${person.sessionId}/revoke`),
      ])
      const code = /[?&]code=([\w-]+)/.exec(String(answer.headers.location))?.[1]
      const told = (await toldOf(app(), application, person)).length - before
      assert.equal(told, code === undefined ? 0 : 1, `in round ${round}`)
      if (code !== undefined) assert.equal((await exchangeCode(app(), application, code, pkce)).statusCode, 400)
    }
  })

  test('a session ends and a code is redeemed: the application is told of the sid that it got, or gets nothing', async () => {
    const application = await registerApplication(app(), TOLD)
    const first = await signedInPerson(app())
    await getTokens(app(), first, application)
    for (let round = 0; round < ROUNDS; round++) {
      const person = await signIn(app(), first.user)
      const pkce = newPkce()
      const code = locationOf(await person.get(authorizeUrl(application, pkce))).searchParams.get('code') ?? ''
      const [answer] = await Promise.all([
        exchangeCode(app(), application, code, pkce),
        person.post('/api/auth/logout'),
      ])
      const told = await toldOf(app(), application, person)
      assert.equal(told.length, round + 1)
      if (answer.statusCode === 200)
        assert.ok([told.at(-1)?.sid, undefined].includes(claimsOf(answer.json<Tokens>().id_token)['sid'] as string))
    }
  })

  test('two end the same session, or it ends and the account is disabled: each application is told once', async () => {
    const admin = await signedInPerson(app(), { admin: true })
    const application = await registerApplication(app(), TOLD)
    for (let round = 0; round < ROUNDS; round++) {
      const person = await signedInPerson(app())
      const { id_token: idToken } = await getTokens(app(), person, application)
      const { sid } = claimsOf(idToken)
      const user = `/api/admin/users/${person.user.id}`
      await Promise.all([person.post('/api/auth/logout'), admin.delete(`${user}/sessions/${person.sessionId}`)])
      assert.deepEqual(await toldOf(app(), application, person), [{ sid }])

      const again = await signIn(app(), person.user)
      await getTokens(app(), again, application)
      await Promise.all([again.post('/api/auth/logout'), admin.post(`${user}/lifecycle`, { action: 'disable' })])
      assert.deepEqual(await toldOf(app(), application, person), [{}])
    }
  })

  test('an application is turned off and people approve it: whoever got a code is told of', async () => {
    const admin = await signedInPerson(app(), { admin: true })
    const people = await Promise.all(Array.from({ length: 5 }, () => signedInPerson(app())))
    for (let round = 0; round < 5; round++) {
      const application = await registerApplication(app(), { ...TOLD, consent: 'skip' })
      const [off, ...answers] = await Promise.all([
        admin.patch(`/oauth/clients/${application.clientId}`, { disabled: true }),
        ...people.map((person) => person.get(authorizeUrl(application, newPkce()))),
      ])
      assert.equal(off.statusCode, 200)
      await app().tick()
      for (const [at, person] of people.entries()) {
        const hasCode = /[?&]code=/.test(String(answers[at]?.headers.location))
        assert.equal((await toldOf(app(), application, person)).length, hasCode ? 1 : 0, `${at} in round ${round}`)
      }
    }
  })

  test('a refresh token is used twice and the session ends: no transaction waits for another without end', async () => {
    for (let round = 0; round < 5; round++) {
      const application = await registerApplication(app(), TOLD)
      const person = await signedInPerson(app())
      const tokens = await getTokens(app(), person, application)
      await refresh(app(), application, tokens.refresh_token)
      app().clock.advance(60_000)
      const [reused, ended] = await Promise.all([
        refresh(app(), application, tokens.refresh_token),
        person.post('/api/auth/logout'),
      ])
      assert.deepEqual([reused.statusCode, ended.statusCode], [400, 200])
      assert.deepEqual((await toldOf(app(), application, person)).at(-1) ?? {}, {})
    }
  })
})
