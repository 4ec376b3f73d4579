import { Type } from 'typebox'
import { failures, type Routes, strict, Success, success } from '../../platform/http/contracts.ts'
import type { IdentityServices } from '../access-events.ts'
import { countRecoveryCodes, findTotp } from '../second-step/second-step-store.ts'
import { actorOf } from '../sessions/actor.ts'
import { alsoLesser, signedIn } from '../sessions/guards.ts'
import { TotpCode } from '../sign-in/second-step-contracts.ts'
import { beginTotp, confirmTotp, removeTotp, renewRecoveryCodes } from './manage-totp.ts'

const tags = ['Account']
const path = '/api/account/totp'
const NewRecoveryCodes = Type.Object({
  recoveryCodes: Type.Array(Type.String(), { description: 'Shown only in this answer. Each works once.' }),
})

/** The second step of one's own sign-in: an authenticator app, and codes for when it is lost. */
export const totpRoutes =
  (services: IdentityServices): Routes =>
  async (app) => {
    app.get(
      path,
      {
        onRequest: signedIn(services),
        schema: {
          tags,
          summary: 'Your authenticator app',
          response: {
            200: Type.Object({ enabled: Type.Boolean(), recoveryCodesLeft: Type.Integer() }),
            ...failures(401),
          },
        },
      },
      async ({ signedIn: { user } }) => ({
        enabled: typeof (await findTotp(services.db.read, user.id))?.since === 'number',
        recoveryCodesLeft: await countRecoveryCodes(services.db.read, user.id),
      }),
    )

    app.post(
      path,
      {
        onRequest: alsoLesser('set_up_second_step', signedIn(services, 'fresh')),
        schema: {
          tags,
          summary: 'Begin to use an authenticator app',
          description:
            'TOTP (RFC 6238): SHA-1, 6 digits, 30 seconds. Nothing changes until a first code was right; a new request replaces this one.',
          response: {
            200: Type.Object({
              secret: Type.String({ description: 'Base32.' }),
              uri: Type.String({ description: 'For the app.' }),
              qr: Type.String({ description: 'The same as an SVG.' }),
            }),
            ...failures(401, 403, 409),
          },
        },
      },
      async (request) => {
        const begun = await beginTotp(services, actorOf(services, request))
        // A library that few requests need.
        const { encodeQR } = await import('qr')
        return { ...begun, qr: encodeQR(begun.uri, 'svg') }
      },
    )

    app.post(
      `${path}/confirm`,
      {
        onRequest: alsoLesser('set_up_second_step', signedIn(services, 'fresh')),
        schema: {
          tags,
          summary: 'Turn the authenticator app on, with a first code',
          description: 'From then on a sign-in with the password asks for a code too. Wrong: 400 wrong_code.',
          body: Type.Object({ code: TotpCode }, strict),
          response: { 200: NewRecoveryCodes, ...failures(400, 401, 403, 409, 415) },
        },
      },
      (request) => confirmTotp(services, request.body, actorOf(services, request)),
    )

    app.delete(
      path,
      {
        onRequest: signedIn(services, 'fresh'),
        schema: {
          tags,
          summary: 'Turn the authenticator app off',
          description: 'The recovery codes go with it.',
          response: { 200: Success, ...failures(401, 403, 409) },
        },
      },
      async (request) => {
        await removeTotp(services, actorOf(services, request))
        return success
      },
    )

    app.post(
      '/api/account/recovery-codes',
      {
        onRequest: signedIn(services, 'fresh'),
        schema: {
          tags,
          summary: 'Make new recovery codes',
          description: 'The earlier ones stop working.',
          response: { 200: NewRecoveryCodes, ...failures(401, 403, 409) },
        },
      },
      (request) => renewRecoveryCodes(services, actorOf(services, request)),
    )
  }
