import { Type } from 'typebox'
import { needs } from '../../identity/sessions/guards.ts'
import { failures, Nullable, type Routes, Time } from '../../platform/http/contracts.ts'
import { findAnswers } from '../../platform/outbox/failing-receivers.ts'
import { readClient } from '../clients/client-store.ts'
import { refuseUnknownClient } from '../clients/client.ts'
import type { Provider } from '../provider.ts'
import { eventsDelivered } from '../signals/signal-events.ts'
import { findStream } from '../signals/stream-store.ts'
import { STREAM_STATUSES } from '../signals/stream.ts'

const Answers = Type.Object(
  {
    failingSince: Nullable(Time),
    lastAt: Nullable(Type.Integer({ description: 'When it was told something last, in epoch milliseconds.' })),
    lastStatus: Nullable(Type.Integer({ description: 'Of its last answer; null when there was none.' })),
  },
  { title: 'ReceiverAnswers' },
)

const Stream = Type.Object(
  {
    status: Type.Enum([...STREAM_STATUSES]),
    delivery: Type.Enum(['push', 'poll']),
    host: Nullable(Type.String({ description: 'To which it is pushed; null where the application polls.' })),
    events: Type.Array(Type.String(), { description: 'Those that it is told, as URIs.' }),
    description: Nullable(Type.String()),
    answers: Answers,
  },
  { title: 'StreamOfClient' },
)

/** How an application is told that access has ended. */
export const tellingRoutes =
  (provider: Provider): Routes =>
  async (app) => {
    const { db } = provider
    app.get(
      '/oauth/clients/:clientId/telling',
      {
        onRequest: needs(provider, 'oauth_clients:read'),
        schema: {
          tags: ['OAuth clients'],
          summary: 'Whether an application takes what it is told',
          description:
            'Its answers to logout tokens, null where it takes none, and its stream of shared signals, null where it has none.',
          params: Type.Object({ clientId: Type.String({ minLength: 1, maxLength: 128 }) }),
          response: {
            200: Type.Object({ logout: Nullable(Answers), stream: Nullable(Stream) }),
            ...failures(400, 401, 403, 404),
          },
        },
      },
      async ({ params: { clientId } }) => {
        const client = (await readClient(db.read, clientId)) ?? refuseUnknownClient()
        const stream = await findStream(db.read, clientId)
        const answers = (kind: 'logout' | 'signals') => findAnswers(db.read, { kind, receiverId: clientId })
        return {
          logout: client.backchannelLogoutUri === null ? null : await answers('logout'),
          stream: stream
            ? {
                status: stream.status,
                delivery: stream.deliveryMethod,
                // The path of a URL may be a secret of the receiver.
                host: stream.endpointUrl === null ? null : new URL(stream.endpointUrl).host,
                events: [...eventsDelivered(stream.eventsRequested)],
                description: stream.description,
                answers: await answers('signals'),
              }
            : null,
        }
      },
    )
  }
