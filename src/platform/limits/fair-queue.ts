import { AppError } from '../../errors.ts'
import { addressKey } from './address-key.ts'

/** Runs the work when the remote address has its turn in the queue. */
export type InTurn = <T>(address: string, work: () => Promise<T>) => Promise<T>

interface Bounds {
  /** How many run at the same time. */
  atOnce: number
  /** How many may wait, from one address and in total. */
  maxWaitingPerAddress: number
  maxWaiting: number
}

interface Waiting {
  start(): void
  refuse(error: AppError): void
}

/**
 * Expensive work waits in one queue for each remote address, and the queues take turns: an address with a hundred requests
 * waits for its own, and the only request of another address waits for at most one of those. Both bounds count what waits,
 * not what runs already.
 */
export function createFairQueue({ atOnce, maxWaitingPerAddress, maxWaiting }: Bounds): InTurn {
  /** The queue of each address, in the order of their turns; none is empty. */
  const queues = new Map<string, Waiting[]>()
  let running = 0
  let waiting = 0

  /** The first of the queue whose turn it is. That queue is then the last one. */
  const takeNext = (): Waiting | undefined => {
    for (const [key, queue] of queues) {
      const next = queue.shift()
      queues.delete(key)
      if (queue.length > 0) queues.set(key, queue)
      waiting--
      return next
    }
    return undefined
  }

  /** When too many wait in total, the last one of the longest queue is refused, so that few addresses can't keep others out. */
  const makeRoom = (newLength: number): void => {
    let [longestKey, longest]: [string, Waiting[]] = ['', []]
    for (const [key, queue] of queues) if (queue.length > longest.length) [longestKey, longest] = [key, queue]
    if (longest.length <= newLength) throw queueFull()
    longest.pop()?.refuse(queueFull())
    if (longest.length === 0) queues.delete(longestKey)
    waiting--
  }

  const enter = (key: string): Promise<void> | undefined => {
    if (running < atOnce) {
      running++
      return undefined
    }
    const ahead = queues.get(key)?.length ?? 0
    if (ahead >= maxWaitingPerAddress) throw addressFull()
    if (waiting >= maxWaiting) makeRoom(ahead + 1)
    return new Promise((start, refuse) => {
      const queue = queues.get(key)
      if (queue) queue.push({ start, refuse })
      else queues.set(key, [{ start, refuse }])
      waiting++
    })
  }

  return async (address, work) => {
    await enter(addressKey(address))
    try {
      return await work()
    } finally {
      const next = takeNext()
      if (next) next.start()
      else running--
    }
  }
}

/** About as long as the longest queue of password checks takes. */
const RETRY_AFTER_SECONDS = 10

const addressFull = (): AppError =>
  new AppError('too_many_requests', 'Very many requests from your network are waiting. Try again in 10 seconds.', {
    retryAfter: RETRY_AFTER_SECONDS,
  })

const queueFull = (): AppError =>
  new AppError('unavailable', 'Very many people are signing in at this moment. Please try again.', {
    retryAfter: RETRY_AFTER_SECONDS,
  })
