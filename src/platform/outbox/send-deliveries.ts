import type { Database } from '../../storage/database.ts'
import type { Signals } from '../../storage/signals.ts'
import { type Attempt, attemptDelivery, type AttemptServices, LEASE_MS, settleDelivery } from './attempt-delivery.ts'
import { claimDeliveries, type ClaimedDelivery } from './claim-store.ts'
import { type DueReceiver, listDue, listDueReceivers, receiverKey } from './due-store.ts'
import type { Senders } from './sender.ts'

const SECOND = 1000
/** An attempt that has not written its request by then leaves it to whoever takes over. */
const MAX_BEFORE_SENDING_MS = 10 * SECOND
/** How many are sent at once, in total and to one receiver; while a receiver fails, one tells whether it still does. */
const MAX_SENDING = 256
const MAX_SENDING_TO_ONE = 8
const MAX_SENDING_TO_FAILING = 1
/** So much is between two attempts at a receiver that fails: what refuses at once would be tried hundreds of times a second. */
const FAILING_PAUSE_MS = 100
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
  /** When an attempt at a receiver has failed, on the monotonic clock. */
  const failedAt = new Map<string, number>()
  const stopping = new AbortController()
  let isAgain = false
  /** Whether the last pass left something for when there is room. */
  let isMoreDue = false
  let current: Promise<void> | undefined

  const freeOf = (receiver: DueReceiver): number => {
    const key = receiverKey(receiver)
    const busy = sending.values().reduce((count, each) => count + Number(each.receiver === key), 0)
    return (receiver.isFailing ? MAX_SENDING_TO_FAILING : MAX_SENDING_TO_ONE) - busy
  }

  const isPausing = (receiver: DueReceiver): boolean =>
    receiver.isFailing && monotonicNow() - (failedAt.get(receiverKey(receiver)) ?? -Infinity) < FAILING_PAUSE_MS

  /** As many of each receiver as it has room for. What waits for a receiver that has none is not looked at. */
  const pass = async (): Promise<void> => {
    for (const { beforeClaim } of Object.values(senders)) await beforeClaim?.()
    isMoreDue = true
    const receivers = await listDueReceivers(db, now())
    const chosen = await Promise.all(
      receivers.map(async (receiver) => {
        const limit = freeOf(receiver)
        const numbers =
          limit > 0 && !isPausing(receiver) ? await listDue(db.read, { ...receiver, now: now(), limit }) : []
        return { numbers, isAll: numbers.length < limit }
      }),
    )
    const numbers = chosen.flatMap((each) => each.numbers)
    const room = MAX_SENDING - sending.size
    isMoreDue = numbers.length > room || chosen.some(({ isAll }) => !isAll)
    await claim(numbers.slice(0, room))
  }

  const claim = async (numbers: number[]): Promise<void> => {
    if (numbers.length === 0 || stopping.signal.aborted) return
    const claimedAt = monotonicNow()
    const lease = { now: now(), leaseMs: LEASE_MS }
    for (const delivery of await db.transaction((trx) => claimDeliveries(trx, numbers, lease)))
      start(delivery, claimedAt)
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
      noteFailure(delivery, attempt)
      const stored: { next: ClaimedDelivery | undefined } | undefined = await store(delivery, attempt)
      if (!stored) return
      at = monotonicNow()
      delivery = stored.next
    }
  }

  const noteFailure = (delivery: ClaimedDelivery, { outcome, isOurs = false }: Attempt): void => {
    if (outcome === 'retry' && !isOurs) failedAt.set(receiverKey(delivery), monotonicNow())
    else failedAt.delete(receiverKey(delivery))
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
