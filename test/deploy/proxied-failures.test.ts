import assert from 'node:assert/strict'
import { describe, test, type TestContext } from 'node:test'
import { IDENTITY_HEADERS } from '../../src/oauth/sites/identity-header.ts'
import { WIKI, latchkey, application, startProxied, visit } from './proxied-application.ts'
import { SITE_EXAMPLE_NAMES, SITE_EXAMPLES, startSiteProxy } from './site-proxy.ts'
import { VISITOR } from './stand-in-latchkey.ts'

/** How long one question may wait for an answer of Latchkey, and what the visitor gets then. */
const WAITS = {
  Caddy: { printed: /response_header_timeout 10(?=s)/, seconds: 10, status: 504 },
  nginx: { printed: /proxy_read_timeout 10(?=s;)/, seconds: 10, status: 500 },
  HAProxy: { printed: /timeout = 2500/, seconds: 2.5, status: 503 },
  Apache: { printed: /http.TIMEOUT = 10/, seconds: 10, status: 503 },
}

for (const example of SITE_EXAMPLE_NAMES) {
  const name = SITE_EXAMPLES[example]
  describe(`what does not fit or fails behind deploy/${example}`, () => {
    startProxied(example)

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
