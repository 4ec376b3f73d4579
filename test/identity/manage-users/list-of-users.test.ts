import assert from 'node:assert/strict'
import { test } from 'node:test'
import { IDLE_MS } from '../../../src/identity/sessions/session.ts'
import type { User } from '../../../src/identity/users/user.ts'
import { startApp } from '../../support/app.ts'
import { onEachEngine } from '../../support/engines.ts'
import { anonymous, cookieOf, signedInPerson } from '../../support/people.ts'

const PASSWORD = 'correct horse battery staple'

interface Page {
  users: User[]
  nextCursor: string | null
}

onEachEngine('the list of users', (engine) => {
  test('pages through all users once, newest first, while users are added', async (t) => {
    const app = await startApp(t, { engine })
    const admin = await signedInPerson(app, { admin: true })
    for (let index = 0; index < 25; index++) {
      if (index % 3 === 0) app.clock.advance(1)
      await signedInPerson(app, { email: `p${index}@example.com` })
    }
    const seen: string[] = []
    let cursor = ''
    for (;;) {
      const page = (await admin.get(`/api/admin/users?limit=4${cursor}`)).json<Page>()
      seen.push(...page.users.map(({ email }) => email))
      if (page.nextCursor === null) break
      cursor = `&cursor=${page.nextCursor}`
      app.clock.advance(1)
      await signedInPerson(app)
    }
    const expected = ['p24', 'p0'].map((name) => seen.indexOf(`${name}@example.com`))
    assert.ok(expected[0]! < expected[1]!)
    assert.equal(new Set(seen).size, seen.length)
    assert.equal(seen.filter((email) => /^p\d+@/.test(email)).length, 25)
  })

  test('does not count sessions beyond their idle limit in the details of a user', async (t) => {
    const app = await startApp(t, { engine })
    const admin = await signedInPerson(app, { admin: true })
    const email = 'idle@example.com'
    const person = await signedInPerson(app, { email, password: PASSWORD })
    const sessions = async () =>
      (await admin.get(`/api/admin/users/${person.user.id}`)).json<{ sessions: number }>().sessions
    const login = await anonymous(app).post('/api/auth/login', { email, password: PASSWORD })
    assert.equal(login.statusCode, 200, login.body)
    app.clock.advance(IDLE_MS - 1)
    assert.equal(await sessions(), 2)
    app.clock.advance(1)
    assert.equal(await sessions(), 1)
    assert.equal((await anonymous(app, cookieOf(login)).get('/api/auth/me')).statusCode, 401)
  })
})
