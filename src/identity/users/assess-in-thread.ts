import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { AppError } from '../../errors.ts'
import { createAddressQueue } from '../../platform/limits/address-queue.ts'
import type { Verdict } from '../password-strength/assess-password.ts'
import type { AssessPasswordRequest } from './strength-thread.ts'

/** The dictionaries take 60 MB, so the thread that holds them is stopped after this long without a request. */
const IDLE_MS = 60_000

/** Loading takes half a second and a hostile password some milliseconds. A thread that takes longer is stopped. */
const MAX_ANSWER_MS = 10_000

/**
 * Estimates in a worker thread: loading takes half a second, and an attacker can send passwords that take long to assess.
 * Neither blocks other requests.
 */
export const assessInThread = (request: AssessPasswordRequest, address: string): Promise<Verdict> =>
  runForAddress(address, () => assess(request))

const runForAddress = createAddressQueue({ atOnce: 1, maxWaiting: 500, maxWaitingPerAddress: 100 })

/** Several times what it needs. Without limits of its own the thread would have those of the service. */
const OPTIONS = { execArgv: [], resourceLimits: { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 8 } }

let thread: Worker | undefined
let idle: NodeJS.Timeout | undefined

async function assess(request: AssessPasswordRequest): Promise<Verdict> {
  clearTimeout(idle)
  const worker = (thread ??= new Worker(new URL('strength-thread.ts', import.meta.url), OPTIONS))
  worker.ref()
  try {
    worker.postMessage(request, [])
    const [verdict] = await once(worker, 'message', { signal: AbortSignal.timeout(MAX_ANSWER_MS) })
    return verdict as Verdict
  } catch (cause) {
    stopThread()
    throw new AppError('unavailable', 'The password could not be checked just now. Please try again.', {
      retryAfter: 5,
      cause,
    })
  } finally {
    worker.unref()
    idle = setTimeout(stopThread, IDLE_MS).unref()
  }
}

function stopThread(): void {
  // An error while the thread ends is ignored; without a listener it would end the process.
  thread?.on('error', () => {})
  void thread?.terminate()
  thread = undefined
}
