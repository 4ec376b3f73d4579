import { ADMIN_ROLE } from '../../../src/vocabulary/built-in-roles.ts'
import type { Permission } from '../../../src/vocabulary/permissions.ts'
import { RECEIVER, WEBHOOKS } from '../../operations/webhooks/webhook-people.ts'
import { signedInPerson } from '../../support/people.ts'
import { addApp } from '../second-step/authenticator-app.ts'
import { type ChangeTest, nextNumber, uniqueName, admin, otherUser, addPasskey } from './held-back-change.ts'

async function newRole(permission?: Permission): Promise<string> {
  const permissions = permission ? [permission] : []
  return (await admin.post('/api/admin/roles', { name: uniqueName('Role'), permissions })).json().role.id
}

/** It wants nothing that these tests do: each would be a delivery more to compare. */
const newWebhook = async (): Promise<string> =>
  (await admin.post(WEBHOOKS, { url: RECEIVER, events: ['service.restored'] })).json().webhook.id

/** What administrators change of people, roles, webhooks and settings. */
export const ADMINISTRATION_CHANGES: Record<string, ChangeTest> = {
  'POST /api/admin/users': {
    permission: 'users:write',
    prepare: async () => ({ path: '/api/admin/users', body: { email: `new${nextNumber()}@example.net` } }),
  },
  'PATCH /api/admin/users/{userId}': {
    permission: 'users:write',
    prepare: async (app) => ({ path: `/api/admin/users/${await otherUser(app)}`, body: { displayName: 'Changed' } }),
  },
  'POST /api/admin/usernames/{name}/release': {
    permission: 'users:write',
    async prepare(app) {
      const { user } = await signedInPerson(app)
      await admin.patch(`/api/admin/users/${user.id}`, { preferredUsername: `renamed-${nextNumber()}` })
      return { path: `/api/admin/usernames/${user.preferredUsername}/release` }
    },
  },
  'DELETE /api/admin/users/{userId}': {
    permission: 'users:delete',
    prepare: async (app) => ({ path: `/api/admin/users/${await otherUser(app)}` }),
  },
  'POST /api/admin/users/{userId}/invitation': {
    permission: 'users:write',
    prepare: async (app) => ({ path: `/api/admin/users/${await otherUser(app)}/invitation` }),
  },
  'POST /api/admin/roles': {
    permission: 'roles:write',
    prepare: async () => ({ path: '/api/admin/roles', body: { name: uniqueName('New role') } }),
  },
  'PATCH /api/admin/roles/{id}': {
    permission: 'roles:write',
    prepare: async () => ({ path: `/api/admin/roles/${await newRole()}`, body: { description: 'Changed' } }),
  },
  'DELETE /api/admin/roles/{id}': {
    permission: 'roles:write',
    prepare: async () => ({ path: `/api/admin/roles/${await newRole()}` }),
  },
  'POST /api/admin/roles/{id}/permissions': {
    permission: 'roles:write',
    prepare: async () => ({
      path: `/api/admin/roles/${await newRole()}/permissions`,
      body: { permissionId: 'roles:write' },
    }),
  },
  'DELETE /api/admin/roles/{id}/permissions/{permissionId}': {
    permission: 'roles:write',
    prepare: async () => ({ path: `/api/admin/roles/${await newRole('roles:write')}/permissions/roles:write` }),
  },
  'POST /api/admin/users/{userId}/roles': {
    permission: 'roles:assign',
    prepare: async (app) => ({
      path: `/api/admin/users/${await otherUser(app)}/roles`,
      body: { roleId: await newRole() },
    }),
  },
  'DELETE /api/admin/users/{userId}/roles/{roleId}': {
    permission: 'roles:assign',
    async prepare(app) {
      const [userId, roleId] = [await otherUser(app), await newRole()]
      await admin.post(`/api/admin/users/${userId}/roles`, { roleId })
      return { path: `/api/admin/users/${userId}/roles/${roleId}` }
    },
  },
  'POST /api/admin/webhooks': {
    permission: 'webhooks:manage',
    prepare: async () => ({ path: WEBHOOKS, body: { url: RECEIVER, events: ['service.restored'] } }),
  },
  'PATCH /api/admin/webhooks/{id}': {
    permission: 'webhooks:manage',
    prepare: async () => ({ path: `${WEBHOOKS}/${await newWebhook()}`, body: { enabled: false } }),
  },
  'DELETE /api/admin/webhooks/{id}': {
    permission: 'webhooks:manage',
    prepare: async () => ({ path: `${WEBHOOKS}/${await newWebhook()}` }),
  },
  'POST /api/admin/webhooks/{id}/secret': {
    permission: 'webhooks:manage',
    prepare: async () => ({ path: `${WEBHOOKS}/${await newWebhook()}/secret` }),
  },
  'POST /api/admin/webhooks/{id}/test': {
    permission: 'webhooks:manage',
    prepare: async () => ({ path: `${WEBHOOKS}/${await newWebhook()}/test` }),
  },
  'POST /api/admin/webhooks/{id}/deliveries/{deliveryId}/redeliver': {
    permission: 'webhooks:manage',
    async prepare() {
      const id = await newWebhook()
      const { delivery } = (await admin.post(`${WEBHOOKS}/${id}/test`)).json()
      return { path: `${WEBHOOKS}/${id}/deliveries/${delivery.id}/redeliver` }
    },
  },
  'POST /api/admin/bootstrap': {
    prepare: async (app) => ({ path: '/api/admin/bootstrap', body: { secret: app.services.bootstrapSecret } }),
  },
  'POST /api/admin/users/{userId}/lifecycle': {
    permission: 'users:lifecycle',
    prepare: async (app) => ({
      path: `/api/admin/users/${await otherUser(app)}/lifecycle`,
      body: { action: 'disable' },
    }),
  },
  'POST /api/admin/users/{userId}/lifecycle/preview': {
    permission: 'users:lifecycle',
    prepare: async (app) => ({
      path: `/api/admin/users/${await otherUser(app)}/lifecycle/preview`,
      body: { action: 'disable' },
    }),
  },
  'DELETE /api/admin/users/{userId}/lifecycle/{actionId}': {
    permission: 'users:lifecycle',
    async prepare(app, person) {
      const userId = await otherUser(app)
      const scheduled = { action: 'disable', executeAt: app.clock.now() + 3_600_000 }
      const { lifecycleActionId } = (await person.post(`/api/admin/users/${userId}/lifecycle`, scheduled)).json()
      return { path: `/api/admin/users/${userId}/lifecycle/${lifecycleActionId}` }
    },
  },
  'POST /api/admin/users/{userId}/setup-link': {
    permission: 'users:lifecycle',
    prepare: async (app) => ({ path: `/api/admin/users/${await otherUser(app)}/setup-link` }),
  },
  'POST /api/admin/users/{userId}/sign-out': {
    permission: 'users:lifecycle',
    prepare: async (app) => ({ path: `/api/admin/users/${await otherUser(app)}/sign-out` }),
  },
  'DELETE /api/admin/users/{userId}/sessions/{sessionId}': {
    permission: 'users:lifecycle',
    async prepare(app) {
      const other = await signedInPerson(app)
      return { path: `/api/admin/users/${other.user.id}/sessions/${other.sessionId}` }
    },
  },
  'DELETE /api/admin/users/{userId}/passkeys/{passkeyId}': {
    permission: 'users:lifecycle',
    async prepare(app) {
      const other = await signedInPerson(app)
      return { path: `/api/admin/users/${other.user.id}/passkeys/${await addPasskey(app, other)}` }
    },
  },
  'DELETE /api/admin/users/{userId}/totp': {
    permission: 'users:lifecycle',
    async prepare(app) {
      const other = await signedInPerson(app)
      await addApp(app, other)
      return { path: `/api/admin/users/${other.user.id}/totp` }
    },
  },
  'POST /api/admin/users/{userId}/password-reset': {
    permission: 'users:write',
    prepare: async (app) => ({ path: `/api/admin/users/${await otherUser(app)}/password-reset` }),
  },
  'POST /api/admin/users/batch': {
    prepare: async (app, person) => {
      // The permission of the action is checked with its body.
      const { user } = await signedInPerson(app)
      await app.services.db.transaction((trx) =>
        trx.insertInto('user_roles').values({ user_id: person.user.id, role_id: ADMIN_ROLE }).execute(),
      )
      return { path: '/api/admin/users/batch', body: { ids: [user.id], action: 'disable' } }
    },
  },
  'POST /api/admin/users/import': {
    permission: 'users:write',
    prepare: async () => ({
      path: '/api/admin/users/import',
      body: { rows: [{ email: `imported${nextNumber()}@example.net` }] },
    }),
  },
  'PATCH /api/admin/settings': {
    permission: 'settings:manage',
    prepare: async () => ({ path: '/api/admin/settings', body: { accentColor: '#123456' } }),
  },
  'PUT /api/admin/settings/logo': {
    permission: 'settings:manage',
    prepare: async () => ({ path: '/api/admin/settings/logo' }),
  },
  'DELETE /api/admin/settings/logo': {
    permission: 'settings:manage',
    prepare: async () => ({ path: '/api/admin/settings/logo' }),
  },
  'POST /api/admin/settings/mail-test': {
    permission: 'settings:manage',
    prepare: async () => ({ path: '/api/admin/settings/mail-test' }),
  },
}
