import { isUtf8 } from 'node:buffer'

// The ways in which an application might read a path, each in one pass over its bytes. They are written by hand because anybody may
// ask about any path: with regular expressions the worst path takes several times as long.
//
// Every character with a meaning in a path is one byte in UTF-8. A path begins with a slash; no step takes that away, or makes
// the path longer.

/** One way to read a path. */
export interface Step {
  /** Whether it might change a path. Most steps do not, and looking is faster. */
  concerns(path: Buffer): boolean
  /** Writes the path as it is read to `to`, and returns the length of what it wrote. */
  write(path: Buffer, to: Buffer): number
}
type Write = Step['write']

const [SLASH, BACKSLASH, SEMICOLON, DOT, PER_CENT] = [0x2f, 0x5c, 0x3b, 0x2e, 0x25]
const [QUESTION_MARK, HASH] = [0x3f, 0x23]

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
const resolveDots: Write = (path, to) => {
  const end = path.length
  let length = 0
  for (let at = 0; at < end; at++) {
    const byte = path[at]!
    const dots = byte === SLASH && at + 1 < end && path[at + 1] === DOT ? countDots(path, at + 1, end) : 0
    if (dots === 0) {
      to[length++] = byte
      continue
    }
    // Up to the slash before the segment that is left. A byte is left at most once.
    if (dots === 2) while (length > 0 && to[--length] !== SLASH) continue
    at += dots
    // The slash behind the last segment stays.
    if (at === end - 1) to[length++] = SLASH
  }
  return length
}

/** How many dots a segment that begins with one consists of; 0 when there is something else. */
function countDots(path: Buffer, start: number, end: number): 0 | 1 | 2 {
  const second = start + 1 < end ? path[start + 1] : SLASH
  if (second === SLASH) return 1
  const third = start + 2 < end ? path[start + 2] : SLASH
  return second === DOT && third === SLASH ? 2 : 0
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

export const STEPS: readonly Step[] = [
  { concerns: (path) => path.includes(BACKSLASH), write: turnBackslashes },
  { concerns: (path) => path.includes(SEMICOLON), write: dropParameters },
  { concerns: (path) => path.includes('//', 0, 'latin1'), write: mergeSlashes },
  { concerns: (path) => path.includes('/.', 0, 'latin1'), write: resolveDots },
  { concerns: (path) => path.includes(QUESTION_MARK) || path.includes(HASH), write: cutQuery },
]

/**
 * Percent-decoded once. Escapes that are no escapes stay: after the first decoding, a plain per cent sign may be left. Writes nothing
 * for what must not be let through: control characters, and what is not UTF-8, for example an overlong form of a slash.
 */
const decode: Write = (path, to) => {
  const end = path.length
  let length = 0
  let isAscii = true
  for (let at = 0; at < end; at++) {
    const byte = path[at]!
    const escaped = byte === PER_CENT ? readEscape(path, at) : NOT_HEX
    if (escaped === NOT_HEX) {
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

export const DECODING: Step = { concerns: (path) => path.includes(PER_CENT), write: decode }

const NOT_HEX = -1

/** The byte that an escape stands for. */
function readEscape(path: Buffer, at: number): number {
  if (at + 2 >= path.length) return NOT_HEX
  const [high, low] = [digit(path[at + 1]!), digit(path[at + 2]!)]
  return high === NOT_HEX || low === NOT_HEX ? NOT_HEX : high * 16 + low
}

function digit(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30
  const letter = byte | 0x20
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x61 + 10 : NOT_HEX
}
