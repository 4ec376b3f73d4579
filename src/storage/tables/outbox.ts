import type { Generated } from 'kysely'
import type { DeliveryState, ReceiverKind } from '../../vocabulary/receivers.ts'

/** What is told to receivers outside: webhooks, applications that take logout tokens, and those with a stream of shared signals. */
export interface OutboxTables {
  /** One thing to tell one receiver about one person. */
  outbox_deliveries: {
    /** Ascends in the order of what happened to one person. */
    number: Generated<number>
    id: string
    kind: ReceiverKind
    /** The id of a webhook, or a client_id. */
    receiver_id: string
    /** Whom it is about; empty for nobody. Order is kept among the deliveries of one receiver about one person. */
    person_id: string
    type: string
    /** What is to be said, as JSON: facts and references. It is signed at each attempt. */
    fact: string
    /** The disable whose receipt lists it. */
    action_id: Generated<string | null>
    /** Of a webhook: its number in the order of commits, given after the commit. */
    sequence: Generated<number | null>
    state: DeliveryState
    /** The number of a later delivery that says this too. It is not sent itself, and ends as that one does. */
    replaced_by: Generated<number | null>
    attempts: Generated<number>
    /** How many of the attempts a receiver of logout tokens has answered with 400. */
    rejections: Generated<number>
    /** Null while it is not sent by itself: the receiver fetches it, or the stream is paused. */
    next_attempt_at: number | null
    /** When `next_attempt_at` was set. */
    scheduled_at: number
    /** Identifies the attempt that is under way. */
    claim: Generated<string | null>
    last_status: Generated<number | null>
    last_error: Generated<string | null>
    created_at: number
    /** It is given up then. */
    expires_at: number
    finished_at: Generated<number | null>
  }
  /** How sending to a receiver has gone. */
  outbox_receivers: {
    kind: ReceiverKind
    receiver_id: string
    failing_since: number | null
    /** Until then it has asked not to be sent anything. */
    paused_until: number | null
    last_status: number | null
    last_error: string | null
    last_at: number | null
    /** When administrators were notified that it fails. */
    notified_at: number | null
  }
  webhooks: {
    id: string
    url: string
    /** Audit actions and prefixes, as JSON. */
    events: string
    description: string
    enabled: number
    secret_sealed: string
    /** The secret before, which signs too until then. */
    previous_secret_sealed: string | null
    previous_secret_until: number | null
    last_sequence: Generated<number>
    created_at: number
  }
  /** Streams of shared signals (OpenID SSF): one of a client. */
  signal_streams: {
    client_id: string
    id: string
    status: 'enabled' | 'paused' | 'disabled'
    delivery_method: 'push' | 'poll'
    endpoint_url: string | null
    authorization_sealed: string | null
    /** URIs of event types, as JSON. */
    events_requested: string
    description: string | null
    created_at: number
    updated_at: number
  }
  /** People whose roles have changed together with those of many others: streams are told in slices. */
  signal_role_changes: {
    user_id: string
    txn: string
    at: number
  }
}
