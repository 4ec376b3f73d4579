import { Type } from 'typebox'
import { ById, failures, type Routes, strict } from '../../platform/http/contracts.ts'
import { sourceOf } from '../../platform/http/request-source.ts'
import type { IdentityServices } from '../access-events.ts'
import { actorOf } from '../sessions/actor.ts'
import { alsoLesser, signedIn } from '../sessions/guards.ts'
import { clearSessionCookie } from '../sessions/session-cookie.ts'
import { signInSourceOf } from '../sign-in/sign-in-source.ts'
import { GivenPassword } from '../users/password-rules.ts'
import { previewLink, undoByLink } from './not-me-by-link.ts'
import { undoNotification } from './not-me-in-dashboard.ts'
import { Undone } from './undo-event.ts'

const ByToken = Type.Object({ token: Type.String({ minLength: 1, maxLength: 200 }) }, strict)
const Done = Type.Object({ success: Type.Literal(true), ...Undone.properties })

const WHAT =
  'Ends all sessions, tokens and app passwords, and known browsers and mailed links with them. Removes what was added, if it is still there: the passkey, or the SSH key with its certificates; a change of the address is undone as with `POST /api/account/email/revert`. Clears the password if it is still the one that the account had then, and mails a link to set a new one. Administrators are notified.'

/** What the owner of an account does about an event that somebody else caused. */
export const notMeRoutes =
  (services: IdentityServices): Routes =>
  async (app) => {
    const { config, locate } = services

    app.post(
      '/api/auth/not-me',
      {
        schema: {
          tags: ['Sign-in and sessions'],
          summary: 'What “this was not me” would end',
          description:
            'With the link of a mail about the security of an account, or about a changed address. Changes nothing. The link works for seven days and once; 30 wrong ones from one address in an hour, then 429.',
          body: ByToken,
          response: { 200: Undone, ...failures(400, 403, 409, 415, 429) },
        },
      },
      (request) => previewLink(services, { ...request.body, source: sourceOf(locate, request) }),
    )

    app.post(
      '/api/auth/not-me/confirm',
      {
        schema: {
          tags: ['Sign-in and sessions'],
          summary: 'Say with the link of a mail: this was not me',
          description: `${WHAT} Needs no session and gives none. What was undone otherwise since is left alone.`,
          body: ByToken,
          response: { 200: Done, ...failures(400, 403, 409, 415, 429) },
        },
      },
      async (request) => {
        const undone = await undoByLink(services, { ...request.body, source: sourceOf(locate, request) })
        return { success: true as const, ...undone }
      },
    )

    app.post(
      '/api/notifications/:id/not-me',
      {
        onRequest: alsoLesser('anything', signedIn(services)),
        schema: {
          tags: ['Notifications'],
          summary: 'Say of a notification: this was not me',
          description: `For notifications of \`security.*\`, for seven days. Needs the current password, or, for an account without one, a sign-in with a passkey within the last ten minutes. ${WHAT} The session of the request ends too.`,
          params: ById,
          body: Type.Object({ currentPassword: Type.Optional(GivenPassword) }, strict),
          response: { 200: Done, ...failures(400, 401, 403, 404, 409, 415, 429) },
        },
      },
      async (request, reply) => {
        const undone = await undoNotification(
          services,
          {
            id: request.params.id,
            currentPassword: request.body.currentPassword,
            signedIn: request.signedIn,
            source: signInSourceOf(locate, request),
          },
          actorOf(services, request),
        )
        clearSessionCookie(config, reply)
        return { success: true as const, ...undone }
      },
    )
  }
