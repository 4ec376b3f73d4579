import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ORIGIN, sharedApp } from '../../support/app.ts'
import {
  authorize,
  authorizeUrl,
  claimsOf,
  consent,
  exchangeCode,
  type Fields,
  getTokens,
  locationOf,
  newPkce,
  registerApplication,
  type Tokens,
} from '../../support/application.ts'
import { onEachEngine } from '../../support/engines.ts'
import { anonymous, type Person, signedInPerson, signIn } from '../../support/people.ts'

/** The path that the login page leads back to. */
function returnTo(page: URL): string {
  assert.equal(page.origin + page.pathname, `${ORIGIN}/login`, page.href)
  return page.searchParams.get('return_to') ?? ''
}

onEachEngine('prompt, max_age and hints', (engine) => {
  const app = sharedApp({ engine })
  const ask = async (person: Person, url: string): Promise<URL> => locationOf(await person.get(url))
  const askWith = async (person: Person, change: Fields) => {
    const application = await registerApplication(app())
    const pkce = newPkce()
    return { application, pkce, url: authorizeUrl(application, pkce, change), person }
  }

  test('prompt=none, signed out: login_required with a state of 128 characters intact', async () => {
    const state = 's'.repeat(128)
    const { url } = await askWith(anonymous(app()), { prompt: 'none', state })
    const { searchParams } = await ask(anonymous(app()), url)
    assert.deepEqual([searchParams.get('error'), searchParams.get('state')], ['login_required', state])
  })

  test('prompt=none without a grant: consent_required; with one: a code', async () => {
    const person = await signedInPerson(app())
    const { application, url } = await askWith(person, { prompt: 'none' })
    assert.equal((await ask(person, url)).searchParams.get('error'), 'consent_required')
    await authorize(person, application, newPkce())
    assert.match((await ask(person, url)).searchParams.get('code') ?? '', /^ac_/)
  })

  test('prompt=none with a sign-in older than max_age: login_required', async () => {
    const person = await signedInPerson(app())
    const { application } = await askWith(person, {})
    await authorize(person, application, newPkce())
    app().clock.advance(2000)
    const url = await ask(person, authorizeUrl(application, newPkce(), { prompt: 'none', max_age: '1' }))
    assert.equal(url.searchParams.get('error'), 'login_required')
  })

  test('prompt=none with a hint of somebody else: login_required', async () => {
    const [person, other] = [await signedInPerson(app()), await signedInPerson(app())]
    const { application } = await askWith(person, {})
    const { id_token } = await getTokens(app(), other, application)
    await authorize(person, application, newPkce())
    const url = await ask(person, authorizeUrl(application, newPkce(), { prompt: 'none', id_token_hint: id_token }))
    assert.equal(url.searchParams.get('error'), 'login_required')
  })

  const renewals: [string, Fields][] = [
    ['prompt=login', { prompt: 'login' }],
    ['prompt=select_account', { prompt: 'select_account' }],
    ['max_age=1 after 2 seconds', { max_age: '1' }],
    ['max_age=0', { max_age: '0' }],
  ]
  for (const [name, change] of renewals) {
    test(`${name}: a new login, once, and a later auth_time`, async () => {
      const person = await signedInPerson(app())
      const { application, pkce, url } = await askWith(person, change)
      const before = Math.floor(app().clock.now() / 1000)
      await authorize(person, application, newPkce())
      app().clock.advance(2000)

      const back = returnTo(await ask(person, url))
      // Coming back without having signed in leads to the same page again, and to no code.
      assert.equal(returnTo(await ask(person, back)), back)
      assert.equal(returnTo(await ask(anonymous(app()), back)), back)

      app().clock.advance(2000)
      const again = await signIn(app(), person.user)
      const { searchParams } = await ask(again, back)
      const answer = await exchangeCode(app(), application, searchParams.get('code') ?? '', pkce)
      const authTime = claimsOf(answer.json<Tokens>().id_token)['auth_time'] as number
      assert.ok(authTime >= before + 4, `${authTime} should be later than ${before}`)
      // What was remembered served once.
      assert.equal((await again.get(back)).statusCode, 400)
    })
  }

  test('prompt=login, signed out: one login is enough', async () => {
    const { user } = await signedInPerson(app())
    const { url } = await askWith(anonymous(app()), { prompt: 'login', max_age: '0', login_hint: user.email })
    const back = returnTo(await ask(anonymous(app()), url))
    assert.equal(new URL(back, ORIGIN).searchParams.get('login_hint'), user.email)
    const page = await ask(await signIn(app(), user), back)
    assert.equal(page.pathname, '/consent')
  })

  test('prompt=login consent: a new login, then consent, although all is granted', async () => {
    const person = await signedInPerson(app())
    const { application, url } = await askWith(person, { prompt: 'login consent' })
    await authorize(person, application, newPkce())
    app().clock.advance(1)
    const back = returnTo(await ask(person, url))
    const again = await signIn(app(), person.user)
    const page = await ask(again, back)
    assert.equal(page.pathname, '/consent')
    // The session that was there before does not satisfy the request on the consent page either.
    const refused = await person.post('/oauth/approve', Object.fromEntries(page.searchParams))
    assert.equal(new URL(refused.json<{ redirectTo: string }>().redirectTo).pathname, '/login')
    assert.match((await consent(again, page)).searchParams.get('code') ?? '', /^ac_/)
  })

  test('prompt=consent shows consent again and then gives a code', async () => {
    const person = await signedInPerson(app())
    const { application, url } = await askWith(person, { prompt: 'consent' })
    await authorize(person, application, newPkce())
    const page = await ask(person, url)
    assert.match((await consent(person, page)).searchParams.get('code') ?? '', /^ac_/)
  })

  test('max_age=10000: neither a new login nor a later auth_time', async () => {
    const person = await signedInPerson(app())
    const { application, pkce } = await askWith(person, {})
    const signedInAt = Math.floor(app().clock.now() / 1000)
    app().clock.advance(5000)
    const url = await authorize(person, application, pkce, { max_age: '10000' })
    const answer = await exchangeCode(app(), application, url.searchParams.get('code') ?? '', pkce)
    assert.equal(claimsOf(answer.json<Tokens>().id_token)['auth_time'], signedInAt)
  })

  test('a hint of somebody else asks for a login, and refuses if that was somebody else again', async () => {
    const [person, hinted] = [await signedInPerson(app()), await signedInPerson(app())]
    const { application } = await askWith(person, {})
    const { id_token } = await getTokens(app(), hinted, application)
    const url = authorizeUrl(application, newPkce(), { id_token_hint: id_token })
    const back = returnTo(await ask(person, url))
    const wrong = await ask(await signIn(app(), person.user), back)
    assert.equal(wrong.searchParams.get('error'), 'login_required')
    const right = await ask(await signIn(app(), hinted.user), back)
    assert.match(right.searchParams.get('code') ?? '', /^ac_/)
  })

  test('what was remembered is forgotten after an hour', async () => {
    const person = await signedInPerson(app())
    const { url } = await askWith(person, { prompt: 'login' })
    const back = returnTo(await ask(person, url))
    app().clock.advance(3_600_001)
    const answer = await (await signIn(app(), person.user)).get(back)
    assert.equal(answer.statusCode, 400)
    assert.match(answer.body, /expired/)
  })

  test('max_age is checked again after the sign-in: who comes back too late signs in once more', async () => {
    const person = await signedInPerson(app())
    const { application, pkce, url } = await askWith(person, { max_age: '60' })
    await authorize(person, application, newPkce())
    app().clock.advance(61_000)
    const back = returnTo(await ask(person, url))
    const second = await signIn(app(), person.user)
    app().clock.advance(61_001)
    const backAgain = returnTo(await ask(second, back))
    assert.notEqual(backAgain, back)
    // The session that came too late does not become young again, whichever of the two it comes back with.
    assert.equal(returnTo(await ask(second, backAgain)), backAgain)
    returnTo(await ask(second, back))
    const third = await signIn(app(), person.user)
    const signedInAt = Math.floor(app().clock.now() / 1000)
    app().clock.advance(61_000)
    const { searchParams } = await ask(third, backAgain)
    const answer = await exchangeCode(app(), application, searchParams.get('code') ?? '', pkce)
    assert.equal(claimsOf(answer.json<Tokens>().id_token)['auth_time'], signedInAt)
    assert.equal((await third.get(back)).statusCode, 400)
  })

  for (const prompt of [undefined, 'consent', 'login consent']) {
    test(`max_age is checked again on the consent page, which is shown once, with prompt ${prompt}`, async () => {
      const person = await signedInPerson(app())
      const { application, pkce, url } = await askWith(person, { max_age: '1', prompt })
      app().clock.advance(2000)
      const back = returnTo(await ask(person, url))
      const second = await signIn(app(), person.user)
      const page = await ask(second, back)
      app().clock.advance(20_000)
      const answer = await second.post('/oauth/approve', Object.fromEntries(page.searchParams))
      const backAgain = returnTo(new URL(answer.json<{ redirectTo: string }>().redirectTo))
      // What was decided is recorded, and counts for whoever decided it.
      const { grants } = (await second.get('/api/account/oauth/grants')).json<{ grants: unknown[] }>()
      assert.equal(grants.length, 1)
      const other = await signedInPerson(app())
      await authorize(other, application, newPkce())
      app().clock.advance(1)
      const stranger = await ask(await signIn(app(), other.user), backAgain)
      assert.equal(stranger.pathname, prompt === undefined ? '/cb' : '/consent')

      if (prompt === undefined) return
      const third = await signIn(app(), person.user)
      const { searchParams } = await ask(third, backAgain)
      const tokens = await exchangeCode(app(), application, searchParams.get('code') ?? '', pkce)
      assert.equal(tokens.statusCode, 200, tokens.body)
    })
  }

  test('max_age that is over each time before the browser is back: login_required, and no loop', async () => {
    const person = await signedInPerson(app())
    const { application, url } = await askWith(person, { max_age: '1' })
    app().clock.advance(2000)
    let next = await ask(person, url)
    let rounds = 0
    while (next.pathname === '/login' && rounds < 10) {
      rounds++
      const again = await signIn(app(), person.user)
      app().clock.advance(3000)
      next = await ask(again, returnTo(next))
    }
    assert.equal(rounds, 3)
    assert.equal(next.origin + next.pathname, application.redirectUri)
    assert.equal(next.searchParams.get('error'), 'login_required')
  })

  test('max_age=0 is prompt=login: any sign-in after the request will do, and one before it never', async () => {
    const person = await signedInPerson(app())
    const { application, url } = await askWith(person, { max_age: '0' })
    await authorize(person, application, newPkce())
    const back = returnTo(await ask(person, url))
    const again = await signIn(app(), person.user)
    app().clock.advance(60_000)
    assert.match((await ask(again, back)).searchParams.get('code') ?? '', /^ac_/)
  })

  test('a session that is young enough for max_age when the page opens, and too old when it is answered', async () => {
    const person = await signedInPerson(app())
    const { url } = await askWith(person, { max_age: '60' })
    const page = await ask(person, url)
    assert.equal(page.pathname, '/consent')
    app().clock.advance(60_001)
    const answer = await person.post('/oauth/approve', Object.fromEntries(page.searchParams))
    const back = returnTo(new URL(answer.json<{ redirectTo: string }>().redirectTo))
    const again = await signIn(app(), person.user)
    assert.match((await ask(again, back)).searchParams.get('code') ?? '', /^ac_/)
  })
})
