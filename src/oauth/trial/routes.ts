import { Type } from 'typebox'
import { actorOf } from '../../identity/sessions/actor.ts'
import { needs } from '../../identity/sessions/guards.ts'
import { recheckActor } from '../../identity/sessions/lock-actor.ts'
import { failures, Nullable, type Routes, strict } from '../../platform/http/contracts.ts'
import type { Provider } from '../provider.ts'
import { beginTrial, finishTrial } from './try-sign-in.ts'

const tags = ['OAuth clients']
const ByClientId = Type.Object({ clientId: Type.String({ minLength: 1, maxLength: 128 }) })
const Claims = Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true })
const Text = Type.String({ minLength: 1, maxLength: 200 })

/** Trying a sign-in to an application, without the application. */
export const trialRoutes =
  (provider: Provider): Routes =>
  async (app) => {
    app.post(
      '/oauth/clients/:clientId/trial',
      {
        onRequest: needs(provider, 'oauth_clients:read'),
        schema: {
          tags,
          summary: 'Begin to try a sign-in to an application',
          description: 'The sign-in is that of the caller, and ends on a page of the dashboard.',
          params: ByClientId,
          response: {
            200: Type.Object(
              { authorizeUrl: Type.String(), state: Type.String(), codeVerifier: Type.String() },
              { title: 'Trial' },
            ),
            ...failures(400, 401, 403, 404, 409),
          },
        },
      },
      async (request) => {
        await recheckActor(provider, actorOf(provider, request))
        return beginTrial(provider, request.params.clientId)
      },
    )

    app.post(
      '/oauth/clients/:clientId/trial/result',
      {
        onRequest: needs(provider, 'oauth_clients:read'),
        schema: {
          tags,
          summary: 'What the application would have got from the sign-in that was tried',
          description: 'Works once. The tokens are revoked at once and are not part of the answer.',
          params: ByClientId,
          body: Type.Object({ code: Text, codeVerifier: Text }, strict),
          response: {
            200: Type.Object(
              {
                idToken: Nullable(Type.Object({ header: Claims, claims: Claims })),
                userinfo: Nullable(Claims),
                introspection: Claims,
              },
              { title: 'TrialResult' },
            ),
            ...failures(400, 401, 403, 404, 409, 415),
          },
        },
      },
      async (request) => {
        const actor = actorOf(provider, request)
        await recheckActor(provider, actor)
        return finishTrial(provider, { ...request.body, clientId: request.params.clientId, userId: actor.id })
      },
    )
  }
