import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Response } from 'light-my-request'
import { LIMITS } from '../../../src/platform/limits/limits.ts'
import { sharedApp, startApp, type TestApp } from '../../support/app.ts'
import { onEachEngine } from '../../support/engines.ts'
import { lastMailTo } from '../../support/mail.ts'
import { anonymous, signedInPerson } from '../../support/people.ts'
import { enrol, login as loginWithPasskey } from '../passkeys/ceremonies.ts'

const PASSWORD = 'correct horse battery staple'
const NEW_PASSWORD = 'a different thing entirely'
const MINUTE = 60_000
const YEAR = 365 * 24 * 60 * MINUTE

/** The tokens in the cookie that an answer sets, that of the latest account first. */
const tokensOf = ({ headers }: Response): string[] => {
  const cookie = [headers['set-cookie'] ?? []].flat().find((each) => /^(__Host-)?known_browser=/.test(each)) ?? ''
  return cookie === '' ? [] : (/=([^;]*)/.exec(cookie)?.[1] ?? '').split('.')
}

const userIdOf = (registered: Response): string => registered.json<{ user: { id: string } }>().user.id

/** A browser that keeps its cookie, at the given IP address. */
function createBrowser(app: TestApp, address = '192.0.2.1') {
  let tokens: string[] = []
  const post = async (url: string, body: object): Promise<Response> => {
    const cookie = tokens.length > 0 ? { cookie: `known_browser=${tokens.join('.')}` } : {}
    const answer = await anonymous(app).post(url, body, { 'x-forwarded-for': address, ...cookie })
    const received = tokensOf(answer)
    if (received.length > 0) tokens = received
    return answer
  }
  return {
    tokens: () => tokens,
    setTokens: (newTokens: string[]) => void (tokens = newTokens),
    register: (email: string) => post('/api/auth/register', { email, password: PASSWORD }),
    login: (email: string, password = PASSWORD) => post('/api/auth/login', { email, password }),
    requestReset: (email: string) => post('/api/auth/password-reset', { email }),
    reset: (token: string) => post('/api/auth/password-reset/confirm', { token, newPassword: NEW_PASSWORD }),
  }
}

/** Sends `count` wrong passwords, each from another IP address. */
async function guessFromManyAddresses(app: TestApp, email: string, count: number): Promise<Response[]> {
  const answers: Response[] = []
  for (let at = 0; at < count; at++) {
    const address = at % 2 === 0 ? `198.51.100.${at}` : `2001:db8:0:${at.toString(16)}::1`
    answers.push(await createBrowser(app, address).login(email, 'wrong'))
  }
  return answers
}

/** Uses up the failures that unknown browsers may have, without the cost of hashing. */
async function useUpGuesses({ services: { limits } }: TestApp, email: string): Promise<void> {
  const limit = LIMITS.loginFromAnywhere
  await Promise.all(Array.from({ length: limit.max }, () => limits.fail(limit, email)))
}

onEachEngine('guessing a password from many IP addresses', (engine) => {
  const shared = sharedApp({ engine, config: { trustProxy: ['127.0.0.1'] } })

  test('after 100 failures for one email in an hour from different addresses, unknown browsers get 429, also for an unknown email', async () => {
    const app = shared()
    await signedInPerson(app, { email: 'guessed@example.com', password: PASSWORD })
    for (const email of ['guessed@example.com', 'nobody@example.com']) {
      const answers = await guessFromManyAddresses(app, email, 103)
      const statuses = answers.map(({ statusCode }) => statusCode)
      assert.deepEqual(statuses, [...Array<number>(100).fill(401), 429, 429, 429], email)
      assert.equal(answers.at(-1)?.headers['retry-after'], '3600')
    }
    const stranger = createBrowser(app, '203.0.113.1')
    assert.equal((await stranger.login('guessed@example.com')).statusCode, 429, 'the correct password is refused too')
    assert.equal((await stranger.login('somebody-else@example.com')).statusCode, 401)
    app.clock.advance(60 * MINUTE)
    assert.equal((await stranger.login('guessed@example.com')).statusCode, 200)
  })

  test('the owner can still sign in with a known browser and with a passkey', async () => {
    const app = shared()
    const { person, authenticator, visitor } = await enrol(app)
    const { email } = person.user
    const hash = await app.services.passwords.hash(PASSWORD, '')
    await app.services.db.transaction((trx) =>
      trx.updateTable('users').set({ password_hash: hash }).where('id', '=', person.user.id).execute(),
    )
    const browser = createBrowser(app)
    assert.equal((await browser.login(email)).statusCode, 200)
    await useUpGuesses(app, email)
    assert.equal((await createBrowser(app).login(email)).statusCode, 429, 'another browser at the same address')
    assert.equal((await browser.login(email)).statusCode, 200)
    assert.equal((await loginWithPasskey(visitor, authenticator)).statusCode, 200)
  })

  test('a known browser has its own limit, which other browsers at its address do not use up', async () => {
    const app = shared()
    await signedInPerson(app, { email: 'own@example.com', password: PASSWORD })
    const browser = createBrowser(app)
    await browser.login('own@example.com')
    const stranger = createBrowser(app)
    for (let at = 0; at < 11; at++) await stranger.login('own@example.com', 'wrong')
    assert.equal((await stranger.login('own@example.com')).statusCode, 429)
    for (let at = 0; at < 10; at++) assert.equal((await browser.login('own@example.com', 'wrong')).statusCode, 401)
    const refused = await browser.login('own@example.com')
    assert.equal(refused.statusCode, 429)
    assert.equal(refused.headers['retry-after'], '900')
    app.clock.advance(15 * MINUTE)
    assert.equal((await browser.login('own@example.com')).statusCode, 200)
  })

  test('a known browser of one account is not known to another', async () => {
    const app = shared()
    await signedInPerson(app, { email: 'victim@example.com', password: PASSWORD })
    const browser = createBrowser(app, '203.0.113.1')
    await browser.register('guesser@example.com')
    await useUpGuesses(app, 'victim@example.com')
    assert.equal((await browser.login('victim@example.com', 'wrong')).statusCode, 429)
  })

  test('the same user agent and address do not make a browser known', async () => {
    const app = shared()
    await signedInPerson(app, { email: 'forged@example.com', password: PASSWORD })
    assert.equal((await createBrowser(app).login('forged@example.com')).statusCode, 200)
    await useUpGuesses(app, 'forged@example.com')
    assert.equal((await createBrowser(app).login('forged@example.com')).statusCode, 429)
  })

  test('guesses at the current password in a session count like those at a login', async () => {
    const app = shared()
    const person = await signedInPerson(app, { email: 'stolen@example.com', password: PASSWORD })
    const guess = (at: number) =>
      person.post(
        '/api/account/password',
        { currentPassword: 'wrong', newPassword: NEW_PASSWORD },
        { 'x-forwarded-for': `203.0.113.${at}` },
      )
    for (let at = 0; at < 100; at++) assert.equal((await guess(at)).statusCode, 400)
    assert.equal((await guess(100)).statusCode, 429)
    assert.equal((await createBrowser(app, '198.51.100.1').login('stolen@example.com')).statusCode, 429)
  })
})

onEachEngine('known browsers', (engine) => {
  const shared = sharedApp({ engine, config: { trustProxy: ['127.0.0.1'] } })
  const rowsOf = (userId: string) =>
    shared().services.db.read.selectFrom('known_browsers').selectAll().where('user_id', '=', userId).execute()

  test('the cookie is HttpOnly, Secure, SameSite=Lax, lasts a year, and its value is stored as a hash', async () => {
    const app = shared()
    const browser = createBrowser(app)
    const answer = await browser.register('cookie@example.com')
    const cookie = [answer.headers['set-cookie'] ?? []].flat()[1] ?? ''
    assert.match(cookie, /^known_browser=[\w-]{43}; Path=\/; HttpOnly; Secure; SameSite=Lax; Max-Age=31536000$/)
    const [row, ...more] = await rowsOf(userIdOf(answer))
    assert.equal(row?.expires_at, app.clock.now() + YEAR)
    assert.deepEqual(more, [])
    assert.ok(!JSON.stringify(row).includes(browser.tokens()[0] ?? 'nothing'))
  })

  test('when the dashboard is on https, the cookie is named __Host-known_browser', async (t) => {
    const origin = 'https://id.example'
    const app = await startApp(t, { engine, config: { dashboardOrigin: origin } })
    const body = { email: 'https@example.com', password: PASSWORD }
    const answer = await anonymous(app).post('/api/auth/register', body, { origin })
    const cookie = [answer.headers['set-cookie'] ?? []].flat().at(-1) ?? ''
    assert.match(cookie, /^__Host-known_browser=[\w-]{43}; Path=\//)
    const again = { origin, cookie: cookie.split(';')[0] ?? '' }
    assert.deepEqual(tokensOf(await anonymous(app).post('/api/auth/login', body, again)), tokensOf(answer))
  })

  test('a new sign-in keeps the token and extends its life, and a refused sign-in sets no cookie', async () => {
    const app = shared()
    const browser = createBrowser(app)
    const userId = userIdOf(await browser.register('again@example.com'))
    const first = browser.tokens()
    app.clock.advance(YEAR / 2)
    assert.deepEqual(tokensOf(await browser.login('again@example.com', 'wrong')), [])
    await browser.login('again@example.com')
    assert.deepEqual(browser.tokens(), first)
    assert.deepEqual(
      (await rowsOf(userId)).map(({ expires_at }) => expires_at),
      [app.clock.now() + YEAR],
    )
    app.clock.advance(YEAR)
    await browser.login('again@example.com')
    assert.notDeepEqual(browser.tokens(), first, 'a year later it is a new one')
  })

  test('a browser has the tokens of at most eight accounts, that of the latest first', async () => {
    const app = shared()
    const browser = createBrowser(app)
    const tokens: string[] = []
    for (let at = 0; at < 10; at++) {
      await browser.register(`account${at}@example.com`)
      tokens.unshift(browser.tokens()[0] ?? '')
      assert.deepEqual(browser.tokens(), tokens.slice(0, 8))
    }
    await browser.login('account5@example.com')
    assert.equal(browser.tokens()[0], tokens[4])
    assert.equal(browser.tokens().length, 8)
    await useUpGuesses(app, 'account9@example.com')
    assert.equal((await browser.login('account9@example.com')).statusCode, 200)
    await useUpGuesses(app, 'account0@example.com')
    assert.equal((await browser.login('account0@example.com')).statusCode, 429, 'its token was dropped')
  })

  test('values in the cookie that are not valid tokens are ignored, however many there are', async () => {
    const app = shared()
    const browser = createBrowser(app)
    await browser.register('rubbish@example.com')
    const [token = ''] = browser.tokens()
    browser.setTokens(['', '"drop table users"', 'A'.repeat(43), token, ...Array<string>(100).fill('B'.repeat(43))])
    await browser.login('rubbish@example.com')
    assert.deepEqual(browser.tokens(), [token])
  })

  test('an account keeps only its fifty latest known browsers', async () => {
    const app = shared()
    const person = await signedInPerson(app, { email: 'script@example.com', password: PASSWORD })
    const old = Array.from({ length: 60 }, (_, at) => ({
      token_hash: `old${at}`,
      user_id: person.user.id,
      created_at: at,
      expires_at: app.clock.now() + YEAR,
    }))
    await app.services.db.transaction((trx) => trx.insertInto('known_browsers').values(old).execute())
    await createBrowser(app).login('script@example.com')
    const kept = (await rowsOf(person.user.id)).map(({ created_at }) => created_at)
    assert.equal(kept.length, 50)
    assert.ok(kept.includes(app.clock.now()) && kept.includes(59) && !kept.includes(10))
  })

  test('using a reset link makes its browser the only known one of the account', async () => {
    const app = shared()
    const [before, owner] = [createBrowser(app), createBrowser(app, '192.0.2.2')]
    const userId = userIdOf(await before.register('reset@example.com'))
    await owner.requestReset('reset@example.com')
    const { token } = await lastMailTo(app, 'reset@example.com', '/reset-password')
    assert.equal((await owner.reset(token)).statusCode, 200)
    await useUpGuesses(app, 'reset@example.com')
    assert.equal((await before.login('reset@example.com', NEW_PASSWORD)).statusCode, 429)
    assert.equal((await owner.login('reset@example.com', NEW_PASSWORD)).statusCode, 200)
    assert.equal((await rowsOf(userId)).length, 1)
  })

  test('disabling or deleting an account deletes its known browsers', async () => {
    const app = shared()
    const admin = await signedInPerson(app, { admin: true })
    for (const email of ['disabled@example.com', 'deleted@example.com']) {
      const userId = userIdOf(await createBrowser(app).register(email))
      assert.equal((await rowsOf(userId)).length, 1)
      const answer = email.startsWith('disabled')
        ? await admin.post(`/api/admin/users/${userId}/lifecycle`, { action: 'disable' })
        : await admin.delete(`/api/admin/users/${userId}`)
      assert.equal(answer.statusCode, 200)
      assert.deepEqual(await rowsOf(userId), [], email)
    }
  })

  test('known browsers are deleted after a year', async () => {
    const app = shared()
    const userId = userIdOf(await createBrowser(app).register('swept@example.com'))
    assert.equal((await rowsOf(userId)).length, 1)
    app.clock.advance(YEAR)
    await app.tick()
    assert.deepEqual(await rowsOf(userId), [])
  })
})
