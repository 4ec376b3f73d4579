import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bareTag } from '../../../src/ssh/hosts/host-lists.ts'
import { lifecycleOf } from '../../identity/lifecycle/actions.ts'
import { disable, receiptOf } from '../../identity/receipts/receivers.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { onEachEngine } from '../../support/engines.ts'
import { anonymous, type SignedInPerson, signedInPerson } from '../../support/people.ts'
import { issue, saveKey, signInCertificateUser } from '../public-keys.ts'
import { createHost, enroll, hostWith } from './managed-host.ts'

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

onEachEngine('a host in the receipt of a disable', (engine) => {
  async function setUp(t: Parameters<typeof startApp>[0]) {
    const app = await startApp(t, { engine })
    const admin = await signedInPerson(app, { admin: true })
    return { app, admin }
  }

  /** An enrolled host, as it reports the list that a replica gives it. */
  async function newHost(app: TestApp, admin: SignedInPerson, content: object = {}) {
    const { host, enrollmentToken } = await createHost(admin, content)
    const { hostToken } = await enroll(app, enrollmentToken)
    const fetchTag = async (from = app) =>
      bareTag(String((await anonymous(from).get('/ssh/krl?format=krl')).headers['etag']))
    const report = async (krlVersion: string, to = app) => {
      const answer = await hostWith(to, hostToken).post('/ssh/hosts/report', { krlVersion, sshdVersion: 'OpenSSH_9.9' })
      assert.equal(answer.statusCode, 200, answer.body)
    }
    return { ...host, fetchTag, report }
  }

  const hostsOf = async (admin: SignedInPerson, userId: string) =>
    (await receiptOf(admin, userId)).told.map(({ kind, id, state, at }) => ({ kind, id, state, at }))

  async function newHolder(app: TestApp, ttlSeconds?: number) {
    const person = await signInCertificateUser(app)
    await issue(person, await saveKey(person), ttlSeconds)
    return person
  }

  test('has acknowledged when it reports a list with the revocation, and not when it reports an earlier one', async (t) => {
    const { app, admin } = await setUp(t)
    const host = await newHost(app, admin, { name: 'build' })
    const { user } = await newHolder(app)
    const before = await host.fetchTag()
    await host.report(before)
    const { receipt } = await disable(admin, user.id)
    assert.deepEqual(receipt.told, [
      { kind: 'host', id: host.id, name: 'build', state: 'waiting', at: null, sessionsClosed: null },
    ])
    const after = await host.fetchTag()
    assert.notEqual(after, before)
    app.clock.advance(300)
    await host.report(before)
    await host.report('made-up')
    assert.equal((await receiptOf(admin, user.id)).outstanding, 1)
    app.clock.advance(300)
    await host.report(after)
    const at = app.clock.now()
    assert.deepEqual(await hostsOf(admin, user.id), [{ kind: 'host', id: host.id, state: 'acknowledged', at }])
    await app.tick()
    const { completedAt, outstanding } = await receiptOf(admin, user.id)
    assert.deepEqual([completedAt, outstanding], [at, 0])
  })

  test('has acknowledged every disable whose revocations its list has, and no later one', async (t) => {
    const { app, admin } = await setUp(t)
    const host = await newHost(app, admin)
    const [first, second, third] = [await newHolder(app), await newHolder(app), await newHolder(app)]
    await disable(admin, first.user.id)
    await disable(admin, second.user.id)
    const list = await host.fetchTag()
    await disable(admin, third.user.id)
    await host.report(list)
    const outstanding = async ({ user }: SignedInPerson) => (await receiptOf(admin, user.id)).outstanding
    assert.deepEqual([await outstanding(first), await outstanding(second), await outstanding(third)], [0, 0, 1])
  })

  // SQLite has one process.
  if (engine === 'postgres')
    test('may report to another replica than the one that gave it the list', async (t) => {
      const { app, admin } = await setUp(t)
      const replica = await startApp(t, { engine, storage: app.storage, clock: app.clock })
      const host = await newHost(app, admin)
      const [first, second] = [await newHolder(app), await newHolder(app)]
      await disable(admin, first.user.id)
      const list = await host.fetchTag(replica)
      await host.report(list)
      assert.equal((await receiptOf(admin, first.user.id)).outstanding, 0)
      await disable(admin, second.user.id)
      await host.report(list)
      assert.equal((await receiptOf(admin, second.user.id)).outstanding, 1)
    })

  test('is not listed where it could admit none of the certificates, or was never enrolled', async (t) => {
    const { app, admin } = await setUp(t)
    const roles = (await admin.get('/api/admin/roles')).json<{ roles: { id: string; name: string }[] }>().roles
    const adminRole = roles.find(({ name }) => name === 'admin')?.id
    const open = await newHost(app, admin)
    await newHost(app, admin, { allowedRoles: [adminRole] })
    await createHost(admin)
    const holder = await newHolder(app)
    const without = await signInCertificateUser(app)
    const answer = await admin.post(`${lifecycleOf(holder.user.id)}/preview`, { action: 'disable' })
    assert.deepEqual(
      answer.json<{ tells: { id: string }[] }>().tells.map(({ id }) => id),
      [open.id],
    )
    await disable(admin, holder.user.id)
    await disable(admin, without.user.id)
    assert.deepEqual(
      (await hostsOf(admin, holder.user.id)).map(({ id }) => id),
      [open.id],
    )
    assert.deepEqual(await hostsOf(admin, without.user.id), [])
  })

  test('with a principal of a role is listed where that opens an account', async (t) => {
    const { app, admin } = await setUp(t)
    const person = await signInCertificateUser(app, ['deploy'])
    const roleId = (await admin.get(`/api/admin/users/${person.user.id}`))
      .json<{ user: { roles: { id: string; name: string }[] } }>()
      .user.roles.find(({ name }) => name.startsWith('role of'))?.id
    const host = await newHost(app, admin, { allowedRoles: [roleId] })
    await issue(person, await saveKey(person))
    assert.deepEqual(
      (await disable(admin, person.user.id)).receipt.told.map(({ id }) => id),
      [host.id],
    )
  })

  test('is given up when it is deleted', async (t) => {
    const { app, admin } = await setUp(t)
    const host = await newHost(app, admin, { name: 'old' })
    const { user } = await newHolder(app)
    await disable(admin, user.id)
    assert.equal((await admin.delete(`/api/ssh/hosts/${host.id}`)).statusCode, 200)
    const at = app.clock.now()
    assert.deepEqual((await receiptOf(admin, user.id)).told, [
      { kind: 'host', id: host.id, name: 'old', state: 'given_up', at, sessionsClosed: null },
    ])
  })

  test('is given up when it was not here for 24 hours, or when the certificates have run out', async (t) => {
    const { app, admin: first } = await setUp(t)
    const away = await newHost(app, first)
    app.clock.advance(DAY)
    const admin = await signedInPerson(app, { admin: true })
    const host = await newHost(app, admin)
    const { user } = await newHolder(app, 600)
    await disable(admin, user.id)
    const states = async () => new Map((await hostsOf(admin, user.id)).map(({ id, state }) => [id, state]))
    assert.deepEqual(
      await states(),
      new Map([
        [away.id, 'given_up'],
        [host.id, 'waiting'],
      ]),
    )
    app.clock.advance(9 * MINUTE)
    await app.tick()
    assert.equal((await states()).get(host.id), 'waiting')
    app.clock.advance(MINUTE)
    await app.tick()
    assert.equal((await states()).get(host.id), 'given_up')
  })

  test('is given up when it has been away for 24 hours since the disable', async (t) => {
    const { app, admin } = await setUp(t)
    const host = await newHost(app, admin)
    const { user } = await newHolder(app)
    await app.services.db.transaction((trx) =>
      trx
        .updateTable('ssh_certificates')
        .set({ valid_before: app.clock.now() + 10 * DAY })
        .execute(),
    )
    await disable(admin, user.id)
    app.clock.advance(DAY - MINUTE)
    await app.tick()
    const later = await signedInPerson(app, { admin: true })
    assert.equal((await hostsOf(later, user.id))[0]?.state, 'waiting')
    app.clock.advance(MINUTE)
    await app.tick()
    assert.deepEqual(
      (await hostsOf(later, user.id)).map(({ id, state }) => [id, state]),
      [[host.id, 'given_up']],
    )
  })
})
