import { Type } from 'typebox'
import { failures, type Routes, strict, Success, success } from '../../platform/http/contracts.ts'
import type { Services } from '../../platform/services.ts'
import { actorOf } from '../sessions/actor.ts'
import { signedIn } from '../sessions/guards.ts'
import { clearSessionCookie } from '../sessions/session-cookie.ts'
import { setKnownBrowserCookie } from '../sign-in/sign-in-cookies.ts'
import { signInSourceOf } from '../sign-in/sign-in-source.ts'
import { Email } from '../users/email-address.ts'
import { GivenPassword, NewPassword } from '../users/password-rules.ts'
import { changePassword } from './change-password.ts'
import { confirmPasswordReset } from './confirm-password-reset.ts'
import { KeptAccess, readResetAccess, ResetAccess } from './left-access.ts'
import { requestPasswordReset } from './password-reset.ts'

const Token = Type.String({ minLength: 1, maxLength: 200 })

/** Changing a password, and replacing a forgotten one. */
export const passwordRoutes =
  (services: Services): Routes =>
  async (app) => {
    const { locate } = services
    app.post(
      '/api/auth/password-reset',
      {
        schema: {
          tags: ['Sign-in and sessions'],
          summary: 'Request a mail to set a new password',
          description:
            'The answer is the same whether there is such an account or not, also when it was requested too often (5 for an email and address, 30 for an address an hour) and no mail is sent. A browser that has signed in to the account always gets one. A newer link ends older ones when it is used.',
          body: Type.Object({ email: Email }, strict),
          response: { 200: Success, ...failures(400, 403, 415) },
        },
      },
      async (request) => {
        await requestPasswordReset(services, request.body, signInSourceOf(locate, request))
        return success
      },
    )

    app.post(
      '/api/auth/password-reset/access',
      {
        schema: {
          tags: ['Sign-in and sessions'],
          summary: 'What a reset link removes, and what is left after an address was taken back',
          description:
            'With the token of a link that was not used yet; it stays valid. Whoever had the account may have added something long before the address was changed, so its owner looks through the rest when setting a password.',
          body: Type.Object({ token: Token }, strict),
          response: { 200: ResetAccess, ...failures(400, 403, 415) },
        },
      },
      (request) => readResetAccess(services, request.body.token),
    )

    app.post(
      '/api/auth/password-reset/confirm',
      {
        schema: {
          tags: ['Sign-in and sessions'],
          summary: 'Set a password with the link of a reset or invitation mail',
          description:
            'Confirms the address, ends every session, token and app password, and makes this browser the only known one of the account. If the address of an account that registered itself was never confirmed before, its passkeys, SSH keys with their certificates and grants are removed too. After an address was taken back, keep names what stays of what /api/auth/password-reset/access lists: everything else is removed, also what was added since. Without keep everything stays for now, and the next link asks again.',
          body: Type.Object({ token: Token, newPassword: NewPassword, keep: Type.Optional(KeptAccess) }, strict),
          response: { 200: Success, ...failures(400, 403, 415, 429) },
        },
      },
      async (request, reply) => {
        const { browserTokens } = await confirmPasswordReset(services, request.body, signInSourceOf(locate, request))
        clearSessionCookie(services.config, reply)
        setKnownBrowserCookie(services.config, reply, browserTokens)
        return success
      },
    )

    app.post(
      '/api/account/password',
      {
        onRequest: signedIn(services),
        schema: {
          tags: ['Account'],
          summary: 'Change your password',
          description: 'Ends all your other sessions and the tokens of applications. Grants stay.',
          body: Type.Object({ currentPassword: GivenPassword, newPassword: NewPassword }, strict),
          response: { 200: Success, ...failures(400, 401, 403, 415, 429) },
        },
      },
      async (request) => {
        const change = { ...request.body, source: signInSourceOf(locate, request) }
        await changePassword(services, change, actorOf(services, request))
        return success
      },
    )
  }
