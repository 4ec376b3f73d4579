import assert from 'node:assert/strict'
import { once } from 'node:events'
import { get } from 'node:http'
import { test } from 'node:test'
import { updateUser } from '../../../src/identity/users/user-store.ts'
import { runCommand } from '../../../src/operations/control/commands.ts'
import { jointTag } from '../../../src/ssh/hosts/host-lists.ts'
import { raiseKrlVersion } from '../../../src/ssh/revocation/revocation-store.ts'
import type { Trx } from '../../../src/storage/database.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { onEachEngine } from '../../support/engines.ts'
import { anonymous, signedInPerson } from '../../support/people.ts'
import { until } from '../../support/replicas.ts'
import { issue, saveKey, signInCertificateManager } from '../public-keys.ts'
import { createHost, enroll, hostWith } from './managed-host.ts'

const URL = '/ssh/krl?format=krl'
const etagOf = async (app: TestApp) => String((await anonymous(app).get(URL)).headers['etag'])
const wait = (app: TestApp, etag: string) => anonymous(app).get(`${URL}&wait=${encodeURIComponent(etag)}`)
const waiting = (app: TestApp, count: number) => until(async () => app.services.longPolls.count() === count)

onEachEngine('a request that waits', (engine) => {
  test('for the revocation list is answered when the list changes, on every replica', async (t) => {
    const app = await startApp(t, { engine })
    const other = engine === 'postgres' ? await startApp(t, { engine, storage: app.storage, clock: app.clock }) : app
    const person = await signInCertificateManager(app)
    const { id } = await issue(person, await saveKey(person))
    const etag = await etagOf(app)
    const [here, there] = [wait(app, etag), wait(other, etag)]
    await until(async () => app.services.longPolls.count() + other.services.longPolls.count() >= 2)
    await app.tick()
    assert.ok(app.services.longPolls.count() > 0, 'nothing has changed yet')
    await person.post(`/api/ssh/certs/${id}/revoke`, {})
    await app.tick()
    await other.tick()
    for (const answer of [await here, await there]) {
      assert.equal(answer.statusCode, 200)
      assert.notEqual(answer.headers['etag'], etag)
      assert.deepEqual(answer.rawPayload, (await anonymous(app).get(URL)).rawPayload)
    }
  })

  test('is answered with 304 after 55 seconds, and when a revoked certificate expires with the shorter list', async (t) => {
    const app = await startApp(t, { engine })
    const person = await signInCertificateManager(app)
    const { id } = await issue(person, await saveKey(person), 100)
    await person.post(`/api/ssh/certs/${id}/revoke`, {})
    const etag = await etagOf(app)
    const first = wait(app, etag)
    await waiting(app, 1)
    app.clock.advance(54_999)
    await app.tick()
    assert.equal(app.services.longPolls.count(), 1)
    app.clock.advance(1)
    await app.tick()
    assert.deepEqual([(await first).statusCode, (await first).headers['etag']], [304, etag])
    const second = wait(app, etag)
    await waiting(app, 1)
    app.clock.advance(45_000)
    await app.tick()
    assert.equal((await second).statusCode, 200)
  })

  test('for any other value is answered at once, with or without quotes and W/, and If-None-Match is ignored', async (t) => {
    const app = await startApp(t, { engine })
    const etag = await etagOf(app)
    for (const other of ['x', '', '"x"', '*', 'x'.repeat(1000)])
      assert.equal((await wait(app, other)).statusCode, 200, other)
    const ignored = await anonymous(app).get(`${URL}&wait=x`, undefined, { 'if-none-match': etag })
    assert.equal(ignored.statusCode, 200)
    const bare = etag.replace(/^W\//, '').replaceAll('"', '')
    const forms = [etag, bare, `"${bare}"`].map((form) => wait(app, form))
    await waiting(app, 3)
    await app.close()
    for (const answer of await Promise.all(forms)) assert.equal(answer.statusCode, 304)
  })

  test('counts up to 64 by address, and with the token of a host by that host', async (t) => {
    const app = await startApp(t, { engine })
    const admin = await signedInPerson(app, { admin: true })
    const { hostToken } = await enroll(app, (await createHost(admin)).enrollmentToken)
    const etag = await etagOf(app)
    const polls = Array.from({ length: 64 }, () => wait(app, etag))
    await waiting(app, 64)
    assert.equal((await wait(app, etag)).statusCode, 304, 'at once')
    polls.push(hostWith(app, hostToken).get(`${URL}&wait=${encodeURIComponent(etag)}`))
    await waiting(app, 65)
    await app.close()
    assert.ok((await Promise.all(polls)).every(({ statusCode }) => statusCode === 304))
  })

  test('is counted no longer when its client has gone', async (t) => {
    const app = await startApp(t, { engine })
    const etag = await etagOf(app)
    const url = `${await app.listen()}${URL}&wait=${encodeURIComponent(etag)}`
    const open = () => get(url, { agent: false }).on('error', () => {})
    const calls = Array.from({ length: 64 }, open)
    await waiting(app, 64)
    for (const call of calls) call.destroy()
    await waiting(app, 0)
    const last = open()
    await waiting(app, 1)
    await app.tick()
    assert.equal(app.services.longPolls.count(), 1, 'its address has room again')
    const answered = once(last, 'response')
    await app.services.longPolls.close()
    const [answer] = (await answered) as [{ statusCode: number; resume(): void }]
    answer.resume()
    assert.equal(answer.statusCode, 304)
  })

  test('for principals is answered when a role is given, and with an empty list when the host is deleted', async (t) => {
    const app = await startApp(t, { engine })
    const admin = await signedInPerson(app, { admin: true })
    const { host, enrollmentToken } = await createHost(admin)
    const { hostToken } = await enroll(app, enrollmentToken)
    const agent = hostWith(app, hostToken)
    const first = await agent.get('/ssh/hosts/principals')
    const again = () => agent.get(`/ssh/hosts/principals?wait=${encodeURIComponent(String(first.headers['etag']))}`)
    const changed = again()
    await waiting(app, 1)
    const person = await signedInPerson(app, { permissions: ['ssh:cert:issue'] })
    app.clock.advance(1000)
    await app.tick()
    const { accounts } = (await changed).json<{ accounts: Record<string, string[]> }>()
    assert.deepEqual(accounts[person.user.preferredUsername], [person.user.preferredUsername])
    const etag = String((await changed).headers['etag'])
    const doomed = agent.get(`/ssh/hosts/principals?wait=${encodeURIComponent(etag)}`)
    await waiting(app, 1)
    await admin.delete(`/api/ssh/hosts/${host.id}`)
    app.clock.advance(1000)
    await app.tick()
    assert.deepEqual((await doomed).json(), { accounts: {} })
  })

  test('for principals with a token that has ended meanwhile is refused', async (t) => {
    const app = await startApp(t, { engine })
    const admin = await signedInPerson(app, { admin: true })
    const { host, enrollmentToken } = await createHost(admin)
    const agent = hostWith(app, (await enroll(app, enrollmentToken)).hostToken)
    const { etag } = (await agent.get('/ssh/hosts/principals')).headers
    const poll = agent.get(`/ssh/hosts/principals?wait=${encodeURIComponent(String(etag))}`)
    await waiting(app, 1)
    await admin.post(`/api/ssh/hosts/${host.id}/enrollment`, { revoke: true })
    await signedInPerson(app, { permissions: ['ssh:cert:issue'] })
    app.clock.advance(1000)
    await app.tick()
    assert.equal((await poll).statusCode, 401)
  })

  test('for both lists of a host is answered with the ETags of both, at once for any other value, or with 304 after 55 seconds', async (t) => {
    const app = await startApp(t, { engine })
    const admin = await signedInPerson(app, { admin: true })
    const agent = hostWith(app, (await enroll(app, (await createHost(admin)).enrollmentToken)).hostToken)
    const tagOf = async (url: string) => String((await agent.get(url)).headers['etag'])
    const current = { krl: await tagOf(URL), principals: await tagOf('/ssh/hosts/principals') }
    const both = (tags: Record<string, string>) => agent.get(`/ssh/hosts/wait?${new URLSearchParams(tags).toString()}`)
    for (const tags of [{}, { krl: current.krl }, { ...current, krl: 'x' }, { ...current, principals: 'x' }]) {
      const answer = await both(tags)
      assert.equal(answer.statusCode, 200)
      assert.deepEqual(answer.json(), current)
    }
    const bare = (tag: string) => tag.replace(/^W\//, '').replaceAll('"', '')
    const polls = [both(current), both({ krl: bare(current.krl), principals: bare(current.principals) })]
    await waiting(app, 2)
    app.clock.advance(54_999)
    await app.tick()
    assert.equal(app.services.longPolls.count(), 2)
    app.clock.advance(1)
    await app.tick()
    for (const answer of polls) assert.deepEqual([(await answer).statusCode, (await answer).body], [304, ''])
    assert.equal((await hostWith(app, 'ht_wrong').get('/ssh/hosts/wait')).statusCode, 401)
  })

  test('is answered when the keys of the CA change, where it has their tag', async (t) => {
    const app = await startApp(t, { engine })
    const admin = await signedInPerson(app, { admin: true })
    const agent = hostWith(app, (await enroll(app, (await createHost(admin)).enrollmentToken)).hostToken)
    const asked = (tags: object) => agent.get(`/ssh/hosts/wait?${new URLSearchParams({ ...tags }).toString()}`)
    const tagOfKeys = async () => (await agent.get('/ssh/ca.pub?trusted=all')).headers['etag']
    const first = (await asked({ ca: '' })).json<Record<string, string>>()
    assert.deepEqual(Object.keys(first), ['krl', 'principals', 'ca'])
    assert.equal(first['ca'], await tagOfKeys())
    const all = (await asked({ ca: '', accounts: '' })).json<Record<string, string>>()
    assert.deepEqual(Object.keys(all), ['krl', 'principals', 'accounts', 'ca'])
    const unchanged = asked(first)
    await waiting(app, 1)
    app.clock.advance(55_000)
    await app.tick()
    const { statusCode, headers } = await unchanged
    assert.deepEqual([statusCode, headers['etag']], [304, jointTag(...Object.values(first))])
    const polls = [asked(first), asked(all)]
    await waiting(app, 2)
    await runCommand(app.services, { name: 'rotate-ssh-ca', how: 'publish', trustedForMs: 0 })
    await app.tick()
    for (const poll of polls) {
      const answer = await poll
      assert.equal(answer.statusCode, 200)
      assert.notEqual(answer.json<Record<string, string>>()['ca'], first['ca'])
      assert.equal(answer.json<Record<string, string>>()['ca'], await tagOfKeys())
    }
  })

  test('is answered within a minute when the signal of a change was lost, and within a second after a lost one of a revocation', async (t) => {
    const app = await startApp(t, { engine })
    const admin = await signedInPerson(app, { admin: true })
    const { hostToken } = await enroll(app, (await createHost(admin)).enrollmentToken)
    const agent = hostWith(app, hostToken)
    const again = async (tags: object) => {
      const poll = agent.get(`/ssh/hosts/wait?${new URLSearchParams({ ...tags }).toString()}`)
      await waiting(app, 1)
      return poll
    }
    const first = (await agent.get('/ssh/hosts/wait')).json<{ krl: string; principals: string }>()
    // Some seconds later, so that the list is too old before the request has waited for 55.
    app.clock.advance(10_000)
    const changed = again(first)
    await waiting(app, 1)
    const silently = (work: (trx: Trx) => Promise<unknown>) =>
      app.services.db.transaction((trx) => work(Object.assign(trx, { signal: () => {} })))
    await silently((trx) => updateUser(trx, admin.user.id, { preferred_username: 'renamed' }))
    await app.tick()
    assert.equal(app.services.longPolls.count(), 1, 'nobody has said so')
    app.clock.advance(45_000)
    await app.tick()
    const second = (await changed).json<{ krl: string; principals: string }>()
    assert.notEqual(second.principals, first.principals)
    const revoked = again(second)
    await waiting(app, 1)
    await silently((trx) => raiseKrlVersion(trx))
    app.clock.advance(1000)
    await app.tick()
    assert.notEqual((await revoked).json<{ krl: string }>().krl, second.krl)
  })

  test('reads the accounts of hosts once for all of them, and never while nothing changes', async (t) => {
    const app = await startApp(t, { engine })
    const admin = await signedInPerson(app, { admin: true })
    const hosts = await Promise.all(
      Array.from({ length: 12 }, async () => {
        const { hostToken } = await enroll(app, (await createHost(admin)).enrollmentToken)
        return hostWith(app, hostToken)
      }),
    )
    const tags = (await hosts[0]?.get('/ssh/hosts/wait'))?.json<Record<string, string>>()
    const polls = hosts.map((host) => host.get(`/ssh/hosts/wait?${new URLSearchParams(tags).toString()}`))
    await waiting(app, hosts.length)
    // What runs once a minute, such as the demands of roles that begin, has run.
    await app.tick()
    const reads = t.mock.method(app.services.db.read, 'selectFrom')
    const readsOfRoles = () => reads.mock.calls.filter((call) => call.arguments.includes('roles')).length
    for (let second = 0; second < 20; second++) {
      app.clock.advance(1000)
      await app.tick()
    }
    assert.equal(readsOfRoles(), 0)
    assert.equal(app.services.longPolls.count(), hosts.length)
    await app.services.db.transaction((trx) => updateUser(trx, admin.user.id, { preferred_username: 'renamed' }))
    for (const answer of polls) assert.equal((await answer).statusCode, 200)
    assert.equal(readsOfRoles(), 1)
  })
})
