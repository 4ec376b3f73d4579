import type { Logger } from 'pino'
import { listReceiversWithHeld } from '../../platform/outbox/held-delivery-store.ts'
import type { Database } from '../../storage/database.ts'
import type { Signals } from '../../storage/signals.ts'

/** A poll that waits for something to fetch. */
export interface WaitingPoll {
  /** Until there may be something: true. False when it has waited long enough, its connection is closed, or the service stops. */
  woken(): Promise<boolean>
  leave(): void
}

export interface WaitingPolls {
  /** Call it before looking for what there is: what is added from then on is noticed. Undefined when too many wait. */
  enter(clientId: string): WaitingPoll | undefined
  /** Answers those who have waited long enough. */
  answerLate(): void
  /** Finds what no signal told. */
  check(): Promise<void>
  /** Answers all of them: the service stops. */
  close(): void
  count(): number
}

const MAX_WAIT_MS = 55_000
const MAX_WAITING = 1000
/** A receiver needs one, and another one while it moves to another process. */
const MAX_PER_CLIENT = 8
const CHECK_EVERY_MS = 5000

interface Waiter {
  clientId: string
  until: number
  /** Since when nothing has been said to it; kept until it asks. */
  state: 'waiting' | 'woken' | 'over'
  tell: (() => void) | undefined
}

/**
 * Polls of receivers that wait (RFC 8936 section 2.4). The signal that something was added, from whichever replica, leads to one query for
 * all who wait, however many they are.
 */
export function createWaitingPolls({
  db,
  monotonicNow,
  signals,
  log,
}: {
  db: Database
  monotonicNow: () => number
  signals: Signals
  log: Logger
}): WaitingPolls {
  const waiters = new Set<Waiter>()
  let checking: Promise<void> | undefined
  let isAgain = false
  let checkedAt = -Infinity
  let isClosed = false

  const say = (waiter: Waiter, state: 'woken' | 'over'): void => {
    if (waiter.state !== 'over') waiter.state = state
    waiter.tell?.()
  }

  const look = async (): Promise<void> => {
    do {
      isAgain = false
      checkedAt = monotonicNow()
      const clientIds = [...new Set([...waiters].map(({ clientId }) => clientId))]
      const found = new Set(await listReceiversWithHeld(db.read, 'signals', clientIds))
      for (const waiter of waiters) if (found.has(waiter.clientId)) say(waiter, 'woken')
    } while (isAgain)
  }
  const checkNow = (): Promise<void> => {
    if (waiters.size === 0) return Promise.resolve()
    isAgain = true
    return (checking ??= look().finally(() => (checking = undefined)))
  }
  const added = (): void =>
    void checkNow().catch((error: unknown) => log.warn({ err: error }, 'Polls of receivers could not be checked.'))
  const stops = [signals.on('deliveries-added', added), signals.on('resync', added)]

  return {
    enter(clientId) {
      const isFull = waiters.size >= MAX_WAITING
      const own = waiters.values().reduce((count, each) => count + Number(each.clientId === clientId), 0)
      if (isClosed || isFull || own >= MAX_PER_CLIENT) return undefined
      const waiter: Waiter = { clientId, until: monotonicNow() + MAX_WAIT_MS, state: 'waiting', tell: undefined }
      waiters.add(waiter)
      return {
        async woken() {
          if (waiter.state === 'waiting') await new Promise<void>((resolve) => (waiter.tell = resolve))
          waiter.tell = undefined
          if (waiter.state === 'over') return false
          waiter.state = 'waiting'
          return true
        },
        leave() {
          waiters.delete(waiter)
          say(waiter, 'over')
        },
      }
    },
    answerLate() {
      for (const waiter of waiters) if (waiter.until <= monotonicNow()) say(waiter, 'over')
    },
    async check() {
      if (monotonicNow() - checkedAt >= CHECK_EVERY_MS) await checkNow()
    },
    close() {
      isClosed = true
      for (const stop of stops) stop()
      for (const waiter of waiters) say(waiter, 'over')
    },
    count: () => waiters.size,
  }
}
