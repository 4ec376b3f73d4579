import { Type } from 'typebox'
import { failures, MAX_TIME, type Routes, strict } from '../../platform/http/contracts.ts'
import type { IdentityServices } from '../access-events.ts'
import { OutcomeFields } from '../manage-users/outcome-of-each.ts'
import { actorOf } from '../sessions/actor.ts'
import { signedIn } from '../sessions/guards.ts'
import { BATCH_ACTIONS, changeMany } from './change-many.ts'

const Id = Type.String({ minLength: 1, maxLength: 64 })
const MAX_USERS = 200

/** The same for many users at once. */
export const batchRoutes =
  (services: IdentityServices): Routes =>
  async (app) => {
    app.post(
      '/api/admin/users/batch',
      {
        onRequest: signedIn(services, 'sometimes_fresh'),
        schema: {
          tags: ['Users'],
          summary: 'Disable, enable or invite many users, or give them a role',
          description:
            'Needs the permission of the single act: users:lifecycle, roles:assign or users:write. Each on its own: a user for whom it is refused does not affect the others. With dryRun nothing is changed or sent.',
          body: Type.Object(
            {
              ids: Type.Array(Id, { minItems: 1, maxItems: MAX_USERS }),
              action: Type.Enum([...BATCH_ACTIONS]),
              roleId: Type.Optional(Id),
              executeAt: Type.Optional(Type.Integer({ minimum: 0, maximum: MAX_TIME })),
              reason: Type.Optional(Type.String({ maxLength: 500 })),
              dryRun: Type.Optional(Type.Boolean()),
            },
            strict,
          ),
          response: {
            200: Type.Object({ results: Type.Array(Type.Object({ id: Type.String(), ...OutcomeFields })) }),
            ...failures(400, 401, 403, 415),
          },
        },
      },
      async (request) => ({ results: await changeMany(services, request.body, actorOf(services, request)) }),
    )
  }
