import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Kysely, sql } from 'kysely'
import { digest } from '../../../src/crypto/digest.ts'
import type { Trx } from '../../../src/storage/database.ts'
import { MIGRATIONS } from '../../../src/storage/migrations/all.ts'
import { sharedApp, startApp, type TestApp } from '../../support/app.ts'
import {
  type Application,
  type Fields,
  getTokens,
  introspect,
  isLive,
  refresh,
  registerApplication,
  type Tokens,
} from '../../support/application.ts'
import { onEachEngine } from '../../support/engines.ts'
import { signedInPerson } from '../../support/people.ts'

const SECOND = 1000
const HOUR = 3600 * SECOND
const DAY = 24 * HOUR
const FIFTY = Array.from({ length: 50 }, (_, at) => at)

const errorOf = async (answer: ReturnType<typeof refresh>) => (await answer).json<{ error: string }>().error

async function refreshed(app: TestApp, application: Application, token: string): Promise<Tokens> {
  const answer = await refresh(app, application, token)
  assert.equal(answer.statusCode, 200, answer.body)
  return answer.json<Tokens>()
}

/** An application with the tokens of its first exchange, and so many successors of its refresh token. */
async function familyOf(app: TestApp, siblings: number) {
  const application = await registerApplication(app)
  const first = await getTokens(app, await signedInPerson(app), application)
  const successors: Tokens[] = []
  for (let at = 0; at < siblings; at++) successors.push(await refreshed(app, application, first.refresh_token))
  return { application, first, successors }
}

async function assertDead(app: TestApp, application: Application, tokens: Tokens[]): Promise<void> {
  for (const { access_token, refresh_token } of tokens) {
    for (const token of [access_token, refresh_token])
      assert.deepEqual((await introspect(app, application, token)).json(), { active: false })
    assert.equal(await errorOf(refresh(app, application, refresh_token)), 'invalid_grant')
  }
}

/** The step of the upgrade that this is about, once more. A transaction is Kysely's own, with less to see. */
async function upgrade(trx: Trx): Promise<void> {
  const step = MIGRATIONS.find(({ name }) => name === '0013-oauth-single-use')
  assert.ok(step)
  await step.up(trx as unknown as Kysely<unknown>)
}

onEachEngine('families of refresh tokens', (engine) => {
  const app = sharedApp({ engine })

  test('of twenty siblings one line goes on: the use of a second one revokes the family', async () => {
    const { application, first, successors } = await familyOf(app(), 20)
    const used = await refreshed(app(), application, successors[7]?.refresh_token ?? '')
    const goesOn = await refreshed(app(), application, used.refresh_token)
    assert.equal(await isLive(app(), application, goesOn.access_token), true)
    assert.equal(await isLive(app(), application, successors[3]?.refresh_token ?? ''), false)
    app().clock.advance(DAY)
    const last = await refreshed(app(), application, goesOn.refresh_token)
    assert.equal(await errorOf(refresh(app(), application, successors[3]?.refresh_token ?? '')), 'invalid_grant')
    await assertDead(app(), application, [first, ...successors, used, goesOn, last])
  })

  test('the reuse is written down once, with the user and the client', async () => {
    const { application, successors } = await familyOf(app(), 2)
    for (const { refresh_token } of successors) await refresh(app(), application, refresh_token)
    await refresh(app(), application, successors[0]?.refresh_token ?? '')
    const events = await app()
      .services.db.read.selectFrom('audit_events')
      .select(['action', 'outcome'])
      .where('target_id', '=', application.clientId)
      .where('action', 'like', 'oauth_refresh_token.%')
      .execute()
    assert.deepEqual(
      events.map(({ action, outcome }) => [action, outcome]),
      [['oauth_refresh_token.reused', 'refused']],
    )
  })

  const WRONG: [string, Fields][] = [
    ['a scope beyond the grant', { scope: 'openid profile' }],
    ['a malformed scope', { scope: '"' }],
    ['a scope that the client does not have', { scope: 'admin' }],
  ]
  for (const [name, change] of WRONG) {
    test(`a reused token with ${name} revokes the family all the same`, async () => {
      const { application, first, successors } = await familyOf(app(), 1)
      app().clock.advance(10 * SECOND + 1)
      assert.equal(await errorOf(refresh(app(), application, first.refresh_token, change)), 'invalid_grant')
      await assertDead(app(), application, [first, ...successors])
    })

    test(`an unused token with ${name} is invalid_scope, and is not used up`, async () => {
      const { application, first } = await familyOf(app(), 0)
      assert.equal(await errorOf(refresh(app(), application, first.refresh_token, change)), 'invalid_scope')
      await refreshed(app(), application, first.refresh_token)
    })
  }

  test('a reused token of a client that may no longer refresh revokes the family all the same', async () => {
    const { application, first, successors } = await familyOf(app(), 1)
    const admin = await signedInPerson(app(), { permissions: ['oauth_clients:write'] })
    await admin.patch(`/oauth/clients/${application.clientId}`, { grantTypes: ['authorization_code'] })
    const tip = successors[0]?.refresh_token ?? ''
    assert.equal(await errorOf(refresh(app(), application, tip)), 'unauthorized_client')
    app().clock.advance(10 * SECOND + 1)
    assert.equal(await errorOf(refresh(app(), application, first.refresh_token)), 'invalid_grant')
    await admin.patch(`/oauth/clients/${application.clientId}`, { grantTypes: ['authorization_code', 'refresh_token'] })
    await assertDead(app(), application, [first, ...successors])
  })

  test('a used token that another client sends, or with a wrong secret, revokes nothing', async () => {
    const { application, first, successors } = await familyOf(app(), 1)
    app().clock.advance(HOUR)
    const other = await registerApplication(app())
    assert.equal(await errorOf(refresh(app(), other, first.refresh_token)), 'invalid_grant')
    const unproven = { ...application, secret: 'cs_wrong' }
    assert.equal(await errorOf(refresh(app(), unproven, first.refresh_token)), 'invalid_client')
    await refreshed(app(), application, successors[0]?.refresh_token ?? '')
  })

  test('fifty siblings at once: one is accepted at most, and afterwards the family is dead', async () => {
    const { application, first } = await familyOf(app(), 0)
    const retries = await Promise.all(FIFTY.map(() => refreshed(app(), application, first.refresh_token)))
    const uses = await Promise.all(retries.map(({ refresh_token }) => refresh(app(), application, refresh_token)))
    const accepted = uses.filter(({ statusCode }) => statusCode === 200)
    assert.ok(accepted.length <= 1, `${accepted.length} were accepted`)
    assert.equal(uses.filter(({ statusCode }) => statusCode === 400).length, uses.length - accepted.length)
    await assertDead(app(), application, [
      first,
      ...retries.slice(0, 3),
      ...accepted.map((each) => each.json<Tokens>()),
    ])
  })

  test('fifty uses of one sibling at once are retries of one another, and another sibling ends them all', async () => {
    const { application, successors } = await familyOf(app(), 2)
    const [chosen, other] = successors
    const answers = await Promise.all(FIFTY.map(() => refreshed(app(), application, chosen?.refresh_token ?? '')))
    assert.equal(new Set(answers.map(({ refresh_token }) => refresh_token)).size, 50)
    assert.equal(await errorOf(refresh(app(), application, other?.refresh_token ?? '')), 'invalid_grant')
    await assertDead(app(), application, answers.slice(0, 3))
  })

  test('a family ends 90 days after the authorization, however often it is refreshed', async () => {
    const { application, first } = await familyOf(app(), 0)
    let tokens = first
    for (let days = 0; days < 80; days += 20) {
      app().clock.advance(20 * DAY)
      await app().tick()
      tokens = await refreshed(app(), application, tokens.refresh_token)
    }
    const { exp } = (await introspect(app(), application, tokens.refresh_token)).json<{ exp: number }>()
    assert.equal(exp, Math.floor((app().clock.now() + 10 * DAY) / 1000))
    app().clock.advance(10 * DAY - 60 * SECOND)
    await app().tick()
    tokens = await refreshed(app(), application, tokens.refresh_token)
    assert.equal(tokens.expires_in, 60)
    app().clock.advance(60 * SECOND)
    await assertDead(app(), application, [tokens])
  })

  test('siblings are told apart also when the token that they came of has expired and was swept away', async () => {
    const { application, first } = await familyOf(app(), 0)
    app().clock.advance(30 * DAY - SECOND)
    const lost = await refreshed(app(), application, first.refresh_token)
    const retried = await refreshed(app(), application, first.refresh_token)
    app().clock.advance(DAY)
    await app().tick()
    await refreshed(app(), application, retried.refresh_token)
    assert.equal(await errorOf(refresh(app(), application, lost.refresh_token)), 'invalid_grant')
    await assertDead(app(), application, [retried])
  })

  test('a clock that is set back makes no retry of what was used, and stops nobody', async () => {
    const { application, first, successors } = await familyOf(app(), 1)
    app().clock.adjust(-HOUR)
    const next = await refreshed(app(), application, successors[0]?.refresh_token ?? '')
    const other = await familyOf(app(), 1)
    app().clock.adjust(-HOUR)
    assert.equal(await errorOf(refresh(app(), other.application, other.first.refresh_token)), 'invalid_grant')
    await assertDead(app(), other.application, other.successors)
    app().clock.adjust(2 * HOUR)
    await refreshed(app(), application, next.refresh_token)
    assert.equal(await errorOf(refresh(app(), application, first.refresh_token)), 'invalid_grant')
  })

  test('a family in which two siblings went on under the version before ends with the upgrade, and no other', async () => {
    const { application, successors } = await familyOf(app(), 2)
    const other = await familyOf(app(), 2)
    await refreshed(app(), other.application, other.successors[0]?.refresh_token ?? '')
    const { db } = app().services
    const used = successors.map(({ refresh_token }) => digest(refresh_token))
    await db.transaction((trx) =>
      trx.updateTable('oauth_refresh_tokens').set({ used_at: 1 }).where('token_hash', 'in', used).execute(),
    )
    await db.transaction(async (trx) => {
      await sql`drop table oauth_answered_requests`.execute(trx)
      await upgrade(trx)
    })
    assert.equal(await isLive(app(), application, successors[0]?.access_token ?? ''), false)
    assert.equal(await isLive(app(), other.application, other.successors[0]?.access_token ?? ''), true)
  })

  test('what was issued while the clock was 400 days ahead does not live for 400 days', async () => {
    app().clock.adjust(400 * DAY)
    const { application, first } = await familyOf(app(), 0)
    app().clock.adjust(-400 * DAY)
    await assertDead(app(), application, [first])
  })
})

test('fifty siblings on two replicas at once: one is accepted at most, and afterwards the family is dead', async (t) => {
  const first = await startApp(t, { engine: 'postgres' })
  const second = await startApp(t, { engine: 'postgres', place: first.place, clock: first.clock })
  for (let round = 0; round < 3; round++) {
    const { application, first: tokens } = await familyOf(first, 0)
    const on = (at: number) => (at % 2 === 0 ? first : second)
    const retries = await Promise.all(FIFTY.map((at) => refreshed(on(at), application, tokens.refresh_token)))
    const uses = await Promise.all(
      retries.map(({ refresh_token }, at) => refresh(on(at + 1), application, refresh_token)),
    )
    const accepted = uses.filter(({ statusCode }) => statusCode === 200)
    assert.ok(accepted.length <= 1, `${accepted.length} were accepted`)
    await assertDead(second, application, [...retries.slice(0, 2), ...accepted.map((each) => each.json<Tokens>())])
  }
})
