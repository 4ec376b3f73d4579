import { Type } from 'typebox'
import { actorOf } from '../../identity/sessions/actor.ts'
import { needs } from '../../identity/sessions/guards.ts'
import {
  NextCursor,
  PageQuery,
  type Routes,
  Success,
  failures,
  strict,
  success,
} from '../../platform/http/contracts.ts'
import { decodeCursor } from '../../platform/http/cursor.ts'
import { ClientSettings } from '../clients/client-settings.ts'
import { listClients, readClient } from '../clients/client-store.ts'
import { CLIENT_TYPES, Client, refuseUnknownClient } from '../clients/client.ts'
import type { Provider } from '../provider.ts'
import { SiteSettings } from '../sites/site-settings.ts'
import { rotateClientSecret, updateClient } from './change-client.ts'
import { createClient } from './create-client.ts'
import { deleteClient } from './delete-client.ts'

const tags = ['OAuth clients']
const ByClientId = Type.Object({ clientId: Type.String({ minLength: 1, maxLength: 128 }) })
const OneClient = Type.Object({ client: Client })
const UNWRITTEN_USES = 'Uses of PKCE could not be stored; they are tried again.'
const Secret = Type.String({ description: 'Shown only in this answer.' })

/** Managing the registered applications. */
export const clientRoutes =
  (services: Provider): Routes =>
  async (app) => {
    /** When a client last got a code without PKCE: what this replica has not written yet is part of the answer. */
    const writePkceUses = () =>
      services.pkceUses.flush().catch((error: unknown) => services.log.warn({ err: error }, UNWRITTEN_USES))

    app.get(
      '/oauth/clients',
      {
        onRequest: needs(services, 'oauth_clients:read'),
        schema: {
          tags,
          summary: 'List registered applications',
          querystring: Type.Object(
            {
              ...PageQuery,
              q: Type.Optional(Type.String({ maxLength: 200, description: 'Part of a name, or a whole client_id.' })),
            },
            strict,
          ),
          response: {
            200: Type.Object({ clients: Type.Array(Client), nextCursor: NextCursor }),
            ...failures(400, 401, 403),
          },
        },
      },
      async ({ query: { limit = 50, cursor, q } }) => {
        await writePkceUses()
        return listClients(services.db.read, limit, decodeCursor(cursor), q)
      },
    )

    app.post(
      '/oauth/clients',
      {
        onRequest: needs(services, 'oauth_clients:write', 'sometimes_fresh'),
        schema: {
          tags,
          summary: 'Register an application',
          description:
            'OAuth clients need `scopes`. A site behind a proxy (`proxied`) needs `hosts`; besides `name`, `allowedRoles` and `launchUrl` it takes only `hosts`, `rules`, `headers` and `basic`, which no other client takes.',
          body: Type.Object(
            {
              ...Type.Partial(Type.Object({ ...ClientSettings, ...SiteSettings })).properties,
              name: ClientSettings.name,
              clientType: Type.Enum(CLIENT_TYPES),
            },
            strict,
          ),
          response: {
            201: Type.Object({ client: Client, client_id: Type.String(), client_secret: Type.Optional(Secret) }),
            ...failures(400, 401, 403, 409, 415),
          },
        },
      },
      async (request, reply) =>
        reply.code(201).send(await createClient(services, request.body, actorOf(services, request))),
    )

    app.get(
      '/oauth/clients/:clientId',
      {
        onRequest: needs(services, 'oauth_clients:read'),
        schema: {
          tags,
          summary: 'One registered application',
          params: ByClientId,
          response: { 200: OneClient, ...failures(400, 401, 403, 404) },
        },
      },
      async ({ params }) => {
        await writePkceUses()
        return { client: (await readClient(services.db.read, params.clientId)) ?? refuseUnknownClient() }
      },
    )

    app.patch(
      '/oauth/clients/:clientId',
      {
        onRequest: needs(services, 'oauth_clients:write'),
        schema: {
          tags,
          summary: 'Change an application',
          description:
            'Refused with 403 `own_access` when it would let the caller in somewhere, or change what they are called there, unless the caller is an administrator. The hosts of a site are compared with what they were in the last 90 days.',
          params: ByClientId,
          body: Type.Partial(
            Type.Object({
              ...ClientSettings,
              ...SiteSettings,
              disabled: Type.Boolean({
                description:
                  'Turns it off or on. What it was issued is revoked when it is turned off, and stays so when it is turned on again.',
              }),
            }),
            strict,
          ),
          response: { 200: OneClient, ...failures(400, 401, 403, 404, 409, 415) },
        },
      },
      async (request) => ({
        client: await updateClient(services, request.params.clientId, request.body, actorOf(services, request)),
      }),
    )

    app.delete(
      '/oauth/clients/:clientId',
      {
        onRequest: needs(services, 'oauth_clients:write'),
        schema: {
          tags,
          summary: 'Delete an application and revoke all tokens issued to it',
          params: ByClientId,
          response: { 200: Success, ...failures(400, 401, 403, 404) },
        },
      },
      async (request) => {
        await deleteClient(services, request.params.clientId, actorOf(services, request))
        return success
      },
    )

    app.post(
      '/oauth/clients/:clientId/secret',
      {
        onRequest: needs(services, 'oauth_clients:write', 'fresh'),
        schema: {
          tags,
          summary: 'Give an application a new secret',
          params: ByClientId,
          response: {
            200: Type.Object({ client: Client, client_id: Type.String(), client_secret: Secret }),
            ...failures(400, 401, 403, 404, 409),
          },
        },
      },
      (request) => rotateClientSecret(services, request.params.clientId, actorOf(services, request)),
    )
  }
