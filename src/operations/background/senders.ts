import type { IdentityServices } from '../../identity/access-events.ts'
import type { Senders } from '../../platform/outbox/sender.ts'

/** How each kind of receiver is told. */
export const createSenders = (_services: IdentityServices): Senders => ({})
