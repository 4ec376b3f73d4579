import { isUtf8 } from 'node:buffer'
import type { FastifyInstance } from 'fastify'
import { refuseCompressed } from '../../platform/http/request-body.ts'
import { protocolErrors } from './protocol-errors.ts'

/** Named values of a request, each given once. A parameter without a value counts as left out (RFC 6749 section 3.1). */
export type Parameters = Readonly<Record<string, string>>

export interface ReadParameters {
  values: Parameters
  /** Given more than once, which RFC 6749 section 3.1 forbids. */
  repeated: ReadonlySet<string>
  /** The text that they were parsed from. */
  encoded: string
}

/** RFC 8707 section 2: a client may ask for tokens for several resources at once. */
const REPEATABLE = 'resource'

export function readParameters(encoded: string): ReadParameters {
  const values = Object.create(null) as Record<string, string>
  const repeated = new Set<string>()
  for (const part of encoded.split('&')) {
    const equals = part.indexOf('=')
    const value = decode(part.slice(equals + 1))
    if (equals === -1 || value === '') continue
    const name = decode(part.slice(0, equals))
    // No protocol value holds one, and PostgreSQL can't store it.
    if (value.includes('\0')) throw protocolErrors.parameter_holds_nul()
    if (name in values && name !== REPEATABLE) repeated.add(name)
    values[name] = value
  }
  return { values, repeated, encoded }
}

/** Decodes a form-encoded value. Undefined when it is not UTF-8, or has a % without two hexadecimal digits after it. */
export function decodeFormText(text: string): string | undefined {
  if (!text.includes('%')) return text.includes('+') ? text.replaceAll('+', ' ') : text
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return undefined
  }
}

/** Decodes like URLSearchParams, which takes three times as long for values that mostly need no decoding. */
const decode = (text: string): string => decodeFormText(text) ?? new URLSearchParams(`=${text}`).get('') ?? ''

/** Parses the query itself, because the parser of the framework does not report repeated names as we need them. */
export function readQuery(url: string): ReadParameters {
  const start = url.indexOf('?')
  return readParameters(start === -1 ? '' : url.slice(start + 1))
}

function readForm(body: Buffer): ReadParameters {
  if (!isUtf8(body)) throw protocolErrors.body_not_utf8()
  return readParameters(body.toString())
}

const MAX_REQUEST_BYTES = 16 * 1024

/** A browser carries these parameters on in URLs, so their decoded size is limited. */
export function refuseOversized({ encoded }: ReadParameters): void {
  // Decoding never makes them larger.
  if (Buffer.byteLength(encoded) <= MAX_REQUEST_BYTES) return
  const bytes = Buffer.byteLength(encoded.replaceAll(/%[0-9a-f]{2}/gi, ' '))
  if (bytes > MAX_REQUEST_BYTES) throw protocolErrors.parameters_too_large({ max: MAX_REQUEST_BYTES / 1024 })
}

export function refuseRepeated({ values, repeated }: Omit<ReadParameters, 'encoded'>): Parameters {
  for (const name of repeated) throw protocolErrors.parameter_repeated({ name: name.slice(0, 50) })
  return values
}

const FORM = 'application/x-www-form-urlencoded'

/** The protocol endpoints read forms and nothing else, and every parameter once. */
export function acceptForms(part: FastifyInstance): void {
  part.removeAllContentTypeParsers()
  readForms(part, (body) => refuseRepeated(readForm(body)))
}

/** For endpoints that report a repeated parameter to the application by a redirect. */
export function acceptFormsWithRepeats(part: FastifyInstance): void {
  part.removeAllContentTypeParsers()
  readForms(part, readForm)
}

/** Uses the callback `done`, because a promise would cost time at every request. */
function readForms(part: FastifyInstance, read: (body: Buffer) => unknown): void {
  part.addContentTypeParser(FORM, { parseAs: 'buffer' }, (request, body, done) => {
    let form: unknown
    try {
      refuseCompressed(request)
      form = read(body as Buffer)
    } catch (error) {
      return done(error as Error)
    }
    return done(null, form)
  })
}
