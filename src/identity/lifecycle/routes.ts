import { Type } from 'typebox'
import { failures, MAX_TIME, NextCursor, PageQuery, type Routes, strict, Time } from '../../platform/http/contracts.ts'
import { decodeCursor } from '../../platform/http/cursor.ts'
import type { IdentityServices } from '../access-events.ts'
import { Ended, Receipt } from '../receipts/receipt.ts'
import { actorOf } from '../sessions/actor.ts'
import { needs, signedIn } from '../sessions/guards.ts'
import { clearSessionCookie } from '../sessions/session-cookie.ts'
import { signInSourceOf } from '../sign-in/sign-in-source.ts'
import { Email } from '../users/email-address.ts'
import { GivenPassword } from '../users/password-rules.ts'
import { refuseUnknownUser } from '../users/user-store.ts'
import { User } from '../users/user.ts'
import { cancelAction, changeNow, planAction } from './change-lifecycle.ts'
import { deleteOwnAccount, deleteUser } from './delete-user.ts'
import { ActionName, LifecycleAction } from './lifecycle-action.ts'
import { listActions } from './lifecycle-store.ts'

const tags = ['Lifecycle']
const Id = Type.String({ minLength: 1, maxLength: 64 })
const ByUser = Type.Object({ userId: Id })

const AtOnce = Type.Object({
  success: Type.Literal(true),
  scheduled: Type.Literal(false),
  user: User,
  ended: Ended,
  lifecycleActionId: Type.String(),
  receipt: Receipt,
})
const Later = Type.Object({ scheduled: Type.Literal(true), lifecycleActionId: Type.String(), executeAt: Time })

export const lifecycleRoutes =
  (services: IdentityServices): Routes =>
  async (app) => {
    app.post(
      '/api/admin/users/:userId/lifecycle',
      {
        onRequest: needs(services, 'users:lifecycle', 'sometimes_fresh'),
        schema: {
          tags,
          summary: 'Disable or enable an account',
          description:
            'Disabling ends every session, token and SSH certificate of the person in one step. At once without executeAt, otherwise at that time. Users can’t disable their own account or plan an action for it (409). A planned disable is carried out even if its planner could no longer do it; a planned enable then fails. Administrators are notified of what failed.',
          params: ByUser,
          body: Type.Object(
            {
              action: ActionName,
              executeAt: Type.Optional(Type.Integer({ minimum: 0, maximum: MAX_TIME })),
              reason: Type.Optional(
                Type.String({ maxLength: 500, description: 'For administrators; never shown to the person.' }),
              ),
              discreet: Type.Optional(
                Type.Boolean({
                  description:
                    'SSH certificates that are issued while a disable is pending end with it at the latest, or after 60 seconds. With true they are valid for as long as requested, so that nobody can tell.',
                }),
              ),
            },
            strict,
          ),
          response: { 200: Type.Union([AtOnce, Later]), ...failures(400, 401, 403, 404, 409) },
        },
      },
      async (request) => {
        const { executeAt, ...action } = request.body
        const change = { userId: request.params.userId, ...action }
        const actor = actorOf(services, request)
        if (executeAt === undefined) {
          return { success: true as const, scheduled: false as const, ...(await changeNow(services, change, actor)) }
        }
        const lifecycleActionId = await planAction(services, { ...change, executeAt }, actor)
        return { scheduled: true as const, lifecycleActionId, executeAt }
      },
    )

    app.get(
      '/api/admin/users/:userId/lifecycle',
      {
        onRequest: needs(services, 'users:lifecycle'),
        schema: {
          tags,
          summary: 'Planned and past actions of an account',
          description: 'Newest first, also those that were carried out at once.',
          params: ByUser,
          querystring: Type.Object(PageQuery, strict),
          response: {
            200: Type.Object({ actions: Type.Array(LifecycleAction), nextCursor: NextCursor }),
            ...failures(400, 401, 403, 404),
          },
        },
      },
      async ({ params: { userId }, query: { limit = 50, cursor }, signedIn }) => {
        await refuseUnknownUser(services.db.read, userId)
        const page = { userId, viewerId: signedIn.user.id, limit, after: decodeCursor(cursor) }
        const { items, nextCursor } = await listActions(services, services.db.read, page)
        return { actions: items, nextCursor }
      },
    )

    app.delete(
      '/api/admin/users/:userId/lifecycle/:actionId',
      {
        onRequest: needs(services, 'users:lifecycle'),
        schema: {
          tags,
          summary: 'Cancel a planned action',
          params: Type.Object({ userId: Id, actionId: Id }),
          response: {
            200: Type.Object({ success: Type.Literal(true), action: LifecycleAction }),
            ...failures(401, 403, 404, 409),
          },
        },
      },
      async (request) => ({
        success: true as const,
        action: await cancelAction(services, request.params, actorOf(services, request)),
      }),
    )

    app.delete(
      '/api/admin/users/:userId',
      {
        onRequest: needs(services, 'users:delete', 'fresh'),
        schema: {
          tags: ['Users'],
          summary: 'Delete a user',
          description:
            'With every session, token, passkey and key. Their SSH certificates are revoked and stay in the log.',
          params: ByUser,
          response: {
            200: Type.Object({ success: Type.Literal(true), ended: Ended }),
            ...failures(401, 403, 404, 409),
          },
        },
      },
      async (request) => ({
        success: true as const,
        ended: await deleteUser(services, request.params.userId, actorOf(services, request)),
      }),
    )

    app.delete(
      '/api/account',
      {
        onRequest: signedIn(services),
        schema: {
          tags: ['Account'],
          summary: 'Delete your account',
          description:
            'For good. Needs the email of the account and the current password, or, for an account without one, a sign-in with a passkey within the last ten minutes. The last active administrator can’t (409), nor anybody after the address was taken back until a password was set (403).',
          body: Type.Object({ email: Email, currentPassword: Type.Optional(GivenPassword) }, strict),
          response: {
            200: Type.Object({ success: Type.Literal(true), ended: Ended }),
            ...failures(400, 401, 403, 409, 415, 429),
          },
        },
      },
      async (request, reply) => {
        const source = signInSourceOf(services.locate, request)
        const deletion = { ...request.body, source, signedIn: request.signedIn }
        const ended = await deleteOwnAccount(services, deletion, actorOf(services, request))
        clearSessionCookie(services.config, reply)
        return { success: true as const, ended }
      },
    )
  }
