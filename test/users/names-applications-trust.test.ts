import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { ADMINISTRATOR_USERNAMES } from '../../src/users/reserved-usernames.ts'
import { createSite, signInAt, TRUSTING } from '../proxy/visits.ts'
import { sharedApp, startApp } from '../support/app.ts'
import { getTokens, registerApplication } from '../support/application.ts'
import { onEachEngine } from '../support/engines.ts'
import { anonymous, signedInPerson, type SignedInPerson, signIn } from '../support/people.ts'

const DAY = 86_400_000
const PROFILE = '/api/account/profile'
let count = 0
const newName = () => `renamed${++count}`
const rename = (who: SignedInPerson, preferredUsername: string) => who.patch(PROFILE, { preferredUsername })

test('the published list of reserved names is the one in force', () => {
  const published = readFileSync(new URL('../../docs/usernames.md', import.meta.url), 'utf8')
  for (const name of ADMINISTRATOR_USERNAMES) assert.ok(published.includes(`\`${name}\``), name)
})

onEachEngine('the name that applications know a person by', (engine) => {
  const shared = sharedApp({ engine, config: TRUSTING })

  test('is changed by its person at most twice in 30 days', async () => {
    const who = await signedInPerson(shared())
    const left = async (): Promise<number> => (await who.get(PROFILE)).json().usernameChangesLeft
    assert.equal(await left(), 2)
    assert.equal((await rename(who, newName())).statusCode, 200)
    shared().clock.advance(10 * DAY)
    // Neither a refused change nor one of another field counts.
    assert.equal((await rename(who, 'root')).statusCode, 400)
    assert.equal((await who.patch(PROFILE, { displayName: 'Ada' })).statusCode, 200)
    assert.equal(await left(), 1)
    const second = newName()
    assert.equal((await rename(who, second)).statusCode, 200)
    assert.equal((await rename(who, second)).statusCode, 200, 'the same name is no change')
    const refused = await rename(who, newName())
    assert.deepEqual([refused.statusCode, refused.json().code], [429, 'too_many_changes'])
    assert.equal(Number(refused.headers['retry-after']), (20 * DAY) / 1000)
    assert.equal(await left(), 0)
    assert.equal((await who.get(PROFILE)).json().preferredUsername, second)
    shared().clock.advance(20 * DAY)
    // The session has ended meanwhile.
    who.cookie = (await signIn(shared(), who.user)).cookie
    assert.equal((await rename(who, newName())).statusCode, 200)
    assert.equal((await rename(who, newName())).statusCode, 429)
  })

  test('is changed twice at most by many requests at once on two replicas, without rate limits too', async (t) => {
    const config = { rateLimits: false }
    const app = await startApp(t, { engine, config })
    const replica =
      engine === 'sqlite' ? app : await startApp(t, { engine, config, storage: app.storage, clock: app.clock })
    const who = await signedInPerson(app)
    const there = Object.assign(anonymous(replica, who.cookie), { user: who.user, sessionId: who.sessionId })
    const answers = await Promise.all(Array.from({ length: 60 }, (_, at) => rename(at % 2 ? who : there, newName())))
    const codes = answers.map(({ statusCode }) => statusCode)
    assert.equal(codes.filter((code) => code === 200).length, 2)
    assert.equal(codes.filter((code) => code === 429).length, 58)
    const held = await app.services.db.read.selectFrom('retired_usernames').select('username').execute()
    assert.equal(held.length, 2)
  })

  test('counts no change that a wrong clock has written far ahead', async () => {
    const who = await signedInPerson(shared())
    const far = shared().clock.now() + 3650 * DAY
    await shared().services.db.transaction((trx) =>
      trx
        .updateTable('users')
        .set({ username_changed_at: far, username_changed_before: far })
        .where('id', '=', who.user.id)
        .execute(),
    )
    assert.equal((await rename(who, newName())).statusCode, 200)
  })

  test('is never what applications call an administrator, unless somebody with users:write gives it', async () => {
    const who = await signedInPerson(shared())
    for (const name of [
      'superadmin',
      'akadmin',
      'administrator',
      'owner',
      'support',
      'super-admin',
      '_admin',
      'admin',
    ]) {
      const refused = await rename(who, name)
      assert.deepEqual([refused.statusCode, refused.json().issues[0].path], [400, 'preferredUsername'], name)
    }
    const registered = await anonymous(shared()).post('/api/auth/register', {
      email: 'superadmin@example.com',
      password: 'four unusual words here',
    })
    assert.equal(registered.json().user.preferredUsername, 'superadmin-2')

    const manager = await signedInPerson(shared(), { permissions: ['users:write'] })
    const admin = await signedInPerson(shared(), { admin: true })
    const give = (giver: SignedInPerson, preferredUsername: string) =>
      giver.patch(`/api/admin/users/${who.user.id}`, { preferredUsername })
    assert.equal((await give(manager, 'akadmin')).statusCode, 200)
    // Who has one keeps it.
    assert.equal((await who.patch(PROFILE, { preferredUsername: 'akadmin', displayName: 'Ada' })).statusCode, 200)
    // It is also the account of some cloud images.
    assert.equal((await give(manager, 'admin')).statusCode, 400)
    assert.equal((await give(admin, 'admin')).statusCode, 200)
    assert.equal((await give(admin, 'root')).statusCode, 400)
    const made = await manager.post('/api/admin/users', { email: 'o@example.com', preferredUsername: 'owner' })
    assert.equal(made.statusCode, 201, made.body)
  })

  test('is free again for its own person at once, and for others when it was released', async () => {
    const [who, other] = [await signedInPerson(shared()), await signedInPerson(shared())]
    const manager = await signedInPerson(shared(), { permissions: ['users:write', 'audit:read'] })
    const [first, second] = [who.user.preferredUsername, newName()]
    assert.equal((await rename(who, second)).statusCode, 200)
    const held = await rename(other, first)
    assert.deepEqual([held.statusCode, held.json().code], [409, 'username_held'])
    assert.equal((await rename(who, first)).statusCode, 200)

    const release = (by: SignedInPerson, name: string) => by.post(`/api/admin/usernames/${name}/release`)
    const give = () => manager.patch(`/api/admin/users/${other.user.id}`, { preferredUsername: second })
    assert.equal((await give()).json().code, 'username_held')
    assert.equal((await release(other, second)).statusCode, 403)
    assert.equal((await release(manager, 'Not A Name')).statusCode, 400)
    assert.equal((await release(manager, 'never-held')).statusCode, 404)
    const answer = await release(manager, second)
    assert.deepEqual([answer.statusCode, answer.json()], [200, { success: true }])
    assert.equal((await release(manager, second)).statusCode, 404)
    assert.equal((await give()).statusCode, 200)
    const { events } = (await manager.get('/api/admin/audit?action=user.username_released')).json()
    assert.deepEqual([events[0].targetId, events[0].data.username], [who.user.id, second])
  })

  test('of somebody who holds more stays held back', async () => {
    const admin = await signedInPerson(shared(), { admin: true })
    const manager = await signedInPerson(shared(), { permissions: ['users:write'] })
    const before = admin.user.preferredUsername
    const body = { preferredUsername: newName() }
    assert.equal((await admin.patch(`/api/admin/users/${admin.user.id}`, body)).statusCode, 200)
    assert.equal((await manager.post(`/api/admin/usernames/${before}/release`)).statusCode, 403)
    assert.equal((await admin.post(`/api/admin/usernames/${before}/release`)).statusCode, 200)
  })

  test('comes with the applications that were told it', async () => {
    const admin = await signedInPerson(shared(), { admin: true })
    const who = await signedInPerson(shared())
    const told = async (): Promise<string[]> => (await who.get(PROFILE)).json().usernameToldTo
    await createSite(admin, { name: 'Never visited' })
    assert.deepEqual(await told(), [])
    const application = await registerApplication(shared())
    await getTokens(shared(), who, application, { scope: 'openid' })
    assert.equal((await told()).length, 1)
    const site = await createSite(admin, { name: 'AA visited' })
    await signInAt(shared(), who, site.origin)
    const withPassword = await createSite(admin, { name: 'AB password', basic: true })
    await who.post('/api/account/app-passwords', { name: 'x', client_id: withPassword.id })
    assert.deepEqual((await told()).slice(0, 2), ['AA visited', 'AB password'])
    assert.equal((await told()).length, 3)
  })
})
