import { Counter, Histogram, type Registry } from 'prom-client'
import type { ReceiverKind } from '../../vocabulary/receivers.ts'
import type { Outcome } from '../outbox/sender.ts'

export interface SendingAttempt {
  kind: ReceiverKind
  outcome: Outcome
  /** From the commit of what is told. */
  seconds: number
}

/** Attempts to tell receivers outside, and how long it took until one was acknowledged. */
export function measureDeliveries(registry: Registry): (attempt: SendingAttempt) => void {
  const attempts = new Counter({
    name: 'latchkey_outbox_attempts_total',
    help: 'Attempts to tell a receiver, by kind of receiver and result.',
    labelNames: ['kind', 'result'],
    registers: [registry],
  })
  const seconds = new Histogram({
    name: 'latchkey_outbox_acknowledged_seconds',
    help: 'Time from the commit of what is told until the receiver acknowledged it.',
    labelNames: ['kind'],
    buckets: [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60, 600, 3600, 86_400],
    registers: [registry],
  })
  return ({ kind, outcome, seconds: taken }) => {
    attempts.inc({ kind, result: outcome })
    if (outcome === 'acknowledged') seconds.observe({ kind }, taken)
  }
}
