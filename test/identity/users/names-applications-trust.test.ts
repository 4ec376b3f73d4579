import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { ADMINISTRATOR_USERNAMES } from '../../../src/identity/users/usernames.ts'
import { ADMIN_ROLE } from '../../../src/vocabulary/built-in-roles.ts'
import { createSite, signInAt, TRUSTING } from '../../proxy/visits.ts'
import { sharedApp, startApp } from '../../support/app.ts'
import { getTokens, registerApplication } from '../../support/application.ts'
import { MAIN_ENGINE, onEachEngine } from '../../support/engines.ts'
import { anonymous, signedInPerson, type SignedInPerson, signIn } from '../../support/people.ts'

const DAY = 86_400_000
const PROFILE = '/api/account/profile'
let count = 0
const newName = () => `renamed${++count}`
const rename = (who: SignedInPerson, preferredUsername: string) => who.patch(PROFILE, { preferredUsername })

test('the published list of reserved names is the one in force', () => {
  const published = readFileSync(new URL('../../../docs/usernames.md', import.meta.url), 'utf8')
  for (const name of ADMINISTRATOR_USERNAMES) assert.ok(published.includes(`\`${name}\``), name)
})

onEachEngine('the name that applications know a person by', (engine) => {
  const shared = sharedApp({ engine, config: TRUSTING })

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

  // The rest is the same on every engine.
  if (engine !== MAIN_ENGINE) return

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

  test('is free again for its own person also when it is a reserved one that somebody had given', async () => {
    const [who, other] = [await signedInPerson(shared()), await signedInPerson(shared())]
    const manager = await signedInPerson(shared(), { permissions: ['users:write'] })
    const give = async (person: SignedInPerson, preferredUsername: string) => {
      const answer = await manager.patch(`/api/admin/users/${person.user.id}`, { preferredUsername })
      assert.equal(answer.statusCode, 200, answer.body)
    }
    await give(who, 'moderator')
    assert.equal((await rename(who, newName())).statusCode, 200)
    assert.equal((await rename(other, 'moderator')).statusCode, 400)
    assert.equal((await rename(who, 'moderator')).statusCode, 200)
    // Whoever should not have it again has lost it when it is released.
    await give(other, 'supervisor')
    await give(other, newName())
    assert.equal((await manager.post('/api/admin/usernames/supervisor/release')).statusCode, 200)
    assert.equal((await rename(other, 'supervisor')).statusCode, 400)
    await give(who, 'supervisor')
  })

  test('that somebody else has is told to a person ten times in 15 minutes', async (t) => {
    const app = await startApp(t, { engine })
    const [who, other] = [await signedInPerson(app), await signedInPerson(app)]
    const former = other.user.preferredUsername
    assert.equal((await rename(other, newName())).statusCode, 200)
    const present = (await other.get(PROFILE)).json().preferredUsername
    await signedInPerson(app, { principals: ['deploy'] })
    const codes: number[] = []
    for (let time = 0; time < 12; time++)
      codes.push((await rename(who, [former, present, 'deploy'][time % 3])).statusCode)
    assert.deepEqual(codes, [...Array.from({ length: 10 }, () => 409), 429, 429])
    const refused = await rename(await signIn(app, who.user), newName())
    assert.deepEqual([refused.statusCode, refused.json().code], [429, 'too_many_requests'])
    assert.ok(Number(refused.headers['retry-after']) > 0)
    assert.equal((await who.patch(PROFILE, { displayName: 'Ada' })).statusCode, 200)
    assert.equal((await rename(other, newName())).statusCode, 200, 'it counts for the person alone')
    app.clock.advance(15 * 60_000)
    assert.equal((await rename(who, newName())).statusCode, 200)
  })

  test('of a deleted account is freed by administrators only', async () => {
    const admin = await signedInPerson(shared(), { admin: true })
    const manager = await signedInPerson(shared(), { permissions: ['users:write'] })
    const boss = await signedInPerson(shared(), { admin: true })
    const other = await signedInPerson(shared())
    const name = boss.user.preferredUsername
    const release = (by: SignedInPerson) => by.post(`/api/admin/usernames/${name}/release`)
    assert.equal((await admin.delete(`/api/admin/users/${boss.user.id}`)).statusCode, 200)
    const refused = await release(manager)
    assert.deepEqual([refused.statusCode, refused.json().code], [403, 'forbidden'])
    const give = () => manager.patch(`/api/admin/users/${other.user.id}`, { preferredUsername: name })
    assert.equal((await give()).json().code, 'username_held')
    assert.equal((await release(admin)).statusCode, 200)
    assert.equal((await give()).statusCode, 200)
  })

  test('that is reserved for administrators to give is not given by one who is none any more in the transaction', async (t) => {
    const app = await startApp(t, { engine })
    const { db, passwords } = app.services
    const inviter = await signedInPerson(app, { admin: true, permissions: ['users:write'] })
    const { hash } = passwords
    // The password is hashed between the first look at what the inviter holds and the transaction.
    t.mock.method(passwords, 'hash', async (...given: Parameters<typeof hash>) => {
      await db.transaction((trx) =>
        trx.deleteFrom('user_roles').where('user_id', '=', inviter.user.id).where('role_id', '=', ADMIN_ROLE).execute(),
      )
      return hash(...given)
    })
    const body = { email: 'a@example.com', password: 'four unusual words here', preferredUsername: 'admin' }
    const refused = await inviter.post('/api/admin/users', body)
    assert.deepEqual([refused.statusCode, refused.json().issues?.[0].path], [400, 'preferredUsername'], refused.body)
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
