import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { sharedApp } from '../../support/app.ts'
import { onEachEngine } from '../../support/engines.ts'
import { signedInPerson, type SignedInPerson } from '../../support/people.ts'
import { newAuthenticator, register } from '../passkeys/ceremonies.ts'
import { addApp } from '../second-step/authenticator-app.ts'

interface Listed {
  users: { id: string; hasPasskey: boolean; hasSecondStep: boolean }[]
  total: number
}

onEachEngine('the list of users by how they sign in', (engine) => {
  const app = sharedApp({ engine })
  let admin: SignedInPerson
  let withPasskey: SignedInPerson
  let withApp: SignedInPerson
  let withNeither: SignedInPerson
  before(async () => {
    admin = await signedInPerson(app(), { admin: true })
    const password = 'four unusual words here'
    withPasskey = await signedInPerson(app(), { password })
    withApp = await signedInPerson(app(), { password })
    withNeither = await signedInPerson(app(), { password })
    await register(withPasskey, newAuthenticator())
    await addApp(app(), withApp)
    await register(admin, newAuthenticator())
  })
  const list = async (query: string) => {
    const answer = await admin.get(`/api/admin/users?${query}`)
    assert.equal(answer.statusCode, 200, answer.body)
    const { users, total } = answer.json<Listed>()
    assert.equal(total, users.length)
    return users.map(({ id }) => id).toSorted()
  }
  const ids = (...people: SignedInPerson[]) => people.map(({ user }) => user.id).toSorted()

  test('finds who has no passkey, and who has neither a passkey nor a second step', async () => {
    assert.deepEqual(await list('lacks=passkey'), ids(withApp, withNeither))
    assert.deepEqual(await list('lacks=passkey_and_second_step'), ids(withNeither))
  })

  test('goes together with a search, a state and an order', async () => {
    assert.deepEqual(await list(`lacks=passkey&q=${withApp.user.email}`), ids(withApp))
    assert.deepEqual(await list(`lacks=passkey&q=${withPasskey.user.email}`), [])
    assert.deepEqual(await list('lacks=passkey&status=disabled'), [])
    assert.deepEqual(await list('lacks=passkey&sort=-lastLoginAt&status=active'), ids(withApp, withNeither))
  })

  test('says of each what they have, in JSON and CSV', async () => {
    const { users } = (await admin.get('/api/admin/users')).json<Listed>()
    const said = new Map(users.map(({ id, hasPasskey, hasSecondStep }) => [id, [hasPasskey, hasSecondStep]]))
    assert.deepEqual(said.get(withPasskey.user.id), [true, false])
    assert.deepEqual(said.get(withApp.user.id), [false, true])
    assert.deepEqual(said.get(withNeither.user.id), [false, false])
    const { body } = await admin.get('/api/admin/users?format=csv&lacks=passkey')
    const rows = body.split('\r\n').filter((row) => row !== '')
    assert.match(rows[0] ?? '', /,hasPasskey,hasSecondStep,id$/)
    assert.ok(rows.some((row) => row.endsWith(`,false,true,${withApp.user.id}`)))
    assert.equal(rows.length, 3)
  })

  test('refuses another word', async () => {
    assert.equal((await admin.get('/api/admin/users?lacks=second_step')).statusCode, 400)
  })
})
