import assert from 'node:assert/strict'
import { test } from 'node:test'
import { recover } from '../../../src/operations/backup/recover.ts'
import { publishNextKey } from '../../../src/platform/keys/rotate-signing-key.ts'
import { openAuthority } from '../../../src/platform/openssh/certificate.ts'
import { insertActions } from '../../identity/lifecycle/actions.ts'
import { isRevoked, readKrl } from '../../platform/openssh/read-krl.ts'
import { queryKrl, temporaryFolder } from '../../platform/openssh/ssh-keygen.ts'
import { issue, saveKey, signInCertificateManager } from '../../ssh/public-keys.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import {
  credentials,
  getTokens,
  postForm,
  refresh,
  registerApplication,
  type Tokens,
} from '../../support/application.ts'
import { onEachEngine } from '../../support/engines.ts'
import { anonymous, signedInPerson, signIn } from '../../support/people.ts'

const YEAR_MS = 365 * 86_400_000
const krlOf = async (app: TestApp, query = '') => (await anonymous(app).get(`/ssh/krl?format=krl${query}`)).rawPayload

/** Restores the state from before the certificates above this serial were issued. */
async function rollBackTo({ services: { db } }: TestApp, serial: string): Promise<void> {
  await db.transaction((trx) => trx.deleteFrom('ssh_certificates').where('serial', '>', BigInt(serial)).execute())
  await db.transaction((trx) =>
    trx
      .updateTable('counters')
      .set({ value: BigInt(serial) })
      .where('name', '=', 'ssh_serial')
      .execute(),
  )
}

onEachEngine('a service restored from older data', (engine) => {
  const folder = temporaryFolder()

  test('never reuses a serial, and revokes the certificates issued since the backup, as OpenSSH confirms', async (t) => {
    const app = await startApp(t, { engine })
    const { blob, ...authority } = openAuthority(app.services.sshCa.privateKey)
    const person = await signInCertificateManager(app)
    const key = await saveKey(person)
    const known = await issue(person, key)
    const lost = [await issue(person, key), await issue(person, key)]
    const seen = new Set([known, ...lost].map(({ serial }) => serial))

    for (let round = 0; round < 3; round++) {
      await rollBackTo(app, known.serial)
      app.clock.advance(1000)
      const { serials } = await recover(app.services, { keepAccess: true })
      assert.equal(String(serials.first), String(BigInt(known.serial) + 1n))
      const next = await issue(person, key)
      assert.ok(!seen.has(next.serial), `${next.serial} again`)
      assert.ok(BigInt(next.serial) > serials.last)
      const serialsToCheck = [known.serial, ...lost.map(({ serial }) => serial), next.serial].map(BigInt)
      const revoked = queryKrl(folder, await krlOf(app), serialsToCheck, { blob, ...authority })
      assert.deepEqual(
        revoked.map(String),
        lost.map(({ serial }) => serial),
      )
      seen.add(next.serial)
      lost.push(next)
      await app.services.db.transaction((trx) => trx.deleteFrom('ssh_revoked_ranges').execute())
    }
  })

  test('never reuses the id of a signing key', async (t) => {
    const app = await startApp(t, { engine })
    const published = new Set([await publishNextKey(app.services)])
    for (let round = 0; round < 3; round++) {
      await app.services.db.transaction((trx) => trx.deleteFrom('service_keys').where('state', '=', 'next').execute())
      app.clock.advance(1000)
      await recover(app.services, { keepAccess: true })
      const id = await publishNextKey(app.services)
      assert.ok(!published.has(id), `${id} again`)
      published.add(id)
    }
  })

  test('lists the lost range of serials in every format of the revocation list, until no certificate in it can be valid', async (t) => {
    const app = await startApp(t, { engine })
    const host = anonymous(app)
    const person = await signInCertificateManager(app)
    const revoked = await issue(person, await saveKey(person))
    await person.post(`/api/ssh/certs/${revoked.id}/revoke`, {})
    const before = await host.get('/ssh/krl')
    const { serials } = await recover(app.services, { keepAccess: true })
    const [first, last] = [String(serials.first), String(serials.last)]
    const seconds = app.clock.now() / 1000

    const after = await host.get('/ssh/krl', undefined, { 'if-none-match': String(before.headers['etag']) })
    assert.equal(after.statusCode, 200)
    assert.deepEqual(after.json(), {
      revoked: [{ serial: revoked.serial, revokedAt: seconds }],
      revokedRanges: [{ firstSerial: first, lastSerial: last, revokedAt: seconds }],
    })
    assert.equal((await host.get('/ssh/krl?format=raw')).body, `serial: ${first}-${last}\nserial: ${revoked.serial}\n`)
    const { blob } = openAuthority(app.services.sshCa.privateKey)
    const wildcard = readKrl(await krlOf(app, '&wildcard=true'))
    assert.ok(isRevoked(wildcard, Buffer.alloc(51), serials.last))
    const krl = readKrl(await krlOf(app))
    assert.ok(isRevoked(krl, blob, serials.first) && isRevoked(krl, blob, serials.last))
    assert.ok(!isRevoked(krl, blob, serials.last + 1n))

    app.clock.advance(YEAR_MS - 1)
    assert.ok((await host.get('/ssh/krl')).json().revokedRanges)
    app.clock.advance(1)
    assert.deepEqual((await host.get('/ssh/krl')).json(), { revoked: [] })
    assert.ok(isRevoked(readKrl(await krlOf(app, '&includeExpired=true')), blob, serials.last))
  })

  test('ends every session, token and certificate, unless access is kept', async (t) => {
    const app = await startApp(t, { engine })
    const person = await signInCertificateManager(app)
    const other = await signIn(app, person.user)
    const application = await registerApplication(app)
    const tokens = await getTokens(app, person, application)
    const machine = await postForm(app, '/oauth/token', {
      grant_type: 'client_credentials',
      ...credentials(application),
    })
    const live = [tokens.access_token, machine.json<Tokens>().access_token]
    const certificate = await issue(person, await saveKey(person))
    const introspected = async () =>
      Promise.all(
        live.map(async (token) => {
          const answer = await postForm(app, '/oauth/introspect', { token, ...credentials(application) })
          return answer.json<{ active: boolean }>().active
        }),
      )
    assert.deepEqual(await introspected(), [true, true])

    const kept = await recover(app.services, { keepAccess: true })
    assert.equal(kept.ended, undefined)
    assert.deepEqual(await introspected(), [true, true])
    assert.equal((await person.get('/api/auth/me')).statusCode, 200)

    app.clock.advance(1)
    const { ended } = await recover(app.services, { keepAccess: false })
    assert.ok(ended)
    assert.deepEqual([ended.sessions, ended.authorizations, ended.certificates], [2, 1, 1])
    for (const each of [person, other]) assert.equal((await each.get('/api/auth/me')).statusCode, 401)
    assert.deepEqual(await introspected(), [false, false])
    assert.equal((await refresh(app, application, tokens.refresh_token ?? '')).statusCode, 400)
    const { blob } = openAuthority(app.services.sshCa.privateKey)
    assert.ok(isRevoked(readKrl(await krlOf(app)), blob, BigInt(certificate.serial)))
    const again = await signIn(app, person.user)
    assert.equal((await again.get('/api/auth/me')).statusCode, 200, 'people can sign in again')
  })

  test('cancels overdue actions that enable an account, and keeps those that disable one', async (t) => {
    const app = await startApp(t, { engine })
    const [off, on] = [await signedInPerson(app), await signedInPerson(app)]
    const past = app.clock.now() - 1000
    await app.services.db.transaction((trx) =>
      trx.updateTable('users').set({ disabled_at: past }).where('id', '=', on.user.id).execute(),
    )
    await insertActions(app, [
      { userId: off.user.id, action: 'disable', executeAt: past },
      { userId: on.user.id, action: 'enable', executeAt: past },
      { userId: on.user.id, action: 'enable', executeAt: past + 3_600_000 },
    ])
    const { cancelled, pending } = await recover(app.services, { keepAccess: true })
    assert.deepEqual([cancelled, pending], [1, 2])
    await app.tick()
    const users = await app.services.db.read.selectFrom('users').select('disabled_at').execute()
    assert.ok(users.every(({ disabled_at }) => disabled_at !== null))
  })

  test('notifies every administrator and records an audit event, with the time of the backup', async (t) => {
    const app = await startApp(t, { engine })
    const admin = await signedInPerson(app, { admin: true })
    const person = await signedInPerson(app)
    const copiedAt = app.clock.now() - 5000
    await recover(app.services, { copiedAt, keepAccess: true })
    const { notifications } = (await admin.get('/api/notifications')).json()
    assert.deepEqual(
      notifications.map(({ type, data }: { type: string; data: unknown }) => [type, data]),
      [['service.restored', { copiedAt, keptAccess: true }]],
    )
    assert.deepEqual((await person.get('/api/notifications')).json().notifications, [])
    const { events } = (await admin.get('/api/admin/audit?action=service.restored')).json()
    assert.equal(events.length, 1)
    assert.equal(events[0].data.copiedAt, copiedAt)
  })

  test('counts the certificates that were issued, without the lost range of serials', async (t) => {
    const app = await startApp(t, { engine })
    const admin = await signedInPerson(app, { admin: true })
    const key = await saveKey(admin)
    await issue(admin, key)
    await recover(app.services, { keepAccess: true })
    await issue(admin, key)
    assert.equal((await admin.get('/api/admin/overview')).json().certificates.issued, 2)
  })

  test('can’t be recovered while the clock is behind the serials', async (t) => {
    const app = await startApp(t, { engine })
    await recover(app.services, { keepAccess: true })
    app.clock.advance(-1000)
    await assert.rejects(recover(app.services, { keepAccess: true }), /clock/)
  })
})
