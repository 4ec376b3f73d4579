import ipaddr from 'ipaddr.js'
import { createWorkQueue } from '../../work-queue.ts'
import { limitErrors } from './limit-errors.ts'

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

/** Expensive work waits in one queue for each remote address (`src/work-queue.ts`), so that no address makes all others wait. */
export function createAddressQueue({ atOnce, maxWaitingPerAddress, maxWaiting }: Bounds): RunForAddress {
  const { run } = createWorkQueue({
    atOnce,
    maxWaiting,
    maxWaitingPerKey: maxWaitingPerAddress,
    maxWaitMs: MAX_WAIT_MS,
    refusedFor: (reason) =>
      reason === 'too many of the key'
        ? limitErrors.network_queue_full({ wait: RETRY_AFTER_SECONDS }, { retryAfter: RETRY_AFTER_SECONDS })
        : limitErrors.sign_in_queue_full({ retryAfter: RETRY_AFTER_SECONDS }),
  })
  return (address, work) => run(addressKey(address), work)
}

/** What limits count by: the IPv4 address, or the /64 of an IPv6 address, since one person usually has all of it. */
export function addressKey(address: string): string {
  if (!ipaddr.isValid(address)) return address
  const parsed = ipaddr.process(address)
  return parsed.kind() === 'ipv4' ? parsed.toString() : parsed.toByteArray().slice(0, 8).join('.')
}
