import assert from 'node:assert/strict'
import { before, beforeEach, test } from 'node:test'
import type { Role } from '../../../src/identity/roles/role.ts'
import { giveNumbers, skipNumbers } from '../../../src/ssh/accounts/account-store.ts'
import type { HostAccount } from '../../../src/ssh/accounts/list-host-accounts.ts'
import { sharedApp, startApp, type TestApp } from '../../support/app.ts'
import { onEachEngine } from '../../support/engines.ts'
import { type SignedInPerson, signedInPerson } from '../../support/people.ts'
import { until } from '../../support/replicas.ts'
import { createHost, enroll, hostWith } from '../hosts/managed-host.ts'
import { roleGiver } from '../issuing/role-gifts.ts'

const DAY = 24 * 3_600_000

onEachEngine('accounts on hosts', (engine) => {
  const shared = sharedApp({ engine })
  let app: TestApp
  let admin: SignedInPerson
  let roles: ReturnType<typeof roleGiver>
  let admits: Role
  before(async () => {
    app = shared()
    admin = await signedInPerson(app, { admin: true })
    roles = roleGiver(app, admin)
  })
  beforeEach(async () => {
    admits = await roles.create({ permissions: ['ssh:cert:issue'] })
  })

  const managedHost = async (allowedRoles: string[] | null = [admits.id], content: object = {}) => {
    const { host, enrollmentToken } = await createHost(admin, { allowedRoles, accounts: 'managed', ...content })
    const { hostToken } = await enroll(app, enrollmentToken)
    const agent = hostWith(app, hostToken)
    const list = async () => {
      const answer = await agent.get('/ssh/hosts/accounts')
      assert.equal(answer.statusCode, 200, answer.body)
      return answer.json<{ accounts: HostAccount[] }>().accounts
    }
    const find = async ({ user }: SignedInPerson) => (await list()).find(({ name }) => name === user.preferredUsername)
    return { id: host.id, agent, list, find, change: (body: object) => admin.patch(`/api/ssh/hosts/${host.id}`, body) }
  }
  const person = async (...held: Role[]) => {
    const made = await signedInPerson(app, {})
    await roles.assign(made, ...held)
    return made
  }

  test('are listed for everybody who may log in, with a number that is the same on all hosts', async () => {
    const [first, second] = [await managedHost(), await managedHost()]
    const ada = await person(admits)
    await admin.patch(`/api/admin/users/${ada.user.id}`, { displayName: 'Ada "L": ü' })
    const stranger = await person()
    const listed = await first.find(ada)
    assert.ok(listed && listed.uid >= 66_000 && listed.uid <= 99_999)
    assert.deepEqual(listed, {
      name: ada.user.preferredUsername,
      uid: listed.uid,
      displayName: 'Ada "L": ü',
      locked: false,
      sudo: 'none',
    })
    assert.deepEqual(await second.find(ada), listed)
    assert.equal(await first.find(stranger), undefined)
    const other = await person(admits)
    assert.equal((await second.find(other))?.uid, (await first.find(other))?.uid)
    assert.notEqual((await first.find(other))?.uid, listed.uid)
  })

  test('have the sudo of all roles that the host admits, and of no others', async () => {
    const few = await roles.create({ ssh: { sudo: ['/usr/bin/id', '/usr/bin/who *'] } })
    const more = await roles.create({ ssh: { sudo: ['/usr/bin/id', '/bin/ls'] } })
    const all = await roles.create({ ssh: { sudo: 'all' } })
    const ada = await person(admits, few, more, all)
    const sudoAt = async (...admitted: Role[]) => {
      const host = await managedHost([admits.id, ...admitted.map(({ id }) => id)])
      return (await host.find(ada))?.sudo
    }
    assert.equal(await sudoAt(), 'none')
    assert.deepEqual(await sudoAt(few, more), ['/bin/ls', '/usr/bin/id', '/usr/bin/who *'])
    assert.equal(await sudoAt(few, all), 'all')
    assert.equal((await (await managedHost(null)).find(ada))?.sudo, 'all')
  })

  test('of people who may no longer log in are locked, and come back with the same number', async () => {
    const host = await managedHost()
    const ada = await person(admits)
    const uid = (await host.find(ada))?.uid
    const lifecycle = (action: string) => admin.post(`/api/admin/users/${ada.user.id}/lifecycle`, { action })
    const ways: [string, () => Promise<unknown>, () => Promise<unknown>][] = [
      ['disabled', () => lifecycle('disable'), () => lifecycle('enable')],
      ['without the role', () => roles.unassign(ada, admits), () => roles.assign(ada, admits)],
      [
        'without the permission',
        () => admin.delete(`/api/admin/roles/${admits.id}/permissions/ssh:cert:issue`),
        () => admin.post(`/api/admin/roles/${admits.id}/permissions`, { permissionId: 'ssh:cert:issue' }),
      ],
    ]
    for (const [what, lose, gain] of ways) {
      await lose()
      assert.deepEqual([(await host.find(ada))?.locked, (await host.find(ada))?.uid], [true, uid], what)
      await gain()
      assert.deepEqual([(await host.find(ada))?.locked, (await host.find(ada))?.uid], [false, uid], what)
    }
  })

  test('of deleted people are locked for 90 days, without their display name, and the number is never given again', async (t) => {
    const fresh = await startApp(t, { engine })
    const boss = await signedInPerson(fresh, { admin: true })
    const { enrollmentToken } = await createHost(boss, { accounts: 'managed' })
    const agent = hostWith(fresh, (await enroll(fresh, enrollmentToken)).hostToken)
    const list = async () => (await agent.get('/ssh/hosts/accounts')).json<{ accounts: HostAccount[] }>().accounts
    const join = () => signedInPerson(fresh, { permissions: ['ssh:cert:issue'] })
    const ada = await join()
    const own = (await list()).find(({ name }) => name === ada.user.preferredUsername)
    assert.ok(own)
    assert.equal((await boss.delete(`/api/admin/users/${ada.user.id}`)).statusCode, 200)
    const gone = { ...own, displayName: '', locked: true }
    assert.deepEqual(
      (await list()).find(({ uid }) => uid === own.uid),
      gone,
    )
    fresh.clock.advance(89 * DAY)
    assert.deepEqual(
      (await list()).find(({ uid }) => uid === own.uid),
      gone,
    )
    fresh.clock.advance(2 * DAY)
    assert.ok((await list()).every(({ uid }) => uid !== own.uid))
    const rows = await fresh.services.db.read
      .selectFrom('ssh_host_accounts')
      .select(['uid', 'name'])
      .where('uid', '=', own.uid)
      .execute()
    assert.deepEqual(rows, [{ uid: own.uid, name: null }])
  })

  test('follow a new username with the same number', async () => {
    const host = await managedHost()
    const ada = await person(admits)
    const before = await host.find(ada)
    const name = `renamed-${before?.uid}`
    await admin.patch(`/api/admin/users/${ada.user.id}`, { preferredUsername: name })
    const now = (await host.list()).filter(({ uid }) => uid === before?.uid)
    assert.deepEqual(now, [{ ...before, name }])
  })

  test('are none where the host has its own, where it was deleted, and for a name that is also a principal', async () => {
    const host = await managedHost()
    const ada = await person(admits)
    assert.ok(await host.find(ada))
    assert.equal((await host.change({ accounts: 'existing' })).statusCode, 200)
    assert.deepEqual(await host.list(), [])
    await host.change({ accounts: 'managed' })
    assert.equal((await host.find(ada))?.locked, false)
    const clash = await roles.create({})
    await app.services.db.transaction((trx) =>
      trx
        .updateTable('roles')
        .set({ principals: JSON.stringify([ada.user.preferredUsername]) })
        .where('id', '=', clash.id)
        .execute(),
    )
    await roles.assign(await person(), clash)
    assert.equal((await host.find(ada))?.locked, true)
    assert.equal((await admin.delete(`/api/ssh/hosts/${host.id}`)).statusCode, 200)
    assert.deepEqual(await host.list(), [])
  })

  test('are told only to hosts, with a tag', async () => {
    const host = await managedHost()
    await person(admits)
    assert.equal((await admin.get('/ssh/hosts/accounts')).statusCode, 401)
    const answer = await host.agent.get('/ssh/hosts/accounts')
    const again = await host.agent.get('/ssh/hosts/accounts', { 'if-none-match': String(answer.headers.etag) })
    assert.equal(again.statusCode, 304)
  })

  test('wake a host that waits for all of its lists, and one that does not ask for them sees two', async () => {
    const host = await managedHost()
    const ada = await person(admits)
    const current = (await host.agent.get('/ssh/hosts/wait?krl=x&accounts=')).json<Record<string, string>>()
    assert.deepEqual(Object.keys(current), ['krl', 'principals', 'accounts'])
    assert.equal(current['accounts'], (await host.agent.get('/ssh/hosts/accounts')).headers.etag)
    assert.deepEqual(Object.keys((await host.agent.get('/ssh/hosts/wait?krl=x')).json()), ['krl', 'principals'])
    const query = Object.entries(current)
      .map(([name, tag]) => `${name}=${encodeURIComponent(tag)}`)
      .join('&')
    const changes = [
      () => roles.change(admits, { ssh: { sudo: ['/usr/bin/id'] } }),
      () => host.change({ accounts: 'existing' }),
      () => host.change({ accounts: 'managed' }),
      () => admin.post(`/api/admin/users/${ada.user.id}/lifecycle`, { action: 'disable' }),
    ]
    let known = query
    for (const change of changes) {
      const waiting = host.agent.get(`/ssh/hosts/wait?${known}`)
      await until(async () => app.services.longPolls.count() === 1)
      await change()
      const answer = await waiting
      assert.equal(answer.statusCode, 200, answer.body)
      const tags = answer.json<Record<string, string>>()
      assert.equal(tags['accounts'], (await host.agent.get('/ssh/hosts/accounts')).headers.etag)
      known = Object.entries(tags)
        .map(([name, tag]) => `${name}=${encodeURIComponent(tag)}`)
        .join('&')
    }
  })

  test('of which two replicas hear at once get different numbers, each person one', async (t) => {
    // SQLite has one process, in which two reads can still meet.
    const one = app
    const two = engine === 'postgres' ? await startApp(t, { engine, storage: app.storage, clock: app.clock }) : app
    const host = await managedHost()
    const { headers } = await host.agent.get('/ssh/hosts/accounts')
    assert.ok(headers.etag)
    const ids = Array.from({ length: 40 }, (_, at) => `nobody-${at}`)
    await Promise.all([
      giveNumbers(one.services.db, ids.slice(0, 30)),
      giveNumbers(two.services.db, ids.slice(10)),
      giveNumbers(one.services.db, ids.toReversed()),
    ])
    const rows = await app.services.db.read
      .selectFrom('ssh_host_accounts')
      .select(['uid', 'user_id'])
      .where('user_id', 'like', 'nobody-%')
      .execute()
    assert.equal(rows.length, 40)
    assert.equal(new Set(rows.map(({ uid }) => uid)).size, 40)
  })

  test('are left out once all numbers are given, which the log says', async (t) => {
    const fresh = await startApp(t, { engine })
    const boss = await signedInPerson(fresh, { admin: true })
    const { enrollmentToken } = await createHost(boss, { accounts: 'managed' })
    const agent = hostWith(fresh, (await enroll(fresh, enrollmentToken)).hostToken)
    const list = async () => (await agent.get('/ssh/hosts/accounts')).json<{ accounts: HostAccount[] }>().accounts
    const [{ uid: ofAdmin } = { uid: 0 }] = await list()
    assert.equal(ofAdmin, 66_000)
    await fresh.services.db.transaction((trx) =>
      trx.updateTable('counters').set({ value: 99_998n }).where('name', '=', 'ssh_account_uid').execute(),
    )
    await Promise.all([1, 2].map(() => signedInPerson(fresh, { permissions: ['ssh:cert:issue'] })))
    assert.deepEqual(
      (await list()).map(({ uid }) => uid),
      [66_000, 99_999],
    )
    assert.match(fresh.logged(), /All numbers for accounts on hosts are given/)
    assert.equal(await giveNumbers(fresh.services.db, ['somebody']), 1)
  })

  test('after a restore get numbers that nobody had before', async () => {
    const host = await managedHost()
    const ada = await person(admits)
    const before = await host.find(ada)
    await app.services.db.transaction(skipNumbers)
    const other = await person(admits)
    assert.ok(((await host.find(other))?.uid ?? 0) > (before?.uid ?? 0) + 1000)
  })

  test('that a host could not make, and what root allows there, are in its record', async () => {
    const host = await managedHost()
    const record = async () => (await admin.get(`/api/ssh/hosts/${host.id}`)).json().host
    const { accounts, conflicts, allows } = await record()
    assert.deepEqual([accounts, conflicts, allows], ['managed', [], null])
    const report = (more: object) =>
      host.agent.post('/ssh/hosts/report', { krlVersion: 'x', sshdVersion: 'OpenSSH', ...more })
    const taken = [{ name: 'postgres', uid: 66_001 }]
    assert.equal((await report({ conflicts: taken, allows: { accounts: true, sudo: false } })).statusCode, 200)
    assert.equal((await report({})).statusCode, 200)
    const said = await record()
    assert.deepEqual([said.conflicts, said.allows], [taken, { accounts: true, sudo: false }])
    await report({ conflicts: [] })
    assert.deepEqual((await record()).conflicts, [])
  })

  test('give sudo to nobody by their own change of a host or a role, except an administrator', async () => {
    const sudo = await roles.create({ permissions: ['ssh:cert:issue'], ssh: { sudo: 'all' } })
    const manager = await signedInPerson(app, { permissions: ['ssh:hosts:manage', 'roles:read', 'roles:write'] })
    await roles.assign(manager, sudo)
    const here = await managedHost([sudo.id], { accounts: 'existing' })
    const url = `/api/ssh/hosts/${here.id}`
    const refused = await manager.patch(url, { accounts: 'managed' })
    assert.equal(refused.statusCode, 403, refused.body)
    assert.equal(refused.json().reason, 'own_access_sudo')
    assert.equal((await admin.patch(url, { accounts: 'managed' })).statusCode, 200)
    assert.equal((await manager.patch(url, { accounts: 'existing' })).statusCode, 200, 'to lose it is no gain')
    const open = { name: `New ${here.id}`, hostnames: [`new-${here.id}.example.com`], accounts: 'managed' }
    assert.equal((await manager.post('/api/ssh/hosts', open)).statusCode, 201, 'a host that nobody knew')

    await roles.assign(manager, admits)
    const there = await managedHost([admits.id])
    const given = await manager.patch(`/api/admin/roles/${admits.id}`, { ssh: { sudo: ['/usr/bin/id'] } })
    assert.equal(given.statusCode, 403, given.body)
    const admitted = await manager.patch(`/api/ssh/hosts/${there.id}`, { allowedRoles: [admits.id, sudo.id] })
    assert.equal(admitted.statusCode, 403, admitted.body)
    const other = await roles.create({ permissions: ['ssh:cert:issue'] })
    const elsewhere = await managedHost([other.id])
    const away = await manager.patch(`/api/ssh/hosts/${elsewhere.id}`, { accounts: 'existing' })
    assert.equal(away.statusCode, 200, away.body)
  })
})
