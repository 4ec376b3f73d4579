import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newPublicKey } from '../../ssh/public-keys.ts'
import { sharedApp, type TestApp } from '../../support/app.ts'
import { type Application, getTokens, isLive, refresh, registerApplication } from '../../support/application.ts'
import { onEachEngine } from '../../support/engines.ts'
import { lastMailTo } from '../../support/mail.ts'
import { anonymous, cookieOf, type Person, signedInPerson } from '../../support/people.ts'
import { login as loginWithPasskey, newAuthenticator, register as registerPasskey } from '../passkeys/ceremonies.ts'

const PASSWORD = 'correct horse battery staple'
const NEW_PASSWORD = 'a different thing entirely'
let count = 0

/** Registers an email address, which may belong to somebody else. */
async function registerUser(app: TestApp): Promise<{ email: string; person: Person }> {
  const email = `victim${++count}@example.com`
  const answer = await anonymous(app).post('/api/auth/register', { email, password: PASSWORD })
  assert.equal(answer.statusCode, 201, answer.body)
  return { email, person: anonymous(app, cookieOf(answer)) }
}

async function resetByMail(app: TestApp, email: string): Promise<Person> {
  await anonymous(app).post('/api/auth/password-reset', { email })
  const { token } = await lastMailTo(app, email, '/reset-password')
  const answer = await anonymous(app).post('/api/auth/password-reset/confirm', { token, newPassword: NEW_PASSWORD })
  assert.equal(answer.statusCode, 200, answer.body)
  const login = await anonymous(app).post('/api/auth/login', { email, password: NEW_PASSWORD })
  return anonymous(app, cookieOf(login))
}

/** Adds everything to the account that gives access later: a passkey, an SSH key, a certificate and tokens. */
async function addAccess(app: TestApp, person: Person, application: Application) {
  const authenticator = newAuthenticator()
  assert.equal((await registerPasskey(person, authenticator)).statusCode, 200)
  const { user } = (await person.get('/api/auth/me')).json()
  const admin = await signedInPerson(app, { admin: true })
  const role = { name: `SSH ${++count}`, permissions: ['ssh:keys:manage', 'ssh:cert:issue'] }
  const roleId = (await admin.post('/api/admin/roles', role)).json().role.id
  await admin.post(`/api/admin/users/${user.id}/roles`, { roleId })
  const key = (await person.post('/api/ssh/keys', { name: 'laptop', publicKey: newPublicKey() })).json().key
  const certificate = (await person.post('/api/ssh/certs/issue', { savedKeyId: key.id })).json()
  const tokens = await getTokens(app, person, application)
  const revoked = async () =>
    (await anonymous(app).get('/ssh/krl'))
      .json()
      .revoked.some((entry: { serial: string }) => entry.serial === certificate.serial)
  return { authenticator, tokens, revoked }
}

onEachEngine('the first confirmation of an email address', (engine) => {
  const shared = sharedApp({ engine })

  test('a reset of an account with an unconfirmed address removes passkeys, keys, certificates and grants', async () => {
    const app = shared()
    const application = await registerApplication(app)
    const { email, person } = await registerUser(app)
    const { authenticator, tokens, revoked } = await addAccess(app, person, application)

    const owner = await resetByMail(app, email)
    assert.equal((await person.get('/api/auth/me')).statusCode, 401)
    assert.equal((await loginWithPasskey(anonymous(app), authenticator)).statusCode, 401)
    assert.deepEqual((await owner.get('/api/passkeys')).json(), { passkeys: [] })
    assert.deepEqual((await owner.get('/api/ssh/keys')).json(), { keys: [] })
    assert.deepEqual((await owner.get('/api/account/oauth/grants')).json().grants, [])
    assert.equal(await isLive(app, application, tokens.access_token), false)
    assert.equal(await revoked(), true)
    assert.equal((await owner.get('/api/account/profile')).json().email_verified, true)
  })

  test('a reset of an account with a confirmed address keeps passkeys, keys, certificates and grants', async () => {
    const app = shared()
    const application = await registerApplication(app)
    const { email, person } = await registerUser(app)
    const { token } = await lastMailTo(app, email, '/verify-email')
    assert.equal((await person.post('/api/auth/verify-email', { token })).statusCode, 200)
    const { authenticator, tokens, revoked } = await addAccess(app, person, application)

    const owner = await resetByMail(app, email)
    assert.equal((await loginWithPasskey(anonymous(app), authenticator)).statusCode, 200)
    assert.equal((await owner.get('/api/ssh/keys')).json().keys.length, 1)
    assert.equal((await owner.get('/api/account/oauth/grants')).json().grants.length, 1)
    assert.equal(await revoked(), false)
    assert.equal(await isLive(app, application, tokens.access_token), false, 'tokens end with the password')
  })

  test('a second reset removes nothing, because the first one confirmed the address', async () => {
    const app = shared()
    const { email } = await registerUser(app)
    const owner = await resetByMail(app, email)
    const authenticator = newAuthenticator()
    await registerPasskey(owner, authenticator)
    await resetByMail(app, email)
    assert.equal((await loginWithPasskey(anonymous(app), authenticator)).statusCode, 200)
  })

  test('a reset of an account that an administrator created removes nothing', async () => {
    const app = shared()
    const person = await signedInPerson(app, { password: PASSWORD })
    const authenticator = newAuthenticator()
    await registerPasskey(person, authenticator)
    await resetByMail(app, person.user.email)
    assert.equal((await loginWithPasskey(anonymous(app), authenticator)).statusCode, 200)
  })

  test('using an invitation link confirms the address', async () => {
    const app = shared()
    const admin = await signedInPerson(app, { admin: true })
    const email = `invited${++count}@example.com`
    await admin.post('/api/admin/users', { email })
    const { token } = await lastMailTo(app, email, '/invitation')
    await anonymous(app).post('/api/auth/password-reset/confirm', { token, newPassword: NEW_PASSWORD })
    const login = await anonymous(app).post('/api/auth/login', { email, password: NEW_PASSWORD })
    assert.equal(login.json().user.email_verified, true)
  })

  test('confirming an address answers 401 without a session, and 403 with a session of another account', async () => {
    const app = shared()
    const { email, person } = await registerUser(app)
    const { token } = await lastMailTo(app, email, '/verify-email')
    const verified = async () => (await person.get('/api/account/profile')).json().email_verified
    assert.equal((await anonymous(app).post('/api/auth/verify-email', { token })).statusCode, 401)
    const stranger = await signedInPerson(app)
    assert.equal((await stranger.post('/api/auth/verify-email', { token })).statusCode, 403)
    assert.equal(await verified(), false)
    assert.equal((await person.post('/api/auth/verify-email', { token })).statusCode, 200)
    assert.equal(await verified(), true)
  })

  for (const how of ['changed', 'reset'] as const) {
    test(`a password that is ${how} revokes the tokens of applications, and keeps the grants`, async () => {
      const app = shared()
      const application = await registerApplication(app)
      const person = await signedInPerson(app, { password: PASSWORD })
      const tokens = await getTokens(app, person, application)
      if (how === 'reset') await resetByMail(app, person.user.email)
      else await person.post('/api/account/password', { currentPassword: PASSWORD, newPassword: NEW_PASSWORD })
      assert.equal(await isLive(app, application, tokens.access_token), false)
      const refreshed = await refresh(app, application, tokens.refresh_token ?? '')
      assert.deepEqual([refreshed.statusCode, refreshed.json().error], [400, 'invalid_grant'])
      const grants = await app.services.db.read
        .selectFrom('oauth_grants')
        .selectAll()
        .where('user_id', '=', person.user.id)
        .execute()
      assert.equal(grants.length, 1)
    })
  }
})
