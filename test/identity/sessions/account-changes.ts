import { lastMailTo } from '../../support/mail.ts'
import { signIn } from '../../support/people.ts'
import { newAuthenticator, registrationOptions } from '../passkeys/ceremonies.ts'
import { addApp, oathCode } from '../second-step/authenticator-app.ts'
import { type ChangeTest, PASSWORD, nextNumber, addPasskey } from './held-back-change.ts'

/** What people change of their own. */
export const ACCOUNT_CHANGES: Record<string, ChangeTest> = {
  'POST /api/auth/sessions/{id}/revoke': {
    prepare: async (app, { user }) => ({ path: `/api/auth/sessions/${(await signIn(app, user)).sessionId}/revoke` }),
  },
  'POST /api/auth/sessions/revoke-all': { prepare: async () => ({ path: '/api/auth/sessions/revoke-all' }) },
  'POST /api/auth/fresh': { prepare: async () => ({ path: '/api/auth/fresh', body: { password: PASSWORD } }) },
  'POST /api/auth/fresh/options': {
    async prepare(app, person) {
      await addPasskey(app, person)
      return { path: '/api/auth/fresh/options', body: {} }
    },
  },
  'POST /api/account/totp': { prepare: async () => ({ path: '/api/account/totp' }) },
  'POST /api/account/totp/confirm': {
    async prepare(app, person) {
      const { secret } = (await person.post('/api/account/totp')).json()
      return { path: '/api/account/totp/confirm', body: { code: oathCode(secret, app.clock.now()) } }
    },
  },
  'DELETE /api/account/totp': {
    async prepare(app, person) {
      await addApp(app, person)
      return { path: '/api/account/totp' }
    },
  },
  'POST /api/account/recovery-codes': {
    async prepare(app, person) {
      await addApp(app, person)
      return { path: '/api/account/recovery-codes' }
    },
  },
  'POST /api/auth/verify-email': {
    async prepare(app, person) {
      await person.post('/api/auth/verify-email/resend')
      const { token } = await lastMailTo(app, person.user.email, '/verify-email')
      return { path: '/api/auth/verify-email', body: { token } }
    },
  },
  'POST /api/auth/setup-link': {
    prepare: async () => ({ path: '/api/auth/setup-link', body: { token: 'su_unknown' } }),
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
      body: { email: `moved${nextNumber()}@example.net`, currentPassword: PASSWORD },
    }),
  },
  'POST /api/account/email/confirm': {
    async prepare(app, person) {
      const email = `moved${nextNumber()}@example.net`
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
  'PATCH /api/notifications/{id}/read': {
    async prepare(app, person) {
      await addPasskey(app, person)
      const { notifications } = (await person.get('/api/notifications')).json()
      return { path: `/api/notifications/${notifications[0].id}/read` }
    },
  },
  'POST /api/notifications/{id}/not-me': {
    async prepare(app, person) {
      await addPasskey(app, person)
      const { notifications } = (await person.get('/api/notifications')).json()
      return { path: `/api/notifications/${notifications[0].id}/not-me`, body: { currentPassword: PASSWORD } }
    },
  },
  'POST /api/notifications/read-all': { prepare: async () => ({ path: '/api/notifications/read-all' }) },
}
