import { randomFillSync } from 'node:crypto'

/** A system call for each token costs ten times what cutting it from a filled pool does. */
const POOL_BYTES = 16 * 1024

export interface Random {
  bytes(length: number): Buffer
  /** That many random bytes, as base64url. */
  text(length: number): string
}

export function createRandom(): Random {
  const pool = Buffer.allocUnsafeSlow(POOL_BYTES)
  let used = POOL_BYTES

  const bytes = (length: number): Buffer => {
    if (length > POOL_BYTES) throw new RangeError(`At most ${POOL_BYTES} random bytes at a time.`)
    if (used + length > POOL_BYTES) {
      randomFillSync(pool)
      used = 0
    }
    const taken = Buffer.from(pool.subarray(used, used + length))
    // What was handed out is erased from the pool.
    pool.fill(0, used, used + length)
    used += length
    return taken
  }

  return { bytes, text: (length) => bytes(length).toString('base64url') }
}
