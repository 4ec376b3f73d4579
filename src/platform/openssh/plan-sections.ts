import type { Runs } from './serial-runs.ts'

// The sizes of PROTOCOL.krl. A section is its type (1) and its length (4) before its data.
export const SECTION_HEADER = 5
export const RANGE_SIZE = SECTION_HEADER + 16
export const BITMAP_HEADER = SECTION_HEADER + 8 + 4

/** OpenSSH reads a bitmap as a big number, and none longer than this (SSHBUF_MAX_BIGNUM in sshbuf.h). */
export const MAX_BITMAP_BITS = 16384

/** Bytes of an mpint (RFC 4251 §5) whose highest bit is this one of `bits`; a zero byte leads where it must. */
export const bitmapBytes = (bits: number): number => Math.floor(bits / 8) + 1

export const IN_LIST = -1
export const AS_RANGE = -2

/** For the last run of each section, `sections` has IN_LIST, AS_RANGE or the first run of the bitmap ending there. */
export interface Plan {
  readonly size: number
  readonly sections: Int32Array
}

/**
 * The smallest way to write the runs. OpenSSH's own writer decides greedily; this finds the shortest path, so its
 * result is never longer. The order of sections is free, so that all the listed serials share one list, whose header
 * is the one cost that is not of a single run: it is settled by planning once with a list and once without.
 */
export function planSections(runs: Runs): Plan {
  const listing = shortestPath(runs, true)
  const withoutList = shortestPath(runs, false)
  return listing.size + SECTION_HEADER < withoutList.size
    ? { ...listing, size: listing.size + SECTION_HEADER }
    : withoutList
}

function shortestPath({ count, start, end }: Runs, mayList: boolean): Plan {
  /** Bytes of the smallest way to write the runs before this one. */
  const size = new Float64Array(count + 1)
  const sections = new Int32Array(count)
  /** From head to tail, the runs that a bitmap may still have to start at, the best of them first. */
  const starts = new Int32Array(count)
  let [head, tail] = [0, 0]
  for (let run = 0; run < count; run++) {
    // Two starts differ in size for good: by what was written up to them, less the whole bytes between them. As both
    // are whole numbers, the later start either makes the earlier useless or is never better while that is in reach.
    while (
      tail > head &&
      size[run]! - size[starts[tail - 1]!]! <= Math.floor((start[run]! - start[starts[tail - 1]!]!) / 8)
    )
      tail--
    starts[tail++] = run
    while (head < tail && end[run]! - start[starts[head]!]! > MAX_BITMAP_BITS) head++

    const serials = end[run]! - start[run]!
    const listed = mayList && serials * 8 < RANGE_SIZE
    let smallest = size[run]! + (listed ? serials * 8 : RANGE_SIZE)
    let section = listed ? IN_LIST : AS_RANGE
    if (head < tail) {
      const first = starts[head]!
      const asBitmap = size[first]! + BITMAP_HEADER + bitmapBytes(end[run]! - start[first]!)
      if (asBitmap < smallest) {
        smallest = asBitmap
        section = first
      }
    }
    size[run + 1] = smallest
    sections[run] = section
  }
  return { size: size[count]!, sections }
}
