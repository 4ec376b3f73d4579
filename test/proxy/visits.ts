import assert from 'node:assert/strict'
import type { InjectOptions, Response } from 'light-my-request'
import type { TestApp } from '../support/app.ts'
import type { Person, SignedInPerson } from '../support/people.ts'

/** The proxy that the tests send requests through. */
export const PROXY = '127.0.0.1'
export const TRUSTING = { trustProxy: [PROXY] }

export const NAVIGATION = { 'sec-fetch-mode': 'navigate', accept: 'text/html,application/xhtml+xml' }

export interface Visit {
  /** The whole address that the visitor asked for. */
  url: string
  method?: string
  headers?: Record<string, string>
  cookie?: string
  /** Who asks: the address of the proxy. */
  from?: string
}

const partsOf = (url: string) => {
  const [, scheme = '', host = '', uri = ''] = /^([a-z]+):\/\/([^/]*)(\/.*)$/.exec(url) ?? []
  return { scheme, host, uri }
}

const send = (
  { app }: Pick<TestApp, 'app'>,
  url: string,
  { cookie, headers, from }: Visit,
  own: Record<string, string>,
) =>
  app.inject({
    url,
    headers: { ...own, ...headers, ...(cookie === undefined ? {} : { cookie }) },
    remoteAddress: from ?? PROXY,
  } satisfies InjectOptions)

/** What Caddy and Traefik send. */
export function forwardAuth(app: Pick<TestApp, 'app'>, visit: Visit): Promise<Response> {
  const { scheme, host, uri } = partsOf(visit.url)
  return send(app, '/api/authz/forward-auth', visit, {
    'x-forwarded-method': visit.method ?? 'GET',
    'x-forwarded-proto': scheme,
    'x-forwarded-host': host,
    'x-forwarded-uri': uri,
  })
}

/** What nginx sends. */
export const authRequest = (app: Pick<TestApp, 'app'>, visit: Visit): Promise<Response> =>
  send(app, '/api/authz/auth-request', visit, {
    'x-original-method': visit.method ?? 'GET',
    'x-original-url': visit.url,
  })

/** What nginx hands on as it is. */
export function handedOn(app: Pick<TestApp, 'app'>, visit: Visit): Promise<Response> {
  const { scheme, host, uri } = partsOf(visit.url)
  return send(app, uri, visit, { 'x-forwarded-proto': scheme, 'x-forwarded-host': host })
}

let count = 0
export const newHostName = (): string => `site${++count}.example.net`

export async function createSite(admin: Person, settings: Record<string, unknown> = {}) {
  const body = { clientType: 'proxied', name: 'Wiki', hosts: [newHostName()], ...settings }
  const answer = await admin.post('/oauth/clients', body)
  assert.equal(answer.statusCode, 201, answer.body)
  const { client } = answer.json() as { client: { client_id: string; hosts: string[] } }
  return { id: client.client_id, host: client.hosts[0] ?? '', origin: `https://${client.hosts[0]}` }
}

/** The cookies that an answer sets, as a browser would send them again. */
export const cookiesOf = (response: Response): string[] =>
  [response.headers['set-cookie'] ?? []].flat().flatMap((line) => {
    const [pair = ''] = line.split(';')
    return line.includes('Max-Age=0') ? [] : [pair]
  })

export const locationOf = (response: Response): string => String(response.headers['location'])

/** Goes through the whole sign-in at a site as a browser would, and returns the cookie of the site. */
export async function signInAt(app: TestApp, person: SignedInPerson, url: string): Promise<string> {
  const begun = await forwardAuth(app, { url: `${new URL(url).origin}/.latchkey/login?to=/`, headers: NAVIGATION })
  const back = await person.get(locationOf(begun).replace(app.services.config.baseUrl, ''))
  assert.equal(back.statusCode, 302, back.body)
  const arrived = await forwardAuth(app, {
    url: locationOf(back),
    cookie: cookiesOf(begun).join('; '),
    headers: NAVIGATION,
  })
  assert.equal(arrived.statusCode, 302, arrived.body)
  return cookiesOf(arrived)[0] ?? ''
}
