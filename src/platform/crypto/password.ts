import { hash, verify } from '@node-rs/argon2'
import type { Random } from './random.ts'

export interface HashCost {
  /** In KiB. */
  memoryCost: number
  timeCost: number
}

/** OWASP's first choice for argon2id is 19 MiB, two passes, one lane; ours is no weaker. */
const COST: HashCost = { memoryCost: 19 * 1024, timeCost: 2 }
const SALT_BYTES = 16
const HASH_BYTES = 32

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
type RunForAddress = <T>(address: string, work: () => Promise<T>) => Promise<T>

export function createPasswords(random: Random, runForAddress: RunForAddress, cost = COST): Passwords {
  const parameters = `m=${cost.memoryCost},t=${cost.timeCost},p=1`
  const base64 = (bytes: number) => random.bytes(bytes).toString('base64').replaceAll('=', '')
  // No password has this hash. It takes as long to verify as any other.
  const decoyHash = `$argon2id$v=19$${parameters}$${base64(SALT_BYTES)}$${base64(HASH_BYTES)}`
  return {
    hash: (password, address) =>
      runForAddress(address, () => hash(password, { ...cost, parallelism: 1, salt: random.bytes(SALT_BYTES) })),
    verify: (stored, password, address) =>
      runForAddress(address, async () => {
        const matches = await verify(stored ?? decoyHash, password)
        return matches && stored !== null
      }),
    isOutdated: (stored) => !stored.includes(`$${parameters}$`),
  }
}
