import { Type } from 'typebox'
import { failures, Nullable, type Routes, strict } from '../../platform/http/contracts.ts'
import type { IdentityServices } from '../access-events.ts'
import { PasskeyName } from '../passkeys/passkey-name.ts'
import { CreationOptions, RegistrationResponse } from '../passkeys/webauthn-contracts.ts'
import { findInviter } from '../sign-in/email-tokens.ts'
import { signInSourceOf } from '../sign-in/sign-in-source.ts'
import { completeSignIn } from '../sign-in/sign-in.ts'
import { NewPassword } from '../users/password-rules.ts'
import { PersonName, User } from '../users/user.ts'

const tags = ['Sign-in and sessions']
const Token = Type.String({ minLength: 1, maxLength: 200 })
const ByToken = Type.Object({ token: Token }, strict)
const common = { token: Token, displayName: Type.Optional(PersonName) }
/** Twice the size of the longest response that could be verified. */
const ACCEPT_LIMIT = 64 * 1024

/**
 * What an invited person does before there is a session: see who invites, and set up the account. The ceremony of passkeys
 * needs a large library, which is loaded at the first use.
 */
export const invitationRoutes =
  (services: IdentityServices): Routes =>
  async (app) => {
    app.post(
      '/api/auth/invitation',
      {
        schema: {
          tags,
          summary: 'Who invites, and which address',
          body: ByToken,
          response: {
            200: Type.Object({
              email: Type.String(),
              invitedBy: Nullable(
                Type.String({
                  description: 'The display name of the inviter, or the email. Null when that account is gone.',
                }),
              ),
            }),
            ...failures(400, 403, 415),
          },
        },
      },
      async ({ body: { token } }) => {
        const { requireInvitation } = await import('./accept-invitation.ts')
        const { email } = await requireInvitation(services.db.read, token, services.now())
        return { email, invitedBy: await findInviter(services.db.read, token) }
      },
    )

    app.post(
      '/api/auth/invitation/passkey-options',
      {
        schema: {
          tags,
          summary: 'Begin to register the passkey of an invited person',
          description: 'The challenge is valid for five minutes and can be used once. A new request replaces it.',
          body: ByToken,
          response: { 200: CreationOptions, ...failures(400, 403, 409, 415) },
        },
      },
      async ({ body: { token } }) => {
        const { invitationPasskeyOptions } = await import('./accept-invitation.ts')
        return invitationPasskeyOptions(services, token)
      },
    )

    app.post(
      '/api/auth/invitation/accept',
      {
        bodyLimit: ACCEPT_LIMIT,
        schema: {
          tags,
          summary: 'Accept an invitation and sign in',
          description:
            'With a password, or with the response of the authenticator to passkey-options. Confirms the address and sets the session cookie. The link works once, for seven days.',
          body: Type.Union([
            Type.Object({ ...common, password: NewPassword }, strict),
            Type.Object({ ...common, response: RegistrationResponse, name: Type.Optional(PasskeyName) }, strict),
          ]),
          response: { 200: Type.Object({ user: User }), ...failures(400, 401, 403, 409, 413, 415, 429) },
        },
      },
      async (request, reply) => {
        const { acceptInvitation } = await import('./accept-invitation.ts')
        const source = signInSourceOf(services.locate, request)
        return completeSignIn(services, request, reply, await acceptInvitation(services, request.body, source))
      },
    )
  }
