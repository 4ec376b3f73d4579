import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sharedApp, startApp } from '../support/app.ts'
import type { Lies } from '../support/authenticator-answer.ts'
import { nestedCbor } from '../support/cbor.ts'
import { onEachEngine } from '../support/engines.ts'
import { anonymous, cookieOf } from '../support/people.ts'
import {
  assertRefused,
  enrol,
  login,
  loginOptions,
  newAuthenticator,
  register,
  registrationOptions,
  tally,
  verifyLogin,
} from './ceremonies.ts'

const FIVE_MINUTES = 300_000

onEachEngine('signing in with a passkey', (engine) => {
  const shared = sharedApp({ engine, config: { rateLimits: false } })

  const counterOf = async (passkey: { id: string }): Promise<number> => {
    const { counter } = await shared()
      .services.db.selectFrom('passkeys')
      .select('counter')
      .where('id', '=', passkey.id)
      .executeTakeFirstOrThrow()
    return counter
  }
  const disable = (userId: string, at: number | null = shared().clock.now()) =>
    shared().services.db.updateTable('users').set({ disabled_at: at }).where('id', '=', userId).execute()

  test('options carry a challenge, its id and the RP id, and name no credential', async () => {
    const { challenge, challengeId, ...options } = await loginOptions(anonymous(shared()))
    assert.deepEqual(options, { rpId: 'localhost', timeout: FIVE_MINUTES, userVerification: 'preferred' })
    const stored = await shared()
      .services.db.selectFrom('passkey_challenges')
      .selectAll()
      .where('id', '=', challengeId)
      .executeTakeFirst()
    const now = shared().clock.now()
    assert.deepEqual(
      { ...stored },
      { id: challengeId, user_id: null, challenge, created_at: now, expires_at: now + FIVE_MINUTES },
    )
  })

  test('options take an empty object or no body', async () => {
    const visitor = anonymous(shared())
    assert.equal((await visitor.post('/api/passkeys/login/options')).statusCode, 200)
    assert.equal((await visitor.post('/api/passkeys/login/options', '')).statusCode, 200)
    assert.equal((await visitor.post('/api/passkeys/login/options', { email: 'a@example.com' })).statusCode, 400)
  })

  test('answers the user and sets a remembered session cookie', async () => {
    const { person, authenticator, visitor } = await enrol(shared())
    const response = await login(visitor, authenticator)
    assert.equal(response.statusCode, 200)
    assert.equal(response.json().user.id, person.user.id)
    assert.equal(response.json().user.lastLoginAt, shared().clock.now())
    assert.match(
      String(response.headers['set-cookie']),
      /^session=[\w-]{43}; Path=\/; HttpOnly; Secure; SameSite=Lax; Max-Age=2592000$/,
    )
    visitor.cookie = cookieOf(response) ?? ''
    assert.equal((await visitor.get('/api/passkeys')).statusCode, 200)
  })

  test('the session keeps the digest of its token, where it came from, and how', async () => {
    const { person, authenticator, visitor } = await enrol(shared())
    await shared().services.db.deleteFrom('sessions').where('user_id', '=', person.user.id).execute()
    const options = await loginOptions(visitor)
    const response = await visitor.post(
      '/api/passkeys/login/verify',
      { challengeId: options.challengeId, response: authenticator.authenticate(options) },
      { 'user-agent': 'Browser/1' },
    )
    const session = await shared()
      .services.db.selectFrom('sessions')
      .selectAll()
      .where('user_id', '=', person.user.id)
      .executeTakeFirstOrThrow()
    assert.notEqual(session.token_hash, cookieOf(response))
    assert.deepEqual(
      [session.ip_address, session.user_agent, session.method, session.remembered],
      ['127.0.0.1', 'Browser/1', 'passkey', 1],
    )
  })

  test('a passkey bound to its device is told from one that is synchronised', async () => {
    for (const [eligible, key] of [
      [false, 'hwk'],
      [true, 'swk'],
    ] as const) {
      const { person, authenticator, visitor } = await enrol(shared(), { backup: { eligible, state: false } })
      await login(visitor, authenticator)
      const { amr } = await shared()
        .services.db.selectFrom('sessions')
        .select('amr')
        .where('user_id', '=', person.user.id)
        .where('method', '=', 'passkey')
        .executeTakeFirstOrThrow()
      assert.equal(amr, `${key} user`)
    }
  })

  test('the counter, the time of use and the state of the backup are kept', async () => {
    const { person, authenticator, visitor } = await enrol(shared(), {
      counter: 5,
      backup: { eligible: true, state: false },
    })
    shared().clock.advance(1000)
    assert.equal((await login(visitor, authenticator, { counter: 9, flags: { BS: true } })).statusCode, 200)
    const [passkey] = (await person.get('/api/passkeys')).json().passkeys
    assert.equal(passkey.lastUsedAt, shared().clock.now())
    assert.equal(passkey.backedUp, true)
    assert.equal(await counterOf(passkey), 9)
  })

  test('success and failure are in the audit trail', async () => {
    const { person, authenticator, visitor } = await enrol(shared())
    await login(visitor, authenticator)
    await login(visitor, authenticator, { signature: 'corrupt' })
    const events = await shared()
      .services.db.selectFrom('audit_events')
      .select(['action', 'outcome', 'data'])
      .where('actor_id', '=', person.user.id)
      .where('action', 'like', 'session.%')
      .orderBy('outcome', 'desc')
      .execute()
    assert.deepEqual(
      events.map((event) => ({ ...event, data: JSON.parse(event.data) })),
      [
        { action: 'session.started', outcome: 'success', data: { method: 'passkey' } },
        { action: 'session.refused', outcome: 'refused', data: { method: 'passkey', reason: 'signature' } },
      ],
    )
  })

  test('with each algorithm, and without user verification or a user handle, is accepted', async () => {
    for (const algorithm of ['ES256', 'EdDSA', 'RS256'] as const) {
      const { authenticator, visitor } = await enrol(shared(), { algorithm, userVerified: false })
      assert.equal((await login(visitor, authenticator, { userHandle: null })).statusCode, 200)
    }
  })

  test('the same response a second time is refused', async () => {
    const { authenticator, visitor } = await enrol(shared())
    const options = await loginOptions(visitor)
    const response = authenticator.authenticate(options)
    assert.equal((await verifyLogin(visitor, options.challengeId, response)).statusCode, 200)
    assertRefused(await verifyLogin(visitor, options.challengeId, response))
    const { challengeId } = await loginOptions(visitor)
    assertRefused(await verifyLogin(visitor, challengeId, response))
  })

  test('of 50 identical verifies at once one succeeds, and makes one session', async () => {
    const { person, authenticator, visitor } = await enrol(shared())
    const options = await loginOptions(visitor)
    const response = authenticator.authenticate(options)
    const responses = await Promise.all(
      Array.from({ length: 50 }, () => verifyLogin(visitor, options.challengeId, response)),
    )
    assert.deepEqual(tally(responses), { 200: 1, 401: 49 })
    const sessions = await shared()
      .services.db.selectFrom('sessions')
      .select('id')
      .where('user_id', '=', person.user.id)
      .where('method', '=', 'passkey')
      .execute()
    assert.equal(sessions.length, 1)
  })

  test('a failed verify has used up the challenge', async () => {
    const { authenticator, visitor } = await enrol(shared())
    const options = await loginOptions(visitor)
    const bad = authenticator.authenticate(options, { signature: 'corrupt' })
    assertRefused(await verifyLogin(visitor, options.challengeId, bad))
    assertRefused(await verifyLogin(visitor, options.challengeId, authenticator.authenticate(options)))
  })

  test('a challenge lives five minutes, and not a millisecond longer', async () => {
    const { authenticator, visitor } = await enrol(shared())
    const early = await loginOptions(visitor)
    shared().clock.advance(FIVE_MINUTES - 1)
    assert.equal((await verifyLogin(visitor, early.challengeId, authenticator.authenticate(early))).statusCode, 200)
    const late = await loginOptions(visitor)
    shared().clock.advance(FIVE_MINUTES)
    assertRefused(await verifyLogin(visitor, late.challengeId, authenticator.authenticate(late)))
  })

  test('a challenge that nobody gave out, and that of a registration, are refused', async () => {
    const { person, authenticator, visitor } = await enrol(shared())
    const options = await loginOptions(visitor)
    assertRefused(await verifyLogin(visitor, crypto.randomUUID(), authenticator.authenticate(options)))
    const { challenge } = await registrationOptions(person)
    const { id } = await shared()
      .services.db.selectFrom('passkey_challenges')
      .select('id')
      .where('user_id', '=', person.user.id)
      .executeTakeFirstOrThrow()
    const response = authenticator.authenticate({ ...options, challenge })
    assertRefused(await verifyLogin(visitor, id, response))
    // Nor does it serve in place of another.
    assertRefused(await verifyLogin(visitor, options.challengeId, response))
  })

  test('expired challenges are swept away', async () => {
    const { challengeId } = await loginOptions(anonymous(shared()))
    shared().clock.advance(FIVE_MINUTES)
    await shared().tick()
    const left = await shared()
      .services.db.selectFrom('passkey_challenges')
      .select('id')
      .where('id', '=', challengeId)
      .execute()
    assert.deepEqual(left, [])
  })

  const lies: Record<string, Lies> = {
    'an origin with ours as prefix': { origin: 'http://localhost:3000.evil.example' },
    'an origin with ours as suffix': { origin: 'http://evil.localhost:3000' },
    'another port': { origin: 'http://localhost:3001' },
    'another scheme': { origin: 'https://localhost:3000' },
    'the hash of another RP id': { rpId: 'evil.example' },
    'the type of a registration': { type: 'webauthn.create' },
    'another challenge': { challenge: 'AAAA' },
    'a user who was not present': { flags: { UP: false } },
    'a backup of what cannot be backed up': { flags: { BS: true } },
    'a backup eligibility that was not there before': { flags: { BE: true } },
    'trailing bytes': { trailing: Buffer.of(0) },
    'a ceremony in a frame': { crossOrigin: true },
    'extensions nested 5,000 deep': { extensions: nestedCbor(5000) },
    'a corrupt signature': { signature: 'corrupt' },
    'the signature of another key': { signature: 'of-another-key' },
    'the user handle of somebody else': { userHandle: Buffer.from('usr_other').toString('base64url') },
    'a raw id that differs': { rawId: 'AAAA' },
    'a credential that nobody registered': { id: 'AAAA' },
  }
  for (const [name, lie] of Object.entries(lies)) {
    test(`with ${name} is refused, as anything else is, and the counter stays`, async () => {
      const { authenticator, passkey, visitor } = await enrol(shared(), { counter: 3 })
      assertRefused(await login(visitor, authenticator, lie))
      assert.equal(await counterOf(passkey), 3)
      assert.equal((await login(visitor, authenticator)).statusCode, 200)
    })
  }

  test('a counter must grow: the same one, a smaller one and 0 are refused', async () => {
    const { authenticator, passkey, visitor } = await enrol(shared(), { counter: 10 })
    for (const counter of [10, 9, 0]) assertRefused(await login(visitor, authenticator, { counter }))
    assert.equal(await counterOf(passkey), 10)
    assert.equal((await login(visitor, authenticator, { counter: 11 })).statusCode, 200)
    assertRefused(await login(visitor, authenticator, { counter: 11 }))
  })

  test('counters use the full 32 bits', async () => {
    const { authenticator, passkey, visitor } = await enrol(shared(), { counter: 2 ** 31 - 1 })
    for (const counter of [2 ** 31, 2 ** 32 - 2, 2 ** 32 - 1]) {
      assert.equal((await login(visitor, authenticator, { counter })).statusCode, 200, String(counter))
      assert.equal(await counterOf(passkey), counter)
    }
    for (const counter of [2 ** 32 - 1, 2 ** 31, 1, 0]) {
      assertRefused(await login(visitor, authenticator, { counter }))
    }
  })

  test('an authenticator that never counts says 0 after 0; one that began to count does not go back', async () => {
    const { authenticator, passkey, visitor } = await enrol(shared(), { counts: false })
    for (let time = 0; time < 3; time++) assert.equal((await login(visitor, authenticator)).statusCode, 200)
    assert.equal(await counterOf(passkey), 0)
    assert.equal((await login(visitor, authenticator, { counter: 1 })).statusCode, 200)
    assertRefused(await login(visitor, authenticator, { counter: 0 }))
  })

  test('of 20 logins at once with the same counter, each with its own challenge, one succeeds', async () => {
    const { authenticator, visitor } = await enrol(shared(), { counter: 100 })
    const ready = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const options = await loginOptions(visitor)
        return { options, response: authenticator.authenticate(options, { counter: 101 }) }
      }),
    )
    const responses = await Promise.all(
      ready.map(({ options, response }) => verifyLogin(visitor, options.challengeId, response)),
    )
    assert.deepEqual(tally(responses), { 200: 1, 401: 19 })
  })

  test('a clone that counts behind is refused, and the refusal says so in the audit trail', async () => {
    const { person, authenticator, visitor } = await enrol(shared())
    for (let time = 0; time < 3; time++) await login(visitor, authenticator)
    assertRefused(await login(visitor, authenticator, { counter: 2 }))
    const { data } = await shared()
      .services.db.selectFrom('audit_events')
      .select('data')
      .where('actor_id', '=', person.user.id)
      .where('action', '=', 'session.refused')
      .executeTakeFirstOrThrow()
    assert.equal(JSON.parse(data).reason, 'counter')
  })

  test('a disabled account is told so after its proof, and before its counter is looked at', async () => {
    const { person, authenticator, passkey, visitor } = await enrol(shared(), { counter: 10 })
    await disable(person.user.id)
    for (const counter of [11, 10, 9]) {
      const response = await login(visitor, authenticator, { counter })
      assert.equal(response.statusCode, 403)
      assert.equal(response.body, '{"error":"Your account has been disabled."}')
      assert.equal(response.headers['set-cookie'], undefined)
    }
    assert.equal(await counterOf(passkey), 10)
    assertRefused(await login(visitor, authenticator, { counter: 12, signature: 'corrupt' }))
    assertRefused(await login(visitor, authenticator, { counter: 12, origin: 'https://evil.example' }))
    await disable(person.user.id, null)
    assert.equal((await login(visitor, authenticator, { counter: 11 })).statusCode, 200)
  })

  test('no session begins on an account that is being disabled at the same moment', async () => {
    const enrolled = await Promise.all(Array.from({ length: 10 }, () => enrol(shared())))
    await Promise.all(
      enrolled.flatMap(({ person, authenticator, visitor }) => [
        login(visitor, authenticator),
        shared()
          .services.db.transaction()
          .execute(async (trx) => {
            await trx.updateTable('users').set({ disabled_at: 1 }).where('id', '=', person.user.id).execute()
            await trx.deleteFrom('sessions').where('user_id', '=', person.user.id).execute()
          }),
      ]),
    )
    const left = await shared()
      .services.db.selectFrom('sessions')
      .select('id')
      .where(
        'user_id',
        'in',
        enrolled.map(({ person }) => person.user.id),
      )
      .execute()
    assert.deepEqual(left, [])
  })

  test('a passkey that was removed signs nobody in', async () => {
    const { person, authenticator, passkey, visitor } = await enrol(shared())
    await register(person, newAuthenticator())
    assert.equal((await person.delete(`/api/passkeys/${passkey.id}`)).statusCode, 200)
    assertRefused(await login(visitor, authenticator))
  })

  test('a deleted user leaves no passkey behind, and its passkey signs nobody in', async () => {
    const { person, authenticator, visitor } = await enrol(shared())
    await shared().services.db.deleteFrom('users').where('id', '=', person.user.id).execute()
    assertRefused(await login(visitor, authenticator))
  })

  test('what is no response of a browser is invalid input, and 10 MB are too large', async () => {
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

  test('a page of another origin can sign nobody in', async () => {
    const { authenticator, visitor } = await enrol(shared())
    const options = await loginOptions(visitor)
    const body = { challengeId: options.challengeId, response: authenticator.authenticate(options) }
    const response = await visitor.post('/api/passkeys/login/verify', body, { origin: 'https://evil.example' })
    assert.equal(response.statusCode, 403)
    assert.equal(cookieOf(response), undefined)
  })

  test('after 30 failures in a minute from one address the next is turned away, whatever it holds', async (t) => {
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
