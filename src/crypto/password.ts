import { hash, verify } from '@node-rs/argon2'
import type { Random } from './random.ts'

/** OWASP's first choice for argon2id is 19 MiB, two passes, one lane; ours is no weaker. */
const PARAMETERS = { memoryCost: 19 * 1024, timeCost: 2, parallelism: 1 } as const
const CURRENT = `m=${PARAMETERS.memoryCost},t=${PARAMETERS.timeCost},p=${PARAMETERS.parallelism}`

/** Each hash takes 19 MiB and a thread of the pool. The pool has four: two stay free for files, names and images. */
export const MAX_HASHES_AT_ONCE = 2

export interface Passwords {
  hash(password: string, address: string): Promise<string>
  /** Without a stored hash it takes the same time and returns false: an unknown account takes as long as a known one. */
  verify(stored: string | null, password: string, address: string): Promise<boolean>
  /** True when the hash was made with other parameters than today's. */
  isOutdated(stored: string): boolean
}

/** Queues work by the remote address that it is done for. */
type InTurn = <T>(address: string, work: () => Promise<T>) => Promise<T>

export async function createPasswords(random: Random, inTurn: InTurn): Promise<Passwords> {
  const hashNow = (password: string) => hash(password, { ...PARAMETERS, salt: random.bytes(16) })
  const decoyHash = await hashNow(random.text(32))
  return {
    hash: (password, address) => inTurn(address, () => hashNow(password)),
    verify: (stored, password, address) =>
      inTurn(address, async () => {
        const matches = await verify(stored ?? decoyHash, password)
        return matches && stored !== null
      }),
    isOutdated: (stored) => !stored.includes(`$${CURRENT}$`),
  }
}
