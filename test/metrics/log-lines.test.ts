import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../support/app.ts'
import { getTokens, registerApplication } from '../support/application.ts'
import { onEachEngine } from '../support/engines.ts'
import { anonymous, signedInPerson } from '../support/people.ts'

onEachEngine('a log line', (engine) => {
  test('names the request and whoever made it, the route and not the URL, and no secret', async (t) => {
    const app = await startApp(t, { engine, logLevel: 'trace' })
    const person = await signedInPerson(app, { email: 'ada@example.com' })
    const tokens = await getTokens(app, person, await registerApplication(app))
    const answer = await person.get('/api/auth/sessions?cursor=in-the-query')
    const bearer = { authorization: `Bearer ${tokens.access_token}` }
    await anonymous(app).get('/oauth/userinfo', undefined, bearer)
    await anonymous(app).post('/api/auth/login', { email: 'ada@example.com', password: 'never to be logged' })

    const lines = app
      .logged()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>)
    const line = lines.find(({ requestId }) => requestId === answer.headers['x-request-id'])
    assert.ok(line)
    assert.deepEqual(
      [line['user'], line['method'], line['route'], line['msg']],
      [person.user.id, 'GET', '/api/auth/sessions', 'request'],
    )
    assert.equal(typeof line['ms'], 'number')
    const secrets = [person.cookie, tokens.access_token, tokens.refresh_token, 'never to be logged', 'in-the-query']
    for (const secret of secrets) assert.ok(secret !== undefined && !app.logged().includes(secret), secret)
  })
})
