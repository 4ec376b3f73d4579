import type { Sender } from '../../platform/outbox/sender.ts'
import { streamPurpose } from '../../platform/outbox/stream-authorization-store.ts'
import type { Services } from '../../platform/services.ts'
import { readTextList } from '../../storage/columns.ts'
import { makeSet } from './make-set.ts'
import { streamHosts } from './read-stream-change.ts'
import { findPushTarget } from './stream-store.ts'

/**
 * RFC 8935. What had happened before the client was turned off is pushed all the same, and so is that it was turned off. The address
 * is judged again at each attempt, by the redirect URLs that the client has now.
 */
export const createSignalSender = (services: Pick<Services, 'config' | 'db' | 'vault' | 'signingKeys'>): Sender => ({
  async prepare(delivery) {
    const target = await findPushTarget(services.db.read, delivery.receiverId)
    if (!target) return { state: 'given_up', error: 'The stream was deleted.' }
    const { stream, redirectUris } = target
    if (stream.endpointUrl === null) return { state: 'given_up', error: 'The stream is not pushed any more.' }
    const { authorizationSealed: sealed, id, endpointUrl } = stream
    const authorization = sealed === null ? undefined : services.vault.open(streamPurpose(id), sealed).toString()
    return {
      url: endpointUrl,
      method: 'POST',
      headers: {
        'content-type': 'application/secevent+jwt',
        accept: 'application/json',
        ...(authorization === undefined ? {} : { authorization }),
      },
      body: await makeSet(services, delivery),
      allowedHosts: streamHosts({ redirect_uris: readTextList(redirectUris) }),
    }
  },
  judge: (_delivery, { status }) => (status === 202 ? 'acknowledged' : status === 400 ? 'refused' : 'retry'),
})
