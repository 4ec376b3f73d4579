import { Type } from 'typebox'
import { failures, type Routes, strict, Success, success } from '../../platform/http/contracts.ts'
import { sourceOf } from '../../platform/http/request-source.ts'
import type { IdentityServices } from '../access-events.ts'
import { actorOf } from '../sessions/actor.ts'
import { signedIn } from '../sessions/guards.ts'
import { signInSourceOf } from '../sign-in/sign-in-source.ts'
import { Email } from '../users/email-address.ts'
import { GivenPassword } from '../users/password-rules.ts'
import { User } from '../users/user.ts'
import { confirmEmailChange, requestEmailChange } from './change-own-email.ts'
import { revertEmailChange } from './revert-email.ts'

const tags = ['Account']
const ByToken = Type.Object({ token: Type.String({ minLength: 1, maxLength: 200 }) }, strict)

/** Changing the address of one's own account. */
export const emailRoutes =
  (services: IdentityServices): Routes =>
  async (app) => {
    const { locate } = services

    app.post(
      '/api/account/email',
      {
        onRequest: signedIn(services),
        schema: {
          tags,
          summary: 'Change your email address',
          description:
            'Sends a link to the new address; the change happens when it is confirmed, within a day. Needs the current password, or, for an account without one, a sign-in with a passkey within the last ten minutes. A later request replaces an earlier one. At most 5 mails an hour for an address and remote address; further ones are not sent, with the same answer. An address that is taken (409) counts like a wrong password, and a person is told of ten in 15 minutes. After the address was taken back, 403 until a password was set.',
          body: Type.Object({ email: Email, currentPassword: Type.Optional(GivenPassword) }, strict),
          response: { 200: Success, ...failures(400, 401, 403, 409, 415, 429) },
        },
      },
      async (request) => {
        const source = signInSourceOf(locate, request)
        const change = { ...request.body, source, signedIn: request.signedIn }
        await requestEmailChange(services, change, actorOf(services, request))
        return success
      },
    )

    app.post(
      '/api/account/email/confirm',
      {
        onRequest: signedIn(services),
        schema: {
          tags,
          summary: 'Confirm a new email address with the link that was sent to it',
          description:
            'Needs a session of the account that the link was sent for: 403 with another one, and after the address was taken back until a password was set. The old address is told: one that was ever confirmed gets a link that restores it for seven days, and is reserved until then.',
          body: ByToken,
          response: {
            200: Type.Object({ success: Type.Literal(true), user: User }),
            ...failures(400, 401, 403, 409, 415),
          },
        },
      },
      async (request) => ({
        ...success,
        user: await confirmEmailChange(services, request.body.token, actorOf(services, request)),
      }),
    )

    app.post(
      '/api/account/email/revert',
      {
        schema: {
          tags,
          summary: 'Restore the address that an account had before a change',
          description:
            'With the link that was sent to that address. Clears the password and sends a link to set a new one, ends every session and token, and removes passkeys, SSH keys with their certificates, app passwords and grants that were added since seven days before the change was asked for, or since the session began that asked for it, whichever is earlier. With the link to set a new one, its owner decides about the rest. Only an account that is enabled.',
          body: ByToken,
          response: { 200: Success, ...failures(400, 403, 409, 415) },
        },
      },
      async (request) => {
        await revertEmailChange(services, request.body.token, sourceOf(locate, request))
        return success
      },
    )
  }
