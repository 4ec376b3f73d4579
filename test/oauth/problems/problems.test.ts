import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '../../../src/errors.ts'
import { createProblems } from '../../../src/oauth/problems/problems.ts'
import { ADMIN_ROLE } from '../../../src/vocabulary/built-in-roles.ts'
import { sharedApp, startApp, type TestApp } from '../../support/app.ts'
import {
  type Application,
  authorizeUrl,
  encode,
  exchangeCode,
  type Fields,
  getCode,
  getTokens,
  newPkce,
  postForm,
  refresh,
  registerApplication,
} from '../../support/application.ts'
import { onEachEngine, onMainEngine } from '../../support/engines.ts'
import { signedInPerson, type SignedInPerson } from '../../support/people.ts'

interface SignInProblem {
  at: number
  endpoint: string
  error: string
  description: string
  hint: string
  details: { sent: string | null; expected: string | null }
  count: number
}

const DAY = 24 * 3_600_000

const readerOf = (app: TestApp) => signedInPerson(app, { permissions: ['oauth_clients:read'] })
async function list(person: SignedInPerson, { clientId }: Application): Promise<SignInProblem[]> {
  const answer = await person.get(`/oauth/clients/${clientId}/refusals`)
  assert.equal(answer.statusCode, 200, answer.body)
  return answer.json<{ refusals: SignInProblem[] }>().refusals
}
const ask = (person: SignedInPerson, application: Application, change: Fields) =>
  person.get(authorizeUrl(application, newPkce(), change))

onEachEngine('the entries of refused requests', (engine) => {
  const app = sharedApp({ engine })
  const reader = () => readerOf(app())

  test('equal ones are one entry with a count, and the newest are first', async () => {
    const person = await reader()
    const application = await registerApplication(app())
    for (let times = 0; times < 3; times++) await ask(person, application, { scope: 'a' })
    app().clock.advance(1000)
    await ask(person, application, { scope: 'b' })
    await list(person, application)
    app().clock.advance(1000)
    await ask(person, application, { scope: 'a' })
    assert.deepEqual(
      (await list(person, application)).map(({ details, count }) => [details.sent, count]),
      [
        ['a', 4],
        ['b', 1],
      ],
    )
  })

  test('the last 50 are kept, none of them lost in a flood, and none for more than 7 days', async () => {
    const person = await reader()
    const application = await registerApplication(app())
    const names = Array.from({ length: 70 }, (_, at) => `scope${String(at).padStart(2, '0')}`)
    for (const scope of names) {
      await ask(person, application, { scope })
      app().clock.advance(1)
    }
    const kept = await list(person, application)
    assert.deepEqual(
      kept.map(({ details }) => details.sent),
      names.slice(20).toReversed(),
    )
    app().clock.advance(7 * DAY)
    const back = await reader()
    assert.deepEqual(await list(back, application), [])
    await app().tick()
    const rows = await app().services.db.read.selectFrom('oauth_refusals').select('id').execute()
    assert.deepEqual(rows, [])
  })
})

onMainEngine('refused requests of an application', (engine) => {
  const app = sharedApp({ engine })
  const reader = () => readerOf(app())

  test('each says what was sent, what was expected and what to change', async () => {
    const person = await reader()
    const application = await registerApplication(app(), { scopes: ['openid'] })
    await ask(person, application, { redirect_uri: 'https://evil.example/cb?token=secret' })
    await ask(person, application, { scope: 'openid groups' })
    await ask(person, application, { code_challenge: undefined })
    await exchangeCode(app(), { ...application, secret: 'cs_wrong' }, 'ac_x', newPkce())
    const refusals = await list(person, application)
    const summary = refusals
      .toSorted((a, b) => (a.error + a.details.sent < b.error + b.details.sent ? -1 : 1))
      .map(({ endpoint, error, details }) => [endpoint, error, details.sent, details.expected])
    assert.deepEqual(summary, [
      ['/oauth/token', 'invalid_client', 'client_secret_post with a wrong secret', 'the current secret'],
      ['/oauth/authorize', 'invalid_request', 'https://evil.example/cb', 'https://app.example/cb'],
      ['/oauth/authorize', 'invalid_request', 'no code_challenge', 'code_challenge with code_challenge_method=S256'],
      ['/oauth/authorize', 'invalid_scope', 'groups', 'openid'],
    ])
    assert.ok(refusals.every(({ hint, count, at }) => hint.endsWith('.') && count === 1 && at === app().clock.now()))
  })

  test('they are noted at every endpoint that an application calls itself', async () => {
    const person = await reader()
    const application = await registerApplication(app())
    const basic = `${application.clientId}:${application.secret}`
    const headers = { authorization: `Basic ${Buffer.from(basic).toString('base64')}` }
    for (const path of ['/oauth/introspect', '/oauth/revoke'])
      assert.equal((await postForm(app(), path, {}, headers)).statusCode, 400, path)
    const device = await postForm(app(), '/oauth/device_authorization', { scope: 'openid' }, headers)
    assert.equal(device.statusCode, 400)
    const twice = { client_secret: 'cs_x', grant_type: 'client_credentials' }
    assert.equal((await postForm(app(), '/oauth/token', twice, headers)).statusCode, 400)
    const other = { client_id: 'other', grant_type: 'client_credentials' }
    assert.equal((await postForm(app(), '/oauth/token', other, headers)).statusCode, 400)
    const summary = (await list(person, application)).map(({ endpoint, error, details }) =>
      [endpoint, error, details.sent].join(' '),
    )
    assert.deepEqual(summary.toSorted(), [
      '/oauth/device_authorization unauthorized_client ',
      '/oauth/introspect invalid_request ',
      '/oauth/revoke invalid_request ',
      '/oauth/token invalid_request ',
      '/oauth/token invalid_request client_secret_basic and client_secret_post',
    ])
  })

  test('a sign-out that leads to an unregistered address is one of them', async () => {
    const person = await reader()
    const application = await registerApplication(app(), { postLogoutRedirectUris: ['https://app.example/bye'] })
    const { id_token: id_token_hint } = await getTokens(app(), person, application)
    const query = encode({ id_token_hint, post_logout_redirect_uri: 'https://app.example/ciao?token=secret' })
    assert.equal((await person.get(`/oauth/logout?${query}`)).statusCode, 400)
    const [refusal] = await list(person, application)
    assert.deepEqual(
      [refusal?.endpoint, refusal?.error, refusal?.details],
      ['/oauth/logout', 'invalid_request', { sent: 'https://app.example/ciao', expected: 'https://app.example/bye' }],
    )
  })

  test('those that could not be written are kept with what came meanwhile, of which none is lost', async () => {
    const person = await reader()
    const application = await registerApplication(app())
    const { db, log } = app().services
    let isAway = true
    const problems = createProblems({ db: { ...db, transaction: (run) => attempt(run) }, now: app().clock.now, log })
    const note = (from: number, count: number) => {
      for (let at = from; at < from + count; at++) {
        problems.note('/oauth/token', new AppError('invalid_request', `n${at}`), application.clientId)
        app().clock.advance(1)
      }
    }
    const attempt: typeof db.transaction = async (run) => {
      if (!isAway) return db.transaction(run)
      isAway = false
      note(50, 30)
      throw new Error('The database is away.')
    }
    note(0, 50)
    await problems.flush()
    await problems.flush()
    assert.deepEqual(
      (await list(person, application)).map(({ description }) => description),
      Array.from({ length: 50 }, (_, at) => `n${79 - at}`),
    )
  })

  test('what is just being written is part of the answer too', async () => {
    const person = await reader()
    const application = await registerApplication(app())
    const { db, log } = app().services
    const pause = Promise.withResolvers<void>()
    const slow: typeof db.transaction = (run) => pause.promise.then(() => db.transaction(run))
    const problems = createProblems({ db: { ...db, transaction: slow }, now: app().clock.now, log })
    problems.note('/oauth/token', new AppError('invalid_request', 'Wrong.'), application.clientId)
    void problems.flush()
    const second = problems.flush()
    pause.resolve()
    await second
    assert.equal((await list(person, application)).length, 1)
  })

  test('no secret, code, token, state or verifier is kept', async () => {
    const person = await reader()
    const application = await registerApplication(app())
    const pkce = newPkce()
    const code = await getCode(person, application, pkce)
    const wrong = newPkce()
    await exchangeCode(app(), application, code, wrong)
    await exchangeCode(app(), { ...application, secret: 'cs_attempt' }, code, pkce)
    await refresh(app(), application, 'rt_some_refresh_token')
    await ask(person, application, { redirect_uri: 'https://user:secret-password@app.example/cb' })
    await ask(person, application, { scope: 'beyond', state: 'secret-state', nonce: 'secret-nonce' })
    await postForm(app(), '/oauth/revoke', {
      client_id: application.clientId,
      client_secret: 'cs_other',
      token: 'at_x',
    })
    const text = JSON.stringify(await list(person, application))
    for (const secret of [
      code,
      wrong.verifier,
      'cs_',
      'rt_',
      'at_',
      'ac_',
      'secret-state',
      'secret-nonce',
      'secret-password',
    ])
      assert.equal(text.includes(secret), false, secret)
    assert.ok(text.includes('/oauth/revoke'))
  })

  test('texts are cut at 200 characters and hold printable ASCII only', async () => {
    const person = await reader()
    const application = await registerApplication(app())
    const redirect_uri = `https://evil.example/ü\u202e${'a'.repeat(500)}`
    await ask(person, application, { redirect_uri })
    const [refusal] = await list(person, application)
    assert.equal(refusal?.details.sent?.length, 200)
    assert.match(refusal?.details.sent ?? '', /^[\x20-\x7e]*$/)
  })

  test('a person who may not use the application is recorded with the hint to give a role', async () => {
    const person = await reader()
    const application = await registerApplication(app(), { allowedRoles: [ADMIN_ROLE] })
    await ask(person, application, {})
    const [refusal] = await list(person, application)
    assert.equal(refusal?.error, 'access_denied')
    assert.match(refusal?.hint ?? '', /roles/)
    assert.equal(JSON.stringify(refusal).includes(person.user.email), false)
  })

  test('they go with the application, need oauth_clients:read, and an unknown application is 404', async () => {
    const admin = await signedInPerson(app(), { admin: true })
    const application = await registerApplication(app())
    await ask(admin, application, { scope: 'beyond' })
    assert.equal((await list(admin, application)).length, 1)
    const url = `/oauth/clients/${application.clientId}/refusals`
    assert.equal((await (await signedInPerson(app())).get(url)).statusCode, 403)
    await admin.delete(`/oauth/clients/${application.clientId}`)
    assert.equal((await admin.get(url)).statusCode, 404)
    assert.equal((await admin.get('/oauth/clients/unknown/refusals')).statusCode, 404)
    await ask(admin, application, { scope: 'beyond' })
    await app().tick()
    const rows = await app().services.db.read.selectFrom('oauth_refusals').select('client_id').execute()
    assert.equal(
      rows.some(({ client_id: id }) => id === application.clientId),
      false,
    )
  })

  test('a stop writes what was gathered', async (t) => {
    const first = await startApp(t, { engine })
    const application = await registerApplication(first)
    const person = await signedInPerson(first)
    await person.get(authorizeUrl(application, newPkce(), { scope: 'beyond' }))
    await first.close()
    const second = await startApp(t, { engine, storage: first.storage, clock: first.clock })
    const back = await signedInPerson(second, { permissions: ['oauth_clients:read'] })
    assert.equal((await list(back, application)).length, 1)
  })
})
