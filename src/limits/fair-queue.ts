import { AppError } from '../errors.ts'
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
  /** In the order of their turns; no line is empty. */
  const lines = new Map<string, Waiting[]>()
  let running = 0
  let waiting = 0

  /** The first of the line whose turn it is. That line goes behind the others. */
  const takeNext = (): Waiting | undefined => {
    for (const [key, line] of lines) {
      const next = line.shift()
      lines.delete(key)
      if (line.length > 0) lines.set(key, line)
      waiting--
      return next
    }
    return undefined
  }

  /** When the queue is full, the last one in the longest line is refused, so that few addresses can't fill the queue. */
  const makeRoom = (newLength: number): void => {
    let [longestKey, longest]: [string, Waiting[]] = ['', []]
    for (const [key, line] of lines) if (line.length > longest.length) [longestKey, longest] = [key, line]
    if (longest.length <= newLength) throw queueFull()
    longest.pop()?.refuse(queueFull())
    if (longest.length === 0) lines.delete(longestKey)
    waiting--
  }

  const enter = (key: string): Promise<void> | undefined => {
    if (running < atOnce) {
      running++
      return undefined
    }
    const ahead = lines.get(key)?.length ?? 0
    if (ahead >= maxWaitingPerAddress) throw addressFull()
    if (waiting >= maxWaiting) makeRoom(ahead + 1)
    return new Promise((start, refuse) => {
      const line = lines.get(key)
      if (line) line.push({ start, refuse })
      else lines.set(key, [{ start, refuse }])
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

/** About as long as the longest line of password checks takes. */
const RETRY_AFTER_SECONDS = 10

const addressFull = (): AppError =>
  new AppError('too_many_requests', 'Very many requests from your network are waiting. Try again in 10 seconds.', {
    retryAfter: RETRY_AFTER_SECONDS,
  })

const queueFull = (): AppError =>
  new AppError('unavailable', 'Very many people are signing in at this moment. Please try again.', {
    retryAfter: RETRY_AFTER_SECONDS,
  })
