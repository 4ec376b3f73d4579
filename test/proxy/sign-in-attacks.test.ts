import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { sharedApp } from '../support/app.ts'
import { signedInPerson, type SignedInPerson } from '../support/people.ts'
import { cookiesOf, createSite, forwardAuth, locationOf, NAVIGATION, signInAt, TRUSTING } from './visits.ts'

const local = (address: string) => address.replace('http://localhost:3000', '')

describe('attacks on the sign-in at a site', () => {
  const app = sharedApp({ config: TRUSTING })
  let admin: SignedInPerson
  let site: Awaited<ReturnType<typeof createSite>>
  let cookie: string
  before(async () => {
    admin = await signedInPerson(app(), { admin: true })
    site = await createSite(admin, { rules: [{ path: '/public/*', policy: 'bypass' }] })
    cookie = await signInAt(app(), admin, site.origin)
  })

  test('no open redirect can be made of the return address', async () => {
    for (const to of [
      'https://evil.example/',
      '//evil.example',
      '/\\evil.example',
      '/\r\nSet-Cookie: x=y',
      'javascript:alert(1)',
      '@evil.example',
      '.evil.example',
      ':80@evil.example',
      '/.latchkey/logout',
      '/é',
    ]) {
      const begun = await forwardAuth(app(), {
        url: `${site.origin}/.latchkey/login?to=${encodeURIComponent(to)}`,
        headers: NAVIGATION,
      })
      const back = await admin.get(local(locationOf(begun)))
      const arrived = await forwardAuth(app(), { url: locationOf(back), cookie: cookiesOf(begun).join('; ') })
      assert.equal(arrived.statusCode, 302, to)
      assert.ok(locationOf(arrived).startsWith(`${site.origin}/`), locationOf(arrived))
      assert.equal(new URL(locationOf(arrived)).host, site.host, to)
    }
    const state = `${'a'.repeat(22)}.${'a'.repeat(43)}`
    for (const query of [
      `host=evil.example&state=${state}&to=/`,
      `host=${site.host}&state=x&to=/`,
      `host=${site.host}&to=/`,
      '',
    ])
      assert.equal((await admin.get(`/api/authz/sign-in?${query}`)).statusCode, 403, query)
  })

  test('a callback works once, at its own host, in the browser that began, and within its time', async () => {
    const begin = async (origin = site.origin) => {
      const begun = await forwardAuth(app(), { url: `${origin}/.latchkey/login?to=/`, headers: NAVIGATION })
      const back = await admin.get(local(locationOf(begun)))
      return { url: locationOf(back), state: cookiesOf(begun).join('; ') }
    }
    const arrive = async (url: string, state: string) => forwardAuth(app(), { url, cookie: state, headers: NAVIGATION })
    const refusals: Record<string, () => Promise<Awaited<ReturnType<typeof arrive>>>> = {
      'a browser without the state (login CSRF)': async () => arrive((await begin()).url, ''),
      'a browser with the state of another sign-in': async () => arrive((await begin()).url, (await begin()).state),
      'a state cookie with another value': async () => {
        const { url, state } = await begin()
        return arrive(
          url,
          state.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A')),
        )
      },
      'two state cookies of one name': async () => {
        const { url, state } = await begin()
        return arrive(url, `${state}; ${state}`)
      },
      'another host': async () => {
        const other = await createSite(admin)
        const { url, state } = await begin()
        return arrive(url.replace(site.host, other.host), state)
      },
      'a replay': async () => {
        const { url, state } = await begin()
        assert.equal((await arrive(url, state)).statusCode, 302)
        return arrive(url, state)
      },
      'a code of another state': async () => {
        const [one, two] = [await begin(), await begin()]
        const code = new URL(one.url).searchParams.get('code') ?? ''
        const mixed = new URL(two.url)
        mixed.searchParams.set('code', code)
        return arrive(mixed.href, `${one.state}; ${two.state}`)
      },
      'a code that has expired': async () => {
        const { url, state } = await begin()
        app().clock.advance(60_000)
        return arrive(url, state)
      },
      'a session that has ended': async () => {
        const person = await signedInPerson(app())
        const begun = await forwardAuth(app(), { url: `${site.origin}/.latchkey/login`, headers: NAVIGATION })
        const back = await person.get(local(locationOf(begun)))
        await person.post('/api/auth/logout')
        return arrive(locationOf(back), cookiesOf(begun).join('; '))
      },
      'no parameters': () => arrive(`${site.origin}/.latchkey/callback`, ''),
    }
    for (const [attack, attempt] of Object.entries(refusals)) {
      const answer = await attempt()
      assert.equal(answer.statusCode, 403, attack)
      assert.equal(answer.headers['set-cookie'], undefined, attack)
    }
    const [one, two] = [await begin(), await begin()]
    const both = `${one.state}; ${two.state}`
    const tabs = [await arrive(one.url, both), await arrive(two.url, both)]
    assert.deepEqual(
      tabs.map(({ statusCode }) => statusCode),
      [302, 302],
      'two tabs both arrive',
    )
    for (const tab of tabs)
      assert.equal(
        (await forwardAuth(app(), { url: `${site.origin}/`, cookie: cookiesOf(tab).join('; ') })).statusCode,
        200,
      )
  })

  test('a browser keeps eight sign-ins that were begun, and the oldest make room', async () => {
    const kept: string[] = []
    for (let at = 0; at < 10; at++) {
      app().clock.advance(1)
      const begun = await forwardAuth(app(), { url: `${site.origin}/.latchkey/login`, cookie: kept.join('; ') })
      const removed = [begun.headers['set-cookie'] ?? []].flat().filter((line) => line.includes('Max-Age=0'))
      for (const line of removed) {
        const name = line.split('=')[0] ?? ''
        assert.equal(
          kept.findIndex((each) => each.startsWith(name)),
          0,
        )
        kept.shift()
      }
      kept.push(...cookiesOf(begun))
    }
    assert.equal(kept.length, 8)
  })

  test('a page of another site can send a browser to the sign-out, but not sign it out unseen', async () => {
    const url = `${site.origin}/.latchkey/logout`
    for (const mode of ['no-cors', 'cors', 'websocket']) {
      const answer = await forwardAuth(app(), {
        url,
        cookie,
        headers: { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': mode },
      })
      assert.equal(answer.statusCode, 403)
      assert.equal(answer.headers['set-cookie'], undefined)
    }
    assert.equal((await forwardAuth(app(), { url, method: 'POST', cookie })).statusCode, 405)
    assert.equal((await forwardAuth(app(), { url: `${site.origin}/`, cookie })).statusCode, 200)
  })

  test('neither two cookies, nor a session of this service, nor a wrong value lets anybody in', async () => {
    for (const given of [
      `${cookie}; ${cookie}`,
      `session=${admin.cookie}`,
      `__Host-session=${admin.cookie}`,
      `__Host-latchkey-proxy=${admin.cookie}`,
      cookie.replace('__Host-', ''),
      `${cookie}x`,
    ]) {
      const answer = await forwardAuth(app(), { url: `${site.origin}/`, cookie: given })
      assert.deepEqual([answer.statusCode, answer.headers['set-cookie']], [401, undefined], given)
    }
  })
})
