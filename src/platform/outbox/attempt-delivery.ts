import type { Logger } from 'pino'
import type { Trx } from '../../storage/database.ts'
import type { ReceiverKind } from '../../vocabulary/receivers.ts'
import { OutgoingError } from '../outgoing/outgoing-failure.ts'
import type { Outgoing } from '../outgoing/outgoing.ts'
import type { OutgoingAnswer } from '../outgoing/send-request.ts'
import { type ClaimedDelivery, claimNext, endDelivery, markForRetry } from './claim-store.ts'
import { markAnswering, markFailing } from './receiver-store.ts'
import type { Outcome, Senders } from './sender.ts'

const SECOND = 1000
const MINUTE = 60 * SECOND
/** After this long another replica takes over what a replica that has died or is frozen was sending. */
export const LEASE_MS = 20 * SECOND
const WAITS_MS = [SECOND, 5 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE]
const MAX_WAIT_MS = 60 * MINUTE
const MAX_ERROR_LENGTH = 200
/** Contains what is shown, also where the path of an address stands in it. */
const MAX_DESCRIBED_BYTES = 4096

export interface AttemptServices {
  now: () => number
  log: Logger
  outgoing: Pick<Outgoing, 'send'>
  metrics?: { countDelivery(attempt: { kind: ReceiverKind; outcome: Outcome; seconds: number }): void } | undefined
}

/** What became of an attempt, until it is stored. */
export interface Attempt {
  outcome: Outcome
  status: number | undefined
  error: string | undefined
  /** Milliseconds for which the receiver wants to get nothing. */
  retryAfterMs?: number | undefined
  /** It failed here, and says nothing about the receiver. */
  isOurs?: boolean
}

const NOT_PREPARED = 'It could not be prepared; the log of the service says why.'

/** Never rejects. */
export async function attemptDelivery(
  { outgoing, log }: AttemptServices,
  senders: Senders,
  delivery: ClaimedDelivery,
  isStillMine: () => boolean,
): Promise<Attempt> {
  try {
    const sender = senders[delivery.kind]
    const request = await sender.prepare(delivery)
    if ('state' in request) return { outcome: request.state, status: undefined, error: request.error, isOurs: true }
    const answer = await outgoing.send({ ...request, isStillMine })
    const outcome = sender.judge(delivery, answer)
    return {
      outcome,
      status: answer.status,
      error: outcome === 'acknowledged' ? undefined : describeAnswer(answer, request.url),
      retryAfterMs: readRetryAfter(answer),
    }
  } catch (error) {
    if (error instanceof OutgoingError)
      return { outcome: 'retry', status: undefined, error: error.message, isOurs: error.kind === 'abandoned' }
    log.error({ err: error, delivery: delivery.id, kind: delivery.kind }, 'A delivery could not be prepared.')
    return { outcome: 'retry', status: undefined, error: NOT_PREPARED, isOurs: true }
  }
}

/** What was answered, for administrators: the beginning of a text, in printable characters. */
function describeAnswer({ status, body }: OutgoingAnswer, url: string): string {
  const text = withoutPath(body.subarray(0, MAX_DESCRIBED_BYTES).toString(), url)
    .replace(/[^\x20-\x7e]+/g, ' ')
    .trim()
  return (text === '' ? `HTTP ${status}` : `HTTP ${status}: ${text}`).slice(0, MAX_ERROR_LENGTH)
}

/** Servers repeat in errors what they were asked for. Whatever stands behind the host may be a secret of the receiver. */
function withoutPath(text: string, url: string): string {
  const { pathname = '', search = '' } = URL.parse(url) ?? {}
  return [pathname + search, pathname, search]
    .flatMap((part) => [part, part.replaceAll('&', '&amp;')])
    .filter((part) => part.length > 1)
    .reduce((left, part) => left.replaceAll(part, '[...]'), text)
}

/** RFC 9110 section 10.2.3, in seconds or as a date. */
function readRetryAfter({ headers, status }: OutgoingAnswer): number | undefined {
  const text = headers['retry-after']
  if (text === undefined || status < 300) return undefined
  const ms = /^\d{1,9}$/.test(text) ? Number(text) * SECOND : Date.parse(text) - Date.parse(headers.date ?? '')
  return Number.isFinite(ms) && ms > 0 ? Math.min(ms, MAX_WAIT_MS) : undefined
}

/** Stores the outcome of an attempt. When the delivery has ended, the next one about that person is claimed at once. */
export async function settleDelivery(
  { now, log, metrics }: AttemptServices,
  senders: Senders,
  trx: Trx,
  delivery: ClaimedDelivery,
  { outcome: judged, status, error, retryAfterMs, isOurs }: Attempt,
): Promise<{ next: ClaimedDelivery | undefined }> {
  const at = now()
  const isOver = judged === 'retry' && delivery.expiresAt <= at
  const outcome = isOver ? 'given_up' : judged
  const attempt = { now: at, status, error }
  const isStored =
    outcome === 'retry'
      ? await markForRetry(trx, delivery, { ...attempt, waitMs: WAITS_MS[delivery.attempts - 1] ?? MAX_WAIT_MS })
      : await endDelivery(trx, delivery, { ...attempt, state: outcome })
  if (!isStored) {
    log.warn({ delivery: delivery.id }, 'A delivery that was being sent was taken over by another replica.')
    return { next: undefined }
  }
  if (!isOurs && judged === 'retry') {
    const pausedUntil = retryAfterMs === undefined ? undefined : at + retryAfterMs
    await markFailing(trx, delivery, { now: at, status, error: error ?? '', pausedUntil })
  } else if (!isOurs) await markAnswering(trx, delivery, { now: at, status })
  await senders[delivery.kind].settled?.(trx, delivery, { outcome, status })
  trx.afterCommit(() =>
    metrics?.countDelivery({ kind: delivery.kind, outcome, seconds: Math.max(0, at - delivery.createdAt) / SECOND }),
  )
  if (outcome === 'retry') {
    log.info(
      { delivery: delivery.id, kind: delivery.kind, receiver: delivery.receiverId, status, error },
      'A delivery is tried again.',
    )
    return { next: undefined }
  }
  return { next: await claimNext(trx, delivery, { now: at, leaseMs: LEASE_MS }) }
}
