import { Type } from 'typebox'
import { failures, Nullable, type Routes, strict, Success, success, Time } from '../../platform/http/contracts.ts'
import { ACRS, acrOf, PROOFS } from '../../vocabulary/sign-in-methods.ts'
import type { IdentityServices } from '../access-events.ts'
import { AssertionResponse, EmptyBody, ProofOptions } from '../passkeys/webauthn-contracts.ts'
import { actorOf } from '../sessions/actor.ts'
import { freshUntil, listProofs } from '../sessions/fresh.ts'
import { alsoLesser, signedIn } from '../sessions/guards.ts'
import { GivenPassword } from '../users/password-rules.ts'
import { proveWithPassword } from './prove-again.ts'
import { RecoveryCode, TotpCode } from './second-step-contracts.ts'
import { openSetUpLink } from './set-up-links.ts'
import { signInSourceOf } from './sign-in-source.ts'

const tags = ['Sign-in and sessions']
/** As for a sign-in with a passkey. */
const PROOF_LIMIT = 64 * 1024

/** Proving once more, in a session, who has it. */
export const freshRoutes =
  (services: IdentityServices): Routes =>
  async (app) => {
    app.get(
      '/api/auth/fresh',
      {
        onRequest: alsoLesser('anything', signedIn(services)),
        schema: {
          tags,
          summary: 'How fresh and how strong this session is',
          response: {
            200: Type.Object({
              freshUntil: Nullable(Time),
              acr: Type.Enum(ACRS, { description: 'How strong the sign-in is, with what was proved since.' }),
              methods: Type.Array(Type.Enum(PROOFS), {
                description: 'What this person can prove with, by POST, who they are.',
              }),
            }),
            ...failures(401),
          },
        },
      },
      async ({ signedIn: { user, session, ...how } }) => ({
        freshUntil: freshUntil(session.provedAt, services.now()),
        acr: acrOf(how),
        methods: await listProofs(services.db.read, user.id),
      }),
    )

    app.post(
      '/api/auth/fresh',
      {
        onRequest: alsoLesser('anything', signedIn(services)),
        bodyLimit: PROOF_LIMIT,
        schema: {
          tags,
          summary: 'Make this session fresh',
          description:
            'With the password, and a code of the authenticator app or a recovery code where there is one (401 `second_step_needed`), or with the response of a passkey to `/api/auth/fresh/options`. It holds for ten minutes, and raises what applications are told about this sign-in, never what a token says that was issued before. Wrong: 401 `wrong_proof`, which counts like a failed sign-in; the session stays as it is.',
          body: Type.Union([
            Type.Object({ password: GivenPassword }, strict),
            Type.Object({ password: GivenPassword, code: TotpCode }, strict),
            Type.Object({ password: GivenPassword, recoveryCode: RecoveryCode }, strict),
            Type.Object(
              { challengeId: Type.String({ minLength: 1, maxLength: 64 }), response: AssertionResponse },
              strict,
            ),
          ]),
          response: {
            200: Type.Object({ freshUntil: Nullable(Time) }),
            ...failures(400, 401, 403, 413, 415, 429),
          },
        },
      },
      async (request) => {
        const { body } = request
        const actor = actorOf(services, request)
        if ('password' in body) {
          const { password, ...given } = body
          const source = signInSourceOf(services.locate, request)
          const second = 'code' in given || 'recoveryCode' in given ? given : undefined
          return proveWithPassword(services, { password, second, source }, actor)
        }
        const { proveWithPasskey } = await import('../passkeys/prove-with-passkey.ts')
        return proveWithPasskey(services, body, actor)
      },
    )

    app.post(
      '/api/auth/setup-link',
      {
        onRequest: alsoLesser('anything', signedIn(services)),
        schema: {
          tags,
          summary: 'Open a link to set up what a role demands',
          description:
            'In a session of the account that it was made for, once. For a day this session may then add a passkey, or an authenticator app where that is enough.',
          body: Type.Object({ token: Type.String({ minLength: 1, maxLength: 200 }) }, strict),
          response: { 200: Success, ...failures(400, 401, 403, 409, 415) },
        },
      },
      async (request) => {
        await openSetUpLink(services, request.body.token, actorOf(services, request))
        return success
      },
    )

    app.post(
      '/api/auth/fresh/options',
      {
        onRequest: alsoLesser('anything', signedIn(services)),
        schema: {
          tags,
          summary: 'Begin to make this session fresh with a passkey',
          description:
            'The challenge is valid for five minutes, once, and in this session alone. 404 for somebody without a passkey.',
          body: EmptyBody,
          response: {
            200: Type.Object({ challengeId: Type.String(), options: ProofOptions }),
            ...failures(400, 401, 403, 404),
          },
        },
      },
      async (request) => {
        const { proofOptions } = await import('../passkeys/prove-with-passkey.ts')
        return proofOptions(services, actorOf(services, request))
      },
    )
  }
