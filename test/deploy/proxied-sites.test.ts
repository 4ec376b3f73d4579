import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, before, describe, test } from 'node:test'
import {
  caddyConfiguration,
  nginxConfiguration,
  traefikConfiguration,
} from '../../dashboard/src/admin/sites/proxy-configuration.ts'
import { IDENTITY_HEADERS } from '../../src/sites/identity-header.ts'
import { createSite, forwardAuth, TRUSTING } from '../proxy/visits.ts'
import { sharedApp } from '../support/app.ts'
import { signedInPerson, type SignedInPerson } from '../support/people.ts'
import { type SmallApplication, startSmallApplication } from '../support/small-application.ts'
import { read } from './repository.ts'
import { SITE_EXAMPLES, type SiteProxy, startSiteProxy } from './site-proxy.ts'

const WIKI = 'https://wiki.example.com'
const PAGE = { accept: 'text/html', 'sec-fetch-mode': 'navigate' }
const site = { hosts: ['wiki.example.com'], headers: Object.values(IDENTITY_HEADERS), basic: false }
const upstreams = { latchkey: '127.0.0.1:3000', application: '127.0.0.1:8080' }

test('what the dashboard prints is what the examples are made of', () => {
  assert.ok(read('deploy/proxy-caddy/Caddyfile').includes(caddyConfiguration(site, upstreams)))
  assert.ok(read('deploy/proxy-nginx/sites.conf').includes(nginxConfiguration(site, upstreams)))
  const renamed = caddyConfiguration({ ...site, headers: ['X-Auth-User'] }, upstreams)
  for (const line of [
    'request_header -Remote*',
    'request_header -X-Auth-User',
    'request_header -X_Auth_User',
    'copy_headers X-Auth-User',
  ])
    assert.ok(renamed.includes(line), line)
  assert.doesNotMatch(nginxConfiguration(site, upstreams), /^[^#]*\$http_host/m)
  const traefik = traefikConfiguration(site, upstreams)
  for (const header of site.headers) assert.ok(traefik.includes(`          - ${header}\n`), header)
  assert.match(traefik, /trustForwardHeader: false/)
})

test('a visitor’s headers under our usual names are removed also where a site calls them otherwise', () => {
  const renamed = { ...site, headers: ['X-Auth-User', 'Remote-Email'] }
  const nginx = nginxConfiguration(renamed, upstreams)
  const traefik = traefikConfiguration(renamed, upstreams)
  for (const name of ['Remote-User', 'Remote-Name', 'Remote-Groups', 'Remote-Jwt']) {
    assert.ok(nginx.includes(`        proxy_set_header ${name} "";\n`), name)
    assert.ok(traefik.includes(`          ${name}: ""\n`), name)
    assert.ok(traefik.includes(`          ${name.replace('-', '_')}: ""\n`), name)
  }
  assert.ok(nginx.includes('proxy_set_header Remote-Email $latchkey_remote_email;'))
  assert.doesNotMatch(traefik, /Remote-Email: ""/)
})

for (const example of SITE_EXAMPLES) {
  const isNginx = example.startsWith('proxy-nginx')
  describe(`deploy/${example}`, () => {
    const app = sharedApp({ config: { ...TRUSTING, baseUrl: 'https://id.example.com' } })
    let application: SmallApplication
    let proxy: SiteProxy
    let admin: SignedInPerson
    let siteId: string
    before(async () => {
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
      proxy = await startSiteProxy(example, { latchkey, application: application.address })
    })
    after(async () => {
      await proxy.stop()
      await application.stop()
    })

    /** Signs in through the proxy, as a browser would. Returns the cookie and where the browser arrives. */
    async function signIn(person: SignedInPerson, path: string) {
      const sent = await proxy.send(WIKI + path, { headers: PAGE })
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
    const lastSeen = () => application.seen.at(-1)?.headers ?? {}

    test('a visitor signs in, arrives where they wanted to go, and is named; a disabled one is refused at the next request', async () => {
      const person = await signedInPerson(app())
      const { cookie, location } = await signIn(person, '/a%20b/c?d=%2F&e')
      assert.equal(location, `${WIKI}/a%20b/c?d=%2F&e`)
      const forged = {
        'remote-user': 'root',
        'Remote-Email': 'root@x',
        remote_user: 'root',
        'remote-groups': 'admin',
        'x-forwarded-host': 'open.example',
        'x-original-url': `${WIKI}/public/`,
      }
      const page = await proxy.send(`${WIKI}/a%20b/c?d=%2F&e`, { headers: { ...forged, cookie } })
      assert.equal(page.status, 200)
      assert.match(page.body, new RegExp(`<p id="user">${person.user.preferredUsername}</p>`))
      assert.equal(application.seen.at(-1)?.url, '/a%20b/c?d=%2F&e')
      assert.equal(lastSeen()['remote-email'] ?? '', '')
      assert.equal(lastSeen()['remote-groups'] ?? '', '')
      assert.equal(lastSeen()['remote_user'], undefined)
      assert.match(String(lastSeen()['remote-jwt']), /^[\w-]+\.[\w-]+\.[\w-]+$/)
      for (const name of ['strict-transport-security', 'access-control-allow-origin', 'clear-site-data', 'remote-jwt'])
        assert.equal(page.headers[name], undefined, name)

      await admin.post(`/api/admin/users/${person.user.id}/lifecycle`, { action: 'disable' })
      const count = application.seen.length
      assert.equal((await proxy.send(`${WIKI}/`, { headers: { cookie } })).status, 401)
      assert.equal(application.seen.length, count)
    })

    test('nobody is named where everybody may go, whatever the visitor says', async () => {
      const forged = {
        'remote-user': 'root',
        'remote-email': 'root@x',
        'remote-name': 'Root',
        'remote-groups': 'admin',
        'remote-jwt': 'x',
        remote_user: 'root',
      }
      assert.equal((await proxy.send(`${WIKI}/public/x`, { headers: forged })).status, 200)
      for (const name of Object.keys(forged)) assert.equal(lastSeen()[name] ?? '', '', name)
    })

    test('a form is not lost silently, a program gets a status, and tricks with paths do not reach the application', async () => {
      const count = application.seen.length
      const posted = await proxy.send(`${WIKI}/form`, { method: 'POST', headers: { ...PAGE, 'content-length': '0' } })
      assert.equal(posted.status, 401)
      const program = await proxy.send(`${WIKI}/api`, { headers: { accept: 'application/json' } })
      assert.equal(program.status, 401)
      assert.match(program.headers['www-authenticate'] ?? '', /^Basic realm="App password"/)
      for (const path of [
        '/public/..%2fx',
        '/public/%2e%2e/x',
        '/public/..;/x',
        '/public/../x',
        '/public/%252e%252e/x',
        '/Public/x',
        '/public//../../x',
        '/%2elatchkey/login',
        '/.Latchkey/x',
      ]) {
        const { status } = await proxy.send(WIKI + path)
        assert.ok([400, 401, 403, 404].includes(status), `${path}: ${status}`)
      }
      assert.equal((await proxy.send(`${WIKI}/.latchkey/nothing`)).status, 404)
      assert.equal(application.seen.length, count)
    })

    test('somebody who may not sees a page that says so', async () => {
      const person = await signedInPerson(app())
      const { cookie } = await signIn(person, '/')
      const page = await proxy.send(`${WIKI}/closed`, { headers: { ...PAGE, cookie } })
      assert.equal(page.status, 403)
      assert.match(page.body, /You can&#39;t open this page of Wiki/)
      assert.ok(page.body.includes(person.user.email))
      await admin.patch(`/oauth/clients/${siteId}`, { allowedRoles: [] })
      assert.equal((await proxy.send(`${WIKI}/`, { headers: { cookie } })).status, 403)
      await admin.patch(`/oauth/clients/${siteId}`, { allowedRoles: null })
      assert.equal((await proxy.send(`${WIKI}/`, { headers: { cookie } })).status, 200)
    })

    test('the host is the one of the request, whatever the Host header says, and other names get nothing', async () => {
      const count = application.seen.length
      // The request line names the protected site, the header an open one.
      const answer = await proxy
        .sendRaw(
          'wiki.example.com',
          `GET ${WIKI}/secret HTTP/1.1\r\nHost: open.example.com\r\nConnection: close\r\n\r\n`,
        )
        .catch(() => '')
      assert.doesNotMatch(answer, /^HTTP\/1\.1 200 .*Wiki/s)
      const other = await proxy
        .sendRaw('wiki.example.com', `GET /public/ HTTP/1.1\r\nHost: other.example.com\r\nConnection: close\r\n\r\n`)
        .catch(() => '')
      assert.doesNotMatch(other, /Wiki/)
      await assert.rejects(proxy.open('other.example.com'))
      assert.equal(application.seen.length, count)
    })

    test('a WebSocket and a stream pass for those who are signed in, and for nobody else', async () => {
      const person = await signedInPerson(app())
      const { cookie } = await signIn(person, '/')
      const events = await proxy.send(`${WIKI}/events`, { headers: { cookie, accept: 'text/event-stream' } })
      assert.match(events.body, /data: first[^]*data: second/)
      const upgrade = (extra: string) =>
        `GET /socket HTTP/1.1\r\nHost: wiki.example.com\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-Fetch-Mode: websocket\r\n${extra}\r\n`
      const socket = await proxy.open('wiki.example.com')
      socket.write(upgrade(`Cookie: ${cookie}\r\n`))
      let text = ''
      while (!text.includes(person.user.preferredUsername)) text += String((await once(socket, 'data'))[0])
      assert.match(text, /^HTTP\/1\.1 101/)
      socket.destroy()
      const refused = await proxy.open('wiki.example.com')
      refused.write(upgrade(''))
      assert.match(String((await once(refused, 'data'))[0]), /^HTTP\/1\.1 401/)
      refused.destroy()
    })

    test('a program gets in with an app password, and a sign-out ends the cookie', async () => {
      const person = await signedInPerson(app())
      const made = await person.post('/api/account/app-passwords', { name: 'Phone', client_id: siteId })
      const authorization = `Basic ${Buffer.from(`${person.user.email}:${made.json().password}`).toString('base64')}`
      const dav = await proxy.send(`${WIKI}/dav`, { method: 'PROPFIND', headers: { authorization } })
      assert.equal(dav.status, 200)
      assert.equal(lastSeen()['remote-user'], person.user.preferredUsername)
      const wrong = await proxy.send(`${WIKI}/dav`, {
        headers: { authorization: `${authorization.slice(0, -8)}AAAAAAAA` },
      })
      assert.deepEqual([wrong.status, wrong.headers['www-authenticate']?.startsWith('Basic')], [401, true])
      const { cookie } = await signIn(person, '/')
      const out = await proxy.send(`${WIKI}/.latchkey/logout`, { headers: { ...PAGE, cookie } })
      assert.equal(out.headers['location'], 'http://localhost:3000/logout?site=wiki.example.com')
      assert.equal((await proxy.send(`${WIKI}/`, { headers: { cookie } })).status, 401)
    })

    test('the public site of Latchkey does not offer what only proxies ask', async () => {
      for (const path of ['/api/authz/forward-auth', '/api/authz/auth-request', '/.latchkey/login'])
        assert.equal(
          (
            await proxy.send(`https://id.example.com${path}`, {
              headers: { 'x-original-url': `${WIKI}/public/`, 'x-original-method': 'GET' },
            })
          ).status,
          404,
          path,
        )
      assert.equal((await proxy.send('https://id.example.com/healthz')).status, 200)
      assert.ok(isNginx || example.includes('caddy'))
    })
  })
}

describe('Traefik', () => {
  const app = sharedApp({ config: TRUSTING })
  test('the headers that its documentation names are understood', async () => {
    const admin = await signedInPerson(app(), { admin: true })
    const { host, origin } = await createSite(admin, { rules: [{ path: '/public/*', policy: 'bypass' }] })
    // Traefik 3, ForwardAuth: the headers that it adds to the request to the authentication server.
    const headers = {
      'x-forwarded-port': '443',
      'x-forwarded-server': 'traefik-7d9',
      'x-forwarded-for': '203.0.113.9',
      'x-real-ip': '203.0.113.9',
      'user-agent': 'Mozilla/5.0',
      host,
    }
    assert.equal((await forwardAuth(app(), { url: `${origin}/public/x?y`, headers })).statusCode, 200)
    assert.equal((await forwardAuth(app(), { url: `${origin}/x`, headers: { ...headers, ...PAGE } })).statusCode, 302)
    assert.equal((await forwardAuth(app(), { url: `wss://${host}/public/socket`, headers })).statusCode, 200)
  })
})
