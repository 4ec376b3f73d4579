import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../support/app.ts'
import { anonymous, signedInPerson } from '../support/people.ts'

test('a storm of sign-ins slows down sign-ins and nothing else', async (t) => {
  const app = await startApp(t, { config: { rateLimits: false } })
  const person = await signedInPerson(app)
  let waiting = 40
  const storm = Array.from({ length: waiting }, async (_, n) => {
    await anonymous(app).post('/api/auth/login', { email: `storm${n}@example.com`, password: 'not the password' })
    waiting--
  })
  for (let n = 0; n < 20; n++) assert.equal((await person.get('/api/auth/me')).statusCode, 200)
  assert.ok(waiting > 20, `${40 - waiting} sign-ins were served before 20 other requests`)
  await Promise.all(storm)
})
