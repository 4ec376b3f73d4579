/** An attestation object is a map that holds a statement that may hold a list; extension outputs are no deeper. */
const MAX_DEPTH = 8

/**
 * Counts the CBOR data items (RFC 8949 §3) that the bytes consist of, or answers `undefined` when they are cut short,
 * of indefinite length (which CTAP2 canonical CBOR forbids), or nested deeper than anything WebAuthn defines.
 *
 * The library's decoder recurses once a level, accepts a string that is longer than the remaining bytes, and ignores what
 * follows the first item. So the structure is checked first, without recursion.
 */
export function countCborItems(bytes: Uint8Array): number | undefined {
  const openCounts: number[] = []
  let items = 0
  let at = 0
  while (at < bytes.length) {
    const head = readHead(bytes, at)
    if (!head) return undefined
    at = head.end + (head.major === 2 || head.major === 3 ? head.argument : 0)
    const children = childrenOf(head)
    // Every child takes at least one byte, so a count beyond the remaining bytes is wrong.
    if (at > bytes.length || children > bytes.length - at) return undefined
    if (children > 0) {
      if (openCounts.length === MAX_DEPTH) return undefined
      openCounts.push(children)
      continue
    }
    let left = 0
    while (left === 0 && openCounts.length > 0) {
      left = (openCounts.pop() ?? 0) - 1
      if (left > 0) openCounts.push(left)
    }
    if (openCounts.length === 0) items += 1
  }
  return openCounts.length === 0 ? items : undefined
}

type Head = { major: number; argument: number; end: number }

function readHead(bytes: Uint8Array, at: number): Head | undefined {
  const first = bytes[at] ?? 0
  const major = first >> 5
  const information = first & 0x1f
  if (information < 24) return { major, argument: information, end: at + 1 }
  if (information > 27) return undefined
  const end = at + 1 + 2 ** (information - 24)
  if (end > bytes.length) return undefined
  const argument = bytes.subarray(at + 1, end).reduce((value, byte) => value * 256 + byte, 0)
  return { major, argument, end }
}

function childrenOf({ major, argument }: Head): number {
  if (major === 4) return argument
  if (major === 5) return argument * 2
  return major === 6 ? 1 : 0
}
