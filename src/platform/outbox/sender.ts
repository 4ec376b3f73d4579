import type { Trx } from '../../storage/database.ts'
import type { DeliveryState, ReceiverKind } from '../../vocabulary/receivers.ts'
import type { OutgoingAnswer, OutgoingRequest } from '../outgoing/send-request.ts'
import type { ClaimedDelivery } from './claim-store.ts'

/** How a delivery ends; `retry` is not the end. */
export type Outcome = Exclude<DeliveryState, 'waiting'> | 'retry'

/** How the deliveries of one kind are sent. */
export interface Sender {
  /** Does what has to happen before deliveries of this kind can be claimed. */
  beforeClaim?(): Promise<void>
  /** Made anew for each attempt, or how the delivery ends without one, because its receiver is gone. */
  prepare(delivery: ClaimedDelivery): Promise<OutgoingRequest | Ended>
  /** What an answer means. */
  judge(delivery: ClaimedDelivery, answer: OutgoingAnswer): Outcome
  /** Runs in the transaction in which the outcome of an attempt is stored. */
  settled?(
    trx: Trx,
    delivery: ClaimedDelivery,
    settled: { outcome: Outcome; status: number | undefined },
  ): Promise<void>
}

export interface Ended {
  state: Exclude<DeliveryState, 'waiting'>
  error: string
}

export type Senders = Record<ReceiverKind, Sender>
