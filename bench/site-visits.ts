import { type Connection, expect, get, postJson } from './connection.ts'
import { type Fixture, ISSUER } from './fixture.ts'

const HOST = 'wiki.example.com'

const locationOf = (head: string): string => /^location: *(.*)$/im.exec(head)?.[1]?.trim() ?? ''
const cookiesOf = (head: string): string =>
  head
    .matchAll(/^set-cookie: *([^;]*)(.*)$/gim)
    .filter(([, , attributes]) => !attributes?.includes('Max-Age=0'))
    .map(([, pair]) => pair)
    .toArray()
    .join('; ')

/** What Caddy asks about a request to a site. */
const ask = (uri: string, cookie: string): string =>
  get('/api/authz/forward-auth', {
    'X-Forwarded-Method': 'GET',
    'X-Forwarded-Proto': 'https',
    'X-Forwarded-Host': HOST,
    'X-Forwarded-Uri': uri,
    Cookie: cookie,
  })

/** A site, and a request to it of each person who is signed in there. */
export async function siteVisits(connection: Connection, { people }: Fixture): Promise<string[]> {
  const [admin] = people
  const body = {
    clientType: 'proxied',
    name: 'Wiki',
    hosts: [HOST],
    rules: [
      { path: '/public/*', policy: 'bypass' },
      { path: '/closed/*', policy: 'deny' },
    ],
  }
  const made = await connection.send(
    postJson('/oauth/clients', body, { Cookie: `session=${admin?.session}`, Origin: ISSUER }),
  )
  if (made.status !== 409) expect(made, 201, '"proxied"')
  const requests: string[] = []
  for (const { session } of people) {
    const begun = await connection.send(ask('/.latchkey/login?to=/', ''))
    const signIn = locationOf(begun.head).replace(ISSUER, '')
    const back = await connection.send(get(signIn, { Cookie: `session=${session}` }))
    const callback = locationOf(back.head).replace(`https://${HOST}`, '')
    const arrived = await connection.send(ask(callback, cookiesOf(begun.head)))
    expect(arrived, 302, '')
    requests.push(ask('/pages/start?edit=1', cookiesOf(arrived.head)))
  }
  return requests
}
