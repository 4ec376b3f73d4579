import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../support/app.ts'
import { onEachEngine } from '../support/engines.ts'
import { anonymous, signedInPerson } from '../support/people.ts'

const URL = '/api/admin/bootstrap'
const config = { adminBootstrapSecret: 'open sesame, the long version' }
const right = { secret: config.adminBootstrapSecret }
const wrong = { secret: 'open sesame' }

onEachEngine('bootstrap', (engine) => {
  test('makes the first administrator, once', async (t) => {
    const app = await startApp(t, { engine, config })
    const person = await signedInPerson(app)
    const response = await person.post(URL, right)
    assert.equal(response.statusCode, 200, response.body)
    const { success, user } = response.json<{ success: boolean; user: { roles: { name: string }[] } }>()
    assert.equal(success, true)
    assert.deepEqual(
      user.roles.map(({ name }) => name),
      ['admin', 'user'],
    )
    assert.equal((await person.get('/api/admin/users')).statusCode, 200)
    const late = await signedInPerson(app)
    assert.equal((await late.post(URL, right)).statusCode, 409)
    assert.equal((await person.post(URL, right)).statusCode, 409)
    assert.equal((await late.get('/api/admin/users')).statusCode, 403)
  })

  test('needs a session: 401 without, also with the right secret', async (t) => {
    const app = await startApp(t, { engine, config })
    assert.equal((await anonymous(app).post(URL, right)).statusCode, 401)
  })

  test('a wrong secret is 403, before and after there is an administrator', async (t) => {
    const app = await startApp(t, { engine, config })
    const person = await signedInPerson(app)
    const refused = await person.post(URL, wrong)
    assert.equal(refused.statusCode, 403)
    assert.equal(refused.json<{ code: string }>().code, 'wrong_secret')
    assert.equal((await person.post(URL, {})).statusCode, 400)
    assert.equal((await person.post(URL, { secret: ['open'] })).statusCode, 400)
    await person.post(URL, right)
    assert.equal((await person.post(URL, wrong)).statusCode, 403)
  })

  test('twenty at once make one administrator: one 200, nineteen 409', async (t) => {
    const app = await startApp(t, { engine, config })
    const second = engine === 'postgres' ? await startApp(t, { engine, config, place: app.place }) : app
    const people = []
    for (let index = 0; index < 20; index++) people.push(await signedInPerson(index % 2 === 0 ? app : second))
    const answers = await Promise.all(people.map((person) => person.post(URL, right)))
    assert.equal(answers.filter(({ statusCode }) => statusCode === 200).length, 1)
    assert.equal(answers.filter(({ statusCode }) => statusCode === 409).length, 19)
  })

  test('guessing is limited to five failures an address, also in a burst', async (t) => {
    const app = await startApp(t, { engine, config })
    const person = await signedInPerson(app)
    const answers = await Promise.all(Array.from({ length: 20 }, () => person.post(URL, wrong)))
    assert.equal(answers.filter(({ statusCode }) => statusCode === 403).length, 5)
    assert.equal(answers.filter(({ statusCode }) => statusCode === 429).length, 15)
    const limited = await person.post(URL, right)
    assert.equal(limited.statusCode, 429)
    assert.ok(Number(limited.headers['retry-after']) > 0)
    app.clock.advance(15 * 60_000 + 1)
    assert.equal((await person.post(URL, right)).statusCode, 200)
  })

  test('both outcomes are in the audit trail, without the secret', async (t) => {
    const app = await startApp(t, { engine, config })
    const person = await signedInPerson(app)
    await person.post(URL, wrong)
    await person.post(URL, right)
    const response = await person.get('/api/admin/audit?action=administrator.bootstrapped')
    const { events } = response.json<{ events: { outcome: string; actorId: string }[] }>()
    assert.deepEqual(events.map(({ outcome }) => outcome).toSorted(), ['refused', 'success'])
    assert.ok(events.every(({ actorId }) => actorId === person.user.id))
    assert.ok(!response.body.includes('sesame') && !app.logged().includes('sesame'))
  })
})
