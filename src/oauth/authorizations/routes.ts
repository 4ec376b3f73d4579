import { Type } from 'typebox'
import { actorOf } from '../../identity/sessions/actor.ts'
import { alsoLesser, signedIn } from '../../identity/sessions/guards.ts'
import { type Routes, Success, failures, success } from '../../platform/http/contracts.ts'
import type { Provider } from '../provider.ts'
import { OAuthGrant, listGrants } from './grant-store.ts'
import { revokeGrant } from './revoke-authorizations.ts'

const tags = ['Account']

/** The applications that the signed-in user has granted access. */
export const grantRoutes =
  (provider: Provider): Routes =>
  async (app) => {
    app.get(
      '/api/account/oauth/grants',
      {
        onRequest: signedIn(provider),
        schema: {
          tags,
          summary: 'Applications with access to your account',
          response: { 200: Type.Object({ grants: Type.Array(OAuthGrant) }), ...failures(401) },
        },
      },
      async (request) => ({ grants: await listGrants(provider.db.read, request.signedIn.user.id) }),
    )

    app.delete(
      '/api/account/oauth/grants/:clientId',
      {
        onRequest: alsoLesser('anything', signedIn(provider)),
        schema: {
          tags,
          summary: "Revoke an application's access to your account",
          params: Type.Object({ clientId: Type.String({ minLength: 1, maxLength: 128 }) }),
          response: { 200: Success, ...failures(400, 401, 404) },
        },
      },
      async (request) => {
        await revokeGrant(provider, request.params.clientId, actorOf(provider, request))
        return success
      },
    )
  }
