import { Type } from 'typebox'
import { failures, MAX_TIME, NextCursor, PageQuery, type Routes, strict, Time } from '../http/contracts.ts'
import { decodeCursor } from '../http/cursor.ts'
import type { Services } from '../services.ts'
import { actorOf } from '../sessions/actor.ts'
import { needs } from '../sessions/guards.ts'
import { refuseUnknownUser } from '../users/refuse-unknown-user.ts'
import { User } from '../users/user.ts'
import { cancelAction, changeNow, planAction } from './change-lifecycle.ts'
import { Ended, previewCut } from './cut-access.ts'
import { deleteUser } from './delete-user.ts'
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
})
const Later = Type.Object({ scheduled: Type.Literal(true), lifecycleActionId: Type.String(), executeAt: Time })

export const lifecycleRoutes =
  (services: Services): Routes =>
  async (app) => {
    app.post(
      '/api/admin/users/:userId/lifecycle',
      {
        onRequest: needs(services, 'users:lifecycle'),
        schema: {
          tags,
          summary: 'Disable or enable an account',
          description:
            'Disabling ends every session, token and SSH certificate of the person in one step. At once without executeAt, otherwise at that time. Users can’t disable their own account or plan an action for it (409). A planned disable is carried out even if its planner could no longer do it; a planned enable then fails. Administrators are notified of what failed.',
          params: ByUser,
          body: Type.Object(
            { action: ActionName, executeAt: Type.Optional(Type.Integer({ minimum: 0, maximum: MAX_TIME })) },
            strict,
          ),
          response: { 200: Type.Union([AtOnce, Later]), ...failures(400, 401, 403, 404, 409) },
        },
      },
      async (request) => {
        const { executeAt, action } = request.body
        const change = { userId: request.params.userId, action }
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
          description: 'Newest first.',
          params: ByUser,
          querystring: Type.Object(PageQuery, strict),
          response: {
            200: Type.Object({ actions: Type.Array(LifecycleAction), nextCursor: NextCursor }),
            ...failures(400, 401, 403, 404),
          },
        },
      },
      async ({ params, query }) => {
        await refuseUnknownUser(services.db.read, params.userId)
        const after = decodeCursor(query.cursor)
        const { items, nextCursor } = await listActions(services.db.read, params.userId, query.limit ?? 50, after)
        return { actions: items, nextCursor }
      },
    )

    app.get(
      '/api/admin/users/:userId/lifecycle/preview',
      {
        onRequest: needs(services, 'users:lifecycle'),
        schema: {
          tags,
          summary: 'What disabling or deleting the account would end',
          description: 'Changes nothing.',
          params: ByUser,
          response: { 200: Type.Object({ ends: Ended }), ...failures(401, 403, 404) },
        },
      },
      async ({ params }) => {
        await refuseUnknownUser(services.db.read, params.userId)
        return { ends: await previewCut(services, params.userId) }
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
        onRequest: needs(services, 'users:delete'),
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
  }
