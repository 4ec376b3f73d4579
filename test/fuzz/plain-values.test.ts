import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { sharedApp } from '../support/app.ts'
import { onEachEngine } from '../support/engines.ts'
import { type SignedInPerson, signedInPerson } from '../support/people.ts'

onEachEngine('values in a URL', (engine) => {
  const shared = sharedApp({ engine })
  let admin: SignedInPerson
  before(async () => {
    admin = await signedInPerson(shared(), { admin: true })
  })

  test('an infinite number is refused, with the name of the parameter', async () => {
    for (const query of ['from=1e999', 'to=-1e999', 'from=1e300', 'limit=1e999']) {
      const response = await admin.get(`/api/admin/audit?${query}`)
      assert.equal(response.statusCode, 400, response.body)
      assert.equal(response.json<{ issues: { path: string }[] }>().issues[0]?.path, query.split('=')[0])
    }
  })

  test('a NUL character in a path or in a query is refused', async () => {
    const refused = [
      await admin.get('/api/admin/users/a%00b'),
      await admin.delete('/api/admin/users/a%00b'),
      await admin.get('/api/admin/users?q=a%00b'),
      await admin.get('/api/admin/audit?target=%00'),
      await admin.get('/oauth/clients/%00'),
    ]
    for (const response of refused) {
      assert.equal(response.statusCode, 400, response.body)
      const { code, issues } = response.json<{ code: string; issues: { path: string; message: string }[] }>()
      assert.equal(code, 'invalid_input')
      assert.equal(issues[0]?.message, 'holds a NUL character')
    }
  })

  test('a missing session answers 401 before the values are checked', async () => {
    const response = await shared().app.inject({ url: '/api/admin/users/a%00b' })
    assert.equal(response.statusCode, 401)
  })
})
