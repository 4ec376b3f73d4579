import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../support/app.ts'
import { MAIN_ENGINE, onEachEngine } from '../../support/engines.ts'
import { anonymous, signedInPerson } from '../../support/people.ts'

const BOOTSTRAP_PATH = '/api/admin/bootstrap'
const config = { adminBootstrapSecret: 'open sesame, the long version' }
const correct = { secret: config.adminBootstrapSecret }
const wrong = { secret: 'open sesame' }

onEachEngine('bootstrap', (engine) => {
  test('answers one of twenty concurrent requests with 200 and nineteen with 409', async (t) => {
    const app = await startApp(t, { engine, config })
    const second = engine === 'postgres' ? await startApp(t, { engine, config, storage: app.storage }) : app
    const people = []
    for (let index = 0; index < 20; index++) people.push(await signedInPerson(index % 2 === 0 ? app : second))
    const answers = await Promise.all(people.map((person) => person.post(BOOTSTRAP_PATH, correct)))
    assert.equal(answers.filter(({ statusCode }) => statusCode === 200).length, 1)
    assert.equal(answers.filter(({ statusCode }) => statusCode === 409).length, 19)
  })

  test('is limited to five failures per IP address, also for concurrent requests', async (t) => {
    const app = await startApp(t, { engine, config })
    const person = await signedInPerson(app)
    const answers = await Promise.all(Array.from({ length: 20 }, () => person.post(BOOTSTRAP_PATH, wrong)))
    assert.equal(answers.filter(({ statusCode }) => statusCode === 403).length, 5)
    assert.equal(answers.filter(({ statusCode }) => statusCode === 429).length, 15)
    const limited = await person.post(BOOTSTRAP_PATH, correct)
    assert.equal(limited.statusCode, 429)
    assert.ok(Number(limited.headers['retry-after']) > 0)
    app.clock.advance(15 * 60_000 + 1)
    assert.equal((await person.post(BOOTSTRAP_PATH, correct)).statusCode, 200)
  })

  // The rest is the same on every engine.
  if (engine !== MAIN_ENGINE) return

  test('makes the first administrator, and only the first', async (t) => {
    const app = await startApp(t, { engine, config })
    const person = await signedInPerson(app)
    const response = await person.post(BOOTSTRAP_PATH, correct)
    assert.equal(response.statusCode, 200, response.body)
    const { success, user } = response.json<{ success: boolean; user: { roles: { name: string }[] } }>()
    assert.equal(success, true)
    assert.deepEqual(
      user.roles.map(({ name }) => name),
      ['admin', 'user'],
    )
    assert.equal((await person.get('/api/admin/users')).statusCode, 200)
    const late = await signedInPerson(app)
    assert.equal((await late.post(BOOTSTRAP_PATH, correct)).statusCode, 409)
    assert.equal((await person.post(BOOTSTRAP_PATH, correct)).statusCode, 409)
    assert.equal((await late.get('/api/admin/users')).statusCode, 403)
  })

  test('answers 401 without a session, even with the correct secret', async (t) => {
    const app = await startApp(t, { engine, config })
    assert.equal((await anonymous(app).post(BOOTSTRAP_PATH, correct)).statusCode, 401)
  })

  test('answers 403 to a wrong secret, before and after there is an administrator', async (t) => {
    const app = await startApp(t, { engine, config })
    const person = await signedInPerson(app)
    const refused = await person.post(BOOTSTRAP_PATH, wrong)
    assert.equal(refused.statusCode, 403)
    const { code, issues } = refused.json<{ code: string; issues: { path: string; reason: string }[] }>()
    assert.equal(code, 'wrong_secret')
    assert.deepEqual(
      issues.map(({ path, reason }) => [path, reason]),
      [['secret', 'bootstrap_secret_wrong']],
    )
    assert.equal((await person.post(BOOTSTRAP_PATH, {})).statusCode, 400)
    assert.equal((await person.post(BOOTSTRAP_PATH, { secret: ['open'] })).statusCode, 400)
    await person.post(BOOTSTRAP_PATH, correct)
    assert.equal((await person.post(BOOTSTRAP_PATH, wrong)).statusCode, 403)
  })

  test('is recorded in the audit trail whether it succeeds or fails, without the secret', async (t) => {
    const app = await startApp(t, { engine, config })
    const person = await signedInPerson(app)
    await person.post(BOOTSTRAP_PATH, wrong)
    await person.post(BOOTSTRAP_PATH, correct)
    const response = await person.get('/api/admin/audit?action=administrator.bootstrapped')
    const { events } = response.json<{ events: { outcome: string; actorId: string }[] }>()
    assert.deepEqual(events.map(({ outcome }) => outcome).toSorted(), ['refused', 'success'])
    assert.ok(events.every(({ actorId }) => actorId === person.user.id))
    assert.ok(!response.body.includes('sesame') && !app.logged().includes('sesame'))
  })
})
