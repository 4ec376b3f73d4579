import { Type } from 'typebox'
import { digest } from '../crypto/digest.ts'
import { refuse } from '../errors.ts'
import { callerOf } from '../http/caller.ts'
import { ById, failures, type Routes, strict, Success, success } from '../http/contracts.ts'
import { clearSessionCookie, readSessionCookie, setSessionCookie } from '../http/session-cookie.ts'
import type { Services } from '../services.ts'
import { Email } from '../users/email-address.ts'
import { PersonName } from '../users/person-name.ts'
import { GivenPassword, NewPassword } from '../users/password-rules.ts'
import { User } from '../users/user.ts'
import { endSession, endSessions } from './end-sessions.ts'
import { signedIn, signedInAccount } from './guards.ts'
import { login } from './login.ts'
import { confirmPasswordReset, requestPasswordReset } from './password-reset.ts'
import { register } from './register.ts'
import { Session } from './session.ts'
import { findSignedIn, listSessions } from './session-store.ts'
import { resendVerification, verifyEmail } from './verify-email.ts'

const tags = ['Sign-in and sessions']
const Token = Type.String({ minLength: 1, maxLength: 200 })
const SignedInUser = Type.Object({ user: User })

export const sessionRoutes =
  (services: Services): Routes =>
  async (app) => {
    const { db, now, locate } = services

    app.post(
      '/api/auth/register',
      {
        schema: {
          tags,
          summary: 'Make an account and sign in',
          body: Type.Object({ email: Email, password: NewPassword, displayName: Type.Optional(PersonName) }, strict),
          response: { 201: SignedInUser, ...failures(400, 403, 409, 415, 429) },
        },
      },
      async (request, reply) => {
        const { user, session } = await register(services, request.body, callerOf(locate, request))
        setSessionCookie(reply, session.token, session.maxAge)
        return reply.code(201).send({ user })
      },
    )

    app.post(
      '/api/auth/login',
      {
        schema: {
          tags,
          summary: 'Sign in with email and password',
          body: Type.Object(
            { email: Email, password: GivenPassword, rememberMe: Type.Optional(Type.Boolean()) },
            strict,
          ),
          response: { 200: SignedInUser, ...failures(400, 401, 403, 415, 429) },
        },
      },
      async (request, reply) => {
        const { user, session } = await login(services, request.body, callerOf(locate, request))
        setSessionCookie(reply, session.token, session.maxAge)
        return { user }
      },
    )

    app.post(
      '/api/auth/logout',
      { schema: { tags, summary: 'End this session', response: { 200: Success, ...failures(403) } } },
      async (request, reply) => {
        const token = readSessionCookie(request)
        const who = token === undefined ? undefined : await findSignedIn(db, digest(token), now())
        if (who) await endSession(services, db, who.user.id, who.session.id)
        clearSessionCookie(reply)
        return success
      },
    )

    app.get(
      '/api/auth/me',
      {
        onRequest: signedInAccount(services),
        schema: {
          tags,
          summary: 'Who is signed in, and what they may do',
          response: {
            200: Type.Object({
              user: User,
              session: Session,
              roles: User.properties.roles,
              permissions: Type.Array(Type.String()),
            }),
            ...failures(401),
          },
        },
      },
      async ({ account: { user, session, permissions } }) => ({
        user,
        session,
        roles: user.roles,
        permissions: [...permissions].toSorted(),
      }),
    )

    app.get(
      '/api/auth/sessions',
      {
        onRequest: signedIn(services),
        schema: {
          tags,
          summary: 'The live sessions of this account',
          response: { 200: Type.Object({ sessions: Type.Array(Session) }), ...failures(401) },
        },
      },
      async ({ signedIn: { user, session } }) => ({ sessions: await listSessions(db, user.id, session.id, now()) }),
    )

    app.post(
      '/api/auth/sessions/:id/revoke',
      {
        onRequest: signedIn(services),
        schema: {
          tags,
          summary: 'End one session',
          params: ById,
          response: { 200: Success, ...failures(401, 403, 404) },
        },
      },
      async ({ signedIn: { user, session }, params: { id } }, reply) => {
        if (!(await endSession(services, db, user.id, id))) refuse('not_found', 'There is no such session.')
        if (id === session.id) clearSessionCookie(reply)
        return success
      },
    )

    app.post(
      '/api/auth/sessions/revoke-all',
      {
        onRequest: signedIn(services),
        schema: { tags, summary: 'End all other sessions', response: { 200: Success, ...failures(401, 403) } },
      },
      async ({ signedIn: { user, session } }) => {
        await endSessions(services, db, user.id, session.id)
        return success
      },
    )

    app.post(
      '/api/auth/password-reset',
      {
        schema: {
          tags,
          summary: 'Ask for a mail to set a new password',
          description: 'Answers alike whether there is such an account or not.',
          body: Type.Object({ email: Email }, strict),
          response: { 200: Success, ...failures(400, 403, 415) },
        },
      },
      async (request) => {
        await requestPasswordReset(services, request.body, callerOf(locate, request))
        return success
      },
    )

    app.post(
      '/api/auth/password-reset/confirm',
      {
        schema: {
          tags,
          summary: 'Set a password with the link of a reset or invitation mail',
          body: Type.Object({ token: Token, newPassword: NewPassword }, strict),
          response: { 200: Success, ...failures(400, 403, 415) },
        },
      },
      async (request, reply) => {
        await confirmPasswordReset(services, request.body, callerOf(locate, request))
        clearSessionCookie(reply)
        return success
      },
    )

    app.post(
      '/api/auth/verify-email',
      {
        schema: {
          tags,
          summary: 'Confirm an email address with the link that was sent to it',
          body: Type.Object({ token: Token }, strict),
          response: { 200: Success, ...failures(400, 403, 415) },
        },
      },
      async (request) => {
        await verifyEmail(services, request.body.token, callerOf(locate, request))
        return success
      },
    )

    app.post(
      '/api/auth/verify-email/resend',
      {
        onRequest: signedIn(services),
        schema: { tags, summary: 'Send that link again', response: { 200: Success, ...failures(401, 403) } },
      },
      async (request) => {
        await resendVerification(services, request.signedIn.user.id, callerOf(locate, request))
        return success
      },
    )
  }
