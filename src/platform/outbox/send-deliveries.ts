import type { Logger } from 'pino'
import type { Database } from '../../storage/database.ts'
import type { Signals } from '../../storage/signals.ts'
import { OutgoingError } from '../outgoing/outgoing-failure.ts'
import type { Outgoing, OutgoingAnswer } from '../outgoing/outgoing.ts'
import {
  type Candidate,
  claimDeliveries,
  type ClaimedDelivery,
  claimNext,
  endDelivery,
  listDue,
  markForRetry,
  receiverKey,
} from './claim-store.ts'
import { markAnswering, markFailing } from './receiver-store.ts'
import type { Outcome, Senders } from './sender.ts'

const SECOND = 1000
const MINUTE = 60 * SECOND
/** After this long another replica takes over what a replica that has died or is frozen was sending. */
const LEASE_MS = 20 * SECOND
/** An attempt that has not written its request by then leaves it to whoever takes over. */
const MAX_BEFORE_SENDING_MS = 10 * SECOND
/** How many are sent at once, in total and to one receiver; while a receiver fails, one tells whether it still does. */
const MAX_SENDING = 256
const MAX_SENDING_TO_ONE = 8
const MAX_SENDING_TO_FAILING = 1
const WAITS_MS = [SECOND, 5 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE]
const MAX_WAIT_MS = 60 * MINUTE
/** How long a stop waits for what is being sent. What is not stored by then is sent again when its lease is over. */
const STOP_MS = 3 * SECOND
const MAX_ERROR_LENGTH = 200

interface DispatcherServices {
  db: Database
  now: () => number
  monotonicNow: () => number
  log: Logger
  signals: Signals
  outgoing: Pick<Outgoing, 'send'>
  /** Called with every attempt that was stored. */
  observeAttempt?: (attempt: { kind: ClaimedDelivery['kind']; outcome: Outcome; seconds: number }) => void
}

export interface Dispatcher {
  /** Sends what is due, and waits until all that can be sent now is being sent. Called every second, and when something was added. */
  dispatch(): Promise<void>
  /** Waits until nothing is being sent. */
  settled(): Promise<void>
  stop(): Promise<void>
}

/** What became of an attempt, until it is stored. */
interface Attempt {
  outcome: Outcome
  status: number | undefined
  error: string | undefined
  /** Milliseconds for which the receiver wants to get nothing. */
  retryAfterMs?: number | undefined
  /** It failed here, and says nothing about the receiver. */
  isOurs?: boolean
}

/**
 * Sends deliveries. Of one receiver and person one is sent after the other; those of different people, and of different receivers, go side
 * by side, so that a receiver that hangs delays no other. An attempt whose outcome can't be stored is made again: each delivery
 * arrives at least once.
 */
export function createDispatcher(services: DispatcherServices, senders: Senders): Dispatcher {
  const { db, now, monotonicNow, log, signals } = services
  const sending = new Map<string, { receiver: string; ended: Promise<void> }>()
  let isStopped = false
  let isAgain = false
  /** Whether the last pass left something for when there is room. */
  let isMoreDue = false
  let current: Promise<void> | undefined

  const freeOf = (candidate: Candidate): number => {
    const key = receiverKey(candidate)
    const busy = sending.values().reduce((count, { receiver }) => count + Number(receiver === key), 0)
    return (candidate.isFailing ? MAX_SENDING_TO_FAILING : MAX_SENDING_TO_ONE) - busy
  }

  /** As many of each receiver as it has room for. */
  const choose = (due: Candidate[]): Candidate[] => {
    const room = new Map<string, number>()
    let left = MAX_SENDING - sending.size
    return due.filter((candidate) => {
      const key = receiverKey(candidate)
      const free = room.get(key) ?? freeOf(candidate)
      if (free <= 0 || left <= 0) return false
      room.set(key, free - 1)
      left--
      return true
    })
  }

  /** Receivers that have no room are left out of the next query, so that their deliveries do not hide those of others. */
  const pass = async (): Promise<void> => {
    for (const { beforeClaim } of Object.values(senders)) await beforeClaim?.()
    const full = new Set<string>()
    isMoreDue = true
    while (!isStopped && sending.size < MAX_SENDING) {
      const due = await listDue(db.read, now(), [...full], MAX_SENDING)
      if (due.length === 0) {
        isMoreDue = full.size > 0
        return
      }
      const claimed = await claim(choose(due))
      for (const candidate of due) {
        const key = receiverKey(candidate)
        if (!claimed.has(key) || freeOf(candidate) <= 0) full.add(key)
      }
    }
  }

  /** The receivers of which something was claimed. */
  const claim = async (chosen: Candidate[]): Promise<Set<string>> => {
    if (chosen.length === 0) return new Set()
    const claimedAt = monotonicNow()
    const numbers = chosen.map(({ number }) => number)
    const lease = { now: now(), leaseMs: LEASE_MS }
    const claimed = await db.transaction((trx) => claimDeliveries(trx, numbers, lease))
    for (const delivery of claimed) start(delivery, claimedAt)
    return new Set(claimed.map(receiverKey))
  }

  const start = (delivery: ClaimedDelivery, claimedAt: number): void => {
    const ended = work(delivery, claimedAt).finally(() => {
      sending.delete(delivery.id)
      if (isMoreDue) wake()
    })
    sending.set(delivery.id, { receiver: receiverKey(delivery), ended })
  }

  /** One delivery, and then those about the same person that wait behind it. */
  const work = async (first: ClaimedDelivery, claimedAt: number): Promise<void> => {
    let delivery: ClaimedDelivery | undefined = first
    let at = claimedAt
    while (delivery && !isStopped) {
      const attempt = await attemptOnce(services, senders, delivery, () => isMine(at))
      const stored: { next: ClaimedDelivery | undefined } | undefined = await store(delivery, attempt)
      if (!stored) return
      at = monotonicNow()
      delivery = stored.next
    }
  }

  const isMine = (claimedAt: number): boolean => monotonicNow() - claimedAt < MAX_BEFORE_SENDING_MS

  /** Undefined when the outcome was not stored: then the lease ends, and the delivery is sent again. */
  const store = async (
    delivery: ClaimedDelivery,
    attempt: Attempt,
  ): Promise<{ next: ClaimedDelivery | undefined } | undefined> => {
    try {
      return await db.transaction((trx) => settle(services, senders, trx, delivery, attempt))
    } catch (error) {
      log.warn(
        { err: error, delivery: delivery.id },
        'The outcome of a delivery could not be stored; it is sent again.',
      )
      return undefined
    }
  }

  const run = async (): Promise<void> => {
    try {
      while (isAgain && !isStopped) {
        isAgain = false
        await pass()
      }
    } finally {
      // In the same step as the last check of the loop, so that no call is lost in between.
      current = undefined
    }
  }

  /** One pass at a time; what is added during one is found by another one after it. */
  const dispatch = async (): Promise<void> => {
    if (isStopped) return
    isAgain = true
    await (current ??= run())
  }

  const wake = (): void => {
    if (!isStopped)
      dispatch().catch((error: unknown) =>
        log.warn({ err: error }, 'Deliveries could not be sent; they are tried again.'),
      )
  }
  const listening = [signals.on('deliveries-added', wake), signals.on('resync', wake)]

  const settled = async (): Promise<void> => {
    while (current || sending.size > 0) await Promise.all([current, ...[...sending.values()].map(({ ended }) => ended)])
  }

  return {
    dispatch,
    settled,
    async stop() {
      isStopped = true
      for (const unlisten of listening) unlisten()
      const { promise: late, resolve } = Promise.withResolvers<void>()
      const timer = setTimeout(resolve, STOP_MS)
      await Promise.race([settled().catch(() => {}), late])
      clearTimeout(timer)
    },
  }
}

const NOT_PREPARED = 'It could not be prepared; the log of the service says why.'

/** Never rejects. */
async function attemptOnce(
  { outgoing, log }: DispatcherServices,
  senders: Senders,
  delivery: ClaimedDelivery,
  isStillMine: () => boolean,
): Promise<Attempt> {
  const sender = senders[delivery.kind]
  try {
    const request = await sender.prepare(delivery)
    if ('state' in request) return { outcome: request.state, status: undefined, error: request.error, isOurs: true }
    const answer = await outgoing.send({ ...request, isStillMine })
    const outcome = sender.judge(delivery, answer)
    return {
      outcome,
      status: answer.status,
      error: outcome === 'acknowledged' ? undefined : describeAnswer(answer),
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
function describeAnswer({ status, body }: OutgoingAnswer): string {
  const text = body
    .subarray(0, MAX_ERROR_LENGTH * 4)
    .toString()
    .replace(/[^\x20-\x7e]+/g, ' ')
    .trim()
  return (text === '' ? `HTTP ${status}` : `HTTP ${status}: ${text}`).slice(0, MAX_ERROR_LENGTH)
}

/** RFC 9110 section 10.2.3, in seconds or as a date. */
function readRetryAfter({ headers, status }: OutgoingAnswer): number | undefined {
  const text = headers['retry-after']
  if (text === undefined || status < 300) return undefined
  const ms = /^\d{1,9}$/.test(text) ? Number(text) * SECOND : Date.parse(text) - Date.parse(headers.date ?? '')
  return Number.isFinite(ms) && ms > 0 ? Math.min(ms, MAX_WAIT_MS) : undefined
}

/** Stores the outcome of an attempt. When the delivery has ended, the next one about that person is claimed at once. */
async function settle(
  { now, log, observeAttempt }: DispatcherServices,
  senders: Senders,
  trx: Parameters<typeof endDelivery>[0],
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
    observeAttempt?.({ kind: delivery.kind, outcome, seconds: Math.max(0, at - delivery.createdAt) / SECOND }),
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
