import ipaddr from 'ipaddr.js'
import { AppError } from '../../errors.ts'
import { createWorkQueue } from '../../work-queue.ts'

/** Runs the work when a remote address may. */
export type RunForAddress = <T>(address: string, work: () => Promise<T>) => Promise<T>

interface Bounds {
  /** How many run at the same time. */
  atOnce: number
  /** How many may wait, from one address and in total. */
  maxWaitingPerAddress: number
  maxWaiting: number
}

/** Several times as long as the longest queue of password checks takes. */
const MAX_WAIT_MS = 60_000
/** About as long as that takes. */
const RETRY_AFTER_SECONDS = 10

/** Expensive work waits in one line for each remote address (`src/work-queue.ts`), so that no address makes all others wait. */
export function createAddressQueue({ atOnce, maxWaitingPerAddress, maxWaiting }: Bounds): RunForAddress {
  const { run } = createWorkQueue({
    atOnce,
    maxWaiting,
    maxWaitingPerKey: maxWaitingPerAddress,
    maxWaitMs: MAX_WAIT_MS,
    refusedFor: (reason) => (reason === 'too many of the key' ? addressFull() : queueFull()),
  })
  return (address, work) => run(addressKey(address), work)
}

const addressFull = (): AppError =>
  new AppError('too_many_requests', 'Very many requests from your network are waiting. Try again in 10 seconds.', {
    retryAfter: RETRY_AFTER_SECONDS,
  })

const queueFull = (): AppError =>
  new AppError('unavailable', 'Very many people are signing in at this moment. Please try again.', {
    retryAfter: RETRY_AFTER_SECONDS,
  })

/** What limits count by: the IPv4 address, or the /64 of an IPv6 address, since one person usually has all of it. */
export function addressKey(address: string): string {
  if (!ipaddr.isValid(address)) return address
  const parsed = ipaddr.process(address)
  return parsed.kind() === 'ipv4' ? parsed.toString() : parsed.toByteArray().slice(0, 8).join('.')
}
