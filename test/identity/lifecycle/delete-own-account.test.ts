import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sharedApp, startApp } from '../../support/app.ts'
import { onMainEngine } from '../../support/engines.ts'
import { anonymous, cookieOf, signedInPerson } from '../../support/people.ts'
import { enrol, login } from '../passkeys/ceremonies.ts'

const PASSWORD = 'four unusual words here'

onMainEngine('deleting one’s own account', (engine) => {
  const shared = sharedApp({ engine })

  test('needs its email and the current password, and leaves nothing that lets anybody in', async () => {
    const who = await signedInPerson(shared(), { password: PASSWORD })
    const { email } = who.user
    const remove = (body: object) => who.delete('/api/account', body)
    assert.equal((await remove({ email })).statusCode, 400)
    assert.equal((await remove({ email, currentPassword: 'wrong' })).json().code, 'wrong_password')
    assert.equal((await remove({ email: 'other@example.com', currentPassword: PASSWORD })).statusCode, 400)
    assert.equal((await who.get('/api/auth/me')).statusCode, 200)
    const answer = await remove({ email: email.toUpperCase(), currentPassword: PASSWORD })
    assert.equal(answer.statusCode, 200, answer.body)
    assert.match(String(answer.headers['set-cookie']), /session=;/)
    assert.equal((await who.get('/api/auth/me')).statusCode, 401)
    const again = { email, password: PASSWORD }
    assert.equal((await anonymous(shared()).post('/api/auth/login', again)).statusCode, 401)
    assert.equal((await anonymous(shared()).post('/api/auth/register', again)).statusCode, 201)
  })

  test('without a password needs a fresh sign-in with a passkey', async () => {
    const { person, authenticator, visitor } = await enrol(shared())
    const body = { email: person.user.email }
    assert.equal((await person.delete('/api/account', body)).json().code, 'fresh_sign_in_needed')
    visitor.cookie = cookieOf(await login(visitor, authenticator)) ?? ''
    assert.equal((await visitor.delete('/api/account', body)).statusCode, 200)
  })

  test('is refused for the last administrator, and not for another one', async (t) => {
    const app = await startApp(t, { engine })
    const admin = await signedInPerson(app, { admin: true, password: PASSWORD })
    const body = { email: admin.user.email, currentPassword: PASSWORD }
    assert.equal((await admin.delete('/api/account', body)).statusCode, 409)
    await signedInPerson(app, { admin: true })
    assert.equal((await admin.delete('/api/account', body)).statusCode, 200)
  })
})
