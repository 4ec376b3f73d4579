import { Type } from 'typebox'
import { ById, failures, type Routes, strict, Success, success } from '../../platform/http/contracts.ts'
import type { IdentityServices } from '../access-events.ts'
import { findLacking, type Lacking } from '../roles/role-demands.ts'
import { HeldPermission } from '../roles/role.ts'
import { actorOf } from '../sessions/actor.ts'
import { revokeOtherSessions, revokeSession, signOut } from '../sessions/end-sessions.ts'
import { alsoLesser, currentlySignedIn, signedIn, signedInAccount } from '../sessions/guards.ts'
import { clearSessionCookie } from '../sessions/session-cookie.ts'
import { listSessions } from '../sessions/session-store.ts'
import { OwnSession, Session } from '../sessions/session.ts'
import { Email } from '../users/email-address.ts'
import { GivenPassword, NewPassword } from '../users/password-rules.ts'
import { PersonName, User } from '../users/user.ts'
import { finishLogin } from './finish-login.ts'
import { login } from './login.ts'
import { register } from './register.ts'
import {
  AwaitedStep,
  clearStepCookie,
  readStepCookie,
  RecoveryCode,
  setStepCookie,
  TotpCode,
} from './second-step-contracts.ts'
import { signInSourceOf } from './sign-in-source.ts'
import { completeSignIn } from './sign-in.ts'
import { resendVerification, verifyEmail } from './verify-email.ts'

const tags = ['Sign-in and sessions']
const Token = Type.String({ minLength: 1, maxLength: 200 })
const SignedInUser = Type.Object({ user: User })

export const sessionRoutes =
  (services: IdentityServices): Routes =>
  async (app) => {
    const { config, db, now, locate } = services

    app.post(
      '/api/auth/register',
      {
        schema: {
          tags,
          summary: 'Register an account and sign in',
          description: 'Sets the session cookie, and a cookie that makes this browser known for the account.',
          body: Type.Object({ email: Email, password: NewPassword, displayName: Type.Optional(PersonName) }, strict),
          response: { 201: SignedInUser, ...failures(400, 403, 409, 415, 429) },
        },
      },
      async (request, reply) => {
        const made = await register(services, request.body, signInSourceOf(locate, request))
        return reply.code(201).send(await completeSignIn(services, request, reply, made))
      },
    )

    app.post(
      '/api/auth/login',
      {
        schema: {
          tags,
          summary: 'Sign in with email and password',
          description:
            'Sets the session cookie, and a cookie that makes this browser known for the account. With an authenticator app it answers `secondStep` instead, and sets a cookie for that alone. After 100 failures for an email within an hour, from any remote addresses, only known browsers may try; they may fail 10 times in 15 minutes.',
          body: Type.Object(
            { email: Email, password: GivenPassword, rememberMe: Type.Optional(Type.Boolean()) },
            strict,
          ),
          response: {
            200: Type.Union([SignedInUser, Type.Object({ secondStep: AwaitedStep })]),
            ...failures(400, 401, 403, 415, 429),
          },
        },
      },
      async (request, reply) => {
        const started = await login(services, request.body, signInSourceOf(locate, request))
        if ('session' in started) return completeSignIn(services, request, reply, started)
        setStepCookie(config, reply, started.browserToken)
        return { secondStep: started.secondStep }
      },
    )

    app.post(
      '/api/auth/login/second-step',
      {
        schema: {
          tags,
          summary: 'Finish a sign-in with a code of the authenticator app, or a recovery code',
          description:
            'In the browser that gave the password, within five minutes and five tries. 20 wrong codes for an account within an hour make other browsers wait than those that have signed in to it; they have a count of their own, and a right recovery code is taken all the same. Wrong: 401 `wrong_proof`.',
          body: Type.Union([
            Type.Object({ id: Token, code: TotpCode }, strict),
            Type.Object({ id: Token, recoveryCode: RecoveryCode }, strict),
          ]),
          response: { 200: SignedInUser, ...failures(400, 401, 403, 415, 429) },
        },
      },
      async (request, reply) => {
        const { id, ...given } = request.body
        const waiting = { id, given, browserToken: readStepCookie(config, request) }
        const started = await finishLogin(services, waiting, signInSourceOf(locate, request))
        const answer = await completeSignIn(services, request, reply, started)
        clearStepCookie(config, reply)
        return answer
      },
    )

    app.post(
      '/api/auth/logout',
      { schema: { tags, summary: 'End this session', response: { 200: Success, ...failures(403) } } },
      async (request, reply) => {
        const who = await currentlySignedIn(services, request)
        if (who) await signOut(services, who, signInSourceOf(locate, request), 'signed_out')
        clearSessionCookie(config, reply)
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
              session: OwnSession,
              roles: User.properties.roles,
              permissions: Type.Array(HeldPermission),
              mustSetUp: Type.Optional(
                Type.Array(Type.Enum(['passkey', 'second_step']), {
                  description:
                    'A role demands it and this person has none: until it is set up, every route but those for that, for ending something and a few more answers 403 `setup_needed`.',
                }),
              ),
              mustProve: Type.Optional(
                Type.Array(Type.Enum(['passkey', 'second_step']), {
                  description: 'The same where they have it: what to prove at `/api/auth/fresh`.',
                }),
              ),
            }),
            ...failures(401),
          },
        },
      },
      async ({ signedIn: { user, session, permissions, fallsShort } }) => ({
        user,
        session,
        roles: user.roles,
        permissions: [...permissions].toSorted(),
        ...(fallsShort ? tellLacking(await findLacking(db.read, user.id)) : {}),
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
      async ({ signedIn: { user, session } }) => ({
        sessions: await listSessions(db.read, user.id, session.id, now()),
      }),
    )

    app.post(
      '/api/auth/sessions/:id/revoke',
      {
        onRequest: alsoLesser('anything', signedIn(services)),
        schema: {
          tags,
          summary: 'End one session',
          params: ById,
          response: { 200: Success, ...failures(401, 403, 404) },
        },
      },
      async (request, reply) => {
        const { id } = request.params
        await revokeSession(services, actorOf(services, request), id)
        if (id === request.signedIn.session.id) clearSessionCookie(config, reply)
        return success
      },
    )

    app.post(
      '/api/auth/sessions/revoke-all',
      {
        onRequest: alsoLesser('anything', signedIn(services)),
        schema: { tags, summary: 'End all other sessions', response: { 200: Success, ...failures(401, 403) } },
      },
      async (request) => {
        await revokeOtherSessions(services, actorOf(services, request))
        return success
      },
    )

    app.post(
      '/api/auth/verify-email',
      {
        onRequest: signedIn(services),
        schema: {
          tags,
          summary: 'Confirm an email address with the link that was sent to it',
          description: 'Needs a session of the account that the link was sent for: 403 with another one.',
          body: Type.Object({ token: Token }, strict),
          response: { 200: Success, ...failures(400, 401, 403, 415) },
        },
      },
      async (request) => {
        await verifyEmail(services, request.body.token, actorOf(services, request))
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
        await resendVerification(services, actorOf(services, request))
        return success
      },
    )
  }

/** What somebody has to do whose sign-in is less than a role of theirs demands. */
function tellLacking(lacking: Lacking | undefined) {
  if (!lacking || lacking.demand === 'none') return {}
  const mustProve = lacking.means.filter((each) => each !== 'password')
  return mustProve.length > 0 ? { mustProve } : { mustSetUp: [lacking.demand] }
}
