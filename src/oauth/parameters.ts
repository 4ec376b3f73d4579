import { refuse } from '../errors.ts'

/** Named values of a request, each given once. A parameter without a value counts as left out (RFC 6749 section 3.1). */
export type Parameters = Readonly<Record<string, string>>

export interface ReadParameters {
  values: Parameters
  /** Given more than once, which RFC 6749 section 3.1 forbids. */
  repeated: ReadonlySet<string>
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

export function readParameters(encoded: string): ReadParameters {
  const values = Object.create(null) as Record<string, string>
  const repeated = new Set<string>()
  for (const [name, value] of new URLSearchParams(encoded)) {
    if (value === '') continue
    // No protocol value holds one, and PostgreSQL can't store it.
    if (value.includes('\0')) refuse('invalid_request', 'A parameter holds a NUL character.')
    if (name in values) repeated.add(name)
    values[name] = value
  }
  return { values, repeated }
}

/** The query of a request as it came, before any other parser has had its way with repeated names. */
export function readQuery(url: string): ReadParameters {
  const start = url.indexOf('?')
  return readParameters(start === -1 ? '' : url.slice(start + 1))
}

export function readForm(body: Buffer): ReadParameters {
  try {
    return readParameters(utf8.decode(body))
  } catch (error) {
    if (error instanceof TypeError) return refuse('invalid_request', 'The body is not UTF-8.')
    throw error
  }
}

export function refuseRepeated({ values, repeated }: ReadParameters): Parameters {
  for (const name of repeated) refuse('invalid_request', `The parameter ${name.slice(0, 50)} is given twice.`)
  return values
}
