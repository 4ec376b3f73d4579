import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hash } from '@node-rs/argon2'
import { startApp, type TestApp } from '../../support/app.ts'
import { onEachEngine } from '../../support/engines.ts'
import { lastMailTo } from '../../support/mail.ts'
import { pauseAfterPasswordCheck } from '../../support/password-check-pause.ts'
import { anonymous, type Person, signedInPerson, signIn } from '../../support/people.ts'

const OLD_PASSWORD = 'correct horse battery staple'
const NEW_PASSWORD = 'a different thing entirely'
const OTHER_PASSWORD = 'something else altogether'
const EMAIL = 'owner@example.com'

const login = (app: TestApp, password: string) => anonymous(app).post('/api/auth/login', { email: EMAIL, password })
const change = (person: Person, newPassword: string) =>
  person.post('/api/account/password', { currentPassword: OLD_PASSWORD, newPassword })

async function reset(app: TestApp): Promise<void> {
  await anonymous(app).post('/api/auth/password-reset', { email: EMAIL })
  const { token } = await lastMailTo(app, EMAIL, '/reset-password')
  const answer = await anonymous(app).post('/api/auth/password-reset/confirm', { token, newPassword: NEW_PASSWORD })
  assert.equal(answer.statusCode, 200, answer.body)
}

const sessionsOf = ({ services: { db } }: TestApp, userId: string) =>
  db.read.selectFrom('sessions').select('id').where('user_id', '=', userId).execute()

onEachEngine('concurrent uses and changes of a password', (engine) => {
  test('a login with the old password that is concurrent with a reset leaves no session', async (t) => {
    const app = await startApp(t, { engine })
    const { user } = await signedInPerson(app, { email: EMAIL, password: OLD_PASSWORD })
    const gate = pauseAfterPasswordCheck(app)
    const logins = Array.from({ length: 5 }, () => login(app, OLD_PASSWORD))
    await gate.reached(5)
    await reset(app)
    gate.open()
    for (const { statusCode } of await Promise.all(logins)) assert.equal(statusCode, 401)
    assert.deepEqual(await sessionsOf(app, user.id), [])
    assert.equal((await login(app, NEW_PASSWORD)).statusCode, 200)
  })

  test('a login with the old password is refused if the password changes during the login', async (t) => {
    const app = await startApp(t, { engine })
    const { user } = await signedInPerson(app, { email: EMAIL, password: OLD_PASSWORD })
    const gate = pauseAfterPasswordCheck(app)
    const attempt = login(app, OLD_PASSWORD)
    await gate.reached()
    const passwordHash = await hash(NEW_PASSWORD)
    await app.services.db.transaction((trx) =>
      trx.updateTable('users').set({ password_hash: passwordHash }).where('id', '=', user.id).execute(),
    )
    gate.open()
    assert.equal((await attempt).statusCode, 401)
    assert.equal((await login(app, NEW_PASSWORD)).statusCode, 200)
  })

  test('a password change that is concurrent with a reset does not override it', async (t) => {
    const app = await startApp(t, { engine })
    const person = await signedInPerson(app, { email: EMAIL, password: OLD_PASSWORD })
    const gate = pauseAfterPasswordCheck(app)
    const attempt = change(person, OTHER_PASSWORD)
    await gate.reached()
    await reset(app)
    gate.open()
    assert.equal((await attempt).statusCode, 401)
    assert.equal((await login(app, OTHER_PASSWORD)).statusCode, 401)
    assert.equal((await login(app, NEW_PASSWORD)).statusCode, 200)
  })

  test('of two concurrent changes with the same current password one succeeds, and the other answers 400 wrong_password', async (t) => {
    const app = await startApp(t, { engine })
    const person = await signedInPerson(app, { email: EMAIL, password: OLD_PASSWORD })
    const gate = pauseAfterPasswordCheck(app)
    const attempts = [change(person, NEW_PASSWORD), change(person, OTHER_PASSWORD)]
    await gate.reached(2)
    gate.open()
    const answers = await Promise.all(attempts)
    assert.deepEqual(
      answers.map(({ statusCode }) => statusCode).toSorted((a, b) => a - b),
      [200, 400],
    )
    assert.equal(answers.find(({ statusCode }) => statusCode === 400)?.json().code, 'wrong_password')
    const statuses = [await login(app, NEW_PASSWORD), await login(app, OTHER_PASSWORD)].map(
      ({ statusCode }) => statusCode,
    )
    assert.deepEqual(
      statuses.toSorted((a, b) => a - b),
      [200, 401],
    )
  })

  test('concurrent logins that rehash the same password all succeed', async (t) => {
    const app = await startApp(t, { engine })
    const { user } = await signedInPerson(app, { email: EMAIL, password: OLD_PASSWORD })
    const outdated = await hash(OLD_PASSWORD, { memoryCost: 8192, timeCost: 1, parallelism: 1 })
    await app.services.db.transaction((trx) =>
      trx.updateTable('users').set({ password_hash: outdated }).where('id', '=', user.id).execute(),
    )
    const gate = pauseAfterPasswordCheck(app)
    const attempts = [login(app, OLD_PASSWORD), login(app, OLD_PASSWORD), login(app, OLD_PASSWORD)]
    await gate.reached(3)
    gate.open()
    for (const { statusCode, body } of await Promise.all(attempts)) assert.equal(statusCode, 200, body)
    const { password_hash: stored } = await app.services.db.read
      .selectFrom('users')
      .select('password_hash')
      .where('id', '=', user.id)
      .executeTakeFirstOrThrow()
    assert.ok(stored !== null && !app.services.passwords.isOutdated(stored))
  })

  test('a passkey can’t be added by a session that a reset has ended', async (t) => {
    const app = await startApp(t, { engine })
    const person = await signedInPerson(app, { email: EMAIL, password: OLD_PASSWORD })
    await reset(app)
    assert.equal((await person.post('/api/passkeys/register/options', {})).statusCode, 401)
    const owner = await signIn(app, person.user)
    assert.deepEqual((await owner.get('/api/passkeys')).json(), { passkeys: [] })
  })
})
