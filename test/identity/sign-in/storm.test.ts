import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../support/app.ts'
import { anonymous, signedInPerson } from '../../support/people.ts'
import { testSpeed } from '../../support/speed.ts'

testSpeed('many concurrent logins slow down logins and nothing else', async (t) => {
  const app = await startApp(t, { realHashCost: true, config: { rateLimits: false } })
  const person = await signedInPerson(app)
  let waiting = 40
  const logins = Array.from({ length: waiting }, async (_, n) => {
    await anonymous(app).post('/api/auth/login', { email: `storm${n}@example.com`, password: 'not the password' })
    waiting--
  })
  for (let n = 0; n < 20; n++) assert.equal((await person.get('/api/auth/me')).statusCode, 200)
  assert.ok(waiting > 20, `${40 - waiting} sign-ins were served before 20 other requests`)
  await Promise.all(logins)
})

test('a login from one address is answered after at most a few of sixty concurrent logins from another address', async (t) => {
  const app = await startApp(t, { realHashCost: true, config: { trustProxy: ['127.0.0.1'] } })
  await signedInPerson(app, { email: 'elsewhere@example.com', password: 'correct horse battery staple' })
  const answered: string[] = []
  const login = async (email: string, address: string) => {
    const body = { email, password: 'correct horse battery staple' }
    const { statusCode } = await anonymous(app).post('/api/auth/login', body, { 'x-forwarded-for': address })
    answered.push(`${address}: ${statusCode}`)
  }
  const logins = Array.from({ length: 60 }, (_, n) => login(`storm${n}@example.com`, '192.0.2.1'))
  await login('elsewhere@example.com', '192.0.2.2')
  const before = answered.indexOf('192.0.2.2: 200')
  // Two logins are running and one more is ahead in the queue, and a refusal takes less time than a login.
  assert.ok(before >= 0 && before <= 8, `${before} of 60 were answered before it`)
  await Promise.all(logins)
})
