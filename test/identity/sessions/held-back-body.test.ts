import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { ADMIN_ROLE } from '../../../src/vocabulary/built-in-roles.ts'
import type { Permission } from '../../../src/vocabulary/permissions.ts'
import { registerDeviceClient, startDevice } from '../../oauth/device/devices.ts'
import { createSite } from '../../proxy/visits.ts'
import { newPublicKey, issue, saveKey } from '../../ssh/public-keys.ts'
import { ORIGIN, sharedApp, type TestApp } from '../../support/app.ts'
import { authorizeUrl, getTokens, newPkce, registerApplication } from '../../support/application.ts'
import { sendWithDelayedBody } from '../../support/delayed-body.ts'
import { onMainEngine } from '../../support/engines.ts'
import { lastMailTo } from '../../support/mail.ts'
import { signedInPerson, type SignedInPerson, signIn } from '../../support/people.ts'
import { form, MULTIPART, picture } from '../account/upload.ts'
import { newAuthenticator, registrationOptions } from '../passkeys/ceremonies.ts'

interface Change {
  path: string
  body?: unknown
}

interface ChangeTest {
  permission?: Permission
  /** Creates all that the request needs to succeed if nothing happens before its body arrives. */
  prepare(app: TestApp, person: SignedInPerson): Promise<Change>
}

const PASSWORD = 'four unusual words here'
let count = 0
const uniqueName = (name: string) => `${name} ${++count}`

/** One for all tests of an engine, because every administrator is notified of what each test does. */
let admin: SignedInPerson

const otherUser = async (app: TestApp) => (await signedInPerson(app)).user.id

async function newRole(permission?: Permission): Promise<string> {
  const permissions = permission ? [permission] : []
  return (await admin.post('/api/admin/roles', { name: uniqueName('Role'), permissions })).json().role.id
}

const newHost = () => ({ name: uniqueName('host'), hostnames: [`host${++count}.example.com`] })
const createHost = async (): Promise<string> => (await admin.post('/api/ssh/hosts', newHost())).json().host.id

/** Every request of the API that changes something for the signed-in user. */
const CHANGES: Record<string, ChangeTest> = {
  'POST /api/auth/sessions/{id}/revoke': {
    prepare: async (app, { user }) => ({ path: `/api/auth/sessions/${(await signIn(app, user)).sessionId}/revoke` }),
  },
  'POST /api/auth/sessions/revoke-all': { prepare: async () => ({ path: '/api/auth/sessions/revoke-all' }) },
  'POST /api/auth/verify-email': {
    async prepare(app, person) {
      await person.post('/api/auth/verify-email/resend')
      const { token } = await lastMailTo(app, person.user.email, '/verify-email')
      return { path: '/api/auth/verify-email', body: { token } }
    },
  },
  'POST /api/auth/verify-email/resend': { prepare: async () => ({ path: '/api/auth/verify-email/resend' }) },
  'POST /api/account/password': {
    prepare: async () => ({
      path: '/api/account/password',
      body: { currentPassword: PASSWORD, newPassword: 'another four unusual words' },
    }),
  },
  'POST /api/account/email': {
    prepare: async () => ({
      path: '/api/account/email',
      body: { email: `moved${++count}@example.net`, currentPassword: PASSWORD },
    }),
  },
  'POST /api/account/email/confirm': {
    async prepare(app, person) {
      const email = `moved${++count}@example.net`
      await person.post('/api/account/email', { email, currentPassword: PASSWORD })
      const { token } = await lastMailTo(app, email, '/verify-email')
      return { path: '/api/account/email/confirm', body: { token } }
    },
  },
  'DELETE /api/account': {
    prepare: async (_app, person) => ({
      path: '/api/account',
      body: { email: person.user.email, currentPassword: PASSWORD },
    }),
  },
  'PATCH /api/account/profile': {
    prepare: async () => ({ path: '/api/account/profile', body: { displayName: 'Somebody else' } }),
  },
  'PUT /api/account/profile/avatar': { prepare: async () => ({ path: '/api/account/profile/avatar' }) },
  'DELETE /api/account/profile/avatar': { prepare: async () => ({ path: '/api/account/profile/avatar' }) },
  'POST /api/passkeys/register/options': {
    prepare: async () => ({ path: '/api/passkeys/register/options', body: {} }),
  },
  'POST /api/passkeys/register/verify': {
    async prepare(_app, person) {
      const response = newAuthenticator().register(await registrationOptions(person))
      return { path: '/api/passkeys/register/verify', body: { response } }
    },
  },
  'PATCH /api/passkeys/{id}': {
    prepare: async (app, person) => ({
      path: `/api/passkeys/${await addPasskey(app, person)}`,
      body: { name: 'Mine' },
    }),
  },
  'DELETE /api/passkeys/{id}': {
    prepare: async (app, person) => ({ path: `/api/passkeys/${await addPasskey(app, person)}` }),
  },
  'POST /api/ssh/keys': {
    permission: 'ssh:keys:manage',
    prepare: async () => ({ path: '/api/ssh/keys', body: { name: 'laptop', publicKey: newPublicKey() } }),
  },
  'DELETE /api/ssh/keys/{id}': {
    permission: 'ssh:keys:manage',
    prepare: async (_app, person) => ({ path: `/api/ssh/keys/${await saveKey(person)}` }),
  },
  'POST /api/ssh/certs/issue': {
    permission: 'ssh:cert:issue',
    prepare: async (_app, person) => ({ path: '/api/ssh/certs/issue', body: { savedKeyId: await saveKey(person) } }),
  },
  'POST /api/ssh/certs/{id}/revoke': {
    permission: 'ssh:cert:revoke',
    async prepare(app) {
      const other = await signedInPerson(app, { permissions: ['ssh:keys:manage', 'ssh:cert:issue'] })
      return { path: `/api/ssh/certs/${(await issue(other, await saveKey(other))).id}/revoke`, body: {} }
    },
  },
  'POST /api/admin/users': {
    permission: 'users:write',
    prepare: async () => ({ path: '/api/admin/users', body: { email: `new${++count}@example.net` } }),
  },
  'PATCH /api/admin/users/{userId}': {
    permission: 'users:write',
    prepare: async (app) => ({ path: `/api/admin/users/${await otherUser(app)}`, body: { displayName: 'Changed' } }),
  },
  'POST /api/admin/usernames/{name}/release': {
    permission: 'users:write',
    async prepare(app) {
      const { user } = await signedInPerson(app)
      await admin.patch(`/api/admin/users/${user.id}`, { preferredUsername: `renamed-${++count}` })
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
      body: { rows: [{ email: `imported${++count}@example.net` }] },
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
  'PATCH /api/notifications/{id}/read': {
    async prepare(app, person) {
      await addPasskey(app, person)
      const { notifications } = (await person.get('/api/notifications')).json()
      return { path: `/api/notifications/${notifications[0].id}/read` }
    },
  },
  'POST /api/notifications/read-all': { prepare: async () => ({ path: '/api/notifications/read-all' }) },
  'POST /oauth/clients': {
    permission: 'oauth_clients:write',
    prepare: async () => ({
      path: '/oauth/clients',
      body: {
        name: uniqueName('App'),
        clientType: 'public',
        redirectUris: ['https://app.example/cb'],
        scopes: ['openid'],
      },
    }),
  },
  'PATCH /oauth/clients/{clientId}': {
    permission: 'oauth_clients:write',
    prepare: async (app) => ({
      path: `/oauth/clients/${(await registerApplication(app)).clientId}`,
      body: { name: 'Changed' },
    }),
  },
  'DELETE /oauth/clients/{clientId}': {
    permission: 'oauth_clients:write',
    prepare: async (app) => ({ path: `/oauth/clients/${(await registerApplication(app)).clientId}` }),
  },
  'POST /oauth/clients/{clientId}/secret': {
    permission: 'oauth_clients:write',
    prepare: async (app) => ({ path: `/oauth/clients/${(await registerApplication(app)).clientId}/secret` }),
  },
  'PUT /oauth/clients/{clientId}/logo': {
    permission: 'oauth_clients:write',
    prepare: async (app) => ({
      path: `/oauth/clients/${(await registerApplication(app)).clientId}/logo`,
      body: form({ bytes: await picture() }),
    }),
  },
  'DELETE /oauth/clients/{clientId}/logo': {
    permission: 'oauth_clients:write',
    prepare: async (app) => ({ path: `/oauth/clients/${(await registerApplication(app)).clientId}/logo` }),
  },
  'POST /oauth/clients/{clientId}/preview': {
    permission: 'oauth_clients:read',
    prepare: async (app, { user }) => ({
      path: `/oauth/clients/${(await registerApplication(app)).clientId}/preview`,
      body: { userId: user.id },
    }),
  },
  'POST /oauth/clients/{clientId}/trial': {
    permission: 'oauth_clients:read',
    prepare: async (app) => ({ path: `/oauth/clients/${(await registerApplication(app)).clientId}/trial` }),
  },
  'POST /oauth/clients/{clientId}/trial/result': {
    permission: 'oauth_clients:read',
    prepare: async (app) => ({
      path: `/oauth/clients/${(await registerApplication(app)).clientId}/trial/result`,
      body: { code: 'ac_unknown', codeVerifier: 'unknown' },
    }),
  },
  'POST /oauth/clients/{clientId}/try-out': {
    permission: 'oauth_clients:read',
    prepare: async () => ({
      path: `/oauth/clients/${(await createSite(admin)).id}/try-out`,
      body: { address: '/' },
    }),
  },
  'POST /api/account/app-passwords': {
    prepare: async () => ({
      path: '/api/account/app-passwords',
      body: { name: 'Phone', client_id: (await createSite(admin, { basic: true })).id },
    }),
  },
  'DELETE /api/account/app-passwords/{id}': {
    prepare: async (_app, person) => ({ path: `/api/account/app-passwords/${await addAppPassword(person)}` }),
  },
  'DELETE /api/admin/users/{userId}/app-passwords/{appPasswordId}': {
    permission: 'users:lifecycle',
    async prepare(app) {
      const other = await signedInPerson(app)
      return { path: `/api/admin/users/${other.user.id}/app-passwords/${await addAppPassword(other)}` }
    },
  },
  'POST /api/ssh/hosts': {
    permission: 'ssh:hosts:manage',
    prepare: async () => ({ path: '/api/ssh/hosts', body: newHost() }),
  },
  'PATCH /api/ssh/hosts/{id}': {
    permission: 'ssh:hosts:manage',
    prepare: async () => ({ path: `/api/ssh/hosts/${await createHost()}`, body: { name: uniqueName('renamed') } }),
  },
  'DELETE /api/ssh/hosts/{id}': {
    permission: 'ssh:hosts:manage',
    prepare: async () => ({ path: `/api/ssh/hosts/${await createHost()}` }),
  },
  'POST /api/ssh/hosts/{id}/enrollment': {
    permission: 'ssh:hosts:manage',
    prepare: async () => ({ path: `/api/ssh/hosts/${await createHost()}/enrollment`, body: {} }),
  },
  'POST /oauth/approve': {
    async prepare(app) {
      const url = new URL(authorizeUrl(await registerApplication(app), newPkce()), ORIGIN)
      return { path: '/oauth/approve', body: Object.fromEntries(url.searchParams) }
    },
  },
  'POST /oauth/device/approve': {
    async prepare(app) {
      const { user_code } = await startDevice(app, await registerDeviceClient(app))
      return { path: '/oauth/device/approve', body: { user_code } }
    },
  },
  'DELETE /api/account/oauth/grants/{clientId}': {
    async prepare(app, person) {
      const application = await registerApplication(app)
      await getTokens(app, person, application)
      return { path: `/api/account/oauth/grants/${application.clientId}` }
    },
  },
}

async function addAppPassword(person: SignedInPerson): Promise<string> {
  const { id } = await createSite(admin, { basic: true })
  return (await person.post('/api/account/app-passwords', { name: 'Phone', client_id: id })).json().appPassword.id
}

async function addPasskey(_app: TestApp, person: SignedInPerson): Promise<string> {
  const response = newAuthenticator().register(await registrationOptions(person))
  return (await person.post('/api/passkeys/register/verify', { response })).json().passkey.id
}

let avatar: Buffer

function encode(method: string, { body = {} }: Omit<Change, 'path'>): { type?: string; body: unknown } {
  if (method === 'PUT') return { type: MULTIPART['content-type'], body: avatar }
  return { body }
}

/** What can happen to the user between the headers and the body of a request, and the resulting status. */
const ENDINGS = {
  'the session was ended': {
    status: 401,
    end: async (app: TestApp, person: SignedInPerson) => {
      const elsewhere = await signIn(app, person.user)
      assert.equal((await elsewhere.post(`/api/auth/sessions/${person.sessionId}/revoke`)).statusCode, 200)
    },
  },
  'the account was disabled': {
    status: 401,
    end: async (_app: TestApp, person: SignedInPerson) => {
      const url = `/api/admin/users/${person.user.id}/lifecycle`
      assert.equal((await admin.post(url, { action: 'disable' })).statusCode, 200)
    },
  },
  'the permission was taken away': {
    status: 403,
    end: async (_app: TestApp, person: SignedInPerson) => {
      const { roles } = (await admin.get(`/api/admin/users/${person.user.id}/roles`)).json<{
        roles: { id: string; builtIn: boolean }[]
      }>()
      for (const { id, builtIn } of roles)
        if (!builtIn) await admin.delete(`/api/admin/users/${person.user.id}/roles/${id}`)
    },
  },
}

onMainEngine('a request whose body arrives late', (engine) => {
  const shared = sharedApp({ engine })
  before(async () => {
    admin = await signedInPerson(shared(), { admin: true })
    avatar = form({ bytes: await picture() })
  })

  test('is tested for every route that changes something for the signed-in user', async () => {
    const { paths } = (await shared().app.inject('/openapi.json')).json<{
      paths: Record<string, Record<string, { security?: object[] }>>
    }>()
    const routes = Object.entries(paths).flatMap(([path, operations]) =>
      Object.entries(operations)
        .filter(([method, { security }]) => method !== 'get' && security?.some((scheme) => 'session' in scheme))
        .map(([method]) => `${method.toUpperCase()} ${path}`),
    )
    assert.deepEqual(Object.keys(CHANGES).toSorted(), routes.toSorted())
  })

  for (const [route, { permission, prepare }] of Object.entries(CHANGES)) {
    for (const [ending, { status, end }] of Object.entries(ENDINGS)) {
      if (status === 403 && permission === undefined) continue
      test(`${route} is refused when ${ending} before its body arrives`, async () => {
        const app = shared()
        // A key is saved before a certificate is issued for it.
        const permissions = permission ? [...new Set<Permission>([permission, 'ssh:keys:manage'])] : []
        const person = await signedInPerson(app, { permissions, password: PASSWORD })
        const method = (route.split(' ')[0] ?? '') as 'POST'
        const { path: url, ...change } = await prepare(app, person)
        let unchanged: unknown
        const answer = await sendWithDelayedBody(app, person, { method, url, ...encode(method, change) }, async () => {
          await end(app, person)
          unchanged = await contents(app)
        })
        assert.equal(answer.statusCode, status, answer.body)
        assert.deepEqual(await contents(app), unchanged)
      })
    }
  }

  test('a passkey registration that started before a password reset is refused after it', async () => {
    const app = shared()
    const person = await signedInPerson(app, { password: PASSWORD })
    const response = newAuthenticator().register(await registrationOptions(person))
    const request = { url: '/api/passkeys/register/verify', body: { response } }
    const answer = await sendWithDelayedBody(app, person, request, async () => {
      await person.post('/api/auth/password-reset', { email: person.user.email })
      const { token } = await lastMailTo(app, person.user.email, '/reset-password')
      const body = { token, newPassword: 'entirely new words now' }
      const reset = await person.post('/api/auth/password-reset/confirm', body)
      assert.equal(reset.statusCode, 200, reset.body)
    })
    assert.equal(answer.statusCode, 401)
    const owner = await signIn(app, person.user)
    assert.deepEqual((await owner.get('/api/passkeys')).json(), { passkeys: [] })
  })
})

/** The contents of the tables that define users, their access and what was sent to them. */
async function contents({ services: { db } }: TestApp): Promise<unknown[]> {
  return Promise.all([
    db.read.selectFrom('users').selectAll().orderBy('id').execute(),
    db.read.selectFrom('settings').selectAll().orderBy('name').execute(),
    db.read.selectFrom('roles').selectAll().orderBy('id').execute(),
    db.read.selectFrom('role_permissions').selectAll().orderBy('role_id').orderBy('permission').execute(),
    db.read.selectFrom('user_roles').selectAll().orderBy('user_id').orderBy('role_id').execute(),
    db.read.selectFrom('passkeys').selectAll().orderBy('id').execute(),
    db.read.selectFrom('oauth_clients').selectAll().orderBy('client_id').execute(),
    db.read.selectFrom('oauth_grants').selectAll().orderBy('user_id').orderBy('client_id').execute(),
    db.read.selectFrom('ssh_keys').selectAll().orderBy('id').execute(),
    db.read.selectFrom('ssh_certificates').select(['id', 'revoked_at']).orderBy('id').execute(),
    db.read.selectFrom('lifecycle_actions').selectAll().orderBy('id').execute(),
    db.read.selectFrom('notifications').selectAll().orderBy('id').execute(),
    db.read.selectFrom('outgoing_mail').select('id').orderBy('id').execute(),
    db.read.selectFrom('sessions').select(['id', 'user_id']).orderBy('id').execute(),
  ])
}
