import { Type } from 'typebox'
import { failures, type Routes, strict } from '../../platform/http/contracts.ts'
import type { IdentityServices } from '../access-events.ts'
import { needs } from '../sessions/guards.ts'
import { readProof } from './read-proof.ts'

const Id = Type.String({ minLength: 1, maxLength: 64 })

/** What an administrator can show to others about a disable. */
export const proofRoutes =
  (services: IdentityServices): Routes =>
  async (app) => {
    app.get(
      '/api/admin/users/:userId/lifecycle/:actionId/proof',
      {
        onRequest: needs(services, 'users:lifecycle'),
        schema: {
          tags: ['Lifecycle'],
          summary: 'The proof that an account was disabled and that everybody was told',
          description:
            'A JWS (`typ` `latchkey-leaving+jwt`, ES256), made once, when nobody is to be told any more; also of deleted users. It says what receivers have reported. 409 `not_complete` while somebody is still to be told, or the disable is still to come. `latchkey verify-proof` checks it with the keys of `/.well-known/latchkey-proof-keys.json`.',
          params: Type.Object({ userId: Id, actionId: Id }),
          querystring: Type.Object(
            {
              partial: Type.Optional(
                Type.Boolean({
                  description:
                    'While somebody is still to be told, what is known by now, with `partial: true` and without a number: it is not a proof.',
                }),
              ),
            },
            strict,
          ),
          response: { 200: Type.Object({ proof: Type.String() }), ...failures(400, 401, 403, 404, 409) },
        },
      },
      async ({ params, query, signedIn }) => ({
        proof: await readProof(services, { ...params, viewerId: signedIn.user.id, partial: query.partial ?? false }),
      }),
    )
  }
