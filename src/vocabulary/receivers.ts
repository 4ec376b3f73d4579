/** Who is told outside: applications that take logout tokens, webhooks, and applications with a stream of shared signals. */
export const RECEIVER_KINDS = ['logout', 'webhook', 'signals'] as const
export type ReceiverKind = (typeof RECEIVER_KINDS)[number]

/** `refused` and `given_up` end a delivery as `acknowledged` does. */
export const DELIVERY_STATES = ['waiting', 'acknowledged', 'refused', 'given_up'] as const
export type DeliveryState = (typeof DELIVERY_STATES)[number]
