import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { Permission } from '../../../src/vocabulary/permissions.ts'
import { sharedApp, type TestApp } from '../../support/app.ts'
import { sendWithDelayedBody } from '../../support/delayed-body.ts'
import { onMainEngine } from '../../support/engines.ts'
import { lastMailTo } from '../../support/mail.ts'
import { signedInPerson, type SignedInPerson, signIn } from '../../support/people.ts'
import { form, MULTIPART, picture } from '../account/upload.ts'
import { newAuthenticator, registrationOptions } from '../passkeys/ceremonies.ts'
import { ACCOUNT_CHANGES } from './account-changes.ts'
import { ADMINISTRATION_CHANGES } from './administration-changes.ts'
import { APPLICATION_CHANGES } from './application-changes.ts'
import { type Change, PASSWORD, admin, signInAdministrator } from './held-back-change.ts'
import { SSH_CHANGES } from './ssh-changes.ts'

/** Every request of the API that changes something for the signed-in user. */
const CHANGES = { ...ACCOUNT_CHANGES, ...ADMINISTRATION_CHANGES, ...APPLICATION_CHANGES, ...SSH_CHANGES }

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
  const shared = sharedApp({ engine, sends: false })
  before(async () => {
    await signInAdministrator(shared())
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
        // A key is saved before a certificate is issued for it, and webhooks need a second one.
        const permissions = permission ? [...new Set<Permission>([permission, 'ssh:keys:manage', 'audit:read'])] : []
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
    db.read.selectFrom('webhooks').selectAll().orderBy('id').execute(),
    db.read.selectFrom('outbox_deliveries').selectAll().orderBy('number').execute(),
    db.read.selectFrom('ssh_keys').selectAll().orderBy('id').execute(),
    db.read.selectFrom('ssh_certificates').select(['id', 'revoked_at']).orderBy('id').execute(),
    db.read.selectFrom('lifecycle_actions').selectAll().orderBy('id').execute(),
    db.read.selectFrom('notifications').selectAll().orderBy('id').execute(),
    db.read.selectFrom('outgoing_mail').select('id').orderBy('id').execute(),
    db.read.selectFrom('sessions').select(['id', 'user_id']).orderBy('id').execute(),
  ])
}
