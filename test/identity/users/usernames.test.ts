import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { User } from '../../../src/identity/users/user.ts'
import { sharedApp, type TestApp } from '../../support/app.ts'
import { onEachEngine } from '../../support/engines.ts'
import { anonymous, type SignedInPerson, signedInPerson, signIn } from '../../support/people.ts'

const DAY = 24 * 3_600_000

onEachEngine('a former username', (engine) => {
  const shared = sharedApp({ engine })
  let app: TestApp
  let admin: SignedInPerson
  before(async () => {
    app = shared()
    admin = await signedInPerson(app, { admin: true })
  })

  const userNamed = (name: string) => signedInPerson(app, { email: `${name}@example.com` })
  const rename = (person: SignedInPerson, preferredUsername: string) =>
    person.patch('/api/account/profile', { preferredUsername })
  const renameOther = (id: string, preferredUsername: string) =>
    admin.patch(`/api/admin/users/${id}`, { preferredUsername })

  test('can’t be taken by another user in any way', async () => {
    const [ada, ben] = [await userNamed('ada'), await userNamed('ben')]
    assert.equal((await rename(ada, 'ada-new')).statusCode, 200)
    for (const answer of [
      await rename(ben, 'ada'),
      await renameOther(ben.user.id, 'ada'),
      await admin.post('/api/admin/users', { email: 'other@example.com', preferredUsername: 'ada' }),
    ]) {
      assert.equal(answer.statusCode, 409, answer.body)
      assert.equal(answer.json<{ code: string }>().code, 'username_held')
    }
    assert.equal((await ben.get('/api/account/profile')).json<User>().preferredUsername, 'ben')
  })

  test('is skipped when a username is derived from an email', async () => {
    const carl = await userNamed('carl')
    assert.equal((await renameOther(carl.user.id, 'carl-new')).statusCode, 200)
    const invited = await admin.post('/api/admin/users', { email: 'carl@example.org' })
    assert.equal(invited.json<{ user: User }>().user.preferredUsername, 'carl-2')
    const registered = await anonymous(app).post('/api/auth/register', {
      email: 'carl@example.net',
      password: 'correct horse battery staple',
    })
    assert.equal(registered.statusCode, 201, registered.body)
    assert.equal(registered.json<{ user: User }>().user.preferredUsername, 'carl-3')
  })

  test('of a deleted account can’t be taken by another user either', async () => {
    const dora = await userNamed('dora')
    assert.equal((await admin.delete(`/api/admin/users/${dora.user.id}`)).statusCode, 200)
    assert.equal((await rename(await userNamed('emil'), 'dora')).statusCode, 409)
    assert.equal((await userNamed('dora')).user.preferredUsername, 'dora-2')
  })

  test('can be taken back by its former owner, and the usernames in between stay reserved too', async () => {
    const finn = await userNamed('finn')
    for (const name of ['finn-new', 'finn']) {
      assert.equal((await rename(finn, name)).statusCode, 200, name)
    }
    assert.equal((await renameOther(finn.user.id, 'finn-other')).statusCode, 200)
    const gina = await userNamed('gina')
    for (const name of ['finn', 'finn-new']) assert.equal((await rename(gina, name)).statusCode, 409, name)
  })

  test('is available again after 90 days, and its record is deleted', async () => {
    const [hugo, iris] = [await userNamed('hugo'), await userNamed('iris')]
    await rename(hugo, 'hugo-new')
    app.clock.advance(90 * DAY - 1000)
    const later = await Promise.all([signInAgain(hugo), signInAgain(iris), signInAgain(admin)])
    assert.equal((await rename(later[1], 'hugo')).statusCode, 409)
    app.clock.advance(1000)
    assert.equal((await rename(later[1], 'hugo')).statusCode, 200)
    // It is now a former username of the other user.
    assert.equal((await rename(later[1], 'iris')).statusCode, 200)
    assert.equal((await rename(later[0], 'hugo')).statusCode, 409)
    app.clock.advance(91 * DAY)
    await app.tick()
    assert.deepEqual(await app.services.db.read.selectFrom('retired_usernames').selectAll().execute(), [])
    admin = await signInAgain(admin)
  })

  test('can’t be taken by requests that are concurrent with the change by its owner', async () => {
    for (let round = 0; round < 3; round++) {
      const name = `contended-${round}`
      const owner = await signedInPerson(app, { email: `${name}@example.com` })
      const others = await Promise.all(Array.from({ length: 5 }, () => signedInPerson(app)))
      const [left, ...answers] = await Promise.all([
        rename(owner, `${name}-new`),
        ...others.map((other) => rename(other, name)),
      ])
      assert.equal(left?.statusCode, 200)
      assert.deepEqual(
        answers.map(({ statusCode }) => statusCode),
        answers.map(() => 409),
      )
    }
  })

  test('stays reserved when its owner is renamed and deleted concurrently', async () => {
    for (let round = 0; round < 5; round++) {
      const name = `leaving-${round}`
      const person = await signedInPerson(app, { email: `${name}@example.com` })
      const [renamed, deleted] = await Promise.all([
        rename(person, `${name}-new`),
        admin.delete(`/api/admin/users/${person.user.id}`),
      ])
      assert.equal(deleted.statusCode, 200, deleted.body)
      const usernames = renamed.statusCode === 200 ? [name, `${name}-new`] : [name]
      const other = await signedInPerson(app)
      for (const username of usernames) assert.equal((await rename(other, username)).statusCode, 409, username)
    }
  })

  test('or another one can’t be chosen by users who may get certificates for themselves through users:write', async () => {
    const person = await signedInPerson(app, { permissions: ['users:write', 'ssh:cert:issue'] })
    const url = `/api/admin/users/${person.user.id}`
    assert.equal((await person.patch(url, { preferredUsername: 'somebody' })).statusCode, 403)
    assert.equal((await person.patch(url, { displayName: 'Still allowed' })).statusCode, 200)
    assert.equal((await renameOther(admin.user.id, 'the-administrator')).statusCode, 200)
  })

  const signInAgain = async ({ user }: SignedInPerson) => signIn(app, user)
})
