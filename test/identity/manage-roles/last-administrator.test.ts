import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { ADMIN_ROLE } from '../../../src/vocabulary/built-in-roles.ts'
import { PERMISSIONS } from '../../../src/vocabulary/permissions.ts'
import { sharedApp, startApp } from '../../support/app.ts'
import { onEachEngine } from '../../support/engines.ts'
import { type SignedInPerson, signedInPerson } from '../../support/people.ts'

onEachEngine('the last active administrator', (engine) => {
  const shared = sharedApp({ engine })
  const userWithAllPermissions = () => signedInPerson(shared(), { permissions: [...PERMISSIONS] })
  const removeAllAdministrators = () =>
    shared().services.db.transaction((trx) => trx.deleteFrom('user_roles').where('role_id', '=', ADMIN_ROLE).execute())
  afterEach(removeAllAdministrators)

  test('can’t be disabled or deleted, and can’t lose the role', async () => {
    const app = shared()
    const last = await signedInPerson(app, { admin: true })
    const other = await userWithAllPermissions()
    const url = `/api/admin/users/${last.user.id}`
    const answers = await Promise.all([
      other.post(`${url}/lifecycle`, { action: 'disable' }),
      other.post(`${url}/lifecycle`, { action: 'disable', executeAt: app.clock.now() + 1000 }),
      other.delete(url),
      other.delete(`${url}/roles/${ADMIN_ROLE}`),
      last.delete(`${url}/roles/${ADMIN_ROLE}`),
    ])
    assert.deepEqual(
      answers.map(({ statusCode }) => statusCode),
      answers.map(() => 409),
    )
    assert.equal((await last.get('/api/admin/users')).statusCode, 200)
  })

  test('is the last one even if there are disabled administrators', async () => {
    const app = shared()
    const last = await signedInPerson(app, { admin: true })
    const disabled = await signedInPerson(app, { admin: true })
    await last.post(`/api/admin/users/${disabled.user.id}/lifecycle`, { action: 'disable' })
    assert.equal((await last.delete(`/api/admin/users/${last.user.id}/roles/${ADMIN_ROLE}`)).statusCode, 409)
    // The disabled one is not the last active one, and may lose the role.
    assert.equal((await last.delete(`/api/admin/users/${disabled.user.id}/roles/${ADMIN_ROLE}`)).statusCode, 200)
  })

  const removals = {
    demote: (actor: SignedInPerson, target: SignedInPerson) =>
      actor.delete(`/api/admin/users/${target.user.id}/roles/${ADMIN_ROLE}`),
    disable: (actor: SignedInPerson, target: SignedInPerson) =>
      actor.post(`/api/admin/users/${target.user.id}/lifecycle`, { action: 'disable' }),
    delete: (actor: SignedInPerson, target: SignedInPerson) => actor.delete(`/api/admin/users/${target.user.id}`),
  }

  for (const [name, remove] of Object.entries(removals)) {
    test(`is left when ten administrators ${name} each other concurrently`, async (t) => {
      const app = shared()
      const second = engine === 'postgres' ? await startApp(t, { engine, storage: app.storage }) : app
      const admins: SignedInPerson[] = []
      for (let index = 0; index < 10; index++) {
        admins.push(await signedInPerson(index % 2 === 0 ? app : second, { admin: true }))
      }
      const answers = await Promise.all(
        admins.flatMap((actor) => admins.filter((target) => target !== actor).map((target) => remove(actor, target))),
      )
      const done = answers.filter(({ statusCode }) => statusCode === 200).length
      // Disabling a disabled user answers 200 as well.
      if (name === 'disable') assert.ok(done >= 9, String(done))
      else assert.equal(done, 9)
      for (const { statusCode } of answers)
        assert.ok([200, 401, 403, 404, 409].includes(statusCode), String(statusCode))
      const left = await app.services.db.read
        .selectFrom('user_roles')
        .innerJoin('users', 'users.id', 'user_roles.user_id')
        .select('users.id')
        .where('role_id', '=', ADMIN_ROLE)
        .where('disabled_at', 'is', null)
        .execute()
      assert.equal(left.length, 1)
    })
  }

  test('is left each of fifty times that two administrators demote each other concurrently', async () => {
    const app = shared()
    const observer = await userWithAllPermissions()
    for (let round = 0; round < 50; round++) {
      const a = await signedInPerson(app, { admin: true })
      const b = await signedInPerson(app, { admin: true })
      const [first, second] = await Promise.all([removals.demote(a, b), removals.demote(b, a)])
      assert.deepEqual(
        [first.statusCode, second.statusCode].toSorted((x, y) => x - y),
        [200, 403],
      )
      const survivor = first.statusCode === 200 ? a : b
      assert.equal((await survivor.get('/api/admin/users')).statusCode, 200)
      await removeAllAdministrators()
    }
    assert.equal((await observer.get('/api/admin/users')).statusCode, 200)
  })
})
