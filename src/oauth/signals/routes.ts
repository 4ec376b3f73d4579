import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { failures, type Routes } from '../../platform/http/contracts.ts'
import { sourceOf } from '../../platform/http/request-source.ts'
import type { Provider } from '../provider.ts'
import { needsReceiver, receiverOf, requireReceiver } from './authenticate-receiver.ts'
import {
  changeStatus,
  changeStream,
  createStream,
  deleteStream,
  type ReceiverCall,
  requestVerification,
  requireStream,
} from './manage-stream.ts'
import { PollAnswer, PollRequest, pollStream } from './poll-stream.ts'
import { findStream } from './stream-store.ts'
import {
  ByStreamId,
  describeStream,
  MaybeByStreamId,
  NewStream,
  StatusChange,
  StreamChange,
  StreamConfiguration,
  StreamStatus,
  transmitterMetadata,
  VerificationRequest,
} from './stream.ts'
import type { WaitingPolls } from './waiting-polls.ts'

const tags = ['Shared signals']
const security = [{ bearer: [] }]
const Empty = Type.Null({ description: 'Done.' })
const Document = Type.Unsafe<unknown>({ type: 'object', additionalProperties: true })

/** Where receivers find the rest. */
export const transmitterRoutes =
  ({ config }: Pick<Provider, 'config'>): Routes =>
  async (app) => {
    app.get(
      '/.well-known/ssf-configuration',
      {
        schema: {
          tags,
          summary: 'Metadata of the transmitter of shared signals',
          description: 'OpenID Shared Signals Framework 1.0 section 7.',
          response: { 200: Document },
        },
      },
      (_request, reply) => reply.header('cache-control', 'public, max-age=300').send(transmitterMetadata(config)),
    )
  }

/** What receivers call, with a token of their own: OpenID Shared Signals Framework 1.0 section 8, and RFC 8936. */
export const signalRoutes =
  (services: Provider & { waitingPolls: WaitingPolls }): Routes =>
  async (app) => {
    const { config, db, locate, waitingPolls } = services
    const mayRead = needsReceiver(services, 'ssf.read')
    const mayManage = needsReceiver(services, 'ssf.manage')
    const callOf = (request: FastifyRequest): ReceiverCall => ({
      clientId: receiverOf(request),
      source: sourceOf(locate, request),
    })

    app.post(
      '/ssf/stream',
      {
        onRequest: mayManage,
        schema: {
          tags,
          security,
          summary: 'Create the stream of this client',
          description:
            'Without `delivery` it is polled. A push address is public, or on a host of the client’s own redirect URLs; one that is not allowed is 400 `address_not_allowed`. Without `events_requested` it gets all that there is.',
          body: NewStream,
          response: { 201: StreamConfiguration, ...failures(400, 401, 403, 409, 415) },
        },
      },
      async (request, reply) => reply.code(201).send(await createStream(services, callOf(request), request.body)),
    )

    app.get(
      '/ssf/stream',
      {
        onRequest: mayRead,
        schema: {
          tags,
          security,
          summary: 'Read the stream of this client',
          description: 'Without `stream_id` a list.',
          querystring: MaybeByStreamId,
          response: {
            200: Type.Union([StreamConfiguration, Type.Array(StreamConfiguration)]),
            ...failures(400, 401, 403, 404),
          },
        },
      },
      async (request) => {
        const clientId = receiverOf(request)
        const { stream_id: streamId } = request.query
        if (streamId !== undefined) return describeStream(config, await requireStream(db.read, clientId, streamId))
        const stream = await findStream(db.read, clientId)
        return stream ? [describeStream(config, stream)] : []
      },
    )

    for (const [method, isWhole, summary] of [
      ['PATCH', false, 'Change the stream'],
      ['PUT', true, 'Replace the configuration of the stream'],
    ] as const)
      app.route({
        method,
        url: '/ssf/stream',
        onRequest: mayManage,
        schema: {
          tags,
          security,
          summary,
          description: `What this service supplies may be repeated, and must be right. \`delivery\` is replaced as a whole, with its \`authorization_header\`.${isWhole ? ' What is missing goes.' : ''}`,
          body: StreamChange,
          response: { 200: StreamConfiguration, ...failures(400, 401, 403, 404, 415) },
        },
        handler: (request) => changeStream(services, callOf(request), request.body, { isWhole }),
      })

    app.delete(
      '/ssf/stream',
      {
        onRequest: mayManage,
        schema: {
          tags,
          security,
          summary: 'Delete the stream',
          description: 'What has not arrived is given up.',
          querystring: ByStreamId,
          response: { 204: Empty, ...failures(400, 401, 403, 404) },
        },
      },
      async (request, reply) => {
        await deleteStream(services, callOf(request), request.query.stream_id)
        return reply.code(204).send(null)
      },
    )

    app.get(
      '/ssf/status',
      {
        onRequest: mayRead,
        schema: {
          tags,
          security,
          summary: 'Read the status of the stream',
          querystring: ByStreamId,
          response: { 200: StreamStatus, ...failures(400, 401, 403, 404) },
        },
      },
      async (request) => {
        const { id, status } = await requireStream(db.read, receiverOf(request), request.query.stream_id)
        return { stream_id: id, status }
      },
    )

    app.post(
      '/ssf/status',
      {
        onRequest: mayManage,
        schema: {
          tags,
          security,
          summary: 'Pause, disable or enable the stream',
          description:
            'What happens while it is paused is kept for 7 days. What happens while it is disabled is never told.',
          body: StatusChange,
          response: { 200: StreamStatus, ...failures(400, 401, 403, 404, 415) },
        },
      },
      (request) => changeStatus(services, callOf(request), request.body),
    )

    app.post(
      '/ssf/verify',
      {
        onRequest: mayManage,
        schema: {
          tags,
          security,
          summary: 'Ask for a verification event',
          body: VerificationRequest,
          response: { 204: Empty, ...failures(400, 401, 403, 404, 415, 429) },
        },
      },
      async (request, reply) => {
        await requestVerification(services, callOf(request), request.body)
        return reply.code(204).send(null)
      },
    )

    app.post(
      '/ssf/poll/:streamId',
      {
        onRequest: mayRead,
        schema: {
          tags,
          security,
          summary: 'Fetch what has happened, and acknowledge it',
          description:
            'RFC 8936. Without `returnImmediately` it waits up to 55 seconds for something. What is not acknowledged comes again, for 7 days.',
          params: Type.Object({ streamId: Type.String({ minLength: 1, maxLength: 100 }) }),
          body: Type.Optional(PollRequest),
          response: { 200: PollAnswer, ...failures(400, 401, 403, 404, 415) },
        },
      },
      (request, reply) =>
        pollStream(
          services,
          {
            clientId: receiverOf(request),
            streamId: request.params.streamId,
            recheck: () => requireReceiver(services, request, 'ssf.read'),
          },
          request.body ?? {},
          (leave) => reply.raw.once('close', leave),
        ),
    )

    app.addHook('preClose', async () => waitingPolls.close())
  }
