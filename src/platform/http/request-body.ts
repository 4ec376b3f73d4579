import { isUtf8 } from 'node:buffer'
import type { FastifyRequest, FastifyInstance } from 'fastify'
import { refuse } from '../../errors.ts'
import { requestErrors } from './request-errors.ts'
import { fieldError } from './validation-issues.ts'

/** Deeper than any valid body, and no problem for a recursive reader. */
const MAX_DEPTH = 32

/**
 * Parses a JSON body strictly: bytes that are not UTF-8, repeated names, `__proto__`, lone surrogates and NUL are refused,
 * because different readers treat them differently.
 */
export function parseJsonBody(bytes: Buffer): unknown {
  let text: string
  let value: unknown
  try {
    if (!isUtf8(bytes)) throw new TypeError('not UTF-8')
    text = bytes.toString()
    value = JSON.parse(text)
  } catch {
    refuse(requestErrors.body_not_json())
  }
  refuseRepeatedNames(text)
  refuseBadText(value, '', 0)
  return value
}

/** An object as JSON has it: no list, and not null. */
export const isJsonObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Decompressing input would need a limit on its output. No client of ours sends compressed bodies. */
export function refuseCompressed({ headers }: FastifyRequest): void {
  const encoding = headers['content-encoding']
  if (encoding !== undefined && encoding !== 'identity') refuse(requestErrors.body_compressed())
}

function refuseBadText(value: unknown, path: string, depth: number): void {
  if (typeof value === 'string') {
    if (!value.isWellFormed()) throw fieldError(path, 'half_surrogate_pair')
    if (value.includes('\0')) throw fieldError(path, 'nul_character')
    return
  }
  if (typeof value !== 'object' || value === null) return
  if (depth === MAX_DEPTH) throw requestErrors.body_too_deep({ max: MAX_DEPTH })
  for (const [key, inner] of Object.entries(value)) {
    refuseBadText(key, `${path}/…`, depth)
    refuseBadText(inner, path === '' ? key : `${path}/${key}`, depth + 1)
  }
}

const [QUOTE, BACKSLASH] = [0x22, 0x5c]
const [OPENING_BRACE, CLOSING_BRACE, OPENING_BRACKET, CLOSING_BRACKET] = [0x7b, 0x7d, 0x5b, 0x5d]

/** Walks text that JSON.parse has already accepted, so only strings and brackets matter. */
function refuseRepeatedNames(text: string): void {
  const open: (Set<string> | undefined)[] = []
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === OPENING_BRACE) open.push(new Set())
    else if (code === OPENING_BRACKET) open.push(undefined)
    else if (code === CLOSING_BRACE || code === CLOSING_BRACKET) open.pop()
    else if (code === QUOTE) {
      const start = at
      while (text.charCodeAt(++at) !== QUOTE) if (text.charCodeAt(at) === BACKSLASH) at++
      const names = open.at(-1)
      if (names && isName(text, at + 1)) addName(names, text.slice(start, at + 1))
    }
  }
}

/** A string that is followed by a colon is a name. White space may be between them. */
function isName(text: string, at: number): boolean {
  while (/\s/.test(text[at] ?? '')) at++
  return text[at] === ':'
}

function addName(names: Set<string>, quoted: string): void {
  const name = quoted.includes('\\') ? (JSON.parse(quoted) as string) : quoted.slice(1, -1)
  if (name === '__proto__') throw requestErrors.field_forbidden({ name })
  if (names.has(name)) throw requestErrors.field_twice({ name: quoted.slice(0, 100) })
  names.add(name)
}

/** How long a small body may take to arrive. Uploads have the time of the whole request. */
const MAX_BODY_MS = 10_000

/**
 * Refuses requests whose body does not arrive in time: the guard has checked the session, and the client must not decide for
 * how long that check is valid. One timer serves all requests, because most bodies arrive within one tick of the event loop.
 */
export function limitBodyTime(app: FastifyInstance, maxBodyMs: number = MAX_BODY_MS): void {
  const waiting = new Map<FastifyRequest, number>()
  const refuseLate = () => {
    const oldest = performance.now() - maxBodyMs
    for (const [request, since] of waiting) {
      // They are in the order of their arrival.
      if (since > oldest) break
      waiting.delete(request)
      // Without a listener the request was refused or aborted meanwhile.
      if (request.raw.complete || request.raw.listenerCount('error') === 0) continue
      request.raw.emit('error', requestErrors.body_too_slow())
    }
  }
  const timer = setInterval(refuseLate, maxBodyMs / 10).unref()
  app.addHook('onClose', async () => clearInterval(timer))

  app.addHook('preParsing', (request, _reply, payload, done) => {
    if (hasSmallBody(request)) waiting.set(request, performance.now())
    done(null, payload)
  })
  app.addHook('preValidation', (request, _reply, done) => {
    waiting.delete(request)
    done()
  })
}

/** A route that reads its body itself, such as an upload, has no listener for the error. */
function hasSmallBody({ headers, raw }: FastifyRequest): boolean {
  if (raw.complete || headers['content-type']?.startsWith('multipart/')) return false
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

/** JSON is the only kind of body, unless a part of the service accepts another. */
export function acceptJsonOnly(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    let value: unknown
    try {
      refuseCompressed(request)
      value = (body as Buffer).length === 0 ? undefined : parseJsonBody(body as Buffer)
    } catch (error) {
      return done(error as Error)
    }
    return done(null, value)
  })
}
