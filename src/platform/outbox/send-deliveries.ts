import type { Database } from '../../storage/database.ts'
import type { Signals } from '../../storage/signals.ts'
import { type Attempt, attemptDelivery, type AttemptServices, LEASE_MS, settleDelivery } from './attempt-delivery.ts'
import { type Candidate, claimDeliveries, type ClaimedDelivery, listDue, receiverKey } from './claim-store.ts'
import type { Senders } from './sender.ts'

const SECOND = 1000
/** An attempt that has not written its request by then leaves it to whoever takes over. */
const MAX_BEFORE_SENDING_MS = 10 * SECOND
/** How many are sent at once, in total and to one receiver; while a receiver fails, one tells whether it still does. */
const MAX_SENDING = 256
const MAX_SENDING_TO_ONE = 8
const MAX_SENDING_TO_FAILING = 1
/** How long a stop waits for what is being sent. What is not stored by then is sent again when its lease is over. */
const STOP_MS = 3 * SECOND

interface DispatcherServices extends AttemptServices {
  db: Database
  monotonicNow: () => number
  signals: Signals
}

export interface Dispatcher {
  /** Sends what is due, and waits until all that can be sent now is being sent. Called every second, and when something was added. */
  dispatch(): Promise<void>
  /** Waits until nothing is being sent. */
  settled(): Promise<void>
  stop(): Promise<void>
}

/**
 * Sends deliveries. Of one receiver and person one is sent after the other; those of different people, and of different receivers, go side
 * by side, so that a receiver that hangs delays no other. An attempt whose outcome can't be stored is made again: each delivery
 * arrives at least once.
 */
export function createDispatcher(services: DispatcherServices, senders: Senders): Dispatcher {
  const { db, now, monotonicNow, log, signals } = services
  const sending = new Map<string, { receiver: string; ended: Promise<void> }>()
  const stopping = new AbortController()
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
    while (!stopping.signal.aborted && sending.size < MAX_SENDING) {
      const due = await listDue(db.read, { now: now(), except: [...full], limit: MAX_SENDING })
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
    while (delivery && !stopping.signal.aborted) {
      const attempt = await attemptDelivery(services, senders, delivery, () => isMine(at))
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
      return await db.transaction((trx) => settleDelivery(services, senders, trx, delivery, attempt))
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
      while (isAgain && !stopping.signal.aborted) {
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
    if (stopping.signal.aborted) return
    isAgain = true
    await (current ??= run())
  }

  const wake = (): void => {
    if (!stopping.signal.aborted)
      dispatch().catch((error: unknown) =>
        log.warn({ err: error }, 'Deliveries could not be sent; they are tried again.'),
      )
  }
  const listening = [signals.on('deliveries-added', wake), signals.on('resync', wake)]

  const listBusy = (): Promise<void>[] => [
    ...(current ? [current] : []),
    ...[...sending.values()].map(({ ended }) => ended),
  ]
  const settled = async (): Promise<void> => {
    for (let busy = listBusy(); busy.length > 0; busy = listBusy()) await Promise.all(busy)
  }

  return {
    dispatch,
    settled,
    async stop() {
      stopping.abort()
      for (const unlisten of listening) unlisten()
      const { promise: late, resolve } = Promise.withResolvers<void>()
      const timer = setTimeout(resolve, STOP_MS)
      await Promise.race([settled().catch(() => {}), late])
      clearTimeout(timer)
    },
  }
}
