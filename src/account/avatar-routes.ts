import multipart from '@fastify/multipart'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { refuse } from '../errors.ts'
import { failures, type Routes, Success, success } from '../http/contracts.ts'
import { sendTagged } from '../http/etag.ts'
import type { Services } from '../services.ts'
import { actorOf } from '../sessions/actor.ts'
import { currentlySignedIn, signedIn } from '../sessions/guards.ts'
import { User } from '../users/user.ts'
import { findAvatar, removeAvatar, replaceAvatar } from './avatar.ts'

const tags = ['Account']
const MOST_BYTES = 5 * 1024 * 1024
/** What the multipart frame around the file may add. */
const FRAME_BYTES = 64 * 1024
const path = '/api/account/profile/avatar'

export const avatarRoutes =
  (services: Services): Routes =>
  async (app) => {
    await app.register(multipart, {
      limits: { fileSize: MOST_BYTES, files: 2, fields: 8, parts: 10, fieldSize: 1024, headerPairs: 20 },
    })

    app.get(
      path,
      {
        schema: {
          tags,
          summary: 'An avatar: your own, or that of the user named',
          querystring: Type.Object({
            user: Type.Optional(Type.String({ maxLength: 64 })),
            v: Type.Optional(Type.String({ maxLength: 64, description: 'Makes the address new when the picture is.' })),
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
        if (userId === undefined) return refuse('unauthenticated', 'Please sign in, or name a user.')
        const avatar = await findAvatar(services, userId)
        if (!avatar) return refuse('not_found', 'There is no avatar.')
        void reply.type('image/webp').header('cache-control', 'private, no-cache')
        return sendTagged(request, reply, `"${avatar.version}"`, avatar.bytes)
      },
    )

    app.put(
      path,
      {
        onRequest: signedIn(services),
        bodyLimit: MOST_BYTES + FRAME_BYTES,
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

/** Exactly one part called `file`, read no further than it may be long. Its name and announced type mean nothing. */
async function readUpload(request: FastifyRequest): Promise<Buffer> {
  if (!request.isMultipart())
    return refuse('unsupported_media_type', 'Send the image as multipart/form-data, in the part "file".')
  let found: Buffer | undefined
  try {
    for await (const part of request.parts()) {
      if (part.type !== 'file') continue
      if (part.fieldname !== 'file' || found) return refuse('invalid_input', 'Send exactly one part called "file".')
      found = await part.toBuffer()
    }
  } catch (error) {
    // What the parser itself stumbles over is the sender's mistake; what it refuses by a limit says so with its status.
    if (error instanceof Error && !('statusCode' in error) && !('status' in error)) {
      return refuse('malformed_body', 'The body is not valid multipart/form-data.')
    }
    throw error
  }
  return found && found.length > 0 ? found : refuse('invalid_input', 'The part "file" is missing or empty.')
}
