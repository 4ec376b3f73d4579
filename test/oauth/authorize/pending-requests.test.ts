import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { packPendingRequest } from '../../../src/oauth/authorize/pending-request.ts'
import { createVault } from '../../../src/platform/crypto/vault.ts'
import { ORIGIN, sharedApp, startApp, type TestApp } from '../../support/app.ts'
import {
  authorizationQuery,
  authorize,
  authorizeUrl,
  consent,
  encode,
  type Fields,
  locationOf,
  newPkce,
  postForm,
  registerApplication,
} from '../../support/application.ts'
import { type EngineName, MAIN_ENGINE, onEachEngine } from '../../support/engines.ts'
import { anonymous, type Person, signedInPerson, signIn } from '../../support/people.ts'
import { returnTo } from './login-page.ts'

const FIFTY = Array.from({ length: 50 }, (_, at) => at)

const pendingOf = (path: string): string => new URL(path, ORIGIN).searchParams.get('pending_request') ?? ''

/** How many rows every table has. */
async function rowCounts({ services: { db } }: TestApp, engine: EngineName): Promise<Record<string, number>> {
  const names =
    engine === 'sqlite'
      ? sql<{ name: string }>`select name from sqlite_master where type = 'table'`
      : sql<{ name: string }>`select table_name as name from information_schema.tables where table_schema = 'public'`
  const counts: Record<string, number> = {}
  for (const { name } of (await names.execute(db.read)).rows) {
    const { rows } = await sql<{ count: number }>`select count(*) as count from ${sql.table(name)}`.execute(db.read)
    counts[name] = Number(rows[0]?.count)
  }
  return counts
}

onEachEngine('authorization requests that are pending during a sign-in', (engine) => {
  const app = sharedApp({ engine })
  const visit = async (person: Person, url: string): Promise<URL> => locationOf(await person.get(url))
  const pendingRequest = async (person: Person, change: Fields = {}) => {
    const application = await registerApplication(app())
    const pkce = newPkce()
    const url = authorizeUrl(application, pkce, { prompt: 'login', ...change })
    return { application, pkce, returnPath: returnTo(await visit(person, url)) }
  }

  test('of fifty concurrent returns with one pending request, exactly one gets a code', async () => {
    const person = await signedInPerson(app())
    const { application, returnPath } = await pendingRequest(person)
    await authorize(person, application, newPkce())
    const again = await signIn(app(), person.user)
    const answers = await Promise.all(FIFTY.map(() => again.get(returnPath)))
    assert.equal(answers.filter(({ statusCode }) => statusCode === 302).length, 1)
    assert.equal(answers.filter(({ statusCode }) => statusCode === 400).length, 49)
  })

  test('of fifty concurrent approvals of one pending request, exactly one is accepted', async () => {
    const person = await signedInPerson(app())
    const { returnPath } = await pendingRequest(person)
    const again = await signIn(app(), person.user)
    const page = await visit(again, returnPath)
    const body = Object.fromEntries(page.searchParams)
    const answers = await Promise.all(FIFTY.map(() => again.post('/oauth/approve', body)))
    assert.equal(answers.filter(({ statusCode }) => statusCode === 200).length, 1)
    assert.equal(answers.filter(({ statusCode }) => statusCode === 409).length, 49)
  })

  // The rest is the same on every engine.
  if (engine !== MAIN_ENGINE) return

  test('200 anonymous requests that require a sign-in store nothing', async () => {
    const application = await registerApplication(app())
    const before = await rowCounts(app(), engine)
    const variants: Fields[] = [{ prompt: 'login' }, { max_age: '0' }, { prompt: 'select_account' }, { max_age: '60' }]
    for (let at = 0; at < 200; at++) {
      const change = { ...variants[at % variants.length], state: 'x'.repeat(14 * 1024) }
      const answer = await postForm(app(), '/oauth/authorize', authorizationQuery(application, newPkce(), change))
      assert.equal(answer.statusCode, 302, answer.body)
      returnTo(locationOf(answer))
    }
    assert.deepEqual(await rowCounts(app(), engine), before)
  })

  test('a request of more than 16 KB answers 400 with the reason and no redirect, however it is sent', async () => {
    const application = await registerApplication(app())
    const person = await signedInPerson(app())
    for (const change of [
      { state: 'x'.repeat(16 * 1024) },
      { state: '"'.repeat(16 * 1024) },
      { state: 'é'.repeat(8 * 1024) },
      { unknown: 'x'.repeat(16 * 1024), redirect_uri: 'https://evil.example/' },
    ]) {
      const query = authorizationQuery(application, newPkce(), change)
      const answers = [
        await person.get(`/oauth/authorize?${query}`),
        await anonymous(app()).get(`/oauth/authorize?${query}`),
        await postForm(app(), '/oauth/authorize', query),
        await postForm(app(), '/oauth/authorize', query, { 'sec-fetch-site': 'cross-site' }),
        await person.get(`/oauth/details?${query}`),
        await person.post('/oauth/approve', Object.fromEntries(new URLSearchParams(query))),
      ]
      for (const answer of answers) {
        assert.equal(answer.statusCode, 400, answer.body)
        assert.equal(answer.headers.location, undefined)
        assert.match(answer.body, /larger than 16 KB/)
      }
    }
    const empty = await postForm(app(), '/oauth/authorize', '&'.repeat(200 * 1024))
    assert.equal(empty.statusCode, 400)
  })

  test('a request of almost 16 KB whose characters all have to be encoded is unchanged after a sign-in', async () => {
    const application = await registerApplication(app())
    const { user } = await signedInPerson(app())
    const state = '"\r\n'.repeat(5 * 1024)
    for (const change of [{}, { prompt: 'login' }]) {
      const page = await visit(anonymous(app()), authorizeUrl(application, newPkce(), { state, ...change }))
      assert.ok(page.href.length < 32 * 1024, `${page.href.length}`)
      const next = await visit(await signIn(app(), user), returnTo(page))
      const done = next.pathname === '/consent' ? await consent(await signIn(app(), user), next) : next
      assert.equal(done.searchParams.get('state'), state)
      assert.match(done.searchParams.get('code') ?? '', /^ac_/)
    }
  })

  test('only known parameters are kept during sign-in and consent', async () => {
    const application = await registerApplication(app())
    const person = await signedInPerson(app())
    const known = {
      response_mode: 'query',
      ui_locales: 'de',
      display: 'page',
      acr_values: 'phr',
      login_hint: 'a@b.example',
    }
    const url = authorizeUrl(application, newPkce(), { ...known, unknown: 'never-kept', utm_source: 'never-kept' })
    const pages = [await visit(anonymous(app()), url), await visit(person, url)]
    for (const page of pages) {
      assert.doesNotMatch(decodeURIComponent(page.href), /never-kept/)
      const query = new URL(page.searchParams.get('return_to') ?? page.href, ORIGIN).searchParams
      for (const [name, value] of Object.entries(known)) assert.equal(query.get(name), value, name)
    }
    const returnPath = returnTo(await visit(person, `${url}&prompt=login`))
    const [packed = ''] = pendingOf(returnPath).split('.')
    assert.doesNotMatch(Buffer.from(packed, 'base64url').toString(), /never-kept/)
    assert.match(Buffer.from(packed, 'base64url').toString(), /ui_locales\0de/)
    const form = await postForm(app(), '/oauth/authorize', url.slice('/oauth/authorize?'.length), {
      'sec-fetch-site': 'cross-site',
    })
    assert.equal(form.statusCode, 303)
    assert.doesNotMatch(String(form.headers.location), /never-kept/)
  })

  test('a pending request can be neither forged nor modified', async () => {
    const person = await signedInPerson(app())
    const { application, returnPath } = await pendingRequest(person)
    const [packed = '', signature = ''] = pendingOf(returnPath).split('.')
    const again = await signIn(app(), person.user)
    const forge = (change: (text: string) => string) =>
      Buffer.from(change(Buffer.from(packed, 'base64url').toString())).toString('base64url')
    const content = {
      id: 'made',
      askedAt: app().clock.now(),
      since: 0,
      sessionId: null,
      signIns: 1,
      consentedBy: person.user.id,
      parameters: Object.fromEntries(new URLSearchParams(authorizationQuery(application, newPkce()))),
    }
    const foreign = packPendingRequest({ vault: createVault('another-secret-of-more-than-32-characters') }, content)
    const forged = [
      `${forge((text) => text.replace('some-state', 'evil-state'))}.${signature}`,
      `${forge((text) => text.replace(/"since":\d+/, '"since":0'))}.${signature}`,
      `${packed}.${signature.replace(/^./, (first) => (first === 'A' ? 'B' : 'A'))}`,
      `${packed}.`,
      packed,
      '.',
      'made-up',
      foreign,
      `${'x'.repeat(40_000)}.${signature}`,
    ]
    for (const pending_request of forged) {
      const answer = await again.get(`/oauth/authorize?${encode({ pending_request })}`)
      assert.equal(answer.statusCode, 400, pending_request.slice(0, 40))
      assert.equal(answer.headers.location, undefined)
      assert.equal((await again.post('/oauth/approve', { pending_request })).statusCode, 400)
    }
    const twice = await again.get(`${returnPath}&pending_request=${encodeURIComponent(pendingOf(returnPath))}`)
    assert.equal(twice.statusCode, 400)
    assert.equal((await visit(again, returnPath)).pathname, '/consent')
  })

  test('an answered request is remembered until it has expired, and then deleted', async () => {
    const person = await signedInPerson(app())
    const { application, returnPath } = await pendingRequest(person)
    await authorize(person, application, newPkce())
    const again = await signIn(app(), person.user)
    assert.match((await visit(again, returnPath)).searchParams.get('code') ?? '', /^ac_/)
    const { db } = app().services
    app().clock.advance(3_599_000)
    await app().tick()
    assert.equal((await again.get(returnPath)).statusCode, 400)
    app().clock.advance(3_602_000)
    await app().tick()
    assert.deepEqual(await db.read.selectFrom('oauth_answered_requests').selectAll().execute(), [])
    assert.equal((await again.get(returnPath)).statusCode, 400)
  })
})

test('a pending request is continued by whichever replica the browser returns to', async (t) => {
  const first = await startApp(t, { engine: 'postgres' })
  const second = await startApp(t, { engine: 'postgres', storage: first.storage, clock: first.clock })
  const application = await registerApplication(first)
  const person = await signedInPerson(first)
  const returnPath = returnTo(locationOf(await person.get(authorizeUrl(application, newPkce(), { prompt: 'login' }))))
  const again = await signIn(second, person.user)
  assert.equal(locationOf(await again.get(returnPath)).pathname, '/consent')
})
