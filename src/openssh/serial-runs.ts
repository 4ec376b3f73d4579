import { SLICE, type Sliced } from './slices.ts'
import { sortSerials } from './sort-serials.ts'

/**
 * Serials as runs without a hole: run i goes from first[i] to last[i], ascending, and never touches the next.
 *
 * `start` and `end` (one past the last) are the same on a line where whatever is longer than FAR, hole or run, is
 * cut to FAR. No bitmap reaches that far, so for choosing sections the two lines are alike, and plain numbers do.
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
export function* serialRuns(serials: BigUint64Array): Sliced<Runs> {
  const sorted = yield* sortSerials(serials)
  if (sorted[0] === 0n) throw new RangeError('Serial 0 stands for no serial, and OpenSSH refuses a list with it.')
  const size = sorted.length
  const first = new BigUint64Array(size)
  const last = new BigUint64Array(size)
  let count = 0
  for (let at = 0; at < size; at += SLICE) {
    count = joinSlice(sorted.subarray(at, at + SLICE), first, last, count)
    yield
  }
  const start = new Float64Array(count)
  const end = new Float64Array(count)
  for (let run = 0; run < count; run += SLICE) {
    yield
    layOut(first, last, start, end, run, Math.min(run + SLICE, count))
  }
  return { count, first, last, start, end }
}

/** Adds more of the sorted serials to the runs there are; answers how many runs there are then. */
function joinSlice(sorted: BigUint64Array, first: BigUint64Array, last: BigUint64Array, runs: number): number {
  let count = runs
  for (let at = 0; at < sorted.length; at++) {
    const serial = sorted[at]!
    const step = count === 0 ? 2n : BigInt.asUintN(64, serial - last[count - 1]!)
    if (step > 1n) first[count++] = serial
    last[count - 1] = serial
  }
  return count
}

/** Puts the runs of `from` up to `to` on the shortened line. */
function layOut(
  first: BigUint64Array,
  last: BigUint64Array,
  start: Float64Array,
  end: Float64Array,
  from: number,
  to: number,
): void {
  for (let run = from; run < to; run++) {
    start[run] = run === 0 ? 0 : end[run - 1]! - 1 + upToFar(BigInt.asUintN(64, first[run]! - last[run - 1]!))
    end[run] = start[run]! + 1 + upToFar(BigInt.asUintN(64, last[run]! - first[run]!))
  }
}

// The engine computes in machine words, and not in big integers of its heap, where it is told that 64 bits are enough.
const upToFar = (distance: bigint): number => (distance < FAR_SERIALS ? Number(distance) : FAR)
