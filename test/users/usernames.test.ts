import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { User } from '../../src/users/user.ts'
import { sharedApp, type TestApp } from '../support/app.ts'
import { onEachEngine } from '../support/engines.ts'
import { anonymous, type SignedInPerson, signedInPerson, signIn } from '../support/people.ts'

const DAY = 24 * 3_600_000

onEachEngine('a username that was given up', (engine) => {
  const shared = sharedApp({ engine })
  let app: TestApp
  let admin: SignedInPerson
  before(async () => {
    app = shared()
    admin = await signedInPerson(app, { admin: true })
  })

  const named = (name: string) => signedInPerson(app, { email: `${name}@example.com` })
  const rename = (by: SignedInPerson, preferredUsername: string) =>
    by.patch('/api/account/profile', { preferredUsername })
  const renameOther = (id: string, preferredUsername: string) =>
    admin.patch(`/api/admin/users/${id}`, { preferredUsername })

  test('by oneself is given to nobody else, however they ask for it', async () => {
    const [ada, ben] = [await named('ada'), await named('ben')]
    assert.equal((await rename(ada, 'ada-new')).statusCode, 200)
    for (const answer of [
      await rename(ben, 'ada'),
      await renameOther(ben.user.id, 'ada'),
      await admin.post('/api/admin/users', { email: 'other@example.com', preferredUsername: 'ada' }),
    ]) {
      assert.equal(answer.statusCode, 409, answer.body)
      assert.equal(answer.json<{ code: string }>().code, 'conflict')
    }
    assert.equal((await ben.get('/api/account/profile')).json<User>().preferredUsername, 'ben')
  })

  test('is passed over when a name is made from an email', async () => {
    const carl = await named('carl')
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

  test('with a deleted account is given to nobody else either', async () => {
    const dora = await named('dora')
    assert.equal((await admin.delete(`/api/admin/users/${dora.user.id}`)).statusCode, 200)
    assert.equal((await rename(await named('emil'), 'dora')).statusCode, 409)
    assert.equal((await named('dora')).user.preferredUsername, 'dora-2')
  })

  test('can be taken back by whoever had it, and what they had meanwhile is kept free too', async () => {
    const finn = await named('finn')
    for (const name of ['finn-new', 'finn', 'finn-new', 'finn']) {
      assert.equal((await rename(finn, name)).statusCode, 200, name)
    }
    assert.equal((await renameOther(finn.user.id, 'finn-other')).statusCode, 200)
    const gina = await named('gina')
    for (const name of ['finn', 'finn-new']) assert.equal((await rename(gina, name)).statusCode, 409, name)
  })

  test('is free again after 90 days, and the service forgets that it ever was taken', async () => {
    const [hugo, iris] = [await named('hugo'), await named('iris')]
    await rename(hugo, 'hugo-new')
    app.clock.advance(90 * DAY - 1000)
    const later = await Promise.all([signedInAgain(hugo), signedInAgain(iris), signedInAgain(admin)])
    assert.equal((await rename(later[1], 'hugo')).statusCode, 409)
    app.clock.advance(1000)
    assert.equal((await rename(later[1], 'hugo')).statusCode, 200)
    // It is another person's now, and given up by that one.
    assert.equal((await rename(later[1], 'iris')).statusCode, 200)
    assert.equal((await rename(later[0], 'hugo')).statusCode, 409)
    app.clock.advance(91 * DAY)
    await app.tick()
    assert.deepEqual(await app.services.db.read.selectFrom('retired_usernames').selectAll().execute(), [])
    admin = await signedInAgain(admin)
  })

  test('is lost to nobody when many ask for it while its owner leaves it', async () => {
    for (let round = 0; round < 3; round++) {
      const name = `wanted-${round}`
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

  test('is kept free, whichever it was, when its owner is renamed while being deleted', async () => {
    for (let round = 0; round < 5; round++) {
      const name = `leaving-${round}`
      const person = await signedInPerson(app, { email: `${name}@example.com` })
      const [renamed, deleted] = await Promise.all([
        rename(person, `${name}-new`),
        admin.delete(`/api/admin/users/${person.user.id}`),
      ])
      assert.equal(deleted.statusCode, 200, deleted.body)
      const given = renamed.statusCode === 200 ? [name, `${name}-new`] : [name]
      const other = await signedInPerson(app)
      for (const wanted of given) assert.equal((await rename(other, wanted)).statusCode, 409, wanted)
    }
  })

  test('nobody who may get certificates chooses their own through users:write', async () => {
    const person = await signedInPerson(app, { permissions: ['users:write', 'ssh:cert:issue'] })
    const url = `/api/admin/users/${person.user.id}`
    assert.equal((await person.patch(url, { preferredUsername: 'somebody' })).statusCode, 403)
    assert.equal((await person.patch(url, { displayName: 'Still allowed' })).statusCode, 200)
    assert.equal((await renameOther(admin.user.id, 'the-administrator')).statusCode, 200)
  })

  const signedInAgain = async ({ user }: SignedInPerson) => signIn(app, user)
})
