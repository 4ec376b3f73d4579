import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Kysely, sql } from 'kysely'
import { digest } from '../../../src/platform/crypto/digest.ts'
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

/** An application with the tokens of its first exchange, and `siblings` successors of its refresh token. */
async function familyOf(app: TestApp, siblings: number) {
  const application = await registerApplication(app)
  const first = await getTokens(app, await signedInPerson(app), application)
  const successors: Tokens[] = []
  for (let at = 0; at < siblings; at++) successors.push(await refreshed(app, application, first.refresh_token))
  return { application, first, successors }
}

async function assertRevoked(app: TestApp, application: Application, tokens: Tokens[]): Promise<void> {
  for (const { access_token, refresh_token } of tokens) {
    for (const token of [access_token, refresh_token])
      assert.deepEqual((await introspect(app, application, token)).json(), { active: false })
    assert.equal(await errorOf(refresh(app, application, refresh_token)), 'invalid_grant')
  }
}

/** Repeats the migration. At run time a Trx is a Kysely transaction; its type only hides some methods. */
async function runMigration(trx: Trx): Promise<void> {
  const migration = MIGRATIONS.find(({ name }) => name === '0013-oauth-single-use')
  assert.ok(migration)
  await migration.up(trx as unknown as Kysely<unknown>)
}

onEachEngine('families of refresh tokens', (engine) => {
  const app = sharedApp({ engine })

  test('of twenty siblings one can be used, and the use of a second one revokes the family', async () => {
    const { application, first, successors } = await familyOf(app(), 20)
    const used = await refreshed(app(), application, successors[7]?.refresh_token ?? '')
    const continued = await refreshed(app(), application, used.refresh_token)
    assert.equal(await isLive(app(), application, continued.access_token), true)
    assert.equal(await isLive(app(), application, successors[3]?.refresh_token ?? ''), false)
    app().clock.advance(DAY)
    const last = await refreshed(app(), application, continued.refresh_token)
    assert.equal(await errorOf(refresh(app(), application, successors[3]?.refresh_token ?? '')), 'invalid_grant')
    await assertRevoked(app(), application, [first, ...successors, used, continued, last])
  })

  test('a reuse is recorded once, with the client', async () => {
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

  const WRONG_SCOPES: [string, Fields][] = [
    ['a scope beyond the grant', { scope: 'openid profile' }],
    ['a malformed scope', { scope: '"' }],
    ['a scope that the client does not have', { scope: 'admin' }],
  ]
  for (const [name, change] of WRONG_SCOPES) {
    test(`a reused token with ${name} revokes the family too`, async () => {
      const { application, first, successors } = await familyOf(app(), 1)
      app().clock.advance(10 * SECOND + 1)
      assert.equal(await errorOf(refresh(app(), application, first.refresh_token, change)), 'invalid_grant')
      await assertRevoked(app(), application, [first, ...successors])
    })

    test(`an unused token with ${name} gets invalid_scope, and can still be used`, async () => {
      const { application, first } = await familyOf(app(), 0)
      assert.equal(await errorOf(refresh(app(), application, first.refresh_token, change)), 'invalid_scope')
      await refreshed(app(), application, first.refresh_token)
    })
  }

  test('a reused token of a client that may no longer refresh revokes the family too', async () => {
    const { application, first, successors } = await familyOf(app(), 1)
    const admin = await signedInPerson(app(), { permissions: ['oauth_clients:write'] })
    await admin.patch(`/oauth/clients/${application.clientId}`, { grantTypes: ['authorization_code'] })
    const newest = successors[0]?.refresh_token ?? ''
    assert.equal(await errorOf(refresh(app(), application, newest)), 'unauthorized_client')
    app().clock.advance(10 * SECOND + 1)
    assert.equal(await errorOf(refresh(app(), application, first.refresh_token)), 'invalid_grant')
    await admin.patch(`/oauth/clients/${application.clientId}`, { grantTypes: ['authorization_code', 'refresh_token'] })
    await assertRevoked(app(), application, [first, ...successors])
  })

  test('a used token that is sent by another client or with a wrong secret revokes nothing', async () => {
    const { application, first, successors } = await familyOf(app(), 1)
    app().clock.advance(HOUR)
    const other = await registerApplication(app())
    assert.equal(await errorOf(refresh(app(), other, first.refresh_token)), 'invalid_grant')
    const unproven = { ...application, secret: 'cs_wrong' }
    assert.equal(await errorOf(refresh(app(), unproven, first.refresh_token)), 'invalid_client')
    await refreshed(app(), application, successors[0]?.refresh_token ?? '')
  })

  test('of fifty siblings used concurrently at most one is accepted, and the family is revoked', async () => {
    const { application, first } = await familyOf(app(), 0)
    const retries = await Promise.all(FIFTY.map(() => refreshed(app(), application, first.refresh_token)))
    const uses = await Promise.all(retries.map(({ refresh_token }) => refresh(app(), application, refresh_token)))
    const accepted = uses.filter(({ statusCode }) => statusCode === 200)
    assert.ok(accepted.length <= 1, `${accepted.length} were accepted`)
    assert.equal(uses.filter(({ statusCode }) => statusCode === 400).length, uses.length - accepted.length)
    await assertRevoked(app(), application, [
      first,
      ...retries.slice(0, 3),
      ...accepted.map((each) => each.json<Tokens>()),
    ])
  })

  test('fifty concurrent uses of one sibling are all accepted as retries, and the use of another sibling revokes them', async () => {
    const { application, successors } = await familyOf(app(), 2)
    const [chosen, other] = successors
    const answers = await Promise.all(FIFTY.map(() => refreshed(app(), application, chosen?.refresh_token ?? '')))
    assert.equal(new Set(answers.map(({ refresh_token }) => refresh_token)).size, 50)
    assert.equal(await errorOf(refresh(app(), application, other?.refresh_token ?? '')), 'invalid_grant')
    await assertRevoked(app(), application, answers.slice(0, 3))
  })

  test('a family expires 90 days after the authorization, however often it is refreshed', async () => {
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
    await assertRevoked(app(), application, [tokens])
  })

  test('the use of two siblings is detected even after their parent token has expired and was deleted', async () => {
    const { application, first } = await familyOf(app(), 0)
    app().clock.advance(30 * DAY - SECOND)
    const lost = await refreshed(app(), application, first.refresh_token)
    const retried = await refreshed(app(), application, first.refresh_token)
    app().clock.advance(DAY)
    await app().tick()
    await refreshed(app(), application, retried.refresh_token)
    assert.equal(await errorOf(refresh(app(), application, lost.refresh_token)), 'invalid_grant')
    await assertRevoked(app(), application, [retried])
  })

  test('setting the clock back does not turn a reuse into a retry, and does not block a valid token', async () => {
    const { application, first, successors } = await familyOf(app(), 1)
    app().clock.adjust(-HOUR)
    const next = await refreshed(app(), application, successors[0]?.refresh_token ?? '')
    const other = await familyOf(app(), 1)
    app().clock.adjust(-HOUR)
    assert.equal(await errorOf(refresh(app(), other.application, other.first.refresh_token)), 'invalid_grant')
    await assertRevoked(app(), other.application, other.successors)
    app().clock.adjust(2 * HOUR)
    await refreshed(app(), application, next.refresh_token)
    assert.equal(await errorOf(refresh(app(), application, first.refresh_token)), 'invalid_grant')
  })

  test('the migration revokes only families in which the previous version accepted two siblings', async () => {
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
      await runMigration(trx)
    })
    assert.equal(await isLive(app(), application, successors[0]?.access_token ?? ''), false)
    assert.equal(await isLive(app(), other.application, other.successors[0]?.access_token ?? ''), true)
  })

  test('tokens issued while the clock was 400 days ahead are not valid once it is correct', async () => {
    app().clock.adjust(400 * DAY)
    const { application, first } = await familyOf(app(), 0)
    app().clock.adjust(-400 * DAY)
    await assertRevoked(app(), application, [first])
  })
})

test('of fifty siblings used concurrently on two replicas at most one is accepted, and the family is revoked', async (t) => {
  const first = await startApp(t, { engine: 'postgres' })
  const second = await startApp(t, { engine: 'postgres', storage: first.storage, clock: first.clock })
  for (let round = 0; round < 3; round++) {
    const { application, first: tokens } = await familyOf(first, 0)
    const on = (at: number) => (at % 2 === 0 ? first : second)
    const retries = await Promise.all(FIFTY.map((at) => refreshed(on(at), application, tokens.refresh_token)))
    const uses = await Promise.all(
      retries.map(({ refresh_token }, at) => refresh(on(at + 1), application, refresh_token)),
    )
    const accepted = uses.filter(({ statusCode }) => statusCode === 200)
    assert.ok(accepted.length <= 1, `${accepted.length} were accepted`)
    await assertRevoked(second, application, [...retries.slice(0, 2), ...accepted.map((each) => each.json<Tokens>())])
  }
})
