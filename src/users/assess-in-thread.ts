import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { AppError } from '../errors.ts'
import { createFairQueue } from '../limits/fair-queue.ts'
import type { Verdict } from '../password-strength/assess-password.ts'
import type { Asked } from './strength-thread.ts'

/** The dictionaries take 60 MB: when nobody has chosen a password for so long, they go with their thread. */
const IDLE_MS = 60_000

/** Loading takes half a second and a hostile password some milliseconds. A thread that takes longer is given up. */
const MAX_ANSWER_MS = 10_000

/**
 * Asks the estimator, which lives in a thread of its own: it keeps that thread busy for half a second at its start, and for
 * as long as an attacker likes after that, while everybody else is served here.
 */
export const assessInThread = (asked: Asked, address: string): Promise<Verdict> => inTurn(address, () => ask(asked))

const inTurn = createFairQueue({ atOnce: 1, maxWaiting: 500, maxWaitingPerAddress: 100 })

/** Several times what it needs; without bounds it would have those of the service itself. */
const OPTIONS = { execArgv: [], resourceLimits: { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 8 } }

let thread: Worker | undefined
let idle: NodeJS.Timeout | undefined

async function ask(asked: Asked): Promise<Verdict> {
  clearTimeout(idle)
  const worker = (thread ??= new Worker(new URL('strength-thread.ts', import.meta.url), OPTIONS))
  worker.ref()
  try {
    worker.postMessage(asked, [])
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
  // What becomes of it is of no interest any more, least of all an error while it ends.
  thread?.on('error', () => {})
  void thread?.terminate()
  thread = undefined
}
