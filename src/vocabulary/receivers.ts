/** Who is told outside: applications that take logout tokens, webhooks, and applications with a stream of shared signals. */
export const RECEIVER_KINDS = ['logout', 'webhook', 'signals'] as const
export type ReceiverKind = (typeof RECEIVER_KINDS)[number]

/** `refused` and `given_up` end a delivery as `acknowledged` does. */
export const DELIVERY_STATES = ['waiting', 'acknowledged', 'refused', 'given_up'] as const
export type DeliveryState = (typeof DELIVERY_STATES)[number]

/** Whom the receipt of a disable lists. Hosts fetch a list, and are not told through the outbox. */
export const TOLD_KINDS = ['application', 'webhook', 'signals', 'host'] as const
export type ToldKind = (typeof TOLD_KINDS)[number]

/** An application that takes logout tokens is an application to whoever reads a receipt. */
export const TOLD_AS = { logout: 'application', webhook: 'webhook', signals: 'signals' } as const satisfies Record<
  ReceiverKind,
  ToldKind
>
