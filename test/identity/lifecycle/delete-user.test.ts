import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { deleteUser } from '../../../src/identity/lifecycle/delete-user.ts'
import type { User } from '../../../src/identity/users/user.ts'
import { newPublicKey, saveKey } from '../../ssh/public-keys.ts'
import { afterEachWrite } from '../../support/after-each-write.ts'
import { sharedApp, type TestApp } from '../../support/app.ts'
import { registerApplication } from '../../support/application.ts'
import { onEachEngine } from '../../support/engines.ts'
import { addCodes, addNotifications, countCodes, countNotifications } from '../../support/many-rows.ts'
import { anonymous, type SignedInPerson, signedInPerson } from '../../support/people.ts'
import { lifecycleOf, insertActions } from './actions.ts'

const PASSWORD = 'a lantern over quiet water'
const COUNT = 6000

onEachEngine('deleting a user', (engine) => {
  const shared = sharedApp({ engine })
  let app: TestApp
  let admin: SignedInPerson
  before(async () => {
    app = shared()
    admin = await signedInPerson(app, { admin: true })
  })

  const rowsOf = (userId: string) =>
    app.services.db.read.selectFrom('users').select('id').where('id', '=', userId).execute()

  /** Crashes right after the commit of the deletion, before the remaining rows are removed in batches. */
  const deleteThenCrash = (userId: string) => {
    const blobs = {
      ...app.services.blobs,
      deleteFolder: () => {
        throw new Error('The process crashed.')
      },
    }
    const { user, sessionId } = admin
    const source = {
      ipAddress: '',
      userAgent: '',
      geolocation: { country: null, city: null, region: null },
      requestId: '',
    }
    const given = { permission: 'users:delete', provedAt: null, source } as const
    const actor = { id: user.id, email: user.email, sessionId, ...given }
    return deleteUser({ ...app.services, blobs }, userId, actor)
  }

  test('removes any number of notifications and authorizations in batches, so that other requests are not blocked', async (t) => {
    const { db } = app.services
    const person = await signedInPerson(app)
    const { clientId } = await registerApplication(app)
    await addNotifications(db, person.user.id, COUNT)
    await addCodes(db, { userId: person.user.id, clientId }, COUNT)
    const left = async () =>
      `${await countNotifications(db.read, person.user.id, 'all')} and ${await countCodes(db.read, clientId)}`
    const seen = new Set<string>()
    afterEachWrite(t, db, async () => seen.add(await left()))
    assert.equal((await admin.delete(`/api/admin/users/${person.user.id}`)).statusCode, 200)
    while ((await rowsOf(person.user.id)).length > 0) {
      app.clock.advance(10_000)
      await app.tick()
    }
    assert.equal(await left(), '0 and 0')
    assert.ok(seen.size > 3, `others see the counts shrink: ${[...seen].join(', ')}`)
  })

  test('ends all access in one transaction, even if the process crashes before the remaining rows are removed', async () => {
    const { db } = app.services
    const email = 'leaver@example.com'
    const permissions = ['ssh:keys:manage', 'ssh:cert:issue'] as const
    const person = await signedInPerson(app, { email, password: PASSWORD, permissions: [...permissions] })
    const { id } = person.user
    const publicKey = newPublicKey()
    await saveKey(person, publicKey)
    await addNotifications(db, id, 10)
    await insertActions(app, [{ userId: id, action: 'enable', executeAt: app.clock.now() + 1000 }])
    await deleteThenCrash(id)
    assert.equal((await rowsOf(id)).length, 1, 'the remaining rows are still there')

    assert.equal((await person.get('/api/auth/me')).statusCode, 401)
    assert.equal((await anonymous(app).post('/api/auth/login', { email, password: PASSWORD })).statusCode, 401)
    for (const url of [`/api/admin/users/${id}`, lifecycleOf(id), `/api/admin/users/${id}/access`]) {
      assert.equal((await admin.get(url)).statusCode, 404, url)
    }
    assert.equal((await admin.patch(`/api/admin/users/${id}`, { displayName: 'Back' })).statusCode, 404)
    assert.equal((await admin.post(`/api/admin/users/${id}/invitation`)).statusCode, 404)
    assert.equal((await admin.post(lifecycleOf(id), { action: 'enable' })).statusCode, 404)
    assert.equal((await admin.delete(`/api/admin/users/${id}`)).statusCode, 404)
    for (const query of ['', '?status=disabled', `?q=${id}`, '?q=deleted', `?q=${email}`]) {
      const { users } = (await admin.get(`/api/admin/users${query}`)).json<{ users: User[] }>()
      assert.ok(!users.some((user) => user.id === id), query)
    }

    const registered = await anonymous(app).post('/api/auth/register', { email, password: PASSWORD })
    assert.equal(registered.statusCode, 201, registered.body)
    assert.notEqual(registered.json<{ user: User }>().user.id, id)
    const other = await signedInPerson(app, { permissions: [...permissions] })
    const added = await other.post('/api/ssh/keys', { name: 'laptop', publicKey })
    assert.equal(added.statusCode, 201, added.body)

    app.clock.advance(10_000)
    await app.tick()
    assert.deepEqual(
      await rowsOf(id),
      [],
      'a scheduled enable does not restore the account, and the remaining rows are removed',
    )
    assert.equal(await countNotifications(db.read, id, 'all'), 0)
  })

  test('is recorded once, with its actor', async () => {
    const person = await signedInPerson(app)
    await deleteThenCrash(person.user.id)
    app.clock.advance(10_000)
    await app.tick()
    const found = await admin.get(`/api/admin/audit?target=${person.user.id}&action=user.deleted`)
    const { events } = found.json<{ events: { actorId: string; data: { email: string } }[] }>()
    assert.deepEqual(
      events.map(({ actorId, data }) => [actorId, data.email]),
      [[admin.user.id, person.user.email]],
    )
  })
})
