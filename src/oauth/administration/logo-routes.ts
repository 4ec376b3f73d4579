import multipart from '@fastify/multipart'
import { Type } from 'typebox'
import { actorOf } from '../../identity/sessions/actor.ts'
import { needs } from '../../identity/sessions/guards.ts'
import { type Routes, Success, failures, success } from '../../platform/http/contracts.ts'
import { sendTagged } from '../../platform/http/headers.ts'
import { UPLOAD_LIMITS, readUpload } from '../../platform/pictures/read-upload.ts'
import { Client } from '../clients/client.ts'
import type { Provider } from '../provider.ts'
import { administrationErrors } from './administration-errors.ts'
import { loadLogo, removeLogo, replaceLogo } from './logo.ts'

const tags = ['OAuth clients']
const path = '/oauth/clients/:clientId/logo'
const ByClientId = Type.Object({ clientId: Type.String({ minLength: 1, maxLength: 128 }) })

/** The logos of applications. Everybody may see them: they are on the pages where people sign in. */
export const logoRoutes =
  (provider: Provider): Routes =>
  async (app) => {
    await app.register(multipart, { limits: UPLOAD_LIMITS })

    app.get(
      path,
      {
        schema: {
          tags,
          summary: 'The logo of an application',
          params: ByClientId,
          querystring: Type.Object({
            v: Type.Optional(
              Type.String({ maxLength: 64, description: 'A version, which makes the URL change with the picture.' }),
            ),
          }),
          produces: ['image/webp'],
          response: {
            200: Type.Unsafe<Buffer>({ type: 'string', format: 'binary' }),
            304: Type.Null({ description: 'It has not changed.' }),
            ...failures(400, 404, 503),
          },
        },
      },
      async (request, reply) => {
        const logo = await loadLogo(provider, request.params.clientId)
        if (!logo) throw administrationErrors.no_application_logo()
        void reply.type('image/webp').header('cache-control', 'public, no-cache')
        return sendTagged(request, reply, `"${logo.version}"`, logo.bytes)
      },
    )

    app.put(
      path,
      {
        onRequest: needs(provider, 'oauth_clients:write'),
        schema: {
          tags,
          summary: 'Set the logo of an application',
          description: 'PNG, JPEG, WebP, GIF or AVIF, at most 5 MB and 40 megapixels, in the part `file`.',
          params: ByClientId,
          consumes: ['multipart/form-data'],
          response: { 200: Type.Object({ client: Client }), ...failures(400, 401, 403, 404, 409, 413, 415, 503) },
        },
      },
      async (request) => {
        const bytes = await readUpload(request)
        return { client: await replaceLogo(provider, request.params.clientId, bytes, actorOf(provider, request)) }
      },
    )

    app.delete(
      path,
      {
        onRequest: needs(provider, 'oauth_clients:write'),
        schema: {
          tags,
          summary: 'Remove the logo of an application',
          params: ByClientId,
          response: { 200: Success, ...failures(400, 401, 403, 404, 409) },
        },
      },
      async (request) => {
        await removeLogo(provider, request.params.clientId, actorOf(provider, request))
        return success
      },
    )
  }
