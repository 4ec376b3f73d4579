import { Type } from 'typebox'
import { failures, type Routes, Success, success } from '../../platform/http/contracts.ts'
import type { Services } from '../../platform/services.ts'
import { actorOf } from '../sessions/actor.ts'
import { needs } from '../sessions/guards.ts'
import { endUserSession, removeUserAppPassword, removeUserPasskey, signOutUser } from './end-access.ts'
import { Access, readAccess } from './read-access.ts'

const tags = ['Users']
const Id = Type.String({ minLength: 1, maxLength: 64 })
const ByUser = Type.Object({ userId: Id })

/** What gives a person access, and how administrators end it without disabling the account. */
export const accessRoutes =
  (services: Services): Routes =>
  async (app) => {
    app.get(
      '/api/admin/users/:userId/access',
      {
        onRequest: needs(services, 'users:read'),
        schema: {
          tags,
          summary: 'What gives a user access',
          description:
            'Each part as the user sees it. sshKeys and certificates are null without ssh:cert:list, sessions and pendingActions without users:lifecycle. Certificates and actions: at most 200.',
          params: ByUser,
          response: { 200: Access, ...failures(401, 403, 404) },
        },
      },
      (request) => readAccess(services, request.params.userId, actorOf(services, request)),
    )

    app.post(
      '/api/admin/users/:userId/sign-out',
      {
        onRequest: needs(services, 'users:lifecycle'),
        schema: {
          tags,
          summary: 'End all sessions and tokens of a user',
          description: 'The user is notified, and may sign in again. Grants, passkeys and certificates stay.',
          params: ByUser,
          response: { 200: Success, ...failures(401, 403, 404) },
        },
      },
      async (request) => {
        await signOutUser(services, request.params.userId, actorOf(services, request))
        return success
      },
    )

    app.delete(
      '/api/admin/users/:userId/sessions/:sessionId',
      {
        onRequest: needs(services, 'users:lifecycle'),
        schema: {
          tags,
          summary: 'End one session of a user',
          description: 'The user is notified.',
          params: Type.Object({ userId: Id, sessionId: Id }),
          response: { 200: Success, ...failures(401, 403, 404) },
        },
      },
      async (request) => {
        await endUserSession(services, request.params, actorOf(services, request))
        return success
      },
    )

    app.delete(
      '/api/admin/users/:userId/passkeys/:passkeyId',
      {
        onRequest: needs(services, 'users:lifecycle'),
        schema: {
          tags,
          summary: 'Remove a passkey of a user',
          description: 'Also the only one of an account without a password. The user is notified.',
          params: Type.Object({ userId: Id, passkeyId: Id }),
          response: { 200: Success, ...failures(401, 403, 404) },
        },
      },
      async (request) => {
        await removeUserPasskey(services, request.params, actorOf(services, request))
        return success
      },
    )

    app.delete(
      '/api/admin/users/:userId/app-passwords/:appPasswordId',
      {
        onRequest: needs(services, 'users:lifecycle'),
        schema: {
          tags,
          summary: 'End an app password of a user',
          description: 'The user is notified.',
          params: Type.Object({ userId: Id, appPasswordId: Id }),
          response: { 200: Success, ...failures(401, 403, 404) },
        },
      },
      async (request) => {
        await removeUserAppPassword(services, request.params, actorOf(services, request))
        return success
      },
    )
  }
