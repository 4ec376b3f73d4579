import { isUtf8 } from 'node:buffer'
import type { FastifyRequest } from 'fastify'
import { refuse, refuseField } from '../../errors.ts'

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
    refuse('malformed_body', 'The body is not valid JSON in UTF-8.')
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
  if (encoding !== undefined && encoding !== 'identity')
    refuse('unsupported_media_type', 'Compressed bodies are not accepted.')
}

function refuseBadText(value: unknown, path: string, depth: number): void {
  if (typeof value === 'string') {
    if (!value.isWellFormed()) refuseField(path, `${path || 'The body'} holds half of a surrogate pair.`)
    if (value.includes('\0')) refuseField(path, `${path || 'The body'} holds a NUL character.`)
    return
  }
  if (typeof value !== 'object' || value === null) return
  if (depth === MAX_DEPTH) refuse('malformed_body', `The body is nested deeper than ${MAX_DEPTH} levels.`)
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
  if (name === '__proto__') refuse('malformed_body', 'The body has a field that is not allowed: __proto__.')
  if (names.has(name)) refuse('malformed_body', `The body gives ${quoted} twice.`)
  names.add(name)
}
