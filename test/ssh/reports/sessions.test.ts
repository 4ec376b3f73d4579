import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp, type TestApp } from '../../support/app.ts'
import { onEachEngine } from '../../support/engines.ts'
import { type SignedInPerson, signedInPerson } from '../../support/people.ts'
import { enroll, hostWith } from '../hosts/managed-host.ts'
import { issue, saveKey, signInCertificateUser } from '../public-keys.ts'
import { endOf, newReportingHost, sessionOf } from './reporting-host.ts'

const MINUTE = 60_000

onEachEngine('sessions that a host reports', (engine) => {
  async function setUp(t: Parameters<typeof startApp>[0]) {
    const app = await startApp(t, { engine })
    const admin = await signedInPerson(app, { admin: true })
    const host = await newReportingHost(app, admin)
    return { app, admin, host }
  }
  async function newHolder(app: TestApp, principals?: string[]) {
    const person = await signInCertificateUser(app, principals)
    const certificate = await issue(person, await saveKey(person))
    return { person, certificate, own: person.user.preferredUsername }
  }
  const endsOf = async (admin: SignedInPerson) =>
    (await admin.get('/api/admin/audit?action=ssh.session_ended')).json<{
      events: { targetId: string; data: Record<string, unknown>; ipAddress: string | null; actorId: null }[]
    }>().events
  const writesOf = async ({ services }: TestApp) =>
    (await services.db.read.selectFrom('ssh_host_sessions').selectAll().execute()).length

  test('are shown with the host, with the person and to the person, and each list replaces the one before', async (t) => {
    const { app, admin, host } = await setUp(t)
    const { person, certificate, own } = await newHolder(app)
    assert.equal(await host.sessions(), null)
    const first = sessionOf(app, certificate, { account: own })
    app.clock.advance(1000)
    const second = sessionOf(app, certificate, { account: own, sourceAddress: '2001:db8::7' })
    await host.report({ sessions: [first, second] })
    const shown = { hostId: host.id, hostName: host.name, userId: person.user.id }
    const expected = [
      { ...second, ...shown },
      { ...first, ...shown },
    ]
    assert.deepEqual(await host.sessions(), expected)
    const access = (await admin.get(`/api/admin/users/${person.user.id}/access`)).json<{ sshSessions: object[] }>()
    assert.deepEqual(access.sshSessions, expected)
    assert.deepEqual((await person.get('/api/ssh/my-sessions')).json(), { sshSessions: expected })
    assert.deepEqual((await admin.get('/api/ssh/my-sessions')).json(), { sshSessions: [] })
    assert.deepEqual((await admin.get(`/api/ssh/hosts/${host.id}`)).json<{ usernames: object }>().usernames, {
      [person.user.id]: own,
    })
    await host.report({})
    assert.equal((await host.sessions())?.length, 2)
    await host.report({ sessions: [first] })
    assert.deepEqual(await host.sessions(), [expected[1]])
    await host.report({ sessions: [] })
    assert.deepEqual(await host.sessions(), [])
    await host.report({ sessions: null })
    assert.equal(await host.sessions(), null)
    assert.deepEqual(await endsOf(admin), [])
  })

  test('that are alike are each shown', async (t) => {
    const { app, host } = await setUp(t)
    const { certificate, own } = await newHolder(app)
    const session = sessionOf(app, certificate, { account: own })
    await host.report({ sessions: [session, session, session] })
    assert.equal((await host.sessions())?.length, 3)
    await host.report({ sessions: [session, session] })
    assert.equal((await host.sessions())?.length, 2)
    await host.report({ sessions: [{ ...session, tty: 'pts/0' }, session, session, session] })
    assert.equal((await host.sessions())?.length, 4)
  })

  test('are stale when the host was not seen for two minutes', async (t) => {
    const { app, host } = await setUp(t)
    const { certificate, own } = await newHolder(app)
    await host.report({ sessions: [sessionOf(app, certificate, { account: own })] })
    app.clock.advance(2 * MINUTE - 1)
    assert.equal((await host.sessions())?.[0]?.stale, undefined)
    app.clock.advance(1)
    assert.equal((await host.sessions())?.[0]?.stale, true)
    await host.report({})
    assert.equal((await host.sessions())?.[0]?.stale, undefined)
  })

  test('are left out without a certificate of ours, outside of its time, and in accounts that it does not open', async (t) => {
    const { app, admin, host } = await setUp(t)
    const restricted = await newReportingHost(app, admin, { allowedRoles: [] })
    const { certificate, own } = await newHolder(app, ['deploy'])
    const { certificate: other } = await newHolder(app)
    const { validAfter, validBefore } = certificate
    const session = (content: object) => sessionOf(app, certificate, { account: own, ...content })
    await host.report({
      sessions: [
        session({}),
        session({ account: 'deploy' }),
        session({ startedAt: validAfter * 1000 - 2 * MINUTE }),
        session({ startedAt: validBefore * 1000 + 2 * MINUTE - 1 }),
        session({ startedAt: validAfter * 1000 - 2 * MINUTE - 1 }),
        session({ startedAt: validBefore * 1000 + 2 * MINUTE }),
        session({ account: 'root' }),
        session({ account: 'constructor' }),
        session({ account: '__proto__' }),
        session({ serial: other.serial }),
        session({ serial: '4711' }),
        session({ serial: '9'.repeat(20) }),
      ],
    })
    assert.deepEqual(
      (await host.sessions())?.map(({ account, startedAt }) => [account, startedAt]),
      [
        [own, validBefore * 1000 + 2 * MINUTE - 1],
        [own, app.clock.now()],
        ['deploy', app.clock.now()],
        [own, validAfter * 1000 - 2 * MINUTE],
      ],
    )
    await restricted.report({ sessions: [session({})] })
    assert.deepEqual(await restricted.sessions(), [])
  })

  test('of somebody who was disabled, or has lost the role, stay until they end, also when they are first reported then', async (t) => {
    const { app, admin, host } = await setUp(t)
    const disabled = await newHolder(app)
    const [known, late] = [await newHolder(app, ['deploy']), await newHolder(app, ['backup'])]
    await host.fetchPrincipals()
    await host.report({ sessions: [sessionOf(app, known.certificate)] })
    for (const { person } of [known, late]) {
      const roleId = (await admin.get(`/api/admin/users/${person.user.id}`))
        .json<{ user: { roles: { id: string; name: string }[] } }>()
        .user.roles.find(({ name }) => name.startsWith('role of'))?.id
      assert.equal((await admin.delete(`/api/admin/users/${person.user.id}/roles/${roleId}`)).statusCode, 200)
    }
    await admin.post(`/api/admin/users/${disabled.person.user.id}/lifecycle`, { action: 'disable' })
    // It has the new list by now, and its report before that named the list that let them in.
    await host.fetchPrincipals()
    await host.report({
      sessions: [
        sessionOf(app, known.certificate),
        sessionOf(app, late.certificate, { account: 'backup' }),
        sessionOf(app, disabled.certificate, { account: disabled.own }),
      ],
    })
    assert.deepEqual(
      (await host.sessions())?.map(({ account }) => account).toSorted(),
      ['backup', 'deploy', disabled.own].toSorted(),
    )
    await host.report({ sessions: [sessionOf(app, known.certificate)] })
    assert.equal((await host.sessions())?.length, 1)
  })

  test('count as ended once, for a session that was reported, whether or not the list comes with it', async (t) => {
    const { app, admin, host } = await setUp(t)
    const { person, certificate, own } = await newHolder(app)
    const session = sessionOf(app, certificate, { account: own })
    const other = { ...session, startedAt: session.startedAt + 1000 }
    const end = endOf(session, app.clock.now() + 5000)
    await host.report({ ended: [end] })
    assert.deepEqual(await endsOf(admin), [])
    await host.report({ sessions: [session, other] })
    await host.report({
      sessions: [session, other],
      ended: [end, { ...end, account: 'root' }, { ...end, serial: '4711' }],
    })
    assert.deepEqual(await endsOf(admin), [])
    const ended = { sessions: [other], ended: [end] }
    await host.report(ended)
    await host.report(ended)
    const [entry, ...more] = await endsOf(admin)
    assert.deepEqual(more, [])
    assert.deepEqual([entry?.targetId, entry?.actorId, entry?.ipAddress], [person.user.id, null, '127.0.0.1'])
    assert.deepEqual(entry?.data, {
      hostId: host.id,
      hostName: host.name,
      serial: certificate.serial,
      account: own,
      startedAt: session.startedAt,
      endedAt: end.at,
      sourceAddress: '192.0.2.7',
    })
    await host.report({ sessions: [session, other] })
    const alone = { ended: [endOf(session, end.at + 1)] }
    await host.report(alone)
    await host.report(alone)
    assert.equal((await endsOf(admin)).length, 2)
    assert.deepEqual(
      (await host.sessions())?.map(({ startedAt }) => startedAt),
      [other.startedAt],
    )
    await host.report({ sessions: [], ended: [...alone.ended, endOf(session, end.at + 1)] })
    assert.equal((await endsOf(admin)).length, 3)
    await host.report({ sessions: [], ended: [] })
    assert.equal((await endsOf(admin)).length, 3)
  })

  test('that two reports at once say are ended are counted once', async (t) => {
    const { app, admin, host } = await setUp(t)
    const { certificate, own } = await newHolder(app)
    const sessions = Array.from({ length: 5 }, () => sessionOf(app, certificate, { account: own }))
    await host.report({ sessions })
    const ended = sessions.map((session) => endOf(session, app.clock.now()))
    await Promise.all(Array.from({ length: 4 }, () => host.report({ sessions: [], ended })))
    assert.equal((await endsOf(admin)).length, 5)
    assert.deepEqual(await host.sessions(), [])
  })

  test('are not written again when nothing has changed', async (t) => {
    const { app, host } = await setUp(t)
    const { certificate, own } = await newHolder(app)
    const sessions = [
      sessionOf(app, certificate, { account: own }),
      sessionOf(app, certificate, { account: own, startedAt: app.clock.now() - 1 }),
      // One that is left out is not judged again each minute.
      sessionOf(app, certificate, { account: 'root' }),
    ]
    await host.report({ sessions, ended: [] })
    let transactions = 0
    const { db } = app.services
    const transaction = db.transaction
    t.mock.method(db, 'transaction', (work: Parameters<typeof transaction>[0]) => {
      transactions++
      return transaction(work)
    })
    await host.report({ sessions, ended: [] })
    await host.report({ sessions: sessions.toReversed(), ended: [] })
    await host.report({})
    assert.equal(transactions, 0)
    assert.equal(await writesOf(app), 2)
    await host.report({ sessions: sessions.slice(1) })
    assert.equal(transactions, 1)
  })

  test('go with their host, and are unknown again when it is enrolled anew', async (t) => {
    const { app, admin, host } = await setUp(t)
    const { person, certificate, own } = await newHolder(app)
    await host.report({ sessions: [sessionOf(app, certificate, { account: own })] })
    const { enrollmentToken } = (await admin.post(`/api/ssh/hosts/${host.id}/enrollment`, {})).json<{
      enrollmentToken: string
    }>()
    const { hostToken } = await enroll(app, enrollmentToken)
    assert.equal(await host.sessions(), null)
    assert.deepEqual((await person.get('/api/ssh/my-sessions')).json(), { sshSessions: [] })
    await hostWith(app, hostToken).post('/ssh/hosts/report', {
      krlVersion: 'none',
      sshdVersion: 'OpenSSH_10.0',
      sessions: [sessionOf(app, certificate, { account: own })],
    })
    assert.equal((await host.sessions())?.length, 1)
    assert.equal((await admin.delete(`/api/ssh/hosts/${host.id}`)).statusCode, 200)
    assert.deepEqual((await person.get('/api/ssh/my-sessions')).json(), { sshSessions: [] })
  })

  test('are shown to nobody else', async (t) => {
    const { app, host } = await setUp(t)
    const { person, certificate, own } = await newHolder(app)
    await host.report({ sessions: [sessionOf(app, certificate, { account: own })] })
    const manager = await signedInPerson(app, { permissions: ['ssh:hosts:manage', 'users:read'] })
    assert.deepEqual(Object.keys((await manager.get(`/api/ssh/hosts/${host.id}`)).json<object>()), ['host'])
    const access = (await manager.get(`/api/admin/users/${person.user.id}/access`)).json<{ sshSessions: unknown }>()
    assert.equal(access.sshSessions, null)
    assert.equal((await person.get(`/api/ssh/hosts/${host.id}`)).statusCode, 403)
  })

  test('of one person are 500 at most in a list', async (t) => {
    const { app, admin, host } = await setUp(t)
    const second = await newReportingHost(app, admin)
    const { person, certificate, own } = await newHolder(app)
    const sessions = Array.from({ length: 500 }, (_, index) =>
      sessionOf(app, certificate, { account: own, startedAt: app.clock.now() - index * 100 }),
    )
    await host.report({ sessions })
    await second.report({ sessions })
    const listed = (await person.get('/api/ssh/my-sessions')).json<{ sshSessions: { startedAt: number }[] }>()
    assert.equal(listed.sshSessions.length, 500)
    assert.equal(listed.sshSessions[0]?.startedAt, app.clock.now())
  })
})
