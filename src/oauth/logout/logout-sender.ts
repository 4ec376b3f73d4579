import { newId } from '../../platform/ids.ts'
import { LOGOUT_TOKEN } from '../../platform/keys/signing-keys.ts'
import type { ClaimedDelivery } from '../../platform/outbox/claim-store.ts'
import type { Sender } from '../../platform/outbox/sender.ts'
import type { Services } from '../../platform/services.ts'
import { findLogoutReceiver, markGrantUntold, markRejected } from './logout-store.ts'
import type { LogoutFact } from './tell-applications.ts'

/** OpenID Connect Back-Channel Logout 1.0 section 2.4. */
const LOGOUT_EVENT = 'http://schemas.openid.net/event/backchannel-logout'
const LIFETIME_SECONDS = 120
const ACKNOWLEDGED = new Set([200, 204])
const REJECTED = 400
/** An application that does not understand a logout token after so many attempts never will. */
const MAX_REJECTIONS = 4

type SenderServices = Pick<Services, 'config' | 'db' | 'now' | 'signingKeys'>

/** Posts logout tokens to applications. */
export function createLogoutSender(services: SenderServices): Sender {
  /** How often an application has rejected what is being sent. */
  const rejections = new WeakMap<ClaimedDelivery, number>()
  return {
    async prepare(delivery) {
      const receiver = await findLogoutReceiver(services.db.read, delivery)
      if (!receiver) return { state: 'given_up', error: 'The application takes no logout tokens any more.' }
      rejections.set(delivery, receiver.rejections)
      // Another replica may have made the first RSA key a moment ago.
      if (!services.signingKeys.algorithms().includes(receiver.alg)) await services.signingKeys.reload()
      return {
        url: receiver.uri,
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: `logout_token=${services.signingKeys.sign(logoutClaims(services, delivery), receiver.alg, LOGOUT_TOKEN)}`,
      }
    },
    judge(delivery, { status }) {
      if (ACKNOWLEDGED.has(status)) return 'acknowledged'
      const isLast = status === REJECTED && (rejections.get(delivery) ?? 0) + 1 >= MAX_REJECTIONS
      return isLast ? 'refused' : 'retry'
    },
    async settled(trx, delivery, { outcome, status }) {
      if (outcome === 'retry' && status === REJECTED) await markRejected(trx, delivery.number)
      // It may still hold what it was not told of, and is told again when more of that person ends.
      if (outcome === 'refused' || outcome === 'given_up')
        await markGrantUntold(trx, { userId: delivery.personId, clientId: delivery.receiverId })
    },
  }
}

/** Section 2.4: never with a nonce, so that it can't be taken for an ID token. */
function logoutClaims(
  { config, now }: Pick<Services, 'config' | 'now'>,
  { personId, receiverId, fact }: ClaimedDelivery,
): Record<string, unknown> {
  const { sid } = JSON.parse(fact) as LogoutFact
  const issuedAt = Math.floor(now() / 1000)
  return {
    iss: config.baseUrl,
    sub: personId,
    aud: receiverId,
    iat: issuedAt,
    exp: issuedAt + LIFETIME_SECONDS,
    jti: newId(),
    events: { [LOGOUT_EVENT]: {} },
    ...(sid === undefined ? undefined : { sid }),
  }
}
