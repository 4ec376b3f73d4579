import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sharedApp } from '../../support/app.ts'
import { MAIN_ENGINE, onEachEngine, onMainEngine } from '../../support/engines.ts'
import { anonymous, signedInPerson } from '../../support/people.ts'
import { enrol, login } from '../passkeys/ceremonies.ts'

const PASSWORD = 'four unusual words here'

type Operations = Record<string, { security?: Record<string, unknown>[] }>

onMainEngine('a page that was opened as another user', (engine) => {
  const shared = sharedApp({ engine })

  test('gets 409 other_user for every request that changes something, before any permission is checked', async () => {
    const [admin, person] = [await signedInPerson(shared(), { admin: true }), await signedInPerson(shared())]
    const { paths } = (await shared().app.inject('/openapi.json')).json<{ paths: Record<string, Operations> }>()
    const changes = Object.entries(paths).flatMap(([path, operations]) =>
      Object.entries(operations)
        .filter(([method, { security }]) => method !== 'get' && security?.some((scheme) => 'session' in scheme))
        .map(([method]) => [method, path.replaceAll(/\{\w+\}/g, 'x')] as const),
    )
    assert.ok(changes.length > 30)
    for (const [method, path] of [...changes, ['post', '/api/auth/logout'] as const]) {
      for (const each of [admin, person]) {
        const other = each === admin ? person : admin
        const send = each[method as 'post' | 'put' | 'patch' | 'delete']
        const answer = await send(path, {}, { 'x-latchkey-user': other.user.id })
        assert.equal(answer.statusCode, 409, `${method} ${path}`)
        assert.equal(answer.json().code, 'other_user')
      }
    }
    assert.equal((await person.get('/api/auth/me')).statusCode, 200)
  })

  test('gets 401 when nobody is signed in', async () => {
    const headers = { 'x-latchkey-user': 'usr_somebody' }
    assert.equal((await anonymous(shared()).patch('/api/account/profile', {}, headers)).statusCode, 401)
  })

  test('may read; and its own user, or no header at all, may write', async () => {
    const person = await signedInPerson(shared())
    assert.equal((await person.get('/api/account/profile', undefined, { 'x-latchkey-user': 'other' })).statusCode, 200)
    const own = { 'x-latchkey-user': person.user.id }
    assert.equal((await person.patch('/api/account/profile', { displayName: 'A' }, own)).statusCode, 200)
    assert.equal((await person.patch('/api/account/profile', { displayName: 'B' })).statusCode, 200)
    const both = { 'x-latchkey-user': `${person.user.id}, usr_other` }
    assert.equal((await person.patch('/api/account/profile', { displayName: 'C' }, both)).statusCode, 409)
    assert.equal((await person.get('/api/account/profile')).json().displayName, 'B')
  })

  test('may sign in, register and reset a password', async () => {
    const person = await signedInPerson(shared())
    const other = await signedInPerson(shared(), { password: PASSWORD })
    const headers = { 'x-latchkey-user': other.user.id }
    const reset = await person.post('/api/auth/password-reset', { email: person.user.email }, headers)
    assert.equal(reset.statusCode, 200)
    const body = { email: 'registered.elsewhere@example.com', password: PASSWORD }
    assert.equal((await person.post('/api/auth/register', body, headers)).statusCode, 201)
    const back = await person.post('/api/auth/login', { email: other.user.email, password: PASSWORD }, headers)
    assert.equal(back.statusCode, 200)
  })
})

onEachEngine('signing in to a browser that is signed in', (engine) => {
  const shared = sharedApp({ engine })

  test('two people who sign in at each other’s browsers at the same time both get in', async () => {
    const [a, b] = [
      await signedInPerson(shared(), { email: 'cross.a@example.com', password: PASSWORD }),
      await signedInPerson(shared(), { email: 'cross.b@example.com', password: PASSWORD }),
    ]
    const answers = await Promise.all([
      a.post('/api/auth/login', { email: 'cross.b@example.com', password: PASSWORD }),
      b.post('/api/auth/login', { email: 'cross.a@example.com', password: PASSWORD }),
    ])
    assert.deepEqual(
      answers.map(({ statusCode }) => statusCode),
      [200, 200],
    )
  })

  // The rest is the same on every engine.
  if (engine !== MAIN_ENGINE) return

  test('as somebody else with a password ends the session that it replaces, and only that one', async () => {
    const person = await signedInPerson(shared())
    const elsewhere = await signedInPerson(shared(), { email: 'elsewhere@example.com', password: PASSWORD })
    const answer = await person.post('/api/auth/login', { email: 'elsewhere@example.com', password: PASSWORD })
    assert.equal(answer.statusCode, 200)
    assert.equal((await person.get('/api/auth/me')).statusCode, 401)
    assert.equal((await elsewhere.get('/api/auth/me')).statusCode, 200)
    const { db } = shared().services
    const ended = await db.read
      .selectFrom('audit_events')
      .select(['actor_id', 'data'])
      .where('action', '=', 'session.ended')
      .where('target_id', '=', person.sessionId)
      .execute()
    assert.deepEqual(
      ended.map(({ actor_id, data }) => [actor_id, JSON.parse(data ?? '{}').by]),
      [[person.user.id, elsewhere.user.id]],
    )
  })

  test('as somebody else with a passkey, or by registering, ends the session that it replaces', async () => {
    const { authenticator } = await enrol(shared())
    const [one, two] = [await signedInPerson(shared()), await signedInPerson(shared())]
    assert.equal((await login(one, authenticator)).statusCode, 200)
    assert.equal((await one.get('/api/auth/me')).statusCode, 401)
    const body = { email: 'new.here@example.com', password: PASSWORD }
    assert.equal((await two.post('/api/auth/register', body)).statusCode, 201)
    assert.equal((await two.get('/api/auth/me')).statusCode, 401)
  })

  test('as the same person ends nothing, and neither does a sign-in that is refused', async () => {
    const person = await signedInPerson(shared(), { email: 'same@example.com', password: PASSWORD })
    await signedInPerson(shared(), { email: 'not.same@example.com', password: PASSWORD })
    const again = await person.post('/api/auth/login', { email: 'same@example.com', password: PASSWORD })
    assert.equal(again.statusCode, 200)
    const wrong = await person.post('/api/auth/login', { email: 'not.same@example.com', password: 'wrong' })
    assert.equal(wrong.statusCode, 401)
    assert.equal((await person.get('/api/auth/me')).statusCode, 200)
  })
})
