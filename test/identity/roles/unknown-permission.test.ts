import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Role } from '../../../src/identity/roles/role.ts'
import { USER_ROLE } from '../../../src/vocabulary/built-in-roles.ts'
import type { Permission } from '../../../src/vocabulary/permissions.ts'
import { startApp } from '../../support/app.ts'
import { onMainEngine } from '../../support/engines.ts'
import { signedInPerson } from '../../support/people.ts'

onMainEngine('a permission that this version does not know', (engine) => {
  test('is listed with the role that holds it and with the users who have that role', async (t) => {
    const app = await startApp(t, { engine })
    const admin = await signedInPerson(app, { admin: true })
    // A replica of another version may store it.
    const permission = 'teapots:boil' as Permission
    await app.services.db.transaction((trx) =>
      trx.insertInto('role_permissions').values({ role_id: USER_ROLE, permission }).execute(),
    )
    const { roles } = (await admin.get('/api/admin/roles')).json<{ roles: Role[] }>()
    assert.ok(roles.find(({ id }) => id === USER_ROLE)?.permissions.includes(permission))
    for (const url of ['/api/auth/me', `/api/admin/users/${admin.user.id}`]) {
      const { permissions } = (await admin.get(url)).json<{ permissions: string[] }>()
      assert.ok(permissions.includes(permission), url)
    }
  })
})
