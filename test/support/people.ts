import type { InjectOptions, Response } from 'light-my-request'
import { skipEscalationCheck } from '../../src/identity/roles/checked-trx.ts'
import { addAssignment, addRole } from '../../src/identity/roles/role-store.ts'
import { startSession } from '../../src/identity/sessions/start-session.ts'
import { createUser } from '../../src/identity/users/create-user.ts'
import type { User } from '../../src/identity/users/user.ts'
import { newId } from '../../src/platform/ids.ts'
import { ADMIN_ROLE } from '../../src/vocabulary/built-in-roles.ts'
import type { Permission } from '../../src/vocabulary/permissions.ts'
import type { TestApp } from './app.ts'
import { ORIGIN } from './settings.ts'

type Send = (url: string, body?: unknown, headers?: Record<string, string>) => Promise<Response>

/** A browser that uses the dashboard, signed in or not. */
export interface Person {
  get: Send
  post: Send
  put: Send
  patch: Send
  delete: Send
  /** The value of the session cookie; empty when signed out. */
  cookie: string
}

export interface SignedInPerson extends Person {
  user: User
  sessionId: string
}

export function anonymous({ app }: Pick<TestApp, 'app'>, cookie = ''): Person {
  const person = { cookie } as Person
  const sendWith =
    (method: NonNullable<InjectOptions['method']>): Send =>
    (url, body, headers = {}) =>
      app.inject({
        method,
        url,
        headers: {
          origin: ORIGIN,
          ...(person.cookie === '' ? {} : { cookie: `session=${person.cookie}` }),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined
          ? {}
          : { payload: typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body) }),
      })
  return Object.assign(person, {
    get: sendWith('GET'),
    post: sendWith('POST'),
    put: sendWith('PUT'),
    patch: sendWith('PATCH'),
    delete: sendWith('DELETE'),
  })
}

interface Traits {
  email?: string
  password?: string
  /** Granted through a role that only this person has. */
  permissions?: Permission[]
  admin?: boolean
  principals?: string[]
}

let count = 0

/** Creates a user with a live session and exactly the given permissions. */
export async function signedInPerson(test: TestApp, traits: Traits = {}): Promise<SignedInPerson> {
  const { services } = test
  const { db } = services
  const user = await createUser(services, db, {
    email: traits.email ?? `person${++count}@example.com`,
    passwordHash: traits.password === undefined ? null : await services.passwords.hash(traits.password, '127.0.0.1'),
  })
  if (traits.permissions || traits.principals) {
    const { permissions = [], principals = [] } = traits
    const id = newId()
    await db.transaction(async (trx) => {
      await addRole(
        skipEscalationCheck(trx),
        id,
        { name: `role of ${user.email}`, permissions, principals },
        services.now(),
      )
      const assignment = { userId: user.id, roleId: id, now: services.now() }
      await addAssignment(skipEscalationCheck(trx), assignment)
    })
  }
  const administration = { userId: user.id, roleId: ADMIN_ROLE, now: services.now() }
  if (traits.admin) await db.transaction((trx) => addAssignment(skipEscalationCheck(trx), administration))
  return signIn(test, user)
}

/** Starts another session of the user, as if on another device. */
export async function signIn(test: TestApp, user: User): Promise<SignedInPerson> {
  const { services } = test
  const { id, token } = await services.db.transaction((trx) =>
    startSession(services, trx, {
      userId: user.id,
      method: 'password',
      amr: ['pwd'],
      remember: true,
      source: {
        ipAddress: '127.0.0.1',
        userAgent: 'test',
        geolocation: { country: null, city: null, region: null },
        requestId: 'test',
      },
    }),
  )
  return Object.assign(anonymous(test, token), { user, sessionId: id })
}

/** The value of the session cookie that a response sets. */
export function cookieOf(response: Response): string | undefined {
  const header = response.headers['set-cookie']
  return /^session=([^;]*)/.exec([header ?? ''].flat()[0] ?? '')?.[1]
}
