/**
 * Serials as runs without a gap: run i contains all serials from first[i] to last[i]. Runs are ascending, with a gap between
 * each two.
 *
 * `start` and `end` (one past the last) are the same positions as plain numbers: every gap and every run that is longer than
 * FAR counts as FAR. No bitmap is that long, so the choice of sections is the same as with the real serials.
 */
export interface Runs {
  readonly count: number
  readonly first: BigUint64Array
  readonly last: BigUint64Array
  readonly start: Float64Array
  readonly end: Float64Array
}

const FAR = 2 ** 20
const FAR_SERIALS = 2n ** 20n

/** Sorts the serials and drops what is there twice. */
export function serialRuns(serials: BigUint64Array): Runs {
  const sorted = serials.toSorted()
  if (sorted[0] === 0n) throw new RangeError('Serial 0 stands for no serial, and OpenSSH refuses a list with it.')
  const first = new BigUint64Array(sorted.length)
  const last = new BigUint64Array(sorted.length)
  const count = joinNeighbours(sorted, first, last)
  const start = new Float64Array(count)
  const end = new Float64Array(count)
  for (let run = 0; run < count; run++) {
    start[run] = run === 0 ? 0 : end[run - 1]! - 1 + upToFar(BigInt.asUintN(64, first[run]! - last[run - 1]!))
    end[run] = start[run]! + 1 + upToFar(BigInt.asUintN(64, last[run]! - first[run]!))
  }
  return { count, first, last, start, end }
}

/** Returns the number of runs. */
function joinNeighbours(sorted: BigUint64Array, first: BigUint64Array, last: BigUint64Array): number {
  let count = 0
  for (let at = 0; at < sorted.length; at++) {
    const serial = sorted[at]!
    const step = count === 0 ? 2n : BigInt.asUintN(64, serial - last[count - 1]!)
    if (step > 1n) first[count++] = serial
    last[count - 1] = serial
  }
  return count
}

// `BigInt.asUintN(64, …)` lets V8 compute with machine words in place of big integers on its heap.
const upToFar = (distance: bigint): number => (distance < FAR_SERIALS ? Number(distance) : FAR)
