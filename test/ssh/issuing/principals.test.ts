import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sharedApp } from '../../support/app.ts'
import { onMainEngine } from '../../support/engines.ts'
import { issue, saveKey, signInCertificateUser } from '../public-keys.ts'

onMainEngine('the principals of SSH certificates', (engine) => {
  const shared = sharedApp({ engine })

  test('principals are the username and those of the roles, without names that sshd would misread', async () => {
    const app = shared()
    const person = await signInCertificateUser(app, ['web', 'db', 'db', 'a b', 'a,b', '', 'x\ny'])
    const { preferredUsername } = person.user
    assert.deepEqual((await person.get('/api/ssh/principals')).json(), { principals: [preferredUsername, 'db', 'web'] })
    const { principals } = await issue(person, await saveKey(person))
    assert.deepEqual(principals, [preferredUsername, 'db', 'web'])
  })

  test('a user without a principal gets no certificate, and an explanation', async () => {
    const app = shared()
    const person = await signInCertificateUser(app)
    const savedKeyId = await saveKey(person)
    await app.services.db.transaction((trx) =>
      trx.updateTable('users').set({ preferred_username: '' }).where('id', '=', person.user.id).execute(),
    )
    const response = await person.post('/api/ssh/certs/issue', { savedKeyId })
    assert.equal(response.statusCode, 409)
    assert.match(response.json().error, /administrator/)
    await app.services.db.transaction((trx) =>
      trx.updateTable('users').set({ preferred_username: 'back' }).where('id', '=', person.user.id).execute(),
    )
  })

  test('more principals than a certificate can hold are refused, not truncated', async () => {
    const app = shared()
    const person = await signInCertificateUser(
      app,
      Array.from({ length: 256 }, (_, index) => `p${index}`),
    )
    const response = await person.post('/api/ssh/certs/issue', { savedKeyId: await saveKey(person) })
    assert.equal(response.statusCode, 409)
    assert.match(response.json().error, /257/)
  })

  test('removing a role removes its principals immediately', async () => {
    const app = shared()
    const person = await signInCertificateUser(app)
    const extra = await signInCertificateUser(app, ['root'])
    const { db } = app.services
    const { role_id } = await db.read
      .selectFrom('user_roles')
      .innerJoin('roles', 'roles.id', 'user_roles.role_id')
      .select('role_id')
      .where('user_id', '=', extra.user.id)
      .where('built_in', '=', 0)
      .executeTakeFirstOrThrow()
    await db.transaction((trx) => trx.insertInto('user_roles').values({ user_id: person.user.id, role_id }).execute())
    const key = await saveKey(person)
    assert.ok((await issue(person, key)).principals.includes('root'))
    await db.transaction((trx) =>
      trx.deleteFrom('user_roles').where('user_id', '=', person.user.id).where('role_id', '=', role_id).execute(),
    )
    assert.ok(!(await issue(person, key)).principals.includes('root'))
  })
})
