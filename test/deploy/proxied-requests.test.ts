import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect as connectHttp2, type IncomingHttpHeaders, type IncomingHttpStatusHeader } from 'node:http2'
import { describe, test } from 'node:test'
import {
  HOST,
  WIKI,
  latchkey,
  application,
  proxy,
  startProxied,
  visit,
  upgrade,
  askedPath,
} from './proxied-application.ts'
import { SITE_EXAMPLE_NAMES, SITE_EXAMPLES } from './site-proxy.ts'
import { VISITOR } from './stand-in-latchkey.ts'

for (const example of SITE_EXAMPLE_NAMES) {
  const name = SITE_EXAMPLES[example]
  describe(`what reaches the application behind deploy/${example}`, () => {
    startProxied(example)

    test('the application gets the path that Latchkey was asked about, and no absolute address', async () => {
      let reached = 0
      for (const target of [
        '/a%20b/c%2fd?e=%2F&f',
        '/a/../b/./c;d//e',
        `${WIKI}/public/x`,
        `https://${HOST.toUpperCase()}:443/x`,
        'https:///public/admin/x',
        'https:///public/../admin/x?y',
        'https:/public/x',
        'foo://wiki.example.com/public/x',
        `${WIKI}?/public/x`,
        `${WIKI}\\admin/../public/x`,
        `${WIKI}//other/public/x`,
        '//other.example.com/public/x',
        '*',
        'x:/public/x',
      ]) {
        application.seen.length = latchkey.asked.length = 0
        await proxy.sendRaw(HOST, `GET ${target} HTTP/1.1\r\nHost: ${HOST}\r\nConnection: close\r\n\r\n`)
        const [url, asked] = [application.seen[0]?.url, askedPath()]
        // Latchkey refuses whatever does not begin with a slash.
        if (url === undefined || !asked.startsWith('/')) continue
        reached++
        // Apache merges slashes at the beginning.
        assert.equal(url, name === 'Apache' ? asked.replace(/^\/+/, '/') : asked, target)
      }
      assert.ok(reached >= 3, `${reached} requests reached the application.`)
    })

    test('in HTTP/2 the path and the host are the same', { skip: name === 'Apache' }, async () => {
      const session = connectHttp2(`https://127.0.0.1:${proxy.port}`, { rejectUnauthorized: false, servername: HOST })
      for (const path of ['/a%20b/c%2fd?e=%2F&f', '/x']) {
        const request = session.request({
          ':path': path,
          ':authority': `${HOST.toUpperCase()}:443`,
          'remote-user': 'root',
        })
        const [answer] = (await once(request, 'response')) as [IncomingHttpHeaders & IncomingHttpStatusHeader]
        request.close()
        assert.equal(answer[':status'], 200)
        const { url, headers } = application.seen.at(-1) ?? assert.fail('Nothing reached the application.')
        assert.deepEqual([url, askedPath(), headers.host], [path, path, HOST])
        assert.equal(headers['remote-user'], 'mia')
      }
      session.destroy()
    })

    test('the application sees the host of the site, whatever the visitor says', async () => {
      for (const [origin, own] of [
        [WIKI, HOST],
        [`${WIKI}:8443`, `${HOST}:8443`],
      ] as const)
        for (const host of [HOST, HOST.toUpperCase(), `${HOST}:443`, `${HOST}:8443`, 'Wiki.Example.com:9999']) {
          const { status, seen } = await visit(`${origin}/x`, {
            headers: [
              ['host', host],
              ['x-forwarded-host', 'other.example.com'],
              ['x-forwarded-proto', 'http'],
              ['x-forwarded-for', '203.0.113.7'],
            ],
          })
          // Some proxies refuse another port than the one of the connection.
          if (status !== 200) continue
          const { headers } = seen ?? assert.fail(`${host} did not reach the application.`)
          assert.deepEqual(
            [headers.host, headers['x-forwarded-host'], headers['x-forwarded-proto'], headers['x-forwarded-for']],
            [own, own, 'https', '127.0.0.1'],
            `${origin} ${host}`,
          )
        }
      assert.equal((await visit(`${WIKI}/x`)).seen?.headers.host, HOST)
      assert.equal((await visit(`${WIKI}:8443/x`)).seen?.headers.host, `${HOST}:8443`)
    })

    test('other names get nothing, on any port', async () => {
      for (const port of ['', ':8443']) {
        application.seen.length = latchkey.asked.length = 0
        const answer = await proxy
          .sendRaw(`other.example.com${port}`, 'GET / HTTP/1.1\r\nHost: other.example.com\r\nConnection: close\r\n\r\n')
          .catch(() => 'refused')
        // Apache answers the handshake, and then with 404.
        assert.match(answer, name === 'Apache' ? /^HTTP\/1\.1 404/ : /^refused$/, port)
        assert.deepEqual([application.seen, latchkey.asked], [[], []])
      }
    })

    test('Connection names only what is about the connection, and takes nothing away', async () => {
      for (const values of [
        ['close, Remote-User'],
        ['close, Remote-User, X-Forwarded-For, X-Forwarded-Host, Remote-Jwt, Cookie'],
        ['close', 'Remote-User'],
        ['Remote-User, close', 'X-Forwarded-For'],
        ['close, Upgrade, Remote-Email'],
      ]) {
        const headers = values.map((value) => ['connection', value] as const)
        const { status, seen } = await visit(`${WIKI}/x`, { headers })
        assert.equal(status, 200, String(values))
        assert.match(seen?.headers.connection ?? '', /^((upgrade|close|keep-alive)(, |$))*$/i, String(values))
        assert.equal(seen?.headers['x-forwarded-for'], '127.0.0.1')
        for (const [header, value] of Object.entries(VISITOR))
          assert.equal(seen?.headers[header.toLowerCase()], value, `${header} ${String(values)}`)
      }
    })

    test('the public site of Latchkey hands the address of the visitor on, whatever Connection names', async () => {
      for (const values of [
        ['close, X-Forwarded-For'],
        ['close', 'X-Forwarded-For'],
        ['x-forwarded-for, Cookie, close'],
      ]) {
        latchkey.asked.length = 0
        const { status } = await proxy.send('https://id.example.com/api/auth/login', {
          method: 'POST',
          headers: [
            ...values.map((value) => ['connection', value] as const),
            ['x-forwarded-for', '203.0.113.7'],
            ['content-length', '0'],
          ],
        })
        assert.equal(status, 200)
        const headers = latchkey.asked[0]?.headers
        assert.equal(headers?.['x-forwarded-for'], '127.0.0.1', String(values))
        assert.match(headers?.connection ?? '', /^((close|keep-alive)(, |$))*$/i, String(values))
      }
    })

    test('nothing but a WebSocket is an upgrade', async () => {
      for (const upgrades of [
        ['h2c'],
        ['foo'],
        ['h2c, websocket'],
        ['websocket, h2c'],
        ['h2c', 'websocket'],
        ['websocket', 'h2c'],
        ['foo', 'websocket'],
      ]) {
        const { status, seen } = await upgrade(upgrades)
        assert.ok(status === 101 || status === 200 || status === 400, `${String(upgrades)}: ${status}`)
        assert.equal(seen.length, status === 400 ? 0 : 1, String(upgrades))
        assert.equal(seen[0]?.headers.upgrade, status === 101 ? 'websocket' : undefined, String(upgrades))
      }
      for (const websocket of ['websocket', 'WebSocket', 'WEBSOCKET']) {
        const { status, seen } = await upgrade([websocket])
        assert.equal(status, 101, websocket)
        assert.match(seen[0]?.headers.connection ?? '', /^upgrade$/i)
      }
    })
  })
}
