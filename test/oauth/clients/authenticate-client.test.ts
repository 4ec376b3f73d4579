import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp, type TestApp } from '../../support/app.ts'
import { type Application, credentials, postForm, registerApplication } from '../../support/application.ts'
import { MAIN_ENGINE, onEachEngine } from '../../support/engines.ts'

const BEHIND_PROXY = { trustProxy: ['127.0.0.1'] }

const requestToken = (app: TestApp, clientId: string, secret: string | undefined, address: string) =>
  postForm(
    app,
    '/oauth/token',
    { grant_type: 'client_credentials', client_id: clientId, client_secret: secret },
    { 'x-forwarded-for': address },
  )

/** Sends a wrong secret from each address in turn, and returns the statuses. */
async function guess(app: TestApp, { clientId }: Application, addresses: string[]): Promise<number[]> {
  const statuses: number[] = []
  for (const address of addresses) statuses.push((await requestToken(app, clientId, 'wrong', address)).statusCode)
  return statuses
}

const repeat = <T>(count: number, value: T): T[] => Array<T>(count).fill(value)

onEachEngine('guessing client secrets', (engine) => {
  test('a hundred concurrent wrong secrets are limited like sequential ones', async (t) => {
    const app = await startApp(t, { engine, config: BEHIND_PROXY })
    const { clientId } = await registerApplication(app)
    const answers = await Promise.all(
      repeat(100, 'wrong').map((secret) => requestToken(app, clientId, secret, '192.0.2.1')),
    )
    const count = (status: number) => answers.filter(({ statusCode }) => statusCode === status).length
    assert.deepEqual([count(401), count(429)], [30, 70])
  })

  // The rest is the same on every engine.
  if (engine !== MAIN_ENGINE) return

  test('after 30 wrong secrets in a minute for one client from one address, the next one answers 429 with Retry-After', async (t) => {
    const app = await startApp(t, { engine, config: BEHIND_PROXY })
    const application = await registerApplication(app)
    const other = await registerApplication(app)
    assert.deepEqual(await guess(app, application, repeat(30, '192.0.2.1')), repeat(30, 401))
    const limited = await requestToken(app, application.clientId, 'wrong', '192.0.2.1')
    assert.equal(limited.statusCode, 429)
    assert.equal(limited.headers['retry-after'], '60')
    assert.equal(limited.json<{ error: string }>().error, 'temporarily_unavailable')
    assert.deepEqual(await guess(app, application, ['192.0.2.2']), [401], 'another address')
    assert.deepEqual(await guess(app, other, ['192.0.2.1']), [401], 'another client')
    app.clock.advance(60_000)
    assert.deepEqual(await guess(app, application, ['192.0.2.1']), [401], 'a minute later')
    const events = await app.services.db.read
      .selectFrom('audit_events')
      .select('target_id')
      .where('action', '=', 'oauth_client.authentication_failed')
      .where('ip_address', '=', '192.0.2.1')
      .where('target_id', '=', application.clientId)
      .execute()
    assert.equal(events.length, 31, 'a refusal by the limit is not recorded')
  })

  test('the correct secret works after any number of wrong ones', async (t) => {
    const app = await startApp(t, { engine, config: BEHIND_PROXY })
    const { clientId, secret } = await registerApplication(app)
    for (let at = 0; at < 40; at++) await requestToken(app, clientId, 'wrong', '192.0.2.1')
    assert.equal((await requestToken(app, clientId, 'wrong', '192.0.2.1')).statusCode, 429)
    assert.equal((await requestToken(app, clientId, secret, '192.0.2.1')).statusCode, 200)
    assert.equal(
      (await requestToken(app, clientId, 'wrong', '192.0.2.1')).statusCode,
      429,
      'and a success does not reset the count',
    )
  })

  test('the addresses of one IPv6 network share one limit', async (t) => {
    const app = await startApp(t, { engine, config: BEHIND_PROXY })
    const application = await registerApplication(app)
    const addresses = Array.from({ length: 31 }, (_, at) => `2001:db8::${at.toString(16)}`)
    assert.deepEqual(await guess(app, application, addresses), [...repeat(30, 401), 429])
    assert.deepEqual(await guess(app, application, ['2001:db8:0:1::1']), [401], 'the next network')
  })

  test('successes are never counted', async (t) => {
    const app = await startApp(t, { engine })
    const application = await registerApplication(app)
    for (let at = 0; at < 60; at++) {
      const answer = await postForm(app, '/oauth/token', {
        grant_type: 'client_credentials',
        ...credentials(application),
      })
      assert.equal(answer.statusCode, 200)
    }
  })

  test('unknown client ids from one address are limited, and write nothing to the database', async (t) => {
    const app = await startApp(t, { engine, config: BEHIND_PROXY })
    const { clientId, secret } = await registerApplication(app)
    const rows = async () => {
      const { db } = app.services
      const limits = await db.read.selectFrom('rate_limits').select('bucket').execute()
      const events = await db.read.selectFrom('audit_events').select('id').execute()
      return limits.length + events.length
    }
    const before = await rows()
    const statuses: number[] = []
    for (let at = 0; at < 200; at++)
      statuses.push((await requestToken(app, `made-up-${at}`, 'wrong', `2001:db8::${at.toString(16)}`)).statusCode)
    assert.deepEqual(statuses, [...repeat(30, 401), ...repeat(170, 429)])
    assert.equal(await rows(), before)
    assert.equal((await requestToken(app, 'made-up', 'wrong', '192.0.2.9')).statusCode, 401, 'another address')
    assert.equal((await requestToken(app, clientId, secret, '2001:db8::1')).statusCode, 200, 'an existing client')
    app.clock.advance(60_000)
    assert.equal((await requestToken(app, 'made-up', 'wrong', '2001:db8::1')).statusCode, 401, 'a minute later')
  })
})

test('wrong secrets are counted across two replicas on one PostgreSQL', async (t) => {
  const one = await startApp(t, { engine: 'postgres', config: BEHIND_PROXY })
  const two = await startApp(t, { engine: 'postgres', config: BEHIND_PROXY, storage: one.storage, clock: one.clock })
  const application = await registerApplication(one)
  assert.deepEqual(await guess(one, application, repeat(30, '192.0.2.1')), repeat(30, 401))
  assert.deepEqual(await guess(two, application, repeat(2, '192.0.2.1')), [429, 429])
})
