import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { sharedApp } from '../support/app.ts'
import { onEachEngine } from '../support/engines.ts'
import { type SignedInPerson, signedInPerson } from '../support/people.ts'

onEachEngine('what no value can be, in a URL', (engine) => {
  const shared = sharedApp({ engine })
  let admin: SignedInPerson
  before(async () => {
    admin = await signedInPerson(shared(), { admin: true })
  })

  test('a number that is infinite is refused', async () => {
    for (const query of ['from=1e999', 'to=-1e999', 'from=1e300', 'limit=1e999']) {
      const response = await admin.get(`/api/admin/audit?${query}`)
      assert.equal(response.statusCode, 400, response.body)
      assert.equal(response.json<{ issues: { path: string }[] }>().issues[0]?.path, query.split('=')[0])
    }
  })

  test('a NUL is refused in a path and in a query, and the field is named', async () => {
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

  test('the question who asks comes first', async () => {
    const response = await shared().app.inject({ url: '/api/admin/users/a%00b' })
    assert.equal(response.statusCode, 401)
  })
})
