import { Type } from 'typebox'
import { ById, failures, type Routes, strict, Success, success } from '../../platform/http/contracts.ts'
import type { IdentityServices } from '../access-events.ts'
import { actorOf } from '../sessions/actor.ts'
import { alsoLesser, signedIn } from '../sessions/guards.ts'
import { signInSourceOf } from '../sign-in/sign-in-source.ts'
import { completeSignIn } from '../sign-in/sign-in.ts'
import { User } from '../users/user.ts'
import { removePasskey, renamePasskey } from './manage-passkeys.ts'
import { PasskeyName } from './passkey-name.ts'
import { passkeySignals } from './passkey-signals.ts'
import { listPasskeys, Passkey } from './passkey-store.ts'
import {
  AssertionResponse,
  CreationOptions,
  CreationRequest,
  EmptyBody,
  PasskeySignals,
  RegistrationResponse,
  RequestOptions,
} from './webauthn-contracts.ts'

const tags = ['Passkeys']
/** Twice the size of the longest response that could be verified. */
const VERIFY_LIMIT = 64 * 1024

/**
 * Registering, using and managing passkeys. The ceremonies need a library of a hundred files, which is loaded at the first
 * ceremony and not at the start of the service.
 */
export const passkeyRoutes =
  (services: IdentityServices): Routes =>
  async (app) => {
    const guard = signedIn(services)

    app.post(
      '/api/passkeys/register/options',
      {
        onRequest: alsoLesser('set_up_passkey', signedIn(services, 'fresh')),
        schema: {
          tags,
          summary: 'Begin to register a passkey',
          description:
            'The challenge is valid for five minutes and can be used once. A new request replaces it. With `conditional` it is for a passkey that the browser makes by itself: once after a sign-in with the password, within five minutes of it, in a browser that has been known for seven days, otherwise 403. It is valid until then, in this session, and its response needs neither user presence nor user verification.',
          body: CreationRequest,
          response: { 200: CreationOptions, ...failures(400, 401, 403, 409) },
        },
      },
      async (request) => {
        const { conditionalOptions, registrationOptions } = await import('./register-passkey.ts')
        const begin = request.body?.conditional ? conditionalOptions : registrationOptions
        return begin(services, actorOf(services, request))
      },
    )

    app.post(
      '/api/passkeys/register/verify',
      {
        onRequest: alsoLesser('set_up_passkey', signedIn(services, 'fresh')),
        bodyLimit: VERIFY_LIMIT,
        schema: {
          tags,
          summary: 'Register a passkey',
          description:
            'Without a name it is named after its authenticator. After 401 passkey_refused, begin again with new options.',
          body: Type.Object({ response: RegistrationResponse, name: Type.Optional(PasskeyName) }, strict),
          response: {
            200: Type.Object({ success: Type.Literal(true), passkey: Passkey }),
            ...failures(400, 401, 403, 409, 413, 429),
          },
        },
      },
      async (request) => {
        const actor = actorOf(services, request)
        const { registerPasskey } = await import('./register-passkey.ts')
        const passkey = await registerPasskey(services, { ...request.body, actor })
        return { ...success, passkey }
      },
    )

    app.post(
      '/api/passkeys/login/options',
      {
        schema: {
          tags,
          summary: 'Begin to sign in with a passkey',
          description: 'The challenge is valid for five minutes and can be used once.',
          body: EmptyBody,
          response: { 200: RequestOptions, ...failures(400, 403) },
        },
      },
      async () => {
        const { loginOptions } = await import('./login-with-passkey.ts')
        return loginOptions(services)
      },
    )

    app.post(
      '/api/passkeys/login/verify',
      {
        bodyLimit: VERIFY_LIMIT,
        schema: {
          tags,
          summary: 'Sign in with a passkey',
          description:
            'Sets the session cookie. 401 `passkey_refused` has the reason `passkey_not_known` where the passkey was made for an account here, and no account has it.',
          body: Type.Object(
            { response: AssertionResponse, challengeId: Type.String({ minLength: 1, maxLength: 64 }) },
            strict,
          ),
          response: { 200: Type.Object({ user: User }), ...failures(400, 401, 403, 413, 429) },
        },
      },
      async (request, reply) => {
        const source = signInSourceOf(services.locate, request)
        const { loginWithPasskey } = await import('./login-with-passkey.ts')
        return completeSignIn(services, request, reply, await loginWithPasskey(services, { ...request.body, source }))
      },
    )

    app.get(
      '/api/passkeys',
      {
        onRequest: guard,
        schema: {
          tags,
          summary: 'List your passkeys',
          response: { 200: Type.Object({ passkeys: Type.Array(Passkey) }), ...failures(401) },
        },
      },
      async (request) => ({ passkeys: await listPasskeys(services.db.read, request.signedIn.user.id) }),
    )

    app.get(
      '/api/passkeys/signals',
      {
        onRequest: guard,
        schema: {
          tags,
          summary: 'What the browser is told of your passkeys',
          description:
            'The page passes it to `signalAllAcceptedCredentials` and `signalCurrentUserDetails` of the browser after a sign-in and after changes.',
          response: { 200: PasskeySignals, ...failures(401) },
        },
      },
      (request) => passkeySignals(services, actorOf(services, request)),
    )

    app.patch(
      '/api/passkeys/:id',
      {
        onRequest: guard,
        schema: {
          tags,
          summary: 'Rename a passkey',
          params: ById,
          body: Type.Object({ name: PasskeyName }, strict),
          response: { 200: Type.Object({ passkey: Passkey }), ...failures(400, 401, 403, 404) },
        },
      },
      async (request) => {
        const { params, body } = request
        const actor = actorOf(services, request)
        return { passkey: await renamePasskey(services, { ...params, ...body, actor }) }
      },
    )

    app.delete(
      '/api/passkeys/:id',
      {
        onRequest: signedIn(services, 'fresh'),
        schema: {
          tags,
          summary: 'Remove a passkey',
          description: 'The last passkey of an account without a password stays: 409.',
          params: ById,
          response: { 200: Success, ...failures(401, 403, 404, 409) },
        },
      },
      async (request) => {
        const actor = actorOf(services, request)
        await removePasskey(services, { ...request.params, actor })
        return success
      },
    )
  }
