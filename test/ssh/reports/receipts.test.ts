import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bareTag, createHostLists } from '../../../src/ssh/hosts/host-lists.ts'
import { findKrlVersion } from '../../../src/ssh/revocation/revocation-store.ts'
import type { Database } from '../../../src/storage/database.ts'
import { createEmitter } from '../../../src/storage/signals.ts'
import { lifecycleOf } from '../../identity/lifecycle/actions.ts'
import { disable, receiptOf } from '../../identity/receipts/receivers.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { onEachEngine } from '../../support/engines.ts'
import { type SignedInPerson, signedInPerson } from '../../support/people.ts'
import { enroll, hostWith } from '../hosts/managed-host.ts'
import { issue, saveKey, signInCertificateUser } from '../public-keys.ts'
import { endOf, newReportingHost, sessionOf } from './reporting-host.ts'

onEachEngine('the receipt of a disable, of a host that reports all it has in force', (engine) => {
  async function setUp(t: Parameters<typeof startApp>[0]) {
    const app = await startApp(t, { engine })
    const admin = await signedInPerson(app, { admin: true })
    const host = await newReportingHost(app, admin)
    return { app, admin, host }
  }
  async function newHolder(app: TestApp) {
    const person = await signInCertificateUser(app)
    const certificate = await issue(person, await saveKey(person))
    return { person, id: person.user.id, certificate, own: person.user.preferredUsername }
  }
  const entryOf = async (admin: SignedInPerson, userId: string) => {
    const [{ state, sessionsClosed } = { state: 'none', sessionsClosed: undefined }] = (await receiptOf(admin, userId))
      .told
    return { state, sessionsClosed }
  }
  const stateOf = async (admin: SignedInPerson, userId: string) => (await entryOf(admin, userId)).state
  const enable = async (admin: SignedInPerson, userId: string) => {
    const answer = await admin.post(lifecycleOf(userId), { action: 'enable' })
    assert.equal(answer.statusCode, 200, answer.body)
  }

  test('is waited for until both of its lists are at or after the disable, in either order', async (t) => {
    const { app, admin, host } = await setUp(t)
    const [first, second] = [await newHolder(app), await newHolder(app)]
    await host.fetchKrl()
    await host.fetchPrincipals()
    await host.report({})
    await disable(admin, first.id)
    await host.report({})
    assert.equal(await stateOf(admin, first.id), 'waiting')
    await host.fetchKrl()
    await host.report({})
    assert.equal(await stateOf(admin, first.id), 'waiting')
    await host.report({ principalsVersion: 'made-up' })
    assert.equal(await stateOf(admin, first.id), 'waiting')
    await host.fetchPrincipals()
    await host.report({})
    assert.equal(await stateOf(admin, first.id), 'acknowledged')
    await disable(admin, second.id)
    await host.fetchPrincipals()
    await host.report({})
    assert.equal(await stateOf(admin, second.id), 'waiting')
    await host.fetchKrl()
    await host.report({})
    assert.equal(await stateOf(admin, second.id), 'acknowledged')
  })

  test('is acknowledged by an older host with its revocation list alone, until it has reported the other one once', async (t) => {
    const { app, admin, host } = await setUp(t)
    const [first, second, third] = [await newHolder(app), await newHolder(app), await newHolder(app)]
    const old = { principalsVersion: undefined }
    await disable(admin, first.id)
    await host.fetchKrl()
    await host.report(old)
    assert.equal(await stateOf(admin, first.id), 'acknowledged')
    await host.fetchPrincipals()
    await host.report({})
    await disable(admin, second.id)
    await host.fetchKrl()
    await host.report(old)
    assert.equal(await stateOf(admin, second.id), 'waiting')
    const { enrollmentToken } = (await admin.post(`/api/ssh/hosts/${host.id}/enrollment`, {})).json<{
      enrollmentToken: string
    }>()
    const again = hostWith(app, (await enroll(app, enrollmentToken)).hostToken)
    await disable(admin, third.id)
    const report = { krlVersion: await host.fetchKrl(), sshdVersion: 'OpenSSH_8.2' }
    assert.equal((await again.post('/ssh/hosts/report', report)).statusCode, 200)
    assert.deepEqual(
      [await stateOf(admin, second.id), await stateOf(admin, third.id)],
      ['acknowledged', 'acknowledged'],
    )
  })

  test('takes a list that has come back for what it is after the disable, and not for what it was before', async (t) => {
    const { app, admin, host } = await setUp(t)
    const { id, person } = await newHolder(app)
    const before = await host.fetchPrincipals()
    await host.report({})
    await disable(admin, id)
    await host.fetchKrl()
    await host.report({})
    assert.equal(await stateOf(admin, id), 'waiting')
    await enable(admin, id)
    // Who may log in is what it was before, and what the host has is what it should have.
    assert.equal(await host.fetchPrincipals(), before)
    await host.report({})
    assert.equal(await stateOf(admin, id), 'acknowledged')
    const again = await signInCertificateUser(app)
    await issue(again, await saveKey(again))
    const both = await host.fetchPrincipals()
    app.clock.advance(1000)
    await app.services.db.transaction((trx) =>
      trx.updateTable('ssh_certificates').set({ revoked_at: null }).where('user_id', '=', person.user.id).execute(),
    )
    await disable(admin, id)
    await host.fetchKrl()
    await host.report({ principalsVersion: both })
    await host.report({ principalsVersion: before })
    assert.equal(await stateOf(admin, id), 'waiting')
    await host.fetchPrincipals()
    await host.report({})
    assert.equal(await stateOf(admin, id), 'acknowledged')
  })

  test('is acknowledged with a list that the disable does not change', async (t) => {
    const { app, admin, host } = await setUp(t)
    const person = await signInCertificateUser(app, ['deploy'])
    await app.services.db.transaction(async (trx) => {
      // The account is opened by the principal, whoever holds the role; the username opens nothing, because a role gives it too.
      await trx
        .updateTable('roles')
        .set({
          ssh: JSON.stringify({ sourceAddresses: ['192.0.2.0/24'] }),
          principals: JSON.stringify(['deploy', person.user.preferredUsername]),
        })
        .where('name', 'like', 'role of%')
        .execute()
    })
    await issue(person, await saveKey(person))
    const before = await host.fetchPrincipals()
    await host.report({})
    await disable(admin, person.user.id)
    assert.equal(await host.fetchPrincipals(), before)
    assert.equal(await stateOf(admin, person.user.id), 'waiting')
    await host.fetchKrl()
    await host.report({})
    assert.equal(await stateOf(admin, person.user.id), 'acknowledged')
  })

  // SQLite has one process.
  if (engine === 'postgres')
    test('is acknowledged by a host that reports to another replica than the one that gave it the lists', async (t) => {
      const { app, admin, host } = await setUp(t)
      const replica = await startApp(t, { engine, storage: app.storage, clock: app.clock })
      const { id } = await newHolder(app)
      await host.fetchPrincipals(replica)
      await host.report({}, replica)
      await disable(admin, id)
      await host.fetchKrl(replica)
      await host.report({}, replica)
      assert.equal(await stateOf(admin, id), 'waiting')
      await host.fetchPrincipals(app)
      await host.report({}, replica)
      assert.equal(await stateOf(admin, id), 'acknowledged')
    })

  test('is not acknowledged by what a replica has read before, whatever it hears of the disable and whenever it reads', async (t) => {
    const { app, admin } = await setUp(t)
    const { db } = app.services
    const { id } = await newHolder(app)
    /** The lists of a replica that gets no signals, and that may be held up where it reads the version. */
    const replica = (holdUp?: (read: () => Promise<unknown[]>) => Promise<unknown[]>) => {
      const run: Database['read']['run'] = async (statement, parameters) => {
        const read = () => db.read.run(statement, parameters)
        return holdUp && statement.sql.includes('counters') ? holdUp(read) : read()
      }
      const selectFrom: Database['read']['selectFrom'] = db.read.selectFrom.bind(db.read)
      const read = Object.assign(Object.create(db.read) as Database['read'], { run, selectFrom })
      return createHostLists({ ...app.services, db: { ...db, read }, signals: createEmitter().signals })
    }
    const deaf = replica()
    const before = bareTag((await deaf.principals(null).fresh()).etag)
    const reached = Promise.withResolvers<void>()
    const disabled = Promise.withResolvers<void>()
    const heldUp = [
      replica(async (read) => {
        reached.resolve()
        await disabled.promise
        return read()
      }),
      replica(async (read) => {
        const rows = await read()
        await disabled.promise
        return rows
      }),
    ]
    const reading = heldUp.map((lists) => lists.principals(null).fresh())
    await reached.promise
    await disable(admin, id)
    disabled.resolve()
    await Promise.all(reading)
    const atLeast = (await findKrlVersion(db.read)) ?? 0n
    const isApplied = async (lists: typeof deaf, tag: string) =>
      ((await lists.findPrincipalsVersion(tag, { allowedRoles: null, atLeast })) ?? 0n) >= atLeast
    const after = bareTag((await replica().principals(null).fresh()).etag)
    assert.notEqual(after, before)
    for (const lists of [deaf, ...heldUp, replica()])
      assert.deepEqual([await isApplied(lists, before), await isApplied(lists, after)], [false, true])
  })

  test('counts the sessions that the host has ended since, and says that it is not known where the host can’t know', async (t) => {
    const { app, admin, host } = await setUp(t)
    const mute = await newReportingHost(app, admin, { name: 'z mute' })
    const [leaver, other] = [await newHolder(app), await newHolder(app)]
    await mute.report({ sessions: null })
    const sessions = [1, 2].map((at) =>
      sessionOf(app, leaver.certificate, { account: leaver.own, startedAt: app.clock.now() - at }),
    )
    const staying = sessionOf(app, other.certificate, { account: other.own })
    const earlier = sessionOf(app, leaver.certificate, { account: leaver.own, startedAt: app.clock.now() - 9 })
    await host.report({ sessions: [earlier, ...sessions, staying] })
    await host.report({ sessions: [...sessions, staying], ended: [endOf(earlier, app.clock.now())] })
    const { lifecycleActionId } = await disable(admin, leaver.id)
    assert.deepEqual(await entryOf(admin, leaver.id), { state: 'waiting', sessionsClosed: 0 })
    await host.fetchKrl()
    await host.fetchPrincipals()
    await host.report({
      sessions: [],
      ended: [...sessions, staying].map((session) => endOf(session, app.clock.now())),
    })
    assert.deepEqual(
      (await receiptOf(admin, leaver.id)).told.map(({ state, sessionsClosed }) => [state, sessionsClosed]),
      [
        ['acknowledged', 2],
        ['waiting', null],
      ],
    )
    const partial = await admin.get(`${lifecycleOf(leaver.id)}/${lifecycleActionId}/proof?partial=true`)
    const [, payload = ''] = partial.json<{ proof: string }>().proof.split('.')
    const { told } = JSON.parse(Buffer.from(payload, 'base64url').toString()) as { told: { sessionsClosed: unknown }[] }
    assert.deepEqual(
      told.map(({ sessionsClosed }) => sessionsClosed),
      [2, null],
    )
  })
})
