import { Type } from 'typebox'
import { readHoldings } from '../identity/roles/holdings.ts'
import { actorOf } from '../identity/sessions/actor.ts'
import { needs, signedIn } from '../identity/sessions/guards.ts'
import { recheckActor } from '../identity/sessions/lock-actor.ts'
import type { Provider } from '../oauth/provider.ts'
import { parseHost } from '../oauth/sites/site-host.ts'
import { SiteSettings } from '../oauth/sites/site-settings.ts'
import { findHost } from '../oauth/sites/site-store.ts'
import { failures, Nullable, type Routes, strict } from '../platform/http/contracts.ts'
import { DENIAL_REASONS } from './decide-visit.ts'
import { siteErrors } from './proxy-errors.ts'
import { tryOut } from './try-out.ts'

const TryOut = Type.Object(
  {
    outcome: Type.Enum(['allowed', 'sign_in', 'refused']),
    reason: Nullable(Type.Enum(DENIAL_REASONS)),
    rule: Nullable(
      Type.Integer({ description: 'The number of the rule that decided, from 0; null when none matched.' }),
    ),
    named: Type.Boolean({ description: 'Whether the application would be told who it is.' }),
  },
  { title: 'SiteTryOut' },
)

/** What administrators ask about a site, and what the page after a sign-out asks. */
export const siteAdminRoutes =
  (provider: Provider): Routes =>
  async (app) => {
    app.post(
      '/oauth/clients/:clientId/try-out',
      {
        onRequest: needs(provider, 'oauth_clients:read'),
        schema: {
          tags: ['OAuth clients'],
          summary: 'What would happen for an address of a site and a person',
          description:
            'Nothing is issued. Without `userId`: for somebody who is not signed in; with it, users:read is needed as well. With `rules`: as if these were saved.',
          params: Type.Object({ clientId: Type.String({ minLength: 1, maxLength: 128 }) }),
          body: Type.Object(
            {
              address: Type.String({ minLength: 1, maxLength: 4000, description: 'A path, or a URL of the site.' }),
              method: Type.Optional(Type.String({ pattern: '^[A-Z][A-Z-]{0,31}$', default: 'GET' })),
              userId: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
              rules: Type.Optional(SiteSettings.rules),
            },
            strict,
          ),
          response: { 200: TryOut, ...failures(400, 401, 403, 404, 415) },
        },
      },
      async (request) => {
        const actor = actorOf(provider, request)
        await recheckActor(provider, actor)
        const { address, method = 'GET', userId, rules } = request.body
        if (userId !== undefined) {
          const { permissions } = await readHoldings(provider.db.read, actor.id)
          if (!permissions.has('users:read')) throw siteErrors.try_out_needs_users_read()
        }
        return tryOut(provider, { clientId: request.params.clientId, address, method, userId, rules })
      },
    )

    app.get(
      '/api/authz/sites/:host',
      {
        // Strangers must not learn which hosts are sites.
        onRequest: signedIn(provider),
        schema: {
          tags: ['Applications behind a proxy'],
          summary: 'Whether a host is that of a site',
          description: 'For the way back from the page after a sign-out.',
          params: Type.Object({ host: Type.String({ minLength: 1, maxLength: 300 }) }),
          response: { 200: Type.Object({ site: Type.Object({ host: Type.String() }) }), ...failures(401, 404) },
        },
      },
      async ({ params }) => {
        const host = parseHost(params.host)
        if (host === undefined || !(await findHost(provider.db.read, host))) throw siteErrors.no_such_site()
        return { site: { host } }
      },
    )
  }
