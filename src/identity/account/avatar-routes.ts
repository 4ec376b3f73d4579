import multipart from '@fastify/multipart'
import { Type } from 'typebox'
import { refuse } from '../../errors.ts'
import { failures, type Routes, Success, success } from '../../platform/http/contracts.ts'
import { sendTagged } from '../../platform/http/headers.ts'
import { readUpload, UPLOAD_LIMITS } from '../../platform/pictures/read-upload.ts'
import type { Services } from '../../platform/services.ts'
import { actorOf } from '../sessions/actor.ts'
import { currentlySignedIn, signedIn } from '../sessions/guards.ts'
import { User } from '../users/user.ts'
import { accountErrors } from './account-errors.ts'
import { loadAvatar, removeAvatar, replaceAvatar } from './avatar.ts'

const tags = ['Account']
const path = '/api/account/profile/avatar'

export const avatarRoutes =
  (services: Services): Routes =>
  async (app) => {
    await app.register(multipart, { limits: UPLOAD_LIMITS })

    app.get(
      path,
      {
        schema: {
          tags,
          summary: 'An avatar: your own, or that of the user named',
          querystring: Type.Object({
            user: Type.Optional(Type.String({ maxLength: 64 })),
            v: Type.Optional(
              Type.String({ maxLength: 64, description: 'A version, which makes the URL change with the picture.' }),
            ),
          }),
          produces: ['image/webp'],
          response: {
            200: Type.Unsafe<Buffer>({ type: 'string', format: 'binary' }),
            304: Type.Null({ description: 'It has not changed.' }),
            ...failures(400, 401, 404, 503),
          },
        },
      },
      async (request, reply) => {
        const userId = request.query.user ?? (await currentlySignedIn(services, request))?.user.id
        if (userId === undefined) return refuse(accountErrors.avatar_of_nobody())
        const avatar = await loadAvatar(services, userId)
        if (!avatar) return refuse(accountErrors.no_avatar())
        void reply.type('image/webp').header('cache-control', 'private, no-cache')
        return sendTagged(request, reply, `"${avatar.version}"`, avatar.bytes)
      },
    )

    app.put(
      path,
      {
        onRequest: signedIn(services),
        schema: {
          tags,
          summary: 'Set your avatar',
          description: 'PNG, JPEG, WebP, GIF or AVIF, at most 5 MB and 40 megapixels, in the part `file`.',
          consumes: ['multipart/form-data'],
          response: {
            200: Type.Object({ success: Type.Literal(true), user: User }),
            ...failures(400, 401, 403, 413, 415, 503),
          },
        },
      },
      async (request) => {
        const bytes = await readUpload(request)
        return {
          ...success,
          user: await replaceAvatar(services, bytes, actorOf(services, request)),
        }
      },
    )

    app.delete(
      path,
      {
        onRequest: signedIn(services),
        schema: { tags, summary: 'Remove your avatar', response: { 200: Success, ...failures(401, 403) } },
      },
      async (request) => {
        await removeAvatar(services, actorOf(services, request))
        return success
      },
    )
  }
