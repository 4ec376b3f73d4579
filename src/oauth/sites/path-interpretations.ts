import { DECODINGS, STEPS, type Step, traitsOf } from './path-steps.ts'

/** Longer than the paths of applications are, in bytes as sent. */
const MAX_PATH = 4096
/** More interpretations than any honest path has. A path with more is refused. */
export const MAX_INTERPRETATIONS = 16
/** How often an application might percent-decode a path. */
export const MAX_DECODINGS = 3

/**
 * Every way in which an application might read a path (without its query): as sent, percent-decoded up to three times, each time
 * with or without `%2f`, with `\` as `/`, without the parameters of segments (`;…`), with slashes merged, without what stands where
 * a URL has its host (`//…`), with dot segments resolved, also encoded ones, and each of these after any other. Undefined for a
 * path that must not be let through at all: with control characters, escapes that are not valid, or characters that no URL has
 * (RFC 3986 section 2); one that is too long, or has too many interpretations.
 *
 * Anybody may ask about any path, so the work is bounded: each step is taken at most once for each interpretation.
 */
export function interpretationsOf(path: string, take: TakeStep = takeStep): string[] | undefined {
  if (path.length > MAX_PATH || !path.startsWith('/') || !PRINTABLE.test(path)) return undefined
  // Almost every path has one interpretation.
  if (!TRICKY.test(path)) return [path]
  if (BAD_ESCAPE.test(path)) return undefined
  const found: Interpretation[] = []
  const add = (bytes: Buffer) => {
    // There are few, and most differ in their length: faster than to hash them.
    if (!found.some((known) => known.bytes.equals(bytes)))
      found.push({ bytes: Buffer.from(bytes), traits: traitsOf(bytes) })
  }
  add(Buffer.from(path, 'latin1'))
  // What is reached with fewer decodings comes first, since it may be decoded more often.
  for (let decodings = 0, first = 0; first < found.length; decodings++) {
    // The list grows while it is read.
    for (let at = first; at < found.length; at++) {
      const { bytes, traits } = found[at]!
      for (const step of STEPS) {
        if (!(step.concerns & traits)) continue
        add(take(step, bytes))
        if (found.length > MAX_INTERPRETATIONS) return undefined
      }
    }
    if (decodings === MAX_DECODINGS) break
    const end = found.length
    for (; first < end; first++) {
      const { bytes, traits } = found[first]!
      for (const decoding of DECODINGS) {
        if (!(decoding.concerns & traits)) continue
        const decoded = take(decoding, bytes)
        if (decoded.length === 0) return undefined
        add(decoded)
        if (found.length > MAX_INTERPRETATIONS) return undefined
      }
    }
  }
  return found.map(({ bytes }) => bytes.toString('utf8'))
}

interface Interpretation {
  bytes: Buffer
  traits: number
}

/** Returns what a step wrote. It is there until the next step. */
export type TakeStep = (step: Step, interpretation: Buffer) => Buffer

const written = Buffer.alloc(MAX_PATH)

export const takeStep: TakeStep = (step, interpretation) => written.subarray(0, step.write(interpretation, written))

/** What a request line may hold, without `#`, which some servers cut a path at. */
const PRINTABLE = /^[\x21\x22\x24-\x7e]*$/
/** What gives a path more than one interpretation: escapes, backslashes, parameters, empty and dot segments. */
const TRICKY = /[%\\;?]|\/\/|\/\.{1,2}(?:\/|$)/
const BAD_ESCAPE = /%(?![0-9a-f]{2})/i
