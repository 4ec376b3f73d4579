import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { createAddressQueue } from '../../platform/limits/address-queue.ts'
import type { PasswordStrength } from '../../platform/services.ts'
import type { Verdict } from '../password-strength/assess-password.ts'
import type { AssessPasswordRequest } from './strength-thread.ts'
import { userErrors } from './user-errors.ts'

/** The dictionaries take 60 MB, so the thread that holds them is stopped after this long without a request. */
const IDLE_MS = 60_000

/** Loading takes half a second and a hostile password some milliseconds. A thread that takes longer is stopped. */
const MAX_ANSWER_MS = 10_000

/** Several times what it needs. Without limits of its own the thread would have those of the service. */
const OPTIONS = { execArgv: [], resourceLimits: { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 8 } }

/**
 * Estimates in a worker thread: loading takes half a second, and an attacker can send passwords that take long to assess.
 * Neither blocks other requests.
 */
export function createPasswordStrength(): PasswordStrength {
  // One at a time: the answers of the thread don't say which request they are to.
  const runForAddress = createAddressQueue({ atOnce: 1, maxWaiting: 500, maxWaitingPerAddress: 100 })
  let thread: Worker | undefined
  let idle: NodeJS.Timeout | undefined

  const stop = (): void => {
    clearTimeout(idle)
    // An error while the thread ends is ignored; without a listener it would end the process.
    thread?.on('error', () => {})
    void thread?.terminate()
    thread = undefined
  }

  const assess = async (request: AssessPasswordRequest): Promise<Verdict> => {
    clearTimeout(idle)
    const worker = (thread ??= new Worker(new URL('strength-thread.ts', import.meta.url), OPTIONS))
    worker.ref()
    try {
      worker.postMessage(request, [])
      const [verdict] = await once(worker, 'message', { signal: AbortSignal.timeout(MAX_ANSWER_MS) })
      return verdict as Verdict
    } catch (cause) {
      stop()
      throw userErrors.password_not_checked({ retryAfter: 5, cause })
    } finally {
      worker.unref()
      idle = setTimeout(stop, IDLE_MS).unref()
    }
  }

  return { assess: (request, address) => runForAddress(address, () => assess(request)), close: stop }
}
