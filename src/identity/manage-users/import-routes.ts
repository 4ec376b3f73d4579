import { Type } from 'typebox'
import { failures, type Routes, strict } from '../../platform/http/contracts.ts'
import type { Services } from '../../platform/services.ts'
import { actorOf } from '../sessions/actor.ts'
import { needs } from '../sessions/guards.ts'
import { importUsers } from './import-users.ts'
import { OutcomeFields } from './outcome-of-each.ts'

const MAX_ROWS = 1000
const BODY_LIMIT = 1024 * 1024
/** Any text: what is wrong with a value of one row is the outcome of that row. */
const Text = Type.String({ maxLength: 10_000 })

/** Inviting many people at once. */
export const importRoutes =
  (services: Services): Routes =>
  async (app) => {
    app.post(
      '/api/admin/users/import',
      {
        onRequest: needs(services, 'users:write', 'sometimes_fresh'),
        bodyLimit: BODY_LIMIT,
        schema: {
          tags: ['Users'],
          summary: 'Invite many people',
          description:
            'Each on its own: a row that is refused does not affect the others. Somebody who has an account already is left unchanged. roles are names, and giving them needs roles:assign as well. With dryRun nothing is changed or sent.',
          body: Type.Object(
            {
              rows: Type.Array(
                Type.Object(
                  {
                    email: Text,
                    displayName: Type.Optional(Text),
                    preferredUsername: Type.Optional(Text),
                    roles: Type.Optional(Type.Array(Text, { maxItems: 50 })),
                  },
                  strict,
                ),
                { minItems: 1, maxItems: MAX_ROWS },
              ),
              dryRun: Type.Optional(Type.Boolean()),
            },
            strict,
          ),
          response: {
            200: Type.Object({ results: Type.Array(Type.Object({ email: Type.String(), ...OutcomeFields })) }),
            ...failures(400, 401, 403, 413, 415),
          },
        },
      },
      async (request) => ({ results: await importUsers(services, request.body, actorOf(services, request)) }),
    )
  }
