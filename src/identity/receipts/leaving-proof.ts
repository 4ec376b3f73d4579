import { hash } from 'node:crypto'
import type { Told } from '../access-events.ts'
import type { OpenReceipt } from './receipt-store.ts'

/** What a proof says about one disable. */
export interface LeavingStatement {
  person: { id: string; email: string }
  action: { id: string; name: 'disable'; executedAt: number }
  requestedBy: OpenReceipt['requestedBy']
  requestedAt: number
  /** Null while somebody is still to be told. */
  completedAt: number | null
  ended: OpenReceipt['ended']
  told: Told[]
  /** Whether everybody has acknowledged. */
  complete: boolean
  /** From the disable until nothing was left, where everybody has acknowledged. */
  seconds: number | null
}

/** The end is that of the last receiver. Where clocks differ, it is not before the disable. */
export function describeLeaving(receipt: OpenReceipt, told: Told[]): LeavingStatement {
  const { actionId, userId, email, requestedBy, requestedAt, executedAt, ended } = receipt
  const isOver = told.every(({ state }) => state !== 'waiting')
  const completedAt = isOver ? Math.max(executedAt, ...told.map(({ at }) => at ?? executedAt)) : null
  const complete = told.every(({ state }) => state === 'acknowledged')
  return {
    person: { id: userId, email },
    action: { id: actionId, name: 'disable', executedAt },
    requestedBy,
    requestedAt,
    completedAt,
    ended,
    told,
    complete,
    seconds: complete && completedAt !== null ? (completedAt - executedAt) / 1000 : null,
  }
}

/** What the next proof says of this one. */
export const digestOfProof = (proof: string): string => hash('sha256', proof, 'hex')
