import { atField } from '../../errors.ts'
import { type Actor, recordEvent } from '../../platform/audit/record-event.ts'
import type { RequestSource } from '../../platform/http/request-source.ts'
import { newId } from '../../platform/ids.ts'
import { prepareRsaKey } from '../../platform/keys/signing-keys.ts'
import { LIMITS } from '../../platform/limits/limits.ts'
import { addDeliveries } from '../../platform/outbox/delivery-store.ts'
import { endReceiver, holdWaiting, releaseWaiting } from '../../platform/outbox/held-delivery-store.ts'
import type { Reader, Trx } from '../../storage/database.ts'
import type { AuditAction } from '../../vocabulary/audit-actions.ts'
import { lockClient } from '../clients/client-store.ts'
import type { KnownClient } from '../clients/client.ts'
import type { Provider } from '../provider.ts'
import { readChange, streamHosts } from './read-stream-change.ts'
import { signalErrors } from './signal-errors.ts'
import type { SignalFact, SignalName } from './signal-events.ts'
import { addStream, deleteStreamRow, findStream, lockStream, type Stream, updateStream } from './stream-store.ts'
import {
  describeStream,
  type NewStream,
  type StatusChange,
  type StreamChange,
  type StreamConfiguration,
  type VerificationRequest,
} from './stream.ts'
import { isHeld } from './tell-streams.ts'

/** A request of a receiver about its own stream. */
export interface ReceiverCall {
  clientId: string
  source: RequestSource
}

const receiver = (clientId: string) => ({ kind: 'signals', receiverId: clientId }) as const

/** SSF 1.0 section 8.1.1.1. The first stream makes the RSA key that signs what is told. */
export async function createStream(
  services: Provider,
  { clientId, source }: ReceiverCall,
  request: NewStream,
): Promise<StreamConfiguration> {
  const { db, now, signingKeys } = services
  const rsaKey = await prepareRsaKey(services, 'security_events')
  const stream = await db.transaction(async (trx) => {
    const client = await lockReceiver(trx, clientId)
    const id = newId()
    const made: Stream = { clientId, id, status: 'enabled', ...readChange(services, id, streamHosts(client), request) }
    if (!(await addStream(trx, made, now()))) throw signalErrors.stream_exists()
    await rsaKey?.store(trx)
    await recordChange(services, trx, 'signal_stream.created', { clientId, source }, made)
    return made
  })
  services.clients.forget(clientId)
  if (rsaKey) await signingKeys.reload()
  return describeStream(services.config, stream)
}

/** The client of the token, as it is now: it may have been changed since the token was looked at. */
async function lockReceiver(trx: Trx, clientId: string): Promise<KnownClient> {
  const client = await lockClient(trx, clientId, 'shared')
  if (!client || client.disabled)
    throw signalErrors.receiver_token_unusable({ challenge: 'Bearer error="invalid_token"' })
  if (!client.scopes.includes('ssf.manage')) throw signalErrors.receiver_lacks_scope({ scope: 'ssf.manage' })
  return client
}

/** Other clients' streams are as if they were not there. */
export async function requireStream(db: Reader, clientId: string, streamId: string): Promise<Stream> {
  const stream = await findStream(db, clientId)
  if (!stream || stream.id !== streamId) throw signalErrors.no_such_stream()
  return stream
}

/** Runs a change of the receiver's stream, which is locked. */
const changing = <T>(
  services: Provider,
  clientId: string,
  streamId: string,
  change: (trx: Trx, stream: Stream, client: KnownClient) => Promise<T>,
): Promise<T> =>
  services.db.transaction(async (trx) => {
    const client = await lockReceiver(trx, clientId)
    const stream = await lockStream(trx, clientId)
    if (!stream || stream.id !== streamId) throw signalErrors.no_such_stream()
    return change(trx, stream, client)
  })

/** Changes what the request names. With `isWhole` it replaces all that a receiver says: what is missing goes. */
export const changeStream = (
  services: Provider,
  call: ReceiverCall,
  request: StreamChange,
  { isWhole }: { isWhole: boolean },
): Promise<StreamConfiguration> =>
  changing(services, call.clientId, request.stream_id, async (trx, stream, client) => {
    refuseOtherValues(describeStream(services.config, stream), request)
    const asked = isWhole ? request : withoutMissing(request)
    const after: Stream = {
      ...stream,
      ...readChange(services, stream.id, streamHosts(client), asked, isWhole ? undefined : stream),
    }
    await applyChange(services, trx, stream, after)
    await recordChange(services, trx, 'signal_stream.changed', call, after)
    return describeStream(services.config, after)
  })

const withoutMissing = <T extends object>(request: T): Partial<T> =>
  Object.fromEntries(Object.entries(request).filter(([, value]) => value !== undefined)) as Partial<T>

/** What this service supplies may be repeated, and is refused when it is another value. The order of a list means nothing. */
function refuseOtherValues(current: StreamConfiguration, request: StreamChange): void {
  const normal = (value: unknown): string =>
    JSON.stringify(Array.isArray(value) ? value.map((each) => JSON.stringify(each)).toSorted() : value)
  for (const name of ['iss', 'events_supported', 'events_delivered', 'min_verification_interval'] as const) {
    const given = request[name]
    if (given !== undefined && normal(given) !== normal(current[name]))
      throw atField(name, signalErrors.stream_value_differs())
  }
  const aud = Array.isArray(request.aud) && request.aud.length === 1 ? (request.aud[0] as unknown) : request.aud
  if (aud !== undefined && aud !== current.aud) throw atField('aud', signalErrors.stream_value_differs())
}

/** Stores a change, and lets go or holds what waits. */
async function applyChange({ now }: Provider, trx: Trx, before: Stream, after: Stream): Promise<void> {
  const { clientId } = after
  await updateStream(trx, clientId, after, now())
  if (after.status === 'disabled') {
    if (before.status !== 'disabled') await endReceiver(trx, receiver(clientId), 'The stream is disabled.', now())
  } else if (isHeld(after)) {
    if (!isHeld(before)) await holdWaiting(trx, receiver(clientId), now())
    else if (before.status !== after.status) trx.signal('deliveries-added', null)
  } else if (isHeld(before) || before.endpointUrl !== after.endpointUrl) {
    await releaseWaiting(trx, receiver(clientId), now())
  }
}

export const deleteStream = (services: Provider, call: ReceiverCall, streamId: string): Promise<void> =>
  changing(services, call.clientId, streamId, async (trx, stream) => {
    await endStream(services, trx, call.clientId, 'The stream was deleted.')
    await recordChange(services, trx, 'signal_stream.deleted', call, stream)
  })

/** Deletes the stream of a client, if it has one. What waits for it is given up. */
export async function endStream(
  { now }: Pick<Provider, 'now'>,
  trx: Trx,
  clientId: string,
  reason: string,
): Promise<void> {
  if (await deleteStreamRow(trx, clientId)) await endReceiver(trx, receiver(clientId), reason, now())
}

export const changeStatus = (services: Provider, call: ReceiverCall, request: StatusChange) =>
  changing(services, call.clientId, request.stream_id, async (trx, stream) => {
    const { status, reason } = request
    if (status !== stream.status) {
      const after = { ...stream, status }
      await applyChange(services, trx, stream, after)
      await recordChange(services, trx, 'signal_stream.changed', call, after)
    }
    return { stream_id: stream.id, status, ...(reason === undefined ? {} : { reason }) }
  })

/** SSF 1.0 section 8.1.4.2. */
export async function requestVerification(
  services: Provider,
  { clientId }: ReceiverCall,
  { stream_id: streamId, state }: VerificationRequest,
): Promise<void> {
  const { limits, now } = services
  limits.check(LIMITS.signalVerification, clientId)
  if (!(await limits.fail(LIMITS.signalVerification, clientId))) limits.check(LIMITS.signalVerification, clientId)
  await changing(services, clientId, streamId, async (trx, stream) => {
    if (stream.status === 'disabled') throw signalErrors.stream_is_disabled()
    await tellOfStream(trx, stream, 'verification', state === undefined ? {} : { state }, now())
  })
}

/** SSF 1.0 section 8.1.5: an administrator has turned the client off or on. A stream that the receiver itself has stopped is left alone. */
export async function tellClientTurned(
  { now }: Pick<Provider, 'now'>,
  trx: Trx,
  client: { id: string; disabled: boolean },
) {
  const stream = await findStream(trx, client.id)
  if (stream?.status !== 'enabled') return
  const [status, reason] = client.disabled
    ? ['disabled', 'The client was turned off by an administrator.']
    : ['enabled', 'The client was turned on by an administrator.']
  await tellOfStream(trx, stream, 'stream-updated', { status, reason }, now())
}

async function tellOfStream(
  trx: Trx,
  stream: Stream,
  type: SignalName,
  details: Record<string, unknown>,
  now: number,
): Promise<void> {
  const fact: SignalFact = { txn: newId(), at: now, subject: { streamId: stream.id }, details }
  await addDeliveries(trx, [{ ...receiver(stream.clientId), personId: null, type, fact, isHeld: isHeld(stream) }], now)
}

const THE_CLIENT: Omit<Actor, 'source'> = { id: null, email: null }

/** The other replicas learn whether the client has a stream. */
async function recordChange(
  services: Provider,
  trx: Trx,
  action: Extract<AuditAction, `signal_stream.${string}`>,
  { clientId, source }: ReceiverCall,
  { id, status, deliveryMethod, endpointUrl }: Stream,
): Promise<void> {
  await recordEvent(services, trx, {
    action,
    outcome: 'success',
    actor: { ...THE_CLIENT, source },
    target: { type: 'oauth_client', id: clientId },
    data: { streamId: id, status, delivery: deliveryMethod, ...(endpointUrl === null ? {} : { url: endpointUrl }) },
  })
  await services.signals.emit(trx, 'client-changed', { clientId })
}
