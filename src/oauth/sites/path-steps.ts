import { isUtf8 } from 'node:buffer'

// The ways in which an application might read a path, each in one pass over its bytes. They are written by hand because anybody may
// ask about any path: with regular expressions the worst path takes several times as long.
//
// Every character with a meaning in a path is one byte in UTF-8. A path begins with a slash; no step takes that away, or makes
// the path longer.

/** One way to read a path. */
export interface Step {
  /** The trait of the paths that it might change. Most are not changed by most steps, and looking is faster. */
  concerns: number
  /** Writes the path as it is read to `to`, and returns the length of what it wrote. */
  write(path: Buffer, to: Buffer): number
}
type Write = Step['write']

const [SLASH, BACKSLASH, SEMICOLON, DOT, PER_CENT] = [0x2f, 0x5c, 0x3b, 0x2e, 0x25]
const [QUESTION_MARK, HASH, LETTER_U] = [0x3f, 0x23, 0x75]

/** `\` as `/`. */
const turnBackslashes: Write = (path, to) => {
  const end = path.length
  for (let at = 0; at < end; at++) {
    const byte = path[at]!
    to[at] = byte === BACKSLASH ? SLASH : byte
  }
  return end
}

/** Without the parameters of segments, `;…`. */
const dropParameters: Write = (path, to) => {
  const end = path.length
  let length = 0
  let isParameter = false
  for (let at = 0; at < end; at++) {
    const byte = path[at]!
    isParameter = byte === SEMICOLON || (isParameter && byte !== SLASH)
    if (!isParameter) to[length++] = byte
  }
  return length
}

/** Several slashes in a row as one. */
const mergeSlashes: Write = (path, to) => {
  const end = path.length
  let length = 0
  let last = 0
  for (let at = 0; at < end; at++) {
    const byte = path[at]!
    if (byte !== SLASH || last !== SLASH) to[length++] = byte
    last = byte
  }
  return length
}

/** Without `.` and `..` (RFC 3986 section 5.2.4). An empty segment is a segment. */
function resolveDots(path: Buffer, to: Buffer, takesEncoded: boolean): number {
  const end = path.length
  let length = 0
  for (let at = 0; at < end; at++) {
    const byte = path[at]!
    const next = byte === SLASH && at + 1 < end ? path[at + 1] : 0
    const width = next === DOT || next === PER_CENT ? dotsWidth(path, at + 1, takesEncoded) : 0
    if (width === 0) {
      to[length++] = byte
      continue
    }
    const isUp = width > (next === DOT ? 1 : 3)
    // Up to the slash before the segment that is left. A byte is left at most once.
    if (isUp) while (length > 0 && to[--length] !== SLASH) continue
    at += width
    // The slash behind the last segment stays.
    if (at === end - 1) to[length++] = SLASH
  }
  return length
}

/** How many bytes the segment at this place has when it is `.` or `..`; 0 when it is something else. */
function dotsWidth(path: Buffer, start: number, takesEncoded: boolean): number {
  const end = path.length
  let at = start
  for (let dots = 0; ; dots++) {
    const byte = at < end ? path[at] : SLASH
    if (byte === SLASH) return at - start
    if (dots === 2) return 0
    if (byte === DOT) at++
    else if (takesEncoded && byte === PER_CENT && readEscape(path, at) === DOT) at += 3
    else return 0
  }
}

/** Cut at `?` or `#`, as some servers do. After decoding there may be one. */
const cutQuery: Write = (path, to) => {
  const end = path.length
  let length = 0
  for (; length < end; length++) {
    const byte = path[length]!
    if (byte === QUESTION_MARK || byte === HASH) break
    to[length] = byte
  }
  return length
}

/** Without what parsers of URLs take for a host behind two slashes or more: the first segment (WHATWG URL section 4.4). */
const dropHost: Write = (path, to) => {
  let start = 0
  while (path[start] === SLASH) start++
  while (start < path.length && path[start] !== SLASH) start++
  if (start < path.length) return path.copy(to, 0, start)
  to[0] = SLASH
  return 1
}

/** What a path may have that steps are about. */
const TRAIT = {
  backslash: 1,
  semicolon: 2,
  slashes: 4,
  host: 8,
  dots: 16,
  encodedDots: 32,
  query: 64,
  escape: 128,
  encodedSlash: 256,
} as const

const ESCAPES = TRAIT.escape | TRAIT.encodedSlash

/** All traits of a path, in one pass. */
export function traitsOf(path: Buffer): number {
  const end = path.length
  let traits = path[1] === SLASH ? TRAIT.host : 0
  for (let at = 0; at < end; at++) {
    const byte = path[at]!
    if (byte === SLASH) {
      const next = at + 1 < end ? path[at + 1] : 0
      if (next === SLASH) traits |= TRAIT.slashes
      else if (next === DOT || next === PER_CENT) {
        const isEncoded = next === PER_CENT || (at + 2 < end && path[at + 2] === PER_CENT)
        const trait = isEncoded ? TRAIT.encodedDots : TRAIT.dots
        // It is looked for once, since there may be a thousand.
        if ((traits & trait) === 0 && dotsWidth(path, at + 1, isEncoded) > 0) traits |= trait
      }
    } else if (byte === PER_CENT) {
      const escaped = (traits & ESCAPES) === ESCAPES ? NOT_HEX : readEscape(path, at)
      if (escaped === SLASH) traits |= TRAIT.encodedSlash
      if (escaped !== NOT_HEX || isOfUtf16(path, at)) traits |= TRAIT.escape
    } else if (byte === BACKSLASH) traits |= TRAIT.backslash
    else if (byte === SEMICOLON) traits |= TRAIT.semicolon
    else if (byte === QUESTION_MARK || byte === HASH) traits |= TRAIT.query
  }
  return traits
}

export const STEPS: readonly Step[] = [
  { concerns: TRAIT.backslash, write: turnBackslashes },
  { concerns: TRAIT.semicolon, write: dropParameters },
  { concerns: TRAIT.slashes, write: mergeSlashes },
  { concerns: TRAIT.host, write: dropHost },
  { concerns: TRAIT.dots, write: (path, to) => resolveDots(path, to, false) },
  // Parsers of URLs take `%2e` for a dot and decode nothing else, so that `/a%2fb/%2e%2e` leaves one segment (WHATWG URL section 4.1).
  { concerns: TRAIT.encodedDots, write: (path, to) => resolveDots(path, to, true) },
  { concerns: TRAIT.query, write: cutQuery },
]

/**
 * Percent-decoded once. Escapes that are no escapes stay: after the first decoding, a plain per cent sign may be left. Writes nothing
 * for what must not be let through: control characters, what is not UTF-8, for example an overlong form of a slash, and `%u002f`, which
 * some software decodes.
 */
function decode(path: Buffer, to: Buffer, keepsSlashes: boolean): number {
  const end = path.length
  let length = 0
  let isAscii = true
  for (let at = 0; at < end; at++) {
    const byte = path[at]!
    const escaped = byte === PER_CENT ? readEscape(path, at) : NOT_HEX
    if (escaped === NOT_HEX || (keepsSlashes && escaped === SLASH)) {
      if (byte === PER_CENT && isOfUtf16(path, at)) return 0
      to[length++] = byte
      continue
    }
    if (isControl(escaped, to, length)) return 0
    if (escaped >= 0x80) isAscii = false
    to[length++] = escaped
    at += 2
  }
  return isAscii || isUtf8(to.subarray(0, length)) ? length : 0
}

/** Whether this byte ends U+0000 to U+001F, U+007F to U+009F, or a separator of lines or paragraphs, U+2028 and U+2029. */
function isControl(byte: number, before: Buffer, length: number): boolean {
  if (byte < 0x80) return byte < 0x20 || byte === 0x7f
  const last = before[length - 1]
  return (last === 0xc2 && byte < 0xa0) || (last === 0x80 && before[length - 2] === 0xe2 && (byte & 0xfe) === 0xa8)
}

/**
 * Wholly, and with `%2f` as a character of its segment, as many servers have it. It makes a difference to what dots leave and where
 * parameters end. Whether other characters stay encoded makes none, since no other character becomes a slash by being decoded: a
 * `%5c` that stays is read like a backslash that is not turned.
 */
export const DECODINGS: readonly Step[] = [
  { concerns: TRAIT.escape, write: (path, to) => decode(path, to, false) },
  { concerns: TRAIT.encodedSlash, write: (path, to) => decode(path, to, true) },
]

const NOT_HEX = -1

/** The byte that an escape stands for. */
function readEscape(path: Buffer, at: number): number {
  if (at + 2 >= path.length) return NOT_HEX
  const high = DIGITS[path[at + 1]!]!
  const low = DIGITS[path[at + 2]!]!
  return (high | low) < 0 ? NOT_HEX : high * 16 + low
}

/** What each byte is worth as a hexadecimal digit. */
const DIGITS = Int8Array.from({ length: 256 }, (_, byte) =>
  '0123456789abcdef'.indexOf(String.fromCharCode(byte).toLowerCase()),
)

/** Whether an escape of the form `%u002f` begins here: two pairs of digits behind a letter. */
const isOfUtf16 = (path: Buffer, at: number): boolean =>
  (path[at + 1]! | 0x20) === LETTER_U && readEscape(path, at + 1) !== NOT_HEX && readEscape(path, at + 3) !== NOT_HEX
