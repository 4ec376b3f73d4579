import assert from 'node:assert/strict'
import { once } from 'node:events'
import { describe, test } from 'node:test'
import { signedInPerson } from '../support/people.ts'
import {
  WIKI,
  STRICT,
  PAGE,
  app,
  application,
  strict,
  proxy,
  admin,
  siteId,
  startSites,
  signIn,
  lastSeen,
} from './proxied-site.ts'
import { PROXY_PATHS } from './proxy.ts'
import { SITE_EXAMPLE_NAMES, SITE_EXAMPLES } from './site-proxy.ts'

for (const example of SITE_EXAMPLE_NAMES) {
  const isNginx = SITE_EXAMPLES[example] === 'nginx'
  describe(`deploy/${example}`, () => {
    startSites(example)

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

    test('with two sites on two ports of one name, each is judged by its own rules, whatever port the visitor says', async () => {
      const count = strict.seen.length
      for (const host of ['wiki.example.com', 'wiki.example.com:443', 'wiki.example.com:8443', 'WIKI.example.com:443'])
        for (const line of ['/public/x', 'https://wiki.example.com/public/x']) {
          const answer = await proxy
            .sendRaw(
              'wiki.example.com:8443',
              `GET ${line} HTTP/1.1\r\nHost: ${host}\r\nX-Forwarded-Host: wiki.example.com\r\nX-Forwarded-Port: 443\r\nForwarded: host=wiki.example.com\r\nConnection: close\r\n\r\n`,
            )
            .catch(() => '')
          assert.doesNotMatch(answer, /^HTTP\/1\.1 2/, `${host} ${line}`)
        }
      assert.equal(strict.seen.length, count)
      // The cookie of one port is sent to the other by browsers, and is worth nothing there.
      const { cookie } = await signIn(await signedInPerson(app()), '/')
      assert.equal((await proxy.send(`${STRICT}/`, { headers: { cookie } })).status, 401)
      assert.equal((await proxy.send(`${WIKI}/public/x`)).status, 200)
    })

    test('no spelling of a header names a visitor, and Connection takes nothing away', async () => {
      const person = await signedInPerson(app())
      const { cookie } = await signIn(person, '/', STRICT)
      const spellings = [
        'X-Auth-User',
        'X_Auth-User',
        'X-Auth_User',
        'X_Auth_User',
        'x_aUTH-user',
        'X.Auth.User',
        'X.Auth-User',
      ]
      const usual = [
        'Remote-User',
        'Remote_User',
        'REMOTE-user',
        'Remote_Groups',
        'Remote-Groups',
        'Remote_Jwt',
        'Remote.User',
      ]
      for (const name of [...spellings, ...usual]) {
        const { status } = await proxy.send(`${STRICT}/`, { headers: { cookie, [name]: 'root' } })
        assert.equal(status, 200, name)
        const seen = strict.seen.at(-1)?.headers ?? {}
        assert.equal(seen['x-auth-user'], person.user.preferredUsername, name)
        assert.doesNotMatch(JSON.stringify(seen), /"root"/, name)
        // Where everybody may go nobody is named.
        assert.equal((await proxy.send(`${WIKI}/public/x`, { headers: { [name]: 'root' } })).status, 200, name)
        if (/^remote/i.test(name)) assert.doesNotMatch(JSON.stringify(lastSeen()), /"root"/, name)
      }
      for (const connection of [
        'close, X-Auth-User',
        'close, Remote-Email, X-Auth-User, Remote-Jwt',
        'close, Cookie, X-Forwarded-Host, X-Forwarded-Uri, X-Forwarded-Method, X-Forwarded-Proto, X-Original-URL',
        'keep-alive, close, x-auth-user, Upgrade',
      ]) {
        const { status } = await proxy.send(`${STRICT}/`, { headers: { cookie, connection, 'X-Auth-User': 'root' } })
        if (status === 200)
          assert.equal(strict.seen.at(-1)?.headers['x-auth-user'], person.user.preferredUsername, connection)
        else assert.ok([400, 401, 403].includes(status), `${connection}: ${status}`)
      }
    })

    test('a body of some megabytes reaches the application', async () => {
      const { cookie } = await signIn(await signedInPerson(app()), '/')
      const sent = await proxy.send(`${WIKI}/upload`, {
        method: 'POST',
        headers: { cookie },
        body: 'a'.repeat(3_000_000),
      })
      assert.equal(sent.status, 200)
      assert.equal(lastSeen()['content-length'], '3000000')
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
      // nginx sends no header that is empty.
      assert.equal(lastSeen()['remote-user'], isNginx ? undefined : '')
    })

    test('a form is not lost silently, a program gets a status, and tricks with paths do not reach the application', async () => {
      const count = application.seen.length
      const posted = await proxy.send(`${WIKI}/form?a=1`, {
        method: 'POST',
        headers: { ...PAGE, referer: `${WIKI}/form/edit` },
        body: 'text=long',
      })
      assert.equal(posted.status, 401)
      assert.match(posted.body, /What you sent did not arrive/)
      assert.ok(posted.body.includes(`href="${WIKI}/.latchkey/login?to=%2Fform%2Fedit"`), posted.body)
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

    test('the host is the one of the request, whatever the Host header says', async () => {
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
      const headers = {
        'x-original-url': `${WIKI}/public/`,
        'x-original-method': 'GET',
        'x-forwarded-method': 'GET',
        'x-forwarded-uri': '/public/',
      }
      for (const path of PROXY_PATHS)
        assert.ok([400, 404].includes((await proxy.send(`https://id.example.com${path}`, { headers })).status), path)
      assert.equal((await proxy.send('https://id.example.com/healthz')).status, 200)
    })
  })
}
