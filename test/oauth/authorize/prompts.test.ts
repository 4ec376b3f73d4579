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
import { onMainEngine } from '../../support/engines.ts'
import { anonymous, type Person, signedInPerson, signIn } from '../../support/people.ts'
import { returnFromStepUp, returnTo } from './login-page.ts'

const PASSWORD = 'four unusual words here'

onMainEngine('prompt, max_age and hints', (engine) => {
  const app = sharedApp({ engine })
  const visit = async (person: Person, url: string): Promise<URL> => locationOf(await person.get(url))
  const createRequest = async (person: Person, change: Fields) => {
    const application = await registerApplication(app())
    const pkce = newPkce()
    return { application, pkce, url: authorizeUrl(application, pkce, change), person }
  }

  test('prompt=none without a session returns login_required, with a state of 128 characters unchanged', async () => {
    const state = 's'.repeat(128)
    const { url } = await createRequest(anonymous(app()), { prompt: 'none', state })
    const { searchParams } = await visit(anonymous(app()), url)
    assert.deepEqual([searchParams.get('error'), searchParams.get('state')], ['login_required', state])
  })

  test('prompt=none without a grant returns consent_required, and with one a code', async () => {
    const person = await signedInPerson(app())
    const { application, url } = await createRequest(person, { prompt: 'none' })
    assert.equal((await visit(person, url)).searchParams.get('error'), 'consent_required')
    await authorize(person, application, newPkce())
    assert.match((await visit(person, url)).searchParams.get('code') ?? '', /^ac_/)
  })

  test('prompt=none with a sign-in older than max_age returns login_required', async () => {
    const person = await signedInPerson(app())
    const { application } = await createRequest(person, {})
    await authorize(person, application, newPkce())
    app().clock.advance(2000)
    const url = await visit(person, authorizeUrl(application, newPkce(), { prompt: 'none', max_age: '1' }))
    assert.equal(url.searchParams.get('error'), 'login_required')
  })

  test('prompt=none with a hint of another user returns login_required', async () => {
    const [person, other] = [await signedInPerson(app()), await signedInPerson(app())]
    const { application } = await createRequest(person, {})
    const { id_token } = await getTokens(app(), other, application)
    await authorize(person, application, newPkce())
    const url = await visit(person, authorizeUrl(application, newPkce(), { prompt: 'none', id_token_hint: id_token }))
    assert.equal(url.searchParams.get('error'), 'login_required')
  })

  const newLogins: [string, Fields][] = [
    ['prompt=login', { prompt: 'login' }],
    ['prompt=select_account', { prompt: 'select_account' }],
  ]
  for (const [name, change] of newLogins) {
    test(`${name} requires one new login, and gives a later auth_time`, async () => {
      const person = await signedInPerson(app())
      const { application, pkce, url } = await createRequest(person, change)
      const before = Math.floor(app().clock.now() / 1000)
      await authorize(person, application, newPkce())
      app().clock.advance(2000)

      const returnPath = returnTo(await visit(person, url))
      // Returning without a new sign-in leads to the same page again, and to no code.
      assert.equal(returnTo(await visit(person, returnPath)), returnPath)
      assert.equal(returnTo(await visit(anonymous(app()), returnPath)), returnPath)

      app().clock.advance(2000)
      const again = await signIn(app(), person.user)
      const { searchParams } = await visit(again, returnPath)
      const answer = await exchangeCode(app(), application, searchParams.get('code') ?? '', pkce)
      const authTime = claimsOf(answer.json<Tokens>().id_token)['auth_time'] as number
      assert.ok(authTime >= before + 4, `${authTime} should be later than ${before}`)
      // A pending request can be used once.
      assert.equal((await again.get(returnPath)).statusCode, 400)
    })
  }

  for (const maxAge of ['0', '1']) {
    test(`max_age=${maxAge} after 2 seconds requires a proof in the same session, and gives a later auth_time`, async () => {
      const person = await signedInPerson(app(), { password: PASSWORD })
      const { application, pkce, url } = await createRequest(person, { max_age: maxAge })
      const before = Math.floor(app().clock.now() / 1000)
      await authorize(person, application, newPkce())
      app().clock.advance(2000)

      const returnPath = returnFromStepUp(await visit(person, url))
      // Returning without a proof leads to the same page again, and to no code.
      assert.equal(returnFromStepUp(await visit(person, returnPath)), returnPath)
      assert.equal(returnTo(await visit(anonymous(app()), returnPath)), returnPath)
      assert.equal((await person.post('/api/auth/fresh', { password: 'a wrong password' })).statusCode, 401)
      assert.equal(returnFromStepUp(await visit(person, returnPath)), returnPath)

      app().clock.advance(2000)
      assert.equal((await person.post('/api/auth/fresh', { password: PASSWORD })).statusCode, 200)
      const { searchParams } = await visit(person, returnPath)
      const answer = await exchangeCode(app(), application, searchParams.get('code') ?? '', pkce)
      const authTime = claimsOf(answer.json<Tokens>().id_token)['auth_time'] as number
      assert.ok(authTime >= before + 4, `${authTime} should be later than ${before}`)
      assert.equal((await person.get(returnPath)).statusCode, 400)
    })
  }

  test('a proof in one session says nothing about another one of the same person', async () => {
    const person = await signedInPerson(app(), { password: PASSWORD })
    const { application, url } = await createRequest(person, { max_age: '0' })
    await authorize(person, application, newPkce())
    const returnPath = returnFromStepUp(await visit(person, url))
    const older = await signIn(app(), person.user)
    app().clock.advance(2000)
    const later = returnFromStepUp(await visit(older, url))
    assert.equal((await person.post('/api/auth/fresh', { password: PASSWORD })).statusCode, 200)
    returnFromStepUp(await visit(older, later))
    assert.match((await visit(person, returnPath)).searchParams.get('code') ?? '', /^ac_/)
  })

  test('prompt=login without a session requires only one login', async () => {
    const { user } = await signedInPerson(app())
    const { url } = await createRequest(anonymous(app()), { prompt: 'login', max_age: '0', login_hint: user.email })
    const returnPath = returnTo(await visit(anonymous(app()), url))
    assert.equal(new URL(returnPath, ORIGIN).searchParams.get('login_hint'), user.email)
    const page = await visit(await signIn(app(), user), returnPath)
    assert.equal(page.pathname, '/consent')
  })

  test('prompt=login consent requires a new login and then consent, although everything is granted', async () => {
    const person = await signedInPerson(app())
    const { application, url } = await createRequest(person, { prompt: 'login consent' })
    await authorize(person, application, newPkce())
    app().clock.advance(1)
    const returnPath = returnTo(await visit(person, url))
    const again = await signIn(app(), person.user)
    const page = await visit(again, returnPath)
    assert.equal(page.pathname, '/consent')
    // The earlier session does not satisfy the request on the consent page either.
    const refused = await person.post('/oauth/approve', Object.fromEntries(page.searchParams))
    assert.equal(new URL(refused.json<{ redirectTo: string }>().redirectTo).pathname, '/login')
    assert.match((await consent(again, page)).searchParams.get('code') ?? '', /^ac_/)
  })

  test('prompt=consent shows consent again and then gives a code', async () => {
    const person = await signedInPerson(app())
    const { application, url } = await createRequest(person, { prompt: 'consent' })
    await authorize(person, application, newPkce())
    const page = await visit(person, url)
    assert.match((await consent(person, page)).searchParams.get('code') ?? '', /^ac_/)
  })

  test('max_age=10000 requires no new login, and keeps auth_time', async () => {
    const person = await signedInPerson(app())
    const { application, pkce } = await createRequest(person, {})
    const signedInAt = Math.floor(app().clock.now() / 1000)
    app().clock.advance(5000)
    const url = await authorize(person, application, pkce, { max_age: '10000' })
    const answer = await exchangeCode(app(), application, url.searchParams.get('code') ?? '', pkce)
    assert.equal(claimsOf(answer.json<Tokens>().id_token)['auth_time'], signedInAt)
  })

  test('a hint of another user requires a login, and is refused if a different user signs in', async () => {
    const [person, hinted] = [await signedInPerson(app()), await signedInPerson(app())]
    const { application } = await createRequest(person, {})
    const { id_token } = await getTokens(app(), hinted, application)
    const url = authorizeUrl(application, newPkce(), { id_token_hint: id_token })
    const returnPath = returnTo(await visit(person, url))
    const wrong = await visit(await signIn(app(), person.user), returnPath)
    assert.equal(wrong.searchParams.get('error'), 'login_required')
    const right = await visit(await signIn(app(), hinted.user), returnPath)
    assert.match(right.searchParams.get('code') ?? '', /^ac_/)
  })

  test('a pending request expires after an hour', async () => {
    const person = await signedInPerson(app())
    const { url } = await createRequest(person, { prompt: 'login' })
    const returnPath = returnTo(await visit(person, url))
    app().clock.advance(3_600_001)
    const answer = await (await signIn(app(), person.user)).get(returnPath)
    assert.equal(answer.statusCode, 400)
    assert.match(answer.body, /expired/)
  })

  test('max_age is checked again after the sign-in, and a return that is too late requires another sign-in', async () => {
    const person = await signedInPerson(app())
    const { application, pkce, url } = await createRequest(person, { max_age: '60' })
    await authorize(person, application, newPkce())
    app().clock.advance(61_000)
    const returnPath = returnFromStepUp(await visit(person, url))
    const second = await signIn(app(), person.user)
    app().clock.advance(61_001)
    const secondReturnPath = returnFromStepUp(await visit(second, returnPath))
    assert.notEqual(secondReturnPath, returnPath)
    // The session that is too old stays too old, with either of the two return paths.
    assert.equal(returnFromStepUp(await visit(second, secondReturnPath)), secondReturnPath)
    returnFromStepUp(await visit(second, returnPath))
    const third = await signIn(app(), person.user)
    const signedInAt = Math.floor(app().clock.now() / 1000)
    app().clock.advance(61_000)
    const { searchParams } = await visit(third, secondReturnPath)
    const answer = await exchangeCode(app(), application, searchParams.get('code') ?? '', pkce)
    assert.equal(claimsOf(answer.json<Tokens>().id_token)['auth_time'], signedInAt)
    assert.equal((await third.get(returnPath)).statusCode, 400)
  })

  for (const prompt of [undefined, 'consent', 'login consent']) {
    test(`max_age is checked again on the consent page, which is shown once, with prompt ${prompt}`, async () => {
      const person = await signedInPerson(app())
      const { application, pkce, url } = await createRequest(person, { max_age: '1', prompt })
      app().clock.advance(2000)
      const back = prompt?.includes('login') ? returnTo : returnFromStepUp
      const returnPath = back(await visit(person, url))
      const second = await signIn(app(), person.user)
      const page = await visit(second, returnPath)
      app().clock.advance(20_000)
      const answer = await second.post('/oauth/approve', Object.fromEntries(page.searchParams))
      const secondReturnPath = back(new URL(answer.json<{ redirectTo: string }>().redirectTo))
      // The decision is recorded, and counts only for the user who made it.
      const { grants } = (await second.get('/api/account/oauth/grants')).json<{ grants: unknown[] }>()
      assert.equal(grants.length, 1)
      const other = await signedInPerson(app())
      await authorize(other, application, newPkce())
      app().clock.advance(1)
      const stranger = await visit(await signIn(app(), other.user), secondReturnPath)
      assert.equal(stranger.pathname, prompt === undefined ? '/cb' : '/consent')

      if (prompt === undefined) return
      const third = await signIn(app(), person.user)
      const { searchParams } = await visit(third, secondReturnPath)
      const tokens = await exchangeCode(app(), application, searchParams.get('code') ?? '', pkce)
      assert.equal(tokens.statusCode, 200, tokens.body)
    })
  }

  test('a max_age that expires before every return gives login_required, and no redirect loop', async () => {
    const person = await signedInPerson(app())
    const { application, url } = await createRequest(person, { max_age: '1' })
    app().clock.advance(2000)
    let next = await visit(person, url)
    let rounds = 0
    while (next.pathname === '/step-up' && rounds < 10) {
      rounds++
      const again = await signIn(app(), person.user)
      app().clock.advance(3000)
      next = await visit(again, returnFromStepUp(next))
    }
    assert.equal(rounds, 3)
    assert.equal(next.origin + next.pathname, application.redirectUri)
    assert.equal(next.searchParams.get('error'), 'login_required')
  })

  test('max_age=0 is met by every sign-in after the request too, and by none before it', async () => {
    const person = await signedInPerson(app())
    const { application, url } = await createRequest(person, { max_age: '0' })
    await authorize(person, application, newPkce())
    const returnPath = returnFromStepUp(await visit(person, url))
    const again = await signIn(app(), person.user)
    app().clock.advance(60_000)
    assert.match((await visit(again, returnPath)).searchParams.get('code') ?? '', /^ac_/)
  })

  test('a session that exceeds max_age between opening and answering the consent page requires a proof', async () => {
    const person = await signedInPerson(app())
    const { url } = await createRequest(person, { max_age: '60' })
    const page = await visit(person, url)
    assert.equal(page.pathname, '/consent')
    app().clock.advance(60_001)
    const answer = await person.post('/oauth/approve', Object.fromEntries(page.searchParams))
    const returnPath = returnFromStepUp(new URL(answer.json<{ redirectTo: string }>().redirectTo))
    const again = await signIn(app(), person.user)
    assert.match((await visit(again, returnPath)).searchParams.get('code') ?? '', /^ac_/)
  })
})
