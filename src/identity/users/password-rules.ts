import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { Type } from 'typebox'
import { AppError, atField, type WeakReason } from '../../errors.ts'
import { createAddressQueue } from '../../platform/limits/address-queue.ts'
import type { Services } from '../../platform/services.ts'
import type { Verdict } from '../password-strength/assess-password.ts'
import { personalWords, type PersonalDetails } from '../password-strength/personal-words.ts'
import type { AssessPasswordRequest } from './strength-thread.ts'
import { userErrors } from './user-errors.ts'

/** Lengths count characters as people see them written, not bytes. */
export const NewPassword = Type.String({
  minLength: 8,
  maxLength: 128,
  description:
    'At least 8 characters, at most 128. One that is easy to guess is refused with 400 `weak_password`; `reason` says why.',
})

/** The current password, as the user typed it: any length that was ever allowed. */
export const GivenPassword = Type.String({ minLength: 1, maxLength: 128 })

/** The same password from another keyboard can come as other code points. */
export const normalizePassword = (password: string): string => password.normalize('NFKC')

interface WeakPasswordCheck {
  /** The name of the request's field, and the password itself, normalized. */
  field: string
  password: string
  /** The user whose password it becomes, and the remote address of the request. */
  person: PersonalDetails
  address: string
}

/** Refuses a password that is easy to guess. The dashboard shows the same verdict while it is typed. */
export async function refuseWeakPassword(
  { config }: Pick<Services, 'config'>,
  { field, password, person, address }: WeakPasswordCheck,
): Promise<void> {
  const personal = personalWords(person, new URL(config.dashboardOrigin).hostname)
  const { weak } = await assessInThread({ password, personal }, address)
  if (weak === undefined) return
  throw atField(field, new AppError('weak_password', SENTENCES[weak], { reason: weak }))
}

const SENTENCES: Record<WeakReason, string> = {
  common: 'This password is among the first that anyone would guess. Choose another.',
  personal: 'This password is made of your name, your email address or the name of this service. Choose another.',
  word: 'A word or a name is easy to guess, also with digits and signs added. Use several unrelated words.',
  keyboard: 'Keys that lie next to each other are easy to guess. Use several unrelated words.',
  repeat: 'The same characters again and again are easy to guess. Use several unrelated words.',
  sequence: 'Sequences such as abc or 1234 are easy to guess. Use several unrelated words.',
  date: 'Dates and years are easy to guess. Use several unrelated words.',
  simple: 'This password is too easy to guess. Make it longer, or use several unrelated words.',
}

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
    throw userErrors.password_not_checked({ retryAfter: 5, cause })
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
