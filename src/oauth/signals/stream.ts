import { Type } from 'typebox'
import type { Config } from '../../platform/config/config.ts'
import { Nullable } from '../../platform/http/contracts.ts'
import { EVENTS_SUPPORTED, eventsDelivered } from './signal-events.ts'
import type { Stream } from './stream-store.ts'

/** RFC 8935 and RFC 8936. */
export const PUSH = 'urn:ietf:rfc:8935'
export const POLL = 'urn:ietf:rfc:8936'
const DELIVERY_METHODS = [PUSH, POLL] as const
export const STREAM_STATUSES = ['enabled', 'paused', 'disabled'] as const
const SPEC_VERSION = '1_0'
/** Seconds. */
const MIN_VERIFICATION_INTERVAL = 2

const Uri = Type.String({ minLength: 1, maxLength: 500 })
const Uris = Type.Array(Uri, { maxItems: 100 })
const StreamId = Type.String({ minLength: 1, maxLength: 100 })

/** The configuration of a stream, SSF 1.0 section 8.1.1. */
export const StreamConfiguration = Type.Object(
  {
    stream_id: Type.String(),
    iss: Type.String(),
    aud: Type.String({ description: 'The client_id.' }),
    events_supported: Type.Array(Type.String()),
    events_requested: Type.Optional(Type.Array(Type.String())),
    events_delivered: Type.Array(Type.String()),
    delivery: Type.Object({
      method: Type.Enum([...DELIVERY_METHODS]),
      endpoint_url: Type.String({ description: 'Of push: as the receiver has said. Of poll: where to poll.' }),
    }),
    min_verification_interval: Type.Integer({ description: 'Seconds.' }),
    description: Type.Optional(Type.String()),
  },
  { title: 'SignalStream', description: 'The `authorization_header` is never shown.' },
)
export type StreamConfiguration = Type.Static<typeof StreamConfiguration>

/** Unknown members are ignored, as receivers of later versions may send them. */
const open = { additionalProperties: true } as const

/** What a receiver says about its stream, when it is made, changed or replaced. */
const ReceiverSupplied = {
  events_requested: Type.Optional(Nullable(Uris)),
  delivery: Type.Optional(
    Nullable(
      Type.Object(
        {
          method: Type.Enum([...DELIVERY_METHODS]),
          endpoint_url: Type.Optional(Nullable(Type.String({ minLength: 1, maxLength: 2048 }))),
          authorization_header: Type.Optional(
            Nullable(
              Type.String({ minLength: 1, maxLength: 4096, description: 'Sent with each push. Encrypted at rest.' }),
            ),
          ),
        },
        open,
      ),
    ),
  ),
  description: Type.Optional(Nullable(Type.String({ maxLength: 1000 }))),
}

/** What this service says. A receiver may repeat it, and then it must be right. */
const TransmitterSupplied = {
  iss: Type.Optional(Type.Unknown()),
  aud: Type.Optional(Type.Unknown()),
  events_supported: Type.Optional(Type.Unknown()),
  events_delivered: Type.Optional(Type.Unknown()),
  min_verification_interval: Type.Optional(Type.Unknown()),
}

export const NewStream = Type.Object(ReceiverSupplied, open)
export type NewStream = Type.Static<typeof NewStream>
export const StreamChange = Type.Object({ stream_id: StreamId, ...ReceiverSupplied, ...TransmitterSupplied }, open)
export type StreamChange = Type.Static<typeof StreamChange>

export const StreamStatus = Type.Object(
  {
    stream_id: Type.String(),
    status: Type.Enum([...STREAM_STATUSES]),
    reason: Type.Optional(Type.String()),
  },
  { title: 'SignalStreamStatus' },
)
export const StatusChange = Type.Object(
  {
    stream_id: StreamId,
    status: Type.Enum([...STREAM_STATUSES]),
    reason: Type.Optional(Type.String({ maxLength: 1000 })),
  },
  open,
)
export type StatusChange = Type.Static<typeof StatusChange>
export const VerificationRequest = Type.Object(
  { stream_id: StreamId, state: Type.Optional(Type.String({ maxLength: 1000 })) },
  open,
)
export type VerificationRequest = Type.Static<typeof VerificationRequest>
export const ByStreamId = Type.Object({ stream_id: StreamId })
export const MaybeByStreamId = Type.Partial(ByStreamId)

type Urls = Pick<Config, 'baseUrl'>

export const pollUrl = ({ baseUrl }: Urls, streamId: string): string => `${baseUrl}/ssf/poll/${streamId}`

export const describeStream = (config: Urls, stream: Stream): StreamConfiguration => ({
  stream_id: stream.id,
  iss: config.baseUrl,
  aud: stream.clientId,
  events_supported: [...EVENTS_SUPPORTED],
  ...(stream.eventsRequested === null ? {} : { events_requested: stream.eventsRequested }),
  events_delivered: [...eventsDelivered(stream.eventsRequested)],
  delivery:
    stream.deliveryMethod === 'push'
      ? { method: PUSH, endpoint_url: stream.endpointUrl ?? '' }
      : { method: POLL, endpoint_url: pollUrl(config, stream.id) },
  min_verification_interval: MIN_VERIFICATION_INTERVAL,
  ...(stream.description === null ? {} : { description: stream.description }),
})

/** SSF 1.0 section 7.1. URLs follow from BASE_URL, never from the request. */
export const transmitterMetadata = ({ baseUrl }: Urls) => ({
  spec_version: SPEC_VERSION,
  issuer: baseUrl,
  jwks_uri: `${baseUrl}/.well-known/jwks.json`,
  delivery_methods_supported: DELIVERY_METHODS,
  configuration_endpoint: `${baseUrl}/ssf/stream`,
  status_endpoint: `${baseUrl}/ssf/status`,
  verification_endpoint: `${baseUrl}/ssf/verify`,
  // A receiver that does not know sessions ends all of that user, which is safe; one that does not know users can do nothing.
  critical_subject_members: ['user'],
  authorization_schemes: [{ spec_urn: 'urn:ietf:rfc:6749' }],
  default_subjects: 'ALL',
})
