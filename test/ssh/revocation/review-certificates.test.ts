import assert from 'node:assert/strict'
import { test } from 'node:test'
import { USER_ROLE } from '../../../src/vocabulary/built-in-roles.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { onEachEngine } from '../../support/engines.ts'
import { type SignedInPerson, signedInPerson } from '../../support/people.ts'
import { issue, type Issued, saveKey, signInCertificateUser } from '../public-keys.ts'
import { areRevoked, assertOk } from './are-revoked.ts'

onEachEngine('a role with very many users', (engine) => {
  /** The built-in user role gives a principal, and has more than 1,200 users. */
  const setUp = async (t: Parameters<typeof startApp>[0]) => {
    const app = await startApp(t, { engine })
    const admin = await signedInPerson(app, { admin: true })
    await assertOk(admin.patch(`/api/admin/roles/${USER_ROLE}`, { principals: ['shared'] }))
    const people: SignedInPerson[] = []
    for (let index = 0; index < 5; index++) {
      people.push(await signInCertificateUser(app))
    }
    await addAccounts(app, 1200)
    const issued: Issued[] = []
    for (const person of people) issued.push(await issue(person, await saveKey(person)))
    return { app, admin, people, issued }
  }

  const addAccounts = async ({ services }: TestApp, count: number) => {
    for (let from = 0; from < count; from += 400) {
      const ids = Array.from({ length: 400 }, (_, index) => `usr_${String(from + index).padStart(22, '0')}`)
      await services.db.transaction((trx) =>
        trx
          .insertInto('users')
          .values(
            ids.map((id) => ({
              id,
              email: `${id}@example.com`,
              email_verified: 1,
              password_hash: null,
              display_name: null,
              given_name: null,
              family_name: null,
              preferred_username: id,
              avatar_version: null,
              disabled_at: null,
              created_at: services.now(),
              last_login_at: null,
            })),
          )
          .execute(),
      )
      await services.db.transaction((trx) =>
        trx
          .insertInto('user_roles')
          .values(ids.map((id) => ({ user_id: id, role_id: USER_ROLE })))
          .execute(),
      )
    }
  }

  test('has its certificates revoked in the background, which is recorded', async (t) => {
    const { app, admin, issued, people } = await setUp(t)
    await assertOk(admin.patch(`/api/admin/roles/${USER_ROLE}`, { principals: [] }))
    const after = await issue(people[0]!, await saveKey(people[0]!))
    await app.tick()
    assert.deepEqual(await areRevoked(app, ...issued, after), issued.map(() => true).concat(false))
    const { data } = await app.services.db.read
      .selectFrom('audit_events')
      .select('data')
      .where('action', '=', 'ssh_certificate.review_finished')
      .executeTakeFirstOrThrow()
    assert.equal((JSON.parse(data) as { certificatesRevoked: number }).certificatesRevoked, issued.length)
    assert.deepEqual(await app.services.db.read.selectFrom('ssh_certificate_reviews').selectAll().execute(), [])
  })

  test('has its certificates revoked from where a process stopped, by another process', async (t) => {
    const { app, admin, issued } = await setUp(t)
    await assertOk(admin.patch(`/api/admin/roles/${USER_ROLE}`, { principals: [] }))
    // No identifier of a user sorts before this one.
    const reviewed_up_to = `usr_${'-'.repeat(22)}`
    await app.services.db.transaction((trx) =>
      trx.updateTable('ssh_certificate_reviews').set({ reviewed_up_to, revoked: 7 }).execute(),
    )
    await app.close()
    const again = await startApp(t, { engine, storage: app.storage, clock: app.clock })
    await again.tick()
    assert.deepEqual(
      await areRevoked(again, ...issued),
      issued.map(() => true),
    )
    const { data } = await again.services.db.read
      .selectFrom('audit_events')
      .select('data')
      .where('action', '=', 'ssh_certificate.review_finished')
      .executeTakeFirstOrThrow()
    assert.equal((JSON.parse(data) as { certificatesRevoked: number }).certificatesRevoked, 7 + issued.length)
  })
})
