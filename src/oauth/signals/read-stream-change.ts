import { atField } from '../../errors.ts'
import { streamPurpose } from '../../platform/outbox/stream-authorization-store.ts'
import type { Client } from '../clients/client.ts'
import type { Provider } from '../provider.ts'
import { signalErrors } from './signal-errors.ts'
import type { Stream } from './stream-store.ts'
import { type NewStream, pollUrl, PUSH } from './stream.ts'

type ReadServices = Pick<Provider, 'config' | 'vault' | 'outgoing'>
type ReceiverSupplied = Pick<
  Stream,
  'deliveryMethod' | 'endpointUrl' | 'authorizationSealed' | 'eventsRequested' | 'description'
>

/** The hosts on which a push address need not be public: those of the client's own redirect URLs. */
export const streamHosts = ({ redirect_uris: uris }: Pick<Client, 'redirect_uris'>): string[] =>
  uris.flatMap((uri) => URL.parse(uri)?.hostname ?? [])

/**
 * What a receiver says about its stream: what is missing stays as in `before`, or is as in a new stream. A delivery is replaced as a whole, so
 * that a header that was meant for one address is never sent to another one.
 */
export function readChange(
  services: ReadServices,
  streamId: string,
  ownHosts: string[],
  { events_requested: requested, delivery, description }: NewStream,
  before?: ReceiverSupplied,
): ReceiverSupplied {
  return {
    ...(delivery === undefined && before ? before : readDelivery(services, streamId, ownHosts, delivery)),
    eventsRequested: requested === undefined ? (before?.eventsRequested ?? null) : requested,
    description: description === undefined ? (before?.description ?? null) : description,
  }
}

function readDelivery(
  { config, vault, outgoing }: ReadServices,
  streamId: string,
  ownHosts: string[],
  delivery: NewStream['delivery'],
): Pick<Stream, 'deliveryMethod' | 'endpointUrl' | 'authorizationSealed'> {
  const { method, endpoint_url: url = null, authorization_header: header = null } = delivery ?? {}
  if (method !== PUSH) {
    if (url !== null && url !== pollUrl(config, streamId))
      throw atField('delivery/endpoint_url', signalErrors.poll_address_not_chosen())
    return { deliveryMethod: 'poll', endpointUrl: null, authorizationSealed: null }
  }
  if (url === null) throw atField('delivery/endpoint_url', signalErrors.push_address_needed())
  outgoing.checkUrl(url, { path: 'delivery/endpoint_url', status: 400, allowedHosts: ownHosts })
  if (header !== null && !HEADER.test(header))
    throw atField('delivery/authorization_header', signalErrors.authorization_header_malformed())
  const sealed = header === null ? null : vault.seal(streamPurpose(streamId), Buffer.from(header))
  return { deliveryMethod: 'push', endpointUrl: url, authorizationSealed: sealed }
}

/** RFC 9110 section 5.5, without what needs no room in credentials. */
const HEADER = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/
