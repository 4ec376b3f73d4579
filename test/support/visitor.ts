import type { Response } from 'light-my-request'
import { ORIGIN } from './app.ts'

export interface Answer {
  /** What was asked: method and path. */
  to: string
  status: number
  headers: Headers
  body: string
  /** When it was asked, by the clock of `performance.now()`. */
  askedAt: number
  /** From the first byte sent to the last one read. */
  ms: number
  json: Response['json']
}

export interface Asked {
  cookie?: string
  json?: unknown
  form?: Record<string, string>
  headers?: Record<string, string>
  body?: FormData
}

/** Long enough to tell a hang from a slow answer, short enough that a test does not hang with it. */
const PATIENCE_MS = 20_000

/**
 * Asks a real process over a real connection. Rejects when the connection broke before the whole answer was read:
 * then nobody knows what became of the request.
 */
export async function ask(address: string, method: string, path: string, asked: Asked = {}): Promise<Answer> {
  const askedAt = performance.now()
  const response = await fetch(address + path, {
    method,
    redirect: 'manual',
    signal: AbortSignal.timeout(PATIENCE_MS),
    headers: {
      origin: ORIGIN,
      ...(asked.cookie === undefined ? {} : { cookie: `session=${asked.cookie}` }),
      ...(asked.json === undefined ? {} : { 'content-type': 'application/json' }),
      ...asked.headers,
    },
    ...bodyOf(asked),
  })
  const body = await response.text()
  return {
    to: `${method} ${path}`,
    status: response.status,
    headers: response.headers,
    body,
    askedAt,
    ms: performance.now() - askedAt,
    json: () => JSON.parse(body),
  }
}

function bodyOf({ json, form, body }: Asked): { body?: string | URLSearchParams | FormData } {
  if (json !== undefined) return { body: JSON.stringify(json) }
  if (form !== undefined) return { body: new URLSearchParams(form) }
  return body === undefined ? {} : { body }
}

/** The session cookie that an answer sets. */
export const sessionOf = ({ headers }: Answer): string =>
  /^session=([^;]*)/.exec(headers.getSetCookie()[0] ?? '')?.[1] ?? ''
