import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sharedApp, startApp } from '../../support/app.ts'
import { onMainEngine } from '../../support/engines.ts'
import { anonymous, cookieOf } from '../../support/people.ts'
import { assertRefused, enrol, login, loginOptions, verifyLogin } from './ceremonies.ts'

const FIVE_MINUTES = 300_000

onMainEngine('signing in with a passkey', (engine) => {
  const shared = sharedApp({ engine, config: { rateLimits: false } })

  test('options contain a challenge, its id and the RP id, but no credential', async () => {
    const { challenge, challengeId, ...options } = await loginOptions(anonymous(shared()))
    assert.deepEqual(options, { rpId: 'localhost', timeout: FIVE_MINUTES, userVerification: 'preferred' })
    const stored = await shared()
      .services.db.read.selectFrom('passkey_challenges')
      .selectAll()
      .where('id', '=', challengeId)
      .executeTakeFirst()
    const now = shared().clock.now()
    assert.deepEqual(
      { ...stored },
      {
        id: challengeId,
        user_id: null,
        session_id: null,
        challenge,
        created_at: now,
        expires_at: now + FIVE_MINUTES,
        conditional: 0,
      },
    )
  })

  test('options accept an empty object or no body', async () => {
    const visitor = anonymous(shared())
    assert.equal((await visitor.post('/api/passkeys/login/options')).statusCode, 200)
    assert.equal((await visitor.post('/api/passkeys/login/options', '')).statusCode, 200)
    assert.equal((await visitor.post('/api/passkeys/login/options', { email: 'a@example.com' })).statusCode, 400)
  })

  test('returns the user and sets a remembered session cookie', async () => {
    const { person, authenticator, visitor } = await enrol(shared())
    const response = await login(visitor, authenticator)
    assert.equal(response.statusCode, 200)
    assert.equal(response.json().user.id, person.user.id)
    assert.equal(response.json().user.lastLoginAt, shared().clock.now())
    const [session = '', browser = ''] = [response.headers['set-cookie'] ?? []].flat()
    assert.match(session, /^session=[\w-]{43}; Path=\/; HttpOnly; Secure; SameSite=Lax; Max-Age=2592000$/)
    assert.match(browser, /^known_browser=[\w-]{43}; Path=\/; HttpOnly; Secure; SameSite=Lax; Max-Age=31536000$/)
    visitor.cookie = cookieOf(response) ?? ''
    assert.equal((await visitor.get('/api/passkeys')).statusCode, 200)
  })

  test('stores the session with the digest of its token, its address, its user agent and its method', async () => {
    const { person, authenticator, visitor } = await enrol(shared())
    await shared().services.db.transaction((trx) =>
      trx.deleteFrom('sessions').where('user_id', '=', person.user.id).execute(),
    )
    const options = await loginOptions(visitor)
    const response = await visitor.post(
      '/api/passkeys/login/verify',
      { challengeId: options.challengeId, response: authenticator.authenticate(options) },
      { 'user-agent': 'Browser/1' },
    )
    const session = await shared()
      .services.db.read.selectFrom('sessions')
      .selectAll()
      .where('user_id', '=', person.user.id)
      .executeTakeFirstOrThrow()
    const token = cookieOf(response)
    assert.ok(token)
    assert.ok(!JSON.stringify(session).includes(token))
    assert.deepEqual(
      [session.ip_address, session.user_agent, session.method, session.remembered],
      ['127.0.0.1', 'Browser/1', 'passkey', 1],
    )
  })

  test('distinguishes a device-bound passkey from a synchronized one', async () => {
    for (const [eligible, key] of [
      [false, 'hwk'],
      [true, 'swk'],
    ] as const) {
      const { person, authenticator, visitor } = await enrol(shared(), { backup: { eligible, state: false } })
      await login(visitor, authenticator)
      const { amr } = await shared()
        .services.db.read.selectFrom('sessions')
        .select('amr')
        .where('user_id', '=', person.user.id)
        .where('method', '=', 'passkey')
        .executeTakeFirstOrThrow()
      assert.equal(amr, `${key} user`)
    }
  })

  test('is recorded in the audit trail, whether it succeeds or fails', async () => {
    const { person, authenticator, visitor } = await enrol(shared())
    await login(visitor, authenticator)
    await login(visitor, authenticator, { signature: 'corrupt' })
    const events = await shared()
      .services.db.read.selectFrom('audit_events')
      .select(['action', 'outcome', 'data'])
      .where('actor_id', '=', person.user.id)
      .where('action', 'like', 'session.%')
      .orderBy('outcome', 'desc')
      .execute()
    assert.deepEqual(
      events.map(({ action, outcome, data }) => [action, outcome, JSON.parse(data)]),
      [
        ['session.started', 'success', { method: 'passkey' }],
        ['session.refused', 'refused', { method: 'passkey', reason: 'signature' }],
      ],
    )
  })

  test('is accepted with each algorithm, and without user verification', async () => {
    for (const algorithm of ['ES256', 'EdDSA', 'RS256'] as const) {
      const { authenticator, visitor } = await enrol(shared(), { algorithm, userVerified: false })
      assert.equal((await login(visitor, authenticator)).statusCode, 200)
    }
  })

  test('is refused with a passkey of a deleted user', async () => {
    const { person, authenticator, visitor } = await enrol(shared())
    await shared().services.db.transaction((trx) => trx.deleteFrom('users').where('id', '=', person.user.id).execute())
    assertRefused(await login(visitor, authenticator), 'passkey_not_known')
  })

  test('answers 400 to a malformed response of a browser, and 413 to one of 10 MB', async () => {
    const { authenticator, visitor } = await enrol(shared())
    const options = await loginOptions(visitor)
    const good = authenticator.authenticate(options)
    for (const response of [null, [], {}, { ...good, id: 'A'.repeat(1366) }, { ...good, response: {} }]) {
      assert.equal((await verifyLogin(visitor, options.challengeId, response)).statusCode, 400)
    }
    const huge = { ...good, response: { ...good.response, signature: 'A'.repeat(10_000_000) } }
    assert.equal((await verifyLogin(visitor, options.challengeId, huge)).statusCode, 413)
    assert.equal((await verifyLogin(visitor, options.challengeId, good)).statusCode, 200)
  })

  test('is refused from a page of another origin', async () => {
    const { authenticator, visitor } = await enrol(shared())
    const options = await loginOptions(visitor)
    const body = { challengeId: options.challengeId, response: authenticator.authenticate(options) }
    const response = await visitor.post('/api/passkeys/login/verify', body, { origin: 'https://evil.example' })
    assert.equal(response.statusCode, 403)
    assert.equal(cookieOf(response), undefined)
  })

  test('answers 429 after 30 failures in a minute from one address, even to a valid response', async (t) => {
    const limited = await startApp(t, { engine })
    const { authenticator, visitor } = await enrol(limited)
    for (let time = 0; time < 31; time++) assert.equal((await login(visitor, authenticator)).statusCode, 200)
    for (let failure = 0; failure < 30; failure++) {
      assertRefused(await login(visitor, authenticator, { signature: 'corrupt' }))
    }
    const next = await login(visitor, authenticator)
    assert.equal(next.statusCode, 429)
    assert.equal(next.headers['retry-after'], '60')
    limited.clock.advance(60_000)
    assert.equal((await login(visitor, authenticator)).statusCode, 200)
  })
})
