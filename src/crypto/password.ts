import { hash, verify } from '@node-rs/argon2'
import { refuse } from '../errors.ts'
import type { Random } from './random.ts'

/** OWASP's first choice for argon2id is 19 MiB, two passes, one lane; ours is no weaker. */
const PARAMETERS = { memoryCost: 19 * 1024, timeCost: 2, parallelism: 1 } as const
const CURRENT = `m=${PARAMETERS.memoryCost},t=${PARAMETERS.timeCost},p=${PARAMETERS.parallelism}`

/** Each takes 19 MiB and a thread of the pool. The pool has four: two stay free for files, names and images. */
const AT_ONCE = 2

/** Half a minute of work. Whoever comes after that is better told at once than kept waiting. */
const MOST_WAITING = 500

export interface Passwords {
  hash(password: string): Promise<string>
  /** Without a stored hash it takes the same time and says no: an unknown account costs what a known one does. */
  verify(stored: string | null, password: string): Promise<boolean>
  /** True when the hash was made with other parameters than today's. */
  isOutdated(stored: string): boolean
}

export async function createPasswords(random: Random): Promise<Passwords> {
  const inTurn = createTurnstile(AT_ONCE)
  const hashNow = (password: string) => hash(password, { ...PARAMETERS, salt: random.bytes(16) })
  const nobodys = await hashNow(random.text(32))
  return {
    hash: (password) => inTurn(() => hashNow(password)),
    verify: (stored, password) =>
      inTurn(async () => {
        const matches = await verify(stored ?? nobodys, password)
        return matches && stored !== null
      }),
    isOutdated: (stored) => !stored.includes(`$${CURRENT}$`),
  }
}

/** At most so many at a time; the others wait in the order they came. */
function createTurnstile(atOnce: number) {
  const waiting: (() => void)[] = []
  let running = 0
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (waiting.length >= MOST_WAITING) {
      refuse('unavailable', 'Very many people are signing in at this moment. Please try again.', { retryAfter: 10 })
    }
    if (running >= atOnce) await new Promise<void>((resolve) => waiting.push(resolve))
    else running++
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else running--
    }
  }
}
