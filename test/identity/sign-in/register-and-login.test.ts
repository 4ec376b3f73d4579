import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Response } from 'light-my-request'
import { sharedApp, startApp } from '../../support/app.ts'
import { MAIN_ENGINE, onEachEngine } from '../../support/engines.ts'
import { anonymous, cookieOf, signedInPerson } from '../../support/people.ts'

const PASSWORD = 'correct horse battery staple'
const DISABLED_RESPONSE = { error: 'Your account has been disabled.' }

onEachEngine('registering and signing in', (engine) => {
  const shared = sharedApp({ engine })
  const register = (email: string, more: object = {}) =>
    anonymous(shared()).post('/api/auth/register', { email, password: PASSWORD, ...more })
  const login = (email: string, password = PASSWORD, more: object = {}) =>
    anonymous(shared()).post('/api/auth/login', { email, password, ...more })

  test('of twenty concurrent registrations of one email, exactly one succeeds', async () => {
    const responses = await Promise.all(
      Array.from({ length: 20 }, (_, n) => register(n % 2 ? 'Race@example.com' : 'race@example.com')),
    )
    const statuses = responses.map(({ statusCode }) => statusCode).toSorted((a, b) => a - b)
    assert.deepEqual(statuses, [201, ...Array<number>(19).fill(409)])
  })

  // The rest is the same on every engine.
  if (engine !== MAIN_ENGINE) return

  test('POST /api/auth/register answers 201 with the user and a session cookie', async () => {
    const response = await register('new@example.com', { displayName: 'New Person' })
    assert.equal(response.statusCode, 201)
    const { user } = response.json()
    assert.match(user.id, /^usr_[A-Za-z0-9_-]{22}$/)
    assert.equal(user.email, 'new@example.com')
    assert.equal(user.displayName, 'New Person')
    assert.equal(user.preferredUsername, 'new')
    assert.equal(user.email_verified, false)
    assert.equal(user.disabled_at, null)
    assert.deepEqual(
      user.roles.map(({ name }: { name: string }) => name),
      ['user'],
    )
    const me = await anonymous(shared(), cookieOf(response)).get('/api/auth/me')
    assert.equal(me.json().user.id, user.id)
  })

  test('the session cookie is HttpOnly, Secure, SameSite=Lax, and lasts for the browser session unless remembered', async () => {
    await register('cookie@example.com')
    const sessionCookie = ({ headers }: Response) => [headers['set-cookie'] ?? []].flat()[0] ?? ''
    const brief = sessionCookie(await login('cookie@example.com'))
    assert.match(brief, /^session=[A-Za-z0-9_-]{43}; Path=\/; HttpOnly; Secure; SameSite=Lax$/)
    const remembered = sessionCookie(await login('cookie@example.com', PASSWORD, { rememberMe: true }))
    assert.match(remembered, /; Max-Age=2592000$/)
  })

  test('POST /api/auth/login answers 200 with the user and a new token each time', async () => {
    await register('twice@example.com')
    const [first, second] = [await login('twice@example.com'), await login('twice@example.com')]
    assert.equal(first.statusCode, 200)
    assert.equal(first.json().user.email, 'twice@example.com')
    assert.equal(second.statusCode, 200)
    assert.notEqual(cookieOf(first), cookieOf(second))
  })

  test('a session cookie that was planted before a login is not used after it', async () => {
    await register('fixed@example.com')
    const planted = 'A'.repeat(43)
    const response = await anonymous(shared(), planted).post('/api/auth/login', {
      email: 'fixed@example.com',
      password: PASSWORD,
    })
    assert.match(cookieOf(response) ?? '', /^[\w-]{43,}$/)
    assert.notEqual(cookieOf(response), planted)
    assert.equal((await anonymous(shared(), planted).get('/api/auth/me')).statusCode, 401)
  })

  test('emails are compared without regard to case, for registration and login', async () => {
    assert.equal((await register('Case@Example.com')).statusCode, 201)
    const again = await register('cASE@example.COM')
    assert.equal(again.statusCode, 409)
    assert.equal(again.json().code, 'conflict')
    assert.equal((await login('CASE@EXAMPLE.COM')).statusCode, 200)
  })

  test('an unknown email and a wrong password get the same answer', async () => {
    await register('known@example.com')
    const wrong = await login('known@example.com', 'not the password')
    const unknown = await login('unknown@example.com', 'not the password')
    assert.equal(wrong.statusCode, 401)
    assert.equal(wrong.body, unknown.body)
    const names = (headers: object) => Object.keys(headers).toSorted()
    assert.deepEqual(names(wrong.headers), names(unknown.headers))
    assert.equal(cookieOf(wrong), undefined)
  })

  test('a login to an account without a password gets the answer of a wrong password', async () => {
    await signedInPerson(shared(), { email: 'passkey-only@example.com' })
    const response = await login('passkey-only@example.com', 'anything at all')
    assert.equal(response.statusCode, 401)
    assert.equal(response.json().code, 'wrong_credentials')
  })

  test('a login to a disabled account answers 403 with the specified message, and 401 with a wrong password', async () => {
    const { user } = (await register('off@example.com')).json()
    await shared().services.db.transaction((trx) =>
      trx.updateTable('users').set({ disabled_at: 1 }).where('id', '=', user.id).execute(),
    )
    const right = await login('off@example.com')
    assert.equal(right.statusCode, 403)
    assert.deepEqual(right.json(), DISABLED_RESPONSE)
    assert.equal(cookieOf(right), undefined)
    assert.equal((await login('off@example.com', 'not the password')).statusCode, 401)
  })

  test('fields that only the service may set are refused in a registration', async () => {
    for (const field of ['id', 'email_verified', 'roles', 'disabled_at', 'createdAt', 'preferredUsername']) {
      const response = await register(`sneaky-${field}@example.com`, { [field]: field === 'roles' ? ['admin'] : true })
      assert.equal(response.statusCode, 400, field)
      assert.deepEqual(response.json().issues[0].path, field)
    }
  })

  test('a username is derived from the email, and a taken or reserved one gets the next suffix', async () => {
    const nameOf = async (email: string) => (await register(email)).json().user.preferredUsername
    assert.equal(await nameOf('alice@one.example'), 'alice')
    assert.equal(await nameOf('alice@two.example'), 'alice-2')
    assert.equal(await nameOf('Alice+tag@three.example'), 'alice-3')
    assert.equal(await nameOf('root@one.example'), 'root-2')
    assert.equal(await nameOf('ubuntu@one.example'), 'ubuntu-2')
    assert.match(await nameOf('1234.ümlaut@one.example'), /^[a-z_][a-z0-9_-]{0,31}$/)
    assert.match(await nameOf(`${'long'.repeat(15)}@one.example`), /^(long){8}$/)
  })

  test('passwords of 7 characters are refused, of 64 and 128 accepted, of 129 refused', async () => {
    const attempt = async (password: string) =>
      (await register(`p${password.length}@example.com`, { password })).statusCode
    const long = 'ab3 '.repeat(40)
    assert.equal(await attempt('seven77'), 400)
    assert.equal(await attempt(long.slice(0, 64)), 201)
    assert.equal(await attempt(long.slice(0, 128)), 201)
    assert.equal(await attempt(long.slice(0, 129)), 400)
  })

  test('a password that is easy to guess is refused, and the answer says why', async () => {
    const reasons = {
      minecraft: 'common',
      'Pass@123': 'common',
      '11223344': 'common',
      'guessable@example.com': 'personal',
      'Perpetua Nightingale': 'personal',
      'latchkey-2026': 'personal',
      Schmetterling: 'word',
      aaaaaaaaaaaa: 'repeat',
    }
    for (const [password, reason] of Object.entries(reasons)) {
      const response = await register('guessable@example.com', { password, displayName: 'Perpetua Nightingale' })
      assert.equal(response.statusCode, 400, password)
      const { code, error, issues, ...body } = response.json()
      assert.deepEqual([code, body.reason], ['weak_password', reason])
      assert.match(error, /^[A-Z].*(Choose another|Use several unrelated words)\.$/)
      assert.deepEqual(issues, [{ path: 'password', message: error, reason }])
    }
    assert.equal((await login('guessable@example.com', 'minecraft')).statusCode, 401)
  })

  test('a password may have any Unicode characters, and matches however they are composed', async () => {
    await register('unicode@example.com', { password: 'pa\u0308ssle 🔑 ключ' })
    assert.equal((await login('unicode@example.com', 'p\u00e4ssle 🔑 ключ')).statusCode, 200)
  })

  test('a password of a megabyte answers 413', async () => {
    const response = await login('known@example.com', 'x'.repeat(1_000_000))
    assert.equal(response.statusCode, 413)
  })

  test('invalid input answers 400 with the name of the field, and creates nothing', async () => {
    const cases: [string, unknown][] = [
      ['email', ['a@example.com', 'b@example.com']],
      ['email', { $ne: null }],
      ['email', 'a@example.com\r\nBcc: b@example.com'],
      ['email', 'no-at-sign'],
      ['email', ''],
      ['email', null],
      ['email', `${'a'.repeat(300)}@example.com`],
      ['password', 12345678],
      ['password', `nul\u0000 in the middle`],
      ['displayName', 'x'.repeat(101)],
      ['displayName', 'two\nlines'],
    ]
    for (const [field, value] of cases) {
      const response = await register('bad@example.com', { [field]: value })
      assert.equal(response.statusCode, 400, `${field}: ${JSON.stringify(value)}`)
      assert.equal(response.json().issues[0].path, field)
    }
    const surrogate = await anonymous(shared()).post(
      '/api/auth/register',
      `{"email":"bad@example.com","password":"\\ud800 lone half"}`,
    )
    assert.equal(surrogate.statusCode, 400)
    assert.equal((await login('bad@example.com')).statusCode, 401)
  })

  test('with REGISTRATION=invite only administrators can create accounts, once there is an administrator', async (t) => {
    const inviteOnly = await startApp(t, { engine, config: { registration: 'invite' } })
    const attempt = (email: string) => anonymous(inviteOnly).post('/api/auth/register', { email, password: PASSWORD })
    assert.equal((await attempt('first@example.com')).statusCode, 201)
    await signedInPerson(inviteOnly, { admin: true })
    const refused = await attempt('second@example.com')
    assert.equal(refused.statusCode, 403)
    assert.equal(refused.json().code, 'registration_closed')
  })

  test('a hash with other parameters is replaced at the next login', async (t) => {
    const app = await startApp(t, { engine, realHashCost: true })
    const { db } = app.services
    const login = () => anonymous(app).post('/api/auth/login', { email: 'old-hash@example.com', password: PASSWORD })
    await signedInPerson(app, { email: 'old-hash@example.com' })
    const { hash } = await import('@node-rs/argon2')
    const weaker = await hash(PASSWORD, { memoryCost: 8192, timeCost: 1, parallelism: 1 })
    await db.transaction((trx) =>
      trx.updateTable('users').set({ password_hash: weaker }).where('email', '=', 'old-hash@example.com').execute(),
    )
    assert.equal((await login()).statusCode, 200)
    const row = await db.read
      .selectFrom('users')
      .select('password_hash')
      .where('email', '=', 'old-hash@example.com')
      .executeTakeFirstOrThrow()
    assert.match(row.password_hash ?? '', /\$m=19456,t=2,p=1\$/)
    assert.equal((await login()).statusCode, 200)
  })
})
