import { Type } from 'typebox'
import { readHoldings } from '../../identity/roles/holdings.ts'
import { actorOf } from '../../identity/sessions/actor.ts'
import { needs } from '../../identity/sessions/guards.ts'
import { recheckActor } from '../../identity/sessions/lock-actor.ts'
import { Nullable, type Routes, failures, strict } from '../../platform/http/contracts.ts'
import { ClientSettings } from '../clients/client-settings.ts'
import type { Provider } from '../provider.ts'
import { administrationErrors } from './administration-errors.ts'
import { previewSignIn } from './preview-sign-in.ts'
import { beginTrial, finishTrial } from './try-sign-in.ts'

const Claims = Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true })

const Preview = Type.Object(
  {
    allowed: Type.Boolean({ description: 'Whether the person may use the application.' }),
    consent: Type.Enum(['granted', 'asked', 'skipped']),
    idToken: Nullable(Type.Object({ header: Claims, claims: Claims })),
    userinfo: Nullable(Claims),
    introspection: Claims,
  },
  { title: 'SignInPreview' },
)

/** What an application would be told about a person. */
export const previewRoutes =
  (provider: Provider): Routes =>
  async (app) => {
    app.post(
      '/oauth/clients/:clientId/preview',
      {
        onRequest: needs(provider, 'oauth_clients:read'),
        schema: {
          tags: ['OAuth clients'],
          summary: 'What an application would be told about a person',
          description:
            'Needs users:read as well. Nothing is issued. Without the scope openid there is neither an ID token nor userinfo.',
          params: Type.Object({ clientId: Type.String({ minLength: 1, maxLength: 128 }) }),
          body: Type.Object(
            {
              userId: Type.String({ minLength: 1, maxLength: 64 }),
              scopes: Type.Optional(ClientSettings.scopes),
            },
            strict,
          ),
          response: { 200: Preview, ...failures(400, 401, 403, 404, 415) },
        },
      },
      async (request) => {
        const actor = actorOf(provider, request)
        await recheckActor(provider, actor)
        const { permissions } = await readHoldings(provider.db.read, actor.id)
        if (!permissions.has('users:read')) throw administrationErrors.preview_needs_users_read()
        const { userId, scopes } = request.body
        return previewSignIn(provider, { clientId: request.params.clientId, userId, scopes })
      },
    )
  }

const tags = ['OAuth clients']
const ByClientId = Type.Object({ clientId: Type.String({ minLength: 1, maxLength: 128 }) })
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
