/** More readings than any honest path has. A path with more is refused. */
const MAX_READINGS = 200
/** How often an application might percent-decode a path. */
const MAX_DECODINGS = 3

interface Reading {
  path: string
  decodings: number
}

/**
 * Every way in which an application might read a path (without its query): as sent, percent-decoded up to three times,
 * with `\` as `/`, without the parameters of segments (`;…`), with slashes merged, with dot segments resolved, and each of these
 * after any other. Undefined for a path that must not be let through at all: with control characters, escapes that are
 * not valid, or characters that no URL has (RFC 3986 section 2).
 */
export function readingsOf(path: string): string[] | undefined {
  if (!path.startsWith('/') || !PRINTABLE.test(path)) return undefined
  // Almost every path has one reading.
  if (!TRICKY.test(path)) return [path]
  if (BAD_ESCAPE.test(path)) return undefined
  const found = new Map<string, number>([[path, 0]])
  const waiting: Reading[] = [{ path, decodings: 0 }]
  for (let reading = waiting.pop(); reading; reading = waiting.pop()) {
    const next = readFurther(reading)
    if (!next) return undefined
    for (const each of next) {
      const known = found.get(each.path)
      if (known !== undefined && known <= each.decodings) continue
      found.set(each.path, each.decodings)
      if (found.size > MAX_READINGS) return undefined
      waiting.push(each)
    }
  }
  return [...found.keys()]
}

/** What a request line may hold, without `#`, which some servers cut a path at. */
const PRINTABLE = /^[\x21\x22\x24-\x7e]*$/
/** What makes a path readable in more than one way: escapes, backslashes, parameters, empty and dot segments. */
const TRICKY = /[%\\;?]|\/\/|\/\.{1,2}(?:\/|$)/
const BAD_ESCAPE = /%(?![0-9a-f]{2})/i
// oxlint-disable-next-line no-control-regex
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/

/** One step from a reading to others. Undefined when it decodes to something that must not be let through. */
function readFurther({ path, decodings }: Reading): Reading[] | undefined {
  const same = [
    path.replaceAll('\\', '/'),
    path.replaceAll(/;[^/]*/g, ''),
    path.replaceAll(/\/{2,}/g, '/'),
    resolveDots(path),
    // After decoding there may be one: some servers cut the path there.
    path.replace(/[?#].*$/s, ''),
  ].map((each) => ({ path: each.startsWith('/') ? each : `/${each}`, decodings }))
  if (decodings === MAX_DECODINGS || !path.includes('%')) return same
  const decoded = decode(path)
  if (decoded === undefined || CONTROL.test(decoded)) return undefined
  return [...same, { path: decoded, decodings: decodings + 1 }]
}

/** Escapes that are no escapes stay: after the first decoding, a plain per cent sign may be left. */
function decode(path: string): string | undefined {
  try {
    return path.replaceAll(/(?:%[0-9a-f]{2})+/gi, decodeURIComponent)
  } catch {
    // Not UTF-8, for example an overlong form of a slash.
    return undefined
  }
}

/** RFC 3986 section 5.2.4. An empty segment is a segment. */
function resolveDots(path: string): string {
  const segments: string[] = []
  const given = path.slice(1).split('/')
  for (const [at, segment] of given.entries()) {
    const isLast = at === given.length - 1
    if (segment === '..') segments.pop()
    if (segment !== '.' && segment !== '..') segments.push(segment)
    else if (isLast) segments.push('')
  }
  return `/${segments.join('/')}`
}
