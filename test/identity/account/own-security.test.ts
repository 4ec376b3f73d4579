import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { OwnSecurity } from '../../../src/identity/account/own-security.ts'
import { sharedApp } from '../../support/app.ts'
import { onEachEngine } from '../../support/engines.ts'
import { anonymous, signedInPerson } from '../../support/people.ts'
import { newAuthenticator, register } from '../passkeys/ceremonies.ts'
import { addApp } from '../second-step/authenticator-app.ts'

const PASSWORD = 'four unusual words here'

onEachEngine('the security of one’s own account', (engine) => {
  const app = sharedApp({ engine })

  test('says how one signs in, and counts what there is', async () => {
    const person = await signedInPerson(app(), { password: PASSWORD })
    const read = async () => (await person.get('/api/account/security')).json<OwnSecurity>()
    const { signIns: _none, ...before } = await read()
    assert.deepEqual(before, {
      hasPassword: true,
      passkeys: 0,
      secondStep: false,
      recoveryCodesLeft: 0,
      requires: 'none',
      requiresNext: null,
    })
    await addApp(app(), person)
    await register(person, newAuthenticator())
    const { signIns: _still, ...after } = await read()
    assert.deepEqual(after, { ...before, passkeys: 1, secondStep: true, recoveryCodesLeft: 10 })
  })

  test('lists the last ten sign-ins and refused tries of this account alone, the newest first', async () => {
    const person = await signedInPerson(app(), { password: PASSWORD })
    const other = await signedInPerson(app(), { password: PASSWORD })
    const from = (userAgent: string) => ({ 'user-agent': userAgent })
    const login = async (email: string, password: string, agent: string) => {
      app().clock.advance(1000)
      const answer = await anonymous(app()).post('/api/auth/login', { email, password }, from(agent))
      return answer.statusCode
    }
    assert.equal(await login(other.user.email, 'not the password at all', 'another account'), 401)
    for (let index = 0; index < 9; index++)
      assert.equal(await login(person.user.email, PASSWORD, `browser ${index}`), 200)
    assert.equal(await login(person.user.email, 'not the password at all', 'a stranger'), 401)
    assert.equal(await login(person.user.email, PASSWORD, 'the last'), 200)
    const { signIns } = (await person.get('/api/account/security')).json<OwnSecurity>()
    assert.equal(signIns.length, 10)
    assert.deepEqual(
      signIns.slice(0, 3).map(({ outcome, method, userAgent }) => [outcome, method, userAgent]),
      [
        ['success', 'password', 'the last'],
        ['refused', 'password', 'a stranger'],
        ['success', 'password', 'browser 8'],
      ],
    )
    assert.ok(signIns.every(({ userAgent }) => userAgent !== 'another account'))
  })

  test('needs a session', async () => {
    assert.equal((await anonymous(app()).get('/api/account/security')).statusCode, 401)
  })
})
