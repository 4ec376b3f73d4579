import assert from 'node:assert/strict'
import type { Response } from 'light-my-request'
import { markEmailConfirmed } from '../../src/identity/users/user-store.ts'
import type { AccessEnd } from '../../src/vocabulary/access-ends.ts'
import type { TestApp } from './app.ts'
import {
  type Application,
  encode,
  exchangeCode,
  getCode,
  getTokens,
  newPkce,
  refresh,
  registerApplication,
  type Tokens,
} from './application.ts'
import { lastMailTo, sentMails } from './mail.ts'
import { anonymous, signedInPerson, type SignedInPerson, signIn } from './people.ts'

/** Of whoever's access ends. */
export const PASSWORD = 'four unusual words here'
const NEW_PASSWORD = 'entirely new words now'
const MINUTE = 60_000

/** Somebody who is signed in to an application, with another session in another browser, and those who can end that. */
export interface Access {
  app: TestApp
  admin: SignedInPerson
  /** In the browser in which the application was opened. */
  person: SignedInPerson
  /** The same person in another browser, which uses no application. */
  elsewhere: SignedInPerson
  application: Application
  tokens: Tokens
  /** A role that the person holds. */
  roleId: string
}

const done = (answer: Response): void => assert.ok(answer.statusCode < 400, `${answer.statusCode} ${answer.body}`)

const grantsOf = ({ application }: Access): string => `/api/account/oauth/grants/${application.clientId}`
const clientOf = ({ application }: Access): string => `/oauth/clients/${application.clientId}`
const userOf = ({ person }: Access): string => `/api/admin/users/${person.user.id}`

/** Admits only the holders of the role, before any of it is taken away. */
const restrict = async (access: Access): Promise<void> =>
  done(await access.admin.patch(clientOf(access), { allowedRoles: [access.roleId] }))

/** Waits until what is done ten minutes later is done. */
async function wait({ app }: Access): Promise<void> {
  app.clock.advance(11 * MINUTE)
  await app.tick()
}

async function moveAddress({ app, person }: Access): Promise<string> {
  await app.services.db.transaction((trx) => markEmailConfirmed(trx, person.user.id))
  const [from, to] = [person.user.email, `moved-${person.user.email}`]
  done(await person.post('/api/account/email', { email: to, currentPassword: PASSWORD }))
  done(await person.post('/api/account/email/confirm', { token: (await lastMailTo(app, to, '/verify-email')).token }))
  return disowningToken(app, from)
}

/** Of the newest mail to this address with a link that says "this was not me". */
async function disowningToken(app: TestApp, email: string): Promise<string> {
  const found = (await sentMails(app))
    .filter(({ to }) => to === email)
    .flatMap(({ text }) => /\/not-me#token=([\w-]+)/.exec(text)?.[1] ?? [])
  assert.ok(found.length > 0, email)
  return found.at(-1) ?? ''
}

/** What happens before, if anything, and then the act itself. */
interface Way {
  prepare?(access: Access): Promise<unknown>
  end(access: Access, prepared: unknown): Promise<void>
}

/** Every way in which access ends, as people and administrators do it. */
const WAYS: Record<AccessEnd, Way> = {
  signed_out: { end: async ({ person }) => done(await person.post('/api/auth/logout')) },
  signed_out_by_application: {
    end: async ({ person, tokens }) =>
      done(await person.get(`/oauth/logout?${encode({ id_token_hint: tokens.id_token })}`)),
  },
  replaced_by_sign_in: {
    prepare: ({ app }) => signedInPerson(app, { password: PASSWORD }),
    end: async ({ person }, other) =>
      done(await person.post('/api/auth/login', { email: (other as SignedInPerson).user.email, password: PASSWORD })),
  },
  session_ended_by_owner: {
    end: async ({ elsewhere, person }) => done(await elsewhere.post(`/api/auth/sessions/${person.sessionId}/revoke`)),
  },
  session_ended_by_administrator: {
    end: async (access) => done(await access.admin.delete(`${userOf(access)}/sessions/${access.person.sessionId}`)),
  },
  other_sessions_ended: { end: async ({ elsewhere }) => done(await elsewhere.post('/api/auth/sessions/revoke-all')) },
  password_changed: {
    // In the session of the application, which goes on.
    end: async ({ person }) =>
      done(await person.post('/api/account/password', { currentPassword: PASSWORD, newPassword: NEW_PASSWORD })),
  },
  password_reset: {
    prepare: async ({ app, person }) => {
      done(await anonymous(app).post('/api/auth/password-reset', { email: person.user.email }))
      return (await lastMailTo(app, person.user.email, '/reset-password')).token
    },
    end: async ({ app }, token) =>
      done(await anonymous(app).post('/api/auth/password-reset/confirm', { token, newPassword: NEW_PASSWORD })),
  },
  address_restored: {
    prepare: moveAddress,
    end: async ({ app }, token) => done(await anonymous(app).post('/api/account/email/revert', { token })),
  },
  not_me: {
    prepare: async (access) => {
      const { app, admin, person } = access
      const { email } = person.user
      await app.services.db.transaction((trx) => markEmailConfirmed(trx, person.user.id))
      done(await admin.post(`${userOf(access)}/password-reset`))
      return disowningToken(app, email)
    },
    end: async ({ app }, token) => done(await anonymous(app).post('/api/auth/not-me/confirm', { token })),
  },
  signed_out_by_administrator: { end: async (access) => done(await access.admin.post(`${userOf(access)}/sign-out`)) },
  disabled: {
    end: async (access) => done(await access.admin.post(`${userOf(access)}/lifecycle`, { action: 'disable' })),
  },
  disabled_as_planned: {
    prepare: async (access) => {
      const executeAt = access.app.clock.now() + MINUTE
      done(await access.admin.post(`${userOf(access)}/lifecycle`, { action: 'disable', executeAt }))
    },
    end: async ({ app }) => {
      app.clock.advance(2 * MINUTE)
      await app.tick()
    },
  },
  deleted: { end: async (access) => done(await access.admin.delete(userOf(access))) },
  deleted_by_owner: {
    end: async ({ person }) =>
      done(await person.delete('/api/account', { email: person.user.email, currentPassword: PASSWORD })),
  },
  grant_revoked: { end: async (access) => done(await access.person.delete(grantsOf(access))) },
  role_lost: {
    prepare: restrict,
    end: async (access) => done(await access.admin.delete(`${userOf(access)}/roles/${access.roleId}`)),
  },
  application_narrowed: {
    end: async (access) => {
      done(await access.admin.patch(clientOf(access), { allowedRoles: [] }))
      await wait(access)
    },
  },
  role_deleted: {
    prepare: restrict,
    end: async (access) => {
      done(await access.admin.delete(`/api/admin/roles/${access.roleId}`))
      await wait(access)
    },
  },
  refresh_token_reused: {
    prepare: async ({ app, application, tokens }) => {
      done(await refresh(app, application, tokens.refresh_token))
      app.clock.advance(MINUTE)
    },
    end: async ({ app, application, tokens }) =>
      assert.equal((await refresh(app, application, tokens.refresh_token)).statusCode, 400),
  },
  code_reused: {
    prepare: async ({ app, application, person }) => {
      const pkce = newPkce()
      const code = await getCode(person, application, pkce)
      done(await exchangeCode(app, application, code, pkce))
      return [code, pkce]
    },
    end: async ({ app, application }, prepared) => {
      const [code, pkce] = prepared as [string, ReturnType<typeof newPkce>]
      assert.equal((await exchangeCode(app, application, code, pkce)).statusCode, 400)
    },
  },
  client_disabled: { end: async (access) => done(await access.admin.patch(clientOf(access), { disabled: true })) },
  client_deleted: { end: async (access) => done(await access.admin.delete(clientOf(access))) },
}

let count = 0

/** A person signs in to a new application with these settings, in one of two browsers. */
export async function giveAccess(
  app: TestApp,
  admin: SignedInPerson,
  settings: Parameters<typeof registerApplication>[1] = {},
): Promise<Access> {
  const role = await admin.post('/api/admin/roles', { name: `Users ${++count}` })
  const roleId = role.json<{ role: { id: string } }>().role.id
  const person = await signedInPerson(app, { password: PASSWORD })
  done(await admin.post(`${userOf({ person } as Access)}/roles`, { roleId }))
  const application = await registerApplication(app, settings)
  const tokens = await getTokens(app, person, application)
  return { app, admin, person, elsewhere: await signIn(app, person.user), application, tokens, roleId }
}

/** Ends the access in one of the ways. */
export async function endAccess(access: Access, way: AccessEnd): Promise<void> {
  const { prepare, end } = WAYS[way]
  await end(access, await prepare?.(access))
}
