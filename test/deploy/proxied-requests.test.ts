import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect as connectHttp2, type IncomingHttpHeaders, type IncomingHttpStatusHeader } from 'node:http2'
import { after, before, beforeEach, describe, test, type TestContext } from 'node:test'
import { IDENTITY_HEADERS } from '../../src/oauth/sites/identity-header.ts'
import { type SmallApplication, startSmallApplication } from '../support/small-application.ts'
import { SITE_EXAMPLE_NAMES, SITE_EXAMPLES, type SiteProxy, startSiteProxy } from './site-proxy.ts'
import { type StandInLatchkey, startStandInLatchkey, VISITOR } from './stand-in-latchkey.ts'

const HOST = 'wiki.example.com'
const WIKI = `https://${HOST}`
/** How long one question may wait for an answer of Latchkey, and what the visitor gets then. */
const WAITS = {
  Caddy: { printed: /response_header_timeout 10(?=s)/, seconds: 10, status: 504 },
  nginx: { printed: /proxy_read_timeout 10(?=s;)/, seconds: 10, status: 500 },
  HAProxy: { printed: /timeout = 2500/, seconds: 2.5, status: 503 },
  Apache: { printed: /http.TIMEOUT = 10/, seconds: 10, status: 503 },
}

for (const example of SITE_EXAMPLE_NAMES) {
  const name = SITE_EXAMPLES[example]
  describe(`what reaches the application behind deploy/${example}`, () => {
    let latchkey: StandInLatchkey
    let application: SmallApplication
    let proxy: SiteProxy
    before(async () => {
      latchkey = await startStandInLatchkey()
      application = await startSmallApplication()
      proxy = await startSiteProxy(example, {
        latchkey: latchkey.address,
        application: application.address,
        others: [{ host: `${HOST}:8443`, application: application.address }],
      })
    })
    beforeEach(() => {
      latchkey.answer = { status: 200, headers: VISITOR }
      latchkey.asked.length = 0
      application.seen.length = 0
    })
    after(async () => {
      await proxy.stop()
      await latchkey.stop()
      await application.stop()
    })

    /** Sends one request, and returns the answer with what reached the application by it: nothing, or one request. */
    async function visit(url: string, request?: Parameters<SiteProxy['send']>[1]) {
      application.seen.length = 0
      const answer = await proxy.send(url, request)
      assert.ok(application.seen.length <= 1, `${application.seen.length} requests reached the application.`)
      return { ...answer, seen: application.seen[0] }
    }

    /** Asks for another protocol. An answer of status 101 does not end, so only its beginning is read. */
    async function upgrade(upgrades: string[]) {
      application.seen.length = 0
      const socket = await proxy.open(HOST)
      const lines = [
        'GET /socket HTTP/1.1',
        `Host: ${HOST}`,
        'Connection: Upgrade, HTTP2-Settings',
        ...upgrades.map((each) => `Upgrade: ${each}`),
        'HTTP2-Settings: AAMAAABkAAQAAP__',
        'Sec-WebSocket-Version: 13',
        'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
      ]
      socket.write(`${lines.join('\r\n')}\r\n\r\n`)
      const [text] = (await once(socket, 'data')) as [Buffer]
      socket.destroy()
      return { status: Number(text.toString().split(' ')[1]), seen: [...application.seen] }
    }

    /** The path that Latchkey was asked about last. */
    function askedPath(): string {
      const headers = latchkey.asked.at(-1)?.headers
      return String(headers?.['x-original-url'] ?? headers?.['x-forwarded-uri'] ?? '').replace(WIKI, '')
    }

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

    test('an identity of some kilobytes arrives whole', async () => {
      const large = {
        ...VISITOR,
        [IDENTITY_HEADERS.groups]: 'g,'.repeat(1500),
        [IDENTITY_HEADERS.jwt]: 'j'.repeat(3000),
      }
      latchkey.answer = { status: 200, headers: large }
      const { status, seen } = await visit(`${WIKI}/x`)
      assert.equal(status, 200)
      for (const [header, value] of Object.entries(large))
        assert.ok(seen?.headers[header.toLowerCase()] === value, header)
    })

    test('a long way to the sign-in arrives whole', async () => {
      const location = `${WIKI}/.latchkey/login?to=${'a'.repeat(9000)}`
      // To the first of its two questions, nginx expects no redirect.
      latchkey.answer = { status: name === 'nginx' ? 401 : 302, headers: { location } }
      const { headers, seen } = await visit(`${WIKI}/x`)
      assert.ok(headers['location'] === location)
      assert.equal(seen, undefined)
    })

    test('a request with much else in its headers arrives with the whole identity or not at all', async () => {
      latchkey.answer = { status: 200, headers: { ...VISITOR, [IDENTITY_HEADERS.jwt]: 'j'.repeat(2500) } }
      let reached = 0
      for (let size = 11_000; size <= 15_600; size += 200) {
        const { seen } = await visit(`${WIKI}/x`, {
          headers: { 'remote-user': 'root', 'x-one': 's'.repeat(size / 2), 'x-two': 's'.repeat(size / 2) },
        })
        if (seen === undefined) continue
        reached++
        for (const [header, value] of Object.entries(latchkey.answer.headers))
          assert.ok(seen.headers[header.toLowerCase()] === value, `${header} beside ${size} bytes`)
        assert.equal(seen.headers['x-forwarded-for'], '127.0.0.1')
      }
      assert.ok(reached > 0)
    })

    /** The same proxy, for as long as a test takes, with one thing changed in its configuration or script. */
    async function startChanged(t: TestContext, printed: RegExp, change: (found: string) => string) {
      let changes = 0
      const edit = (text: string) =>
        text.replace(printed, (found) => {
          changes++
          return change(found)
        })
      const { address } = application
      const started = await startSiteProxy(example, { latchkey: latchkey.address, application: address, edit })
      t.after(() => started.stop())
      assert.equal(changes, 1, String(printed))
      latchkey.asked.length = application.seen.length = 0
      return started
    }

    test('a request waits at most ten seconds for an answer of Latchkey, and then is refused', async (t) => {
      const { printed, seconds, status } = WAITS[name]
      // A tenth of the time.
      const hasty = await startChanged(t, printed, (found) => found.replace(/0$/, ''))
      latchkey.answer = undefined
      const answer = await hasty.send(`${WIKI}/x`)
      assert.deepEqual([answer.status, application.seen], [status, []])
      assert.equal(latchkey.asked.length * seconds, 10)
    })

    test('while Latchkey fails nobody gets in', async () => {
      for (const status of [500, 502, 503, 504]) {
        latchkey.answer = { status, headers: {} }
        const answer = await visit(`${WIKI}/x`)
        assert.ok(answer.status >= 500, `${status}: ${answer.status}`)
        assert.equal(answer.seen, undefined)
      }
    })

    test('a script that fails lets nobody in', { skip: name === 'Caddy' || name === 'nginx' }, async (t) => {
      for (const line of [/^(function check\(r\)|core\.register_action.*)$/m, /^ +for name in names:gmatch.*$/m]) {
        const broken = await startChanged(t, line, (found) => `${found}\nerror("broken")\n`)
        const { status } = await broken.send(`${WIKI}/x`)
        assert.deepEqual([status, application.seen], [name === 'Apache' ? 500 : 503, []], String(line))
      }
    })
  })
}
