import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp, type TestApp } from '../../support/app.ts'
import { MAIN_ENGINE, onEachEngine } from '../../support/engines.ts'
import { anonymous, signedInPerson } from '../../support/people.ts'

const PASSWORD = 'correct horse battery staple'
const MINUTE = 60_000

onEachEngine('limits on failed sign-ins', (engine) => {
  const login = (app: TestApp, email: string, password: string, headers: Record<string, string> = {}) =>
    anonymous(app).post('/api/auth/login', { email, password }, headers)

  test('of 40 concurrent guesses only 10 are checked', async (t) => {
    const app = await startApp(t, { engine })
    await signedInPerson(app, { email: 'burst@example.com', password: PASSWORD })
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, n) => login(app, 'burst@example.com', `wrong ${n}`)),
    )
    const count = (status: number) => answers.filter(({ statusCode }) => statusCode === status).length
    assert.equal(count(401), 10)
    assert.equal(count(429), 30)
  })

  test('after 100 failures for many emails from one address, further attempts from it answer 429', async (t) => {
    const app = await startApp(t, { engine })
    let refused = 0
    for (let round = 0; round < 6; round++) {
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, n) => login(app, `many${round * 20 + n}@example.com`, 'wrong')),
      )
      refused += answers.filter(({ statusCode }) => statusCode === 429).length
    }
    assert.equal(refused, 20)
  })

  // The rest is the same on every engine.
  if (engine !== MAIN_ENGINE) return

  test('after 10 wrong passwords for one email from one address, even the correct one answers 429 with Retry-After', async (t) => {
    const app = await startApp(t, { engine })
    await signedInPerson(app, { email: 'guessed@example.com', password: PASSWORD })
    for (let n = 0; n < 10; n++) assert.equal((await login(app, 'guessed@example.com', `wrong ${n}`)).statusCode, 401)
    const refused = await login(app, 'guessed@example.com', PASSWORD)
    assert.equal(refused.statusCode, 429)
    assert.equal(refused.json().code, 'too_many_requests')
    assert.equal(refused.headers['retry-after'], '900')
    app.clock.advance(15 * MINUTE)
    assert.equal((await login(app, 'guessed@example.com', PASSWORD)).statusCode, 200)
  })

  test('successes do not count', async (t) => {
    const app = await startApp(t, { engine })
    await signedInPerson(app, { email: 'busy@example.com', password: PASSWORD })
    for (let n = 0; n < 12; n++) assert.equal((await login(app, 'busy@example.com', PASSWORD)).statusCode, 200)
  })

  test('an X-Forwarded-For header from an untrusted peer does not evade the limit', async (t) => {
    const app = await startApp(t, { engine })
    await signedInPerson(app, { email: 'dodged@example.com', password: PASSWORD })
    let last = 0
    for (let n = 0; n < 11; n++)
      last = (await login(app, 'dodged@example.com', 'wrong', { 'x-forwarded-for': `203.0.113.${n}` })).statusCode
    assert.equal(last, 429)
  })

  test('the owner can still sign in from another address', async (t) => {
    const app = await startApp(t, { engine, config: { trustProxy: ['127.0.0.1'] } })
    await signedInPerson(app, { email: 'owner@example.com', password: PASSWORD })
    const from = (address: string) => ({ 'x-forwarded-for': address })
    for (let n = 0; n < 11; n++) await login(app, 'owner@example.com', 'wrong', from('203.0.113.7'))
    assert.equal((await login(app, 'owner@example.com', PASSWORD, from('203.0.113.7'))).statusCode, 429)
    assert.equal((await login(app, 'owner@example.com', PASSWORD, from('198.51.100.4'))).statusCode, 200)
  })

  test('RATE_LIMITS=off counts nothing', async (t) => {
    const app = await startApp(t, { engine, config: { rateLimits: false } })
    for (let n = 0; n < 12; n++) assert.equal((await login(app, 'free@example.com', 'wrong')).statusCode, 401)
  })
})

test('failures are counted across two replicas on one PostgreSQL', async (t) => {
  const one = await startApp(t, { engine: 'postgres' })
  const two = await startApp(t, { engine: 'postgres', storage: one.storage, clock: one.clock })
  await signedInPerson(one, { email: 'replicas@example.com', password: PASSWORD })
  const login = (app: TestApp, password: string) =>
    anonymous(app).post('/api/auth/login', { email: 'replicas@example.com', password })
  for (let n = 0; n < 10; n++) await login(one, 'wrong')
  assert.equal((await login(two, PASSWORD)).statusCode, 429)
})
