import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sharedApp, startApp } from '../../support/app.ts'
import { MAIN_ENGINE, onEachEngine } from '../../support/engines.ts'
import { anonymous, signedInPerson, signIn } from '../../support/people.ts'

const PASSWORD = 'correct horse battery staple'
const NEW_PASSWORD = 'a different thing entirely'

onEachEngine('profile and password', (engine) => {
  const shared = sharedApp({ engine })

  test('concurrent changes of different fields of a profile are all kept', async () => {
    for (let round = 0; round < 10; round++) {
      const person = await signedInPerson(shared())
      const changes = [{ displayName: 'Ada' }, { given_name: 'Augusta' }, { family_name: 'King' }]
      const answers = await Promise.all(changes.map((change) => person.patch('/api/account/profile', change)))
      for (const { statusCode, body } of answers) assert.equal(statusCode, 200, body)
      const profile = (await person.get('/api/account/profile')).json<object>()
      assert.partialDeepStrictEqual(profile, Object.assign({}, ...changes) as object)
    }
  })

  test('of ten users who take the same username concurrently, exactly one gets it', async () => {
    const people = await Promise.all(Array.from({ length: 10 }, () => signedInPerson(shared())))
    const answers = await Promise.all(
      people.map((each) => each.patch('/api/account/profile', { preferredUsername: 'wanted' })),
    )
    assert.equal(answers.filter(({ statusCode }) => statusCode === 200).length, 1)
    assert.equal(answers.filter(({ statusCode }) => statusCode === 409).length, 9)
  })

  // The rest is the same on every engine.
  if (engine !== MAIN_ENGINE) return

  test('people learn whether their account has a password', async () => {
    for (const hasPassword of [true, false]) {
      const person = await signedInPerson(shared(), hasPassword ? { password: PASSWORD } : {})
      assert.deepEqual((await person.get('/api/account/sign-in-methods')).json(), { hasPassword })
    }
    assert.equal((await anonymous(shared()).get('/api/account/sign-in-methods')).statusCode, 401)
  })

  test('GET /api/account/profile returns the user object, not wrapped', async () => {
    const person = await signedInPerson(shared())
    const response = await person.get('/api/account/profile')
    assert.equal(response.statusCode, 200)
    assert.deepEqual(Object.keys(response.json()).toSorted(), [
      'avatarUrl',
      'createdAt',
      'disabled_at',
      'displayName',
      'email',
      'email_verified',
      'family_name',
      'given_name',
      'id',
      'lastLoginAt',
      'locale',
      'preferredUsername',
      'roles',
      'usernameChangesLeft',
      'usernameToldTo',
    ])
  })

  test('PATCH /api/account/profile changes the names, and null clears one', async () => {
    const person = await signedInPerson(shared())
    const change = { displayName: 'Åsa 🔑', given_name: 'Åsa', family_name: 'Ek', preferredUsername: 'asa_ek' }
    const changed = await person.patch('/api/account/profile', change)
    assert.equal(changed.statusCode, 200)
    assert.partialDeepStrictEqual(changed.json(), change)
    assert.equal((await person.patch('/api/account/profile', { displayName: null })).json().displayName, null)
    assert.equal((await person.patch('/api/account/profile', {})).json().given_name, 'Åsa')
  })

  test('a field that users may not change, or an invalid value, answers 400 with the name of the field, and nothing changes', async () => {
    const person = await signedInPerson(shared())
    const before = (await person.get('/api/account/profile')).body
    const cases: Record<string, unknown> = {
      id: 'usr_other',
      email: 'x@example.com',
      email_verified: true,
      disabled_at: null,
      roles: ['admin'],
      avatarUrl: 'x',
      createdAt: 1,
      displayName: ['a'],
      given_name: 'x'.repeat(101),
      family_name: 'a\u0000b',
      preferredUsername: 'Not Valid',
    }
    for (const [field, value] of Object.entries(cases)) {
      const response = await person.patch('/api/account/profile', { displayName: 'Changed', [field]: value })
      assert.equal(response.statusCode, 400, field)
      assert.equal(response.json().issues[0].path, field)
    }
    assert.equal((await person.get('/api/account/profile')).body, before)
  })

  test('a taken username answers 409, and a reserved one 400', async () => {
    const [one, two] = [await signedInPerson(shared()), await signedInPerson(shared())]
    const taken = await two.patch('/api/account/profile', { preferredUsername: one.user.preferredUsername })
    assert.equal(taken.statusCode, 409)
    for (const name of ['root', 'daemon', 'www-data', 'ubuntu', 'ec2-user', 'postgres']) {
      assert.equal((await two.patch('/api/account/profile', { preferredUsername: name })).statusCode, 400, name)
    }
  })

  test('users who may get SSH certificates cannot change their own username', async () => {
    const person = await signedInPerson(shared(), { permissions: ['ssh:cert:issue'] })
    const response = await person.patch('/api/account/profile', { preferredUsername: 'somebody-else' })
    assert.equal(response.statusCode, 403)
    assert.match(response.json().error, /administrator/)
    assert.equal(
      (await person.patch('/api/account/profile', { preferredUsername: person.user.preferredUsername })).statusCode,
      200,
    )
  })

  test('POST /api/account/password changes the password and ends every other session', async () => {
    const person = await signedInPerson(shared(), { email: 'change@example.com', password: PASSWORD })
    const other = await signIn(shared(), person.user)
    const response = await person.post('/api/account/password', {
      currentPassword: PASSWORD,
      newPassword: NEW_PASSWORD,
    })
    assert.deepEqual(response.json(), { success: true })
    assert.equal((await person.get('/api/auth/me')).statusCode, 200)
    assert.equal((await other.get('/api/auth/me')).statusCode, 401)
    const login = (password: string) =>
      anonymous(shared()).post('/api/auth/login', { email: 'change@example.com', password })
    assert.equal((await login(PASSWORD)).statusCode, 401)
    assert.equal((await login(NEW_PASSWORD)).statusCode, 200)
  })

  test('a wrong current password answers 400 wrong_password, and nothing changes', async () => {
    const person = await signedInPerson(shared(), { email: 'wrong@example.com', password: PASSWORD })
    const other = await signIn(shared(), person.user)
    const response = await person.post('/api/account/password', {
      currentPassword: 'not it',
      newPassword: NEW_PASSWORD,
    })
    assert.equal(response.statusCode, 400)
    assert.equal(response.json().code, 'wrong_password')
    assert.equal((await other.get('/api/auth/me')).statusCode, 200)
  })

  test('a weak new password is refused', async () => {
    const person = await signedInPerson(shared(), { email: 'weak@example.com', password: PASSWORD })
    const response = await person.post('/api/account/password', {
      currentPassword: PASSWORD,
      newPassword: 'weak@example.com',
    })
    assert.equal(response.json().code, 'weak_password')
  })

  test('guesses at the current password are rate limited', async (t) => {
    const app = await startApp(t, { engine })
    const person = await signedInPerson(app, { password: PASSWORD })
    const guess = (currentPassword: string) =>
      person.post('/api/account/password', { currentPassword, newPassword: NEW_PASSWORD })
    for (let n = 0; n < 10; n++) assert.equal((await guess(`wrong ${n}`)).statusCode, 400)
    assert.equal((await guess(PASSWORD)).statusCode, 429)
  })
})
