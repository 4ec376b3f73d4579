import type { Response } from 'light-my-request'
import { ORIGIN } from './settings.ts'

export interface Answer {
  /** The method and path of the request. */
  to: string
  status: number
  headers: Headers
  body: string
  /** When the request was sent, in the time of `performance.now()`. */
  sentAt: number
  /** From the first byte sent to the last one read. */
  ms: number
  json: Response['json']
}

export interface RequestContent {
  cookie?: string
  json?: unknown
  form?: Record<string, string>
  headers?: Record<string, string>
  body?: FormData
}

/** Longer than any slow answer takes, so that only a request that hangs exceeds it. */
const TIMEOUT_MS = 20_000

/**
 * Sends a request to another process over a real connection. Rejects if the connection breaks before the whole answer was
 * read; then it is unknown whether the request was carried out.
 */
export async function sendRequest(
  address: string,
  method: string,
  path: string,
  content: RequestContent = {},
): Promise<Answer> {
  const sentAt = performance.now()
  const response = await fetch(address + path, {
    method,
    redirect: 'manual',
    signal: AbortSignal.timeout(TIMEOUT_MS),
    headers: {
      origin: ORIGIN,
      ...(content.cookie === undefined ? {} : { cookie: `session=${content.cookie}` }),
      ...(content.json === undefined ? {} : { 'content-type': 'application/json' }),
      ...content.headers,
    },
    ...bodyOf(content),
  })
  const body = await response.text()
  return {
    to: `${method} ${path}`,
    status: response.status,
    headers: response.headers,
    body,
    sentAt,
    ms: performance.now() - sentAt,
    json: () => JSON.parse(body),
  }
}

function bodyOf({ json, form, body }: RequestContent): { body?: string | URLSearchParams | FormData } {
  if (json !== undefined) return { body: JSON.stringify(json) }
  if (form !== undefined) return { body: new URLSearchParams(form) }
  return body === undefined ? {} : { body }
}

/** The session cookie that an answer sets. */
export const sessionOf = ({ headers }: Answer): string =>
  /^session=([^;]*)/.exec(headers.getSetCookie()[0] ?? '')?.[1] ?? ''
