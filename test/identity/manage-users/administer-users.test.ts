import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { User } from '../../../src/identity/users/user.ts'
import { ADMIN_ROLE } from '../../../src/vocabulary/built-in-roles.ts'
import { sharedApp, type TestApp } from '../../support/app.ts'
import { onEachEngine } from '../../support/engines.ts'
import { sentMails, lastMailTo } from '../../support/mail.ts'
import { anonymous, cookieOf, type SignedInPerson, signedInPerson } from '../../support/people.ts'

const PASSWORD = 'correct horse battery staple'

interface Page {
  users: User[]
  nextCursor: string | null
}

onEachEngine('administering users', (engine) => {
  const shared = sharedApp({ engine })
  let app: TestApp
  let admin: SignedInPerson
  before(async () => {
    app = shared()
    admin = await signedInPerson(app, { admin: true })
  })

  const create = async (body: Record<string, unknown>): Promise<User> => {
    const response = await admin.post('/api/admin/users', body)
    assert.equal(response.statusCode, 201, response.body)
    return response.json<{ user: User }>().user
  }
  const find = async (query: string): Promise<string[]> =>
    (await admin.get(`/api/admin/users?${query}`)).json<Page>().users.map(({ email }) => email)

  test('a user created with a password can sign in with it', async () => {
    const user = await create({
      email: 'Ada@Example.com',
      password: PASSWORD,
      displayName: 'Ada Lovelace',
      given_name: 'Ada',
      family_name: 'Lovelace',
      preferredUsername: 'ada',
      email_verified: true,
      roleIds: [ADMIN_ROLE],
    })
    assert.match(user.id, /^usr_/)
    assert.deepEqual(
      { ...user, id: '', createdAt: 0 },
      {
        id: '',
        email: 'ada@example.com',
        email_verified: true,
        displayName: 'Ada Lovelace',
        given_name: 'Ada',
        family_name: 'Lovelace',
        preferredUsername: 'ada',
        disabled_at: null,
        createdAt: 0,
        lastLoginAt: null,
        avatarUrl: null,
        hasPasskey: false,
        hasSecondStep: false,
        roles: user.roles,
        attributes: {},
        locale: user.locale,
      },
    )
    assert.deepEqual(
      user.roles.map(({ name }) => name),
      ['admin', 'user'],
    )
    const login = await anonymous(app).post('/api/auth/login', { email: 'ada@example.com', password: PASSWORD })
    assert.equal(login.statusCode, 200)
    assert.ok(!(await sentMails(app)).some(({ to }) => to === 'ada@example.com'))
  })

  test('a user created without a password gets an invitation, whose link sets the first password', async () => {
    const user = await create({ email: 'grace@example.com' })
    assert.equal(user.email_verified, false)
    assert.equal(user.preferredUsername, 'grace')
    const { token, subject } = await lastMailTo(app, 'grace@example.com', '/invitation')
    assert.match(token, /^pr_/)
    assert.match(subject, /invitation/)
    const confirm = await anonymous(app).post('/api/auth/password-reset/confirm', { token, newPassword: PASSWORD })
    assert.equal(confirm.statusCode, 200, confirm.body)
    const login = await anonymous(app).post('/api/auth/login', { email: 'grace@example.com', password: PASSWORD })
    assert.equal(login.statusCode, 200)
    assert.ok(cookieOf(login))
    const again = await anonymous(app).post('/api/auth/password-reset/confirm', { token, newPassword: PASSWORD })
    assert.equal(again.statusCode, 400)
  })

  test('a new invitation invalidates the earlier link, and answers 409 once the user has a password', async () => {
    const user = await create({ email: 'linus@example.com' })
    const first = await lastMailTo(app, 'linus@example.com', '/invitation')
    assert.equal((await admin.post(`/api/admin/users/${user.id}/invitation`)).statusCode, 200)
    const second = await lastMailTo(app, 'linus@example.com', '/invitation')
    assert.notEqual(first.token, second.token)
    const set = (token: string) =>
      anonymous(app).post('/api/auth/password-reset/confirm', { token, newPassword: PASSWORD })
    assert.equal((await set(first.token)).statusCode, 400)
    assert.equal((await set(second.token)).statusCode, 200)
    assert.equal((await admin.post(`/api/admin/users/${user.id}/invitation`)).statusCode, 409)
    assert.equal((await admin.post('/api/admin/users/usr_nobody/invitation')).statusCode, 404)
  })

  test('a taken email in any case of letters answers 409, and so does a taken username', async () => {
    await create({ email: 'taken@example.com', preferredUsername: 'taken-name' })
    const sameEmail = await admin.post('/api/admin/users', { email: 'TAKEN@example.com' })
    assert.equal(sameEmail.statusCode, 409)
    const sameName = await admin.post('/api/admin/users', { email: 'o@example.com', preferredUsername: 'taken-name' })
    assert.equal(sameName.statusCode, 409)
  })

  test('invalid attributes of a new user are refused', async () => {
    const bodies: Record<string, unknown>[] = [
      {},
      { email: 'no-address' },
      { email: 'a@b@c' },
      { email: 'x@example.com', password: 'short' },
      { email: 'x@example.com', password: 'password' },
      { email: 'x@example.com', preferredUsername: 'Upper' },
      { email: 'x@example.com', preferredUsername: 'root' },
      { email: 'x@example.com', disabled_at: 1 },
      { email: 'x@example.com', email_verified: 'yes' },
      { email: 'x@example.com', displayName: 'a\nb' },
      { email: 'x@example.com', roleIds: 'admin' },
    ]
    for (const body of bodies) {
      assert.equal((await admin.post('/api/admin/users', body)).statusCode, 400, JSON.stringify(body))
    }
    const unknownRole = await admin.post('/api/admin/users', { email: 'x@example.com', roleIds: ['nothing'] })
    assert.equal(unknownRole.statusCode, 404)
    assert.deepEqual(await find('q=x@example.com'), [])
  })

  test('a username that is a principal of a role can’t be taken', async () => {
    await admin.post('/api/admin/roles', { name: 'Deployers', principals: ['deployer'] })
    const chosen = await admin.post('/api/admin/users', { email: 'd@example.com', preferredUsername: 'deployer' })
    assert.equal(chosen.statusCode, 409)
    const derived = await create({ email: 'deployer@example.com' })
    assert.equal(derived.preferredUsername, 'deployer-2')
    const changed = await admin.patch(`/api/admin/users/${derived.id}`, { preferredUsername: 'deployer' })
    assert.equal(changed.statusCode, 409)
  })

  test('details contain the derived permissions, whether there is a password, and the number of sessions', async () => {
    const person = await signedInPerson(app, { permissions: ['users:read'], password: PASSWORD })
    const response = await admin.get(`/api/admin/users/${person.user.id}`)
    const details = response.json<{ user: User; permissions: string[]; hasPassword: boolean; sessions: number }>()
    assert.equal(details.user.email, person.user.email)
    assert.deepEqual(details.permissions, ['users:read'])
    assert.equal(details.hasPassword, true)
    assert.equal(details.sessions, 1)
    assert.ok(!response.body.includes('argon2'))
    assert.equal((await admin.get('/api/admin/users/usr_nobody')).statusCode, 404)
  })

  test('attributes can be changed, and unknown or invalid ones are refused', async () => {
    const user = await create({ email: 'before@example.com', email_verified: true, displayName: 'Before' })
    const url = `/api/admin/users/${user.id}`
    const change = { displayName: null, given_name: 'G', family_name: 'F', preferredUsername: 'after' }
    const changed = (await admin.patch(url, change)).json<{ user: User }>().user
    assert.deepEqual({ ...changed, ...change }, changed)
    for (const body of [
      { disabled_at: 1 },
      { roles: [] },
      { id: 'x' },
      { preferredUsername: 'root' },
      { email: 'x' },
    ]) {
      assert.equal((await admin.patch(url, body)).statusCode, 400, JSON.stringify(body))
    }
    assert.equal((await admin.patch('/api/admin/users/usr_nobody', { displayName: 'x' })).statusCode, 404)
    assert.equal((await admin.patch(url, { preferredUsername: 'ada' })).statusCode, 409)
  })

  test('concurrent changes of one user by an administrator and by the user are all kept', async () => {
    for (let round = 0; round < 10; round++) {
      const person = await signedInPerson(app, { email: `twice${round}@example.com` })
      const url = `/api/admin/users/${person.user.id}`
      const answers = await Promise.all([
        admin.patch(url, { email: `moved${round}@example.com` }),
        admin.patch(url, { displayName: 'Changed' }),
        person.patch('/api/account/profile', { given_name: 'Given' }),
        admin.patch(url, { preferredUsername: `moved${round}` }),
      ])
      for (const { statusCode, body } of answers) assert.equal(statusCode, 200, body)
      const { email, displayName, given_name, preferredUsername } = (await admin.get(url)).json<{ user: User }>().user
      assert.deepEqual(
        { email, displayName, given_name, preferredUsername },
        {
          email: `moved${round}@example.com`,
          displayName: 'Changed',
          given_name: 'Given',
          preferredUsername: `moved${round}`,
        },
      )
    }
  })

  test('after concurrent changes of a username all former usernames stay reserved', async () => {
    for (let round = 0; round < 5; round++) {
      const person = await signedInPerson(app, { email: `named${round}@example.com` })
      const [one, two] = [`named${round}-one`, `named${round}-two`]
      await Promise.all([
        admin.patch(`/api/admin/users/${person.user.id}`, { preferredUsername: one }),
        person.patch('/api/account/profile', { preferredUsername: two }),
      ])
      const { preferredUsername } = (await person.get('/api/account/profile')).json<User>()
      const retired = await app.services.db.read
        .selectFrom('retired_usernames')
        .select('username')
        .where('user_id', '=', person.user.id)
        .execute()
      assert.deepEqual([preferredUsername, ...retired.map(({ username }) => username)].toSorted(), [
        `named${round}`,
        one,
        two,
      ])
    }
  })

  test('a new email is unverified unless it is set as verified, and links sent to the old one stop working', async () => {
    const user = await create({ email: 'old@example.com' })
    const { token } = await lastMailTo(app, 'old@example.com', '/invitation')
    const url = `/api/admin/users/${user.id}`
    await admin.patch(url, { email_verified: true })
    const moved = (await admin.patch(url, { email: 'New@Example.com' })).json<{ user: User }>().user
    assert.equal(moved.email, 'new@example.com')
    assert.equal(moved.email_verified, false)
    const reset = await anonymous(app).post('/api/auth/password-reset/confirm', { token, newPassword: PASSWORD })
    assert.equal(reset.statusCode, 400)
    const vouched = await admin.patch(url, { email: 'newer@example.com', email_verified: true })
    assert.equal(vouched.json<{ user: User }>().user.email_verified, true)
    assert.equal((await admin.patch(url, { email: 'ada@example.com' })).statusCode, 409)
  })

  test('the list searches email, display name and username without regard to case, and takes wildcards literally', async () => {
    await create({ email: 'needle.one@example.com', displayName: 'Zo\u00eb 100% Sure' })
    await create({ email: 'two@example.com', preferredUsername: 'needle_two' })
    await create({ email: 'three@example.com', displayName: 'Needle back\\slash' })
    assert.deepEqual((await find('q=NEEDLE')).toSorted(), [
      'needle.one@example.com',
      'three@example.com',
      'two@example.com',
    ])
    assert.deepEqual(await find('q=needle_'), ['two@example.com'])
    assert.deepEqual(await find(`q=${encodeURIComponent('100%')}`), ['needle.one@example.com'])
    assert.deepEqual(await find(`q=${encodeURIComponent('k\\s')}`), ['three@example.com'])
    for (const q of ['Zo\u00eb', 'ZO\u00cb'])
      assert.deepEqual(await find(`q=${encodeURIComponent(q)}`), ['needle.one@example.com'])
    assert.deepEqual(await find(`q=${encodeURIComponent("' or 1=1 --")}`), [])
  })

  test('the list filters by status and role', async () => {
    const user = await create({ email: 'status@example.com' })
    assert.deepEqual(await find('q=status@&status=active'), ['status@example.com'])
    await admin.post(`/api/admin/users/${user.id}/lifecycle`, { action: 'disable' })
    assert.deepEqual(await find('q=status@&status=active'), [])
    assert.deepEqual(await find('q=status@&status=disabled'), ['status@example.com'])
    assert.ok((await find(`role=${ADMIN_ROLE}`)).includes(admin.user.email))
    assert.ok(!(await find(`role=${ADMIN_ROLE}`)).includes('status@example.com'))
    assert.equal((await admin.get('/api/admin/users?status=other')).statusCode, 400)
    assert.equal((await admin.get('/api/admin/users?unknown=1')).statusCode, 400)
  })

  test('a deleted user leaves no session, token or passkey, and a new user with the same email gets another id', async () => {
    const person = await signedInPerson(app, { email: 'leaver@example.com', permissions: ['users:read'] })
    const response = await admin.delete(`/api/admin/users/${person.user.id}`)
    assert.deepEqual(response.json(), { success: true, ended: { sessions: 1, tokens: 0, certificates: 0 } })
    assert.equal((await person.get('/api/auth/me')).statusCode, 401)
    const { db } = app.services
    const tables = [
      'sessions',
      'passkeys',
      'user_roles',
      'notifications',
      'email_tokens',
      'ssh_keys',
      'oauth_grants',
    ] as const
    for (const table of tables) {
      const rows = await db.read.selectFrom(table).selectAll().where('user_id', '=', person.user.id).execute()
      assert.deepEqual(rows, [], table)
    }
    assert.equal((await admin.delete(`/api/admin/users/${person.user.id}`)).statusCode, 404)
    const again = await create({ email: 'leaver@example.com' })
    assert.notEqual(again.id, person.user.id)
  })
})
