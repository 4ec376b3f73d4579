import { SLICE, type Sliced } from './slices.ts'

/** An ascending copy. A merge sort, as the engine's own sort would hold the thread for the whole of a long list. */
export function* sortSerials(serials: BigUint64Array): Sliced<BigUint64Array> {
  let from = serials.slice()
  for (let at = 0; at < from.length; at += SLICE) {
    from.subarray(at, at + SLICE).sort()
    yield
  }
  let to = new BigUint64Array(from.length)
  for (let width = SLICE; width < from.length; width *= 2) {
    for (let at = 0; at < from.length; at += 2 * width) {
      yield* merge(from.subarray(at, at + width), from.subarray(at + width, at + 2 * width), to.subarray(at))
    }
    ;[from, to] = [to, from]
  }
  return from
}

function* merge(left: BigUint64Array, right: BigUint64Array, to: BigUint64Array): Sliced<void> {
  // Lists mostly come in order, and then there is nothing to compare.
  if (right.length === 0 || left.at(-1)! <= right[0]!) {
    to.set(left)
    to.set(right, left.length)
    yield
    return
  }
  const length = left.length + right.length
  let taken = 0
  for (let at = 0; at < length; at += SLICE) {
    taken = mergeSlice(left, right, to, at, Math.min(at + SLICE, length), taken)
    yield
  }
}

/** Fills `to` from `at` up to `end`; `taken` is how many came from the left so far, and so is the answer. */
function mergeSlice(
  left: BigUint64Array,
  right: BigUint64Array,
  to: BigUint64Array,
  at: number,
  end: number,
  taken: number,
): number {
  let fromLeft = taken
  let fromRight = at - taken
  for (let next = at; next < end; next++) {
    const leftIsNext = fromRight >= right.length || (fromLeft < left.length && left[fromLeft]! <= right[fromRight]!)
    to[next] = leftIsNext ? left[fromLeft++]! : right[fromRight++]!
  }
  return fromLeft
}
