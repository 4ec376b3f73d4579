import assert from 'node:assert/strict'
import { after, before } from 'node:test'
import { IDENTITY_HEADERS } from '../../src/oauth/sites/identity-header.ts'
import { createSite, TRUSTING } from '../proxy/visits.ts'
import { sharedApp, type TestApp } from '../support/app.ts'
import { signedInPerson, type SignedInPerson } from '../support/people.ts'
import { type SmallApplication, startSmallApplication } from '../support/small-application.ts'
import { type SiteProxy, startSiteProxy, type SiteExample } from './site-proxy.ts'

export const WIKI = 'https://wiki.example.com'
export const STRICT = `${WIKI}:8443`
export const PAGE = { accept: 'text/html', 'sec-fetch-mode': 'navigate' }

/** Those of the example that is tested. */
export let app: () => TestApp
export let application: SmallApplication
/** Behind another port of the same name, with a header of its own, and without open paths. */
export let strict: SmallApplication
export let proxy: SiteProxy
export let admin: SignedInPerson
export let siteId: string

/** Starts an example in front of two sites with Latchkey itself, for the tests of a group. */
export function startSites(example: SiteExample): void {
  const shared = sharedApp({ config: { ...TRUSTING, baseUrl: 'https://id.example.com' } })
  before(async () => {
    app = shared
    application = await startSmallApplication()
    const { host: latchkey } = new URL(await app().listen())
    admin = await signedInPerson(app(), { admin: true })
    siteId = (
      await createSite(admin, {
        hosts: ['wiki.example.com'],
        basic: true,
        rules: [
          { path: '/public/*', policy: 'bypass' },
          { path: '/closed', policy: 'deny' },
        ],
      })
    ).id
    await createSite(admin, { hosts: ['wiki.example.com:8443'], headers: { user: 'X-Auth-User' } })
    strict = await startSmallApplication()
    proxy = await startSiteProxy(example, {
      latchkey,
      application: application.address,
      others: [
        {
          host: 'wiki.example.com:8443',
          headers: Object.values({ ...IDENTITY_HEADERS, user: 'X-Auth-User' }),
          application: strict.address,
        },
      ],
    })
  })
  after(async () => {
    await proxy.stop()
    await application.stop()
    await strict.stop()
  })
}

/** Signs in through the proxy, as a browser would. Returns the cookie and where the browser arrives. */
export async function signIn(person: SignedInPerson, path: string, origin = WIKI) {
  const sent = await proxy.send(origin + path, { headers: PAGE })
  assert.equal(sent.status, 302, sent.body)
  const begun = await proxy.send(sent.headers['location'] ?? '', { headers: PAGE })
  assert.equal(begun.status, 302, begun.body)
  const back = await person.get((begun.headers['location'] ?? '').replace('https://id.example.com', ''))
  const arrived = await proxy.send(String(back.headers['location']), {
    headers: { ...PAGE, cookie: begun.cookies.join('; ') },
  })
  assert.equal(arrived.status, 302, arrived.body)
  return { cookie: arrived.cookies.join('; '), location: arrived.headers['location'] }
}

/** The headers of the last request that reached the application. */
export const lastSeen = () => application.seen.at(-1)?.headers ?? {}
