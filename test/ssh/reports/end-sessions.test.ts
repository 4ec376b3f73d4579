import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp, type TestApp } from '../../support/app.ts'
import { onMainEngine } from '../../support/engines.ts'
import { anonymous, signedInPerson } from '../../support/people.ts'
import { issue, saveKey, signInCertificateUser } from '../public-keys.ts'
import { areRevoked } from '../revocation/are-revoked.ts'
import { newReportingHost, sessionOf } from './reporting-host.ts'

onMainEngine('ending a session on a host', (engine) => {
  async function setUp(t: Parameters<typeof startApp>[0]) {
    const app = await startApp(t, { engine })
    const admin = await signedInPerson(app, { admin: true })
    const host = await newReportingHost(app, admin)
    const holder = await newHolder(app)
    await host.report({ sessions: [sessionOf(app, holder.certificate, { account: holder.own })] })
    return { app, admin, host, holder, path: `/api/ssh/hosts/${host.id}/sessions/end` }
  }
  async function newHolder(app: TestApp) {
    const person = await signInCertificateUser(app)
    const certificate = await issue(person, await saveKey(person))
    return { person, certificate, own: person.user.preferredUsername }
  }

  test('revokes its certificate, by its owner and by whoever may revoke, once', async (t) => {
    const { app, admin, host, holder, path } = await setUp(t)
    const other = await newHolder(app)
    await host.report({
      sessions: [holder, other].map(({ certificate, own }) => sessionOf(app, certificate, { account: own })),
    })
    const revoker = await signedInPerson(app, { permissions: ['ssh:cert:revoke'] })
    for (const [{ certificate }, by] of [
      [holder, holder.person],
      [other, revoker],
    ] as const) {
      for (const _ of [1, 2]) {
        const answer = await by.post(path, { serial: certificate.serial })
        assert.deepEqual([answer.statusCode, answer.json()], [200, { success: true }])
      }
      const { certificates } = (await admin.get(`/api/ssh/certs?serial=${certificate.serial}`)).json<{
        certificates: { revokedAt: number | null; revokeReason: string | null }[]
      }>()
      assert.deepEqual(
        certificates.map(({ revokedAt, revokeReason }) => [revokedAt, revokeReason]),
        [[app.clock.now(), 'Its sessions were ended.']],
      )
    }
    const { events } = (await admin.get('/api/admin/audit?action=ssh_certificate.revoked')).json<{
      events: { actorId: string }[]
    }>()
    assert.deepEqual(
      events.map(({ actorId }) => actorId).toSorted(),
      [holder.person.user.id, revoker.user.id].toSorted(),
    )
    // It is there until the host says that it has ended.
    assert.equal((await host.sessions())?.length, 2)
  })

  test('is refused to others, who learn nothing of the session, and where the host reports no such session', async (t) => {
    const { app, admin, host, holder, path } = await setUp(t)
    const { certificate, person } = holder
    const stranger = await newHolder(app)
    const idle = await newReportingHost(app, admin)
    const statusOf = async (by: typeof person, serial: string, at = path) => (await by.post(at, { serial })).statusCode
    assert.equal(await statusOf(stranger.person, certificate.serial), 403)
    assert.equal(await statusOf(stranger.person, '4711'), 403)
    assert.equal(await statusOf(stranger.person, stranger.certificate.serial), 404)
    assert.equal(await statusOf(admin, '4711'), 404)
    assert.equal(await statusOf(admin, '9'.repeat(20)), 404)
    assert.equal(await statusOf(person, certificate.serial, path.replace(host.id, idle.id)), 404)
    assert.equal(await statusOf(person, certificate.serial, path.replace(host.id, 'nobody')), 404)
    assert.equal(await statusOf(admin, '0'), 400)
    assert.equal((await anonymous(app).post(path, { serial: certificate.serial })).statusCode, 401)
    const foreign = await person.post(path, { serial: certificate.serial }, { origin: 'https://elsewhere.example' })
    assert.equal(foreign.statusCode, 403)
    await host.report({ sessions: [] })
    assert.equal(await statusOf(person, certificate.serial), 404)
    assert.deepEqual(await areRevoked(app, certificate), [false])
  })

  test('is refused when the right is taken away while the request is on its way', async (t) => {
    const { app, holder, path } = await setUp(t)
    const revoker = await signedInPerson(app, { permissions: ['ssh:cert:revoke'] })
    await app.services.db.transaction((trx) =>
      trx.deleteFrom('user_roles').where('user_id', '=', revoker.user.id).execute(),
    )
    assert.equal((await revoker.post(path, { serial: holder.certificate.serial })).statusCode, 403)
  })
})
