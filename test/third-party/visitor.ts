import assert from 'node:assert/strict'
import { type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import type { RealProvider } from '../interop/provider.ts'
import type { SignedInPerson } from '../support/people.ts'

/** The page that a visitor ends up on. */
export interface Page {
  url: URL
  status: number
  body: string
}

export interface Visitor {
  open(url: string): Promise<Page>
  /** Opens a page, and returns the first address beginning with `until` that it is redirected to, without opening it. */
  follow(url: string, until: string): Promise<URL>
  /** Submits a form. */
  submit(url: string, fields: Record<string, string>): Promise<Page>
}

const MAX_HOPS = 20
const TIMEOUT_MS = 20_000
const REDIRECTS = new Set([301, 302, 303, 307, 308])
/** Pages of the dashboard, which only a browser with scripts can show. */
const DASHBOARD_PAGES = new Set(['/login', '/no-access'])

/**
 * A browser without scripts, which is signed in at the provider: it keeps cookies by host as browsers do, follows redirects,
 * consents, and submits the form of a response with response_mode=form_post.
 */
export function visit({ issuer }: RealProvider, person: SignedInPerson): Visitor {
  const jars = new Map<string, Map<string, string>>()
  const jarOf = ({ hostname }: URL): Map<string, string> => {
    const jar = jars.get(hostname) ?? new Map<string, string>()
    jars.set(hostname, jar)
    return jar
  }
  jarOf(new URL(issuer)).set('session', person.cookie)

  return {
    open: (url) => navigate(new URL(url)),
    follow: async (url, until) => (await navigate(new URL(url), undefined, until)).url,
    submit: (url, fields) => navigate(new URL(url), fields),
  }

  async function navigate(url: URL, fields?: Record<string, string>, until?: string): Promise<Page> {
    let [next, form] = [url, fields]
    for (let hops = 0; hops < MAX_HOPS; hops++) {
      const isEnd = next.origin === issuer && DASHBOARD_PAGES.has(next.pathname)
      if (isEnd || (until !== undefined && next.href.startsWith(until))) return { url: next, status: 200, body: '' }
      if (next.origin === issuer && next.pathname === '/consent') {
        next = await approve(next)
        continue
      }
      const { status, location, cookies, body } = await load(next, jarOf(next), form)
      for (const line of cookies) keep(jarOf(next), line)
      form = undefined
      if (REDIRECTS.has(status) && location !== undefined) {
        next = new URL(location, next)
      } else if (next.origin === issuer && status === 200 && body.includes('<form')) {
        ;({ action: next, fields: form } = readForm(body))
      } else {
        return { url: next, status, body }
      }
    }
    return assert.fail(`redirect loop at ${next.href}`)
  }

  async function approve(page: URL): Promise<URL> {
    const answer = await fetch(`${issuer}/oauth/approve`, {
      method: 'POST',
      headers: { cookie: `session=${person.cookie}`, origin: issuer, 'content-type': 'application/json' },
      body: JSON.stringify(Object.fromEntries(page.searchParams)),
    })
    const { redirectTo } = (await answer.json()) as { redirectTo?: string }
    assert.ok(redirectTo, `${answer.status} at the consent page`)
    return new URL(redirectTo)
  }
}

/** Not with fetch, which says that it is no navigation. */
async function load(url: URL, jar: ReadonlyMap<string, string>, form?: Record<string, string>) {
  const body = form && new URLSearchParams(form).toString()
  const sent = request(url, {
    method: form ? 'POST' : 'GET',
    timeout: TIMEOUT_MS,
    agent: false,
    headers: {
      accept: 'text/html',
      'sec-fetch-mode': 'navigate',
      'sec-fetch-dest': 'document',
      'user-agent': 'Mozilla/5.0',
      ...(jar.size > 0 ? { cookie: [...jar].map(([name, value]) => `${name}=${value}`).join('; ') } : {}),
      ...(form ? { 'content-type': 'application/x-www-form-urlencoded' } : {}),
    },
  })
  sent.end(body)
  sent.on('timeout', () => sent.destroy(new Error(`${url.href} did not answer.`)))
  // mod_auth_openidc sends a second page after one about an error. As in browsers, that is no error once there is an answer.
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    sent.on('response', resolve)
    sent.on('error', reject)
  })
  const { location, 'set-cookie': cookies = [] } = answer.headers
  return { status: answer.statusCode ?? 0, location, cookies, body: await text(answer) }
}

function keep(jar: Map<string, string>, line: string): void {
  const [, name = '', value = ''] = /^([^=;]+)=([^;]*)/.exec(line) ?? []
  const expires = /;\s*expires=([^;]+)/i.exec(line)?.[1]
  const isOver = /;\s*max-age=0*(?:;|$)/i.test(line) || (expires !== undefined && Date.parse(expires) < Date.now())
  if (isOver) jar.delete(name)
  else jar.set(name, value)
}

/** The form of a response with response_mode=form_post (OAuth 2.0 Form Post Response Mode section 2). */
function readForm(body: string): { action: URL; fields: Record<string, string> } {
  const attribute = (tag: string, name: string) =>
    (new RegExp(`\\b${name}="([^"]*)"`, 'i').exec(tag)?.[1] ?? '')
      .replaceAll('&quot;', '"')
      .replaceAll('&#39;', "'")
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&amp;', '&')
  const inputs = [...body.matchAll(/<input\b[^>]*>/gi)].map(([tag]) => [
    attribute(tag, 'name'),
    attribute(tag, 'value'),
  ])
  const fields = Object.fromEntries(inputs.filter(([name]) => name !== '')) as Record<string, string>
  return { action: new URL(attribute(/<form\b[^>]*>/i.exec(body)?.[0] ?? '', 'action')), fields }
}
