import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sharedApp } from '../../support/app.ts'
import { onMainEngine } from '../../support/engines.ts'
import { signedInPerson } from '../../support/people.ts'

onMainEngine('attributes of people and roles', (engine) => {
  const app = sharedApp({ engine })
  let count = 0

  /** A person and a role with these attributes, and where an administrator reads and changes them. */
  const holder = async (own: object, attributes: object) => {
    const admin = await signedInPerson(app(), { admin: true })
    const person = await signedInPerson(app())
    const ofPerson = `/api/admin/users/${person.user.id}`
    assert.equal((await admin.patch(ofPerson, { attributes: own })).statusCode, 200)
    const answer = await admin.post('/api/admin/roles', { name: `Team${++count}`, attributes })
    assert.equal(answer.statusCode, 201, answer.body)
    const ofRole = `/api/admin/roles/${answer.json<{ role: { id: string } }>().role.id}`
    return { admin, person, ofPerson, ofRole }
  }

  test('are replaced as a whole, and shown to administrators only', async () => {
    const { admin, person, ofPerson, ofRole } = await holder(
      { shoe: 43, tags: ['a', 'b'], vip: true },
      { a: 1, b: 'x' },
    )
    const role = async () => (await admin.get(ofRole)).json<{ role: { attributes: object } }>().role
    assert.deepEqual((await role()).attributes, { a: 1, b: 'x' })
    await admin.patch(ofRole, { attributes: { c: false } })
    assert.deepEqual((await role()).attributes, { c: false })
    await admin.patch(ofRole, { description: 'Other' })
    assert.deepEqual((await role()).attributes, { c: false })
    const seen = (await admin.get(ofPerson)).json<{ user: { attributes: object } }>().user
    assert.deepEqual(seen.attributes, { shoe: 43, tags: ['a', 'b'], vip: true })
    assert.equal((await person.get('/api/auth/me')).body.includes('attributes'), false)
    assert.equal((await person.get('/api/account/profile')).body.includes('attributes'), false)
    await admin.patch(ofPerson, { attributes: {} })
    assert.deepEqual((await admin.get(ofPerson)).json<{ user: { attributes: object } }>().user.attributes, {})
  })

  test('that are malformed, too many or too large are refused and change nothing', async () => {
    const { admin, ofPerson, ofRole } = await holder({ kept: 1 }, { kept: 1 })
    const urls = [ofPerson, ofRole]
    const many = Object.fromEntries(Array.from({ length: 65 }, (_, at) => [`a${at}`, 1]))
    for (const attributes of [
      { '1a': 1 },
      { 'a b': 1 },
      { ['a'.repeat(65)]: 1 },
      { a: { b: 1 } },
      { a: [1] },
      { a: null },
      { a: 'x'.repeat(16 * 1024) },
      { a: 'ü'.repeat(8 * 1024) },
      { a: 'a\0b' },
      many,
      [],
    ])
      for (const url of urls) {
        const answer = await admin.patch(url, { attributes })
        assert.equal(answer.statusCode, 400, JSON.stringify(attributes).slice(0, 60))
        const record = (await admin.get(url)).json<Record<string, { attributes: object }>>()
        assert.deepEqual((record['user'] ?? record['role'])?.attributes, { kept: 1 })
      }
    const { a64: _, ...sixtyFour } = many
    const list = Array.from({ length: 2000 }, (_, at) => String(at))
    for (const attributes of [{ a: 'x'.repeat(16 * 1024 - 8) }, { list }, sixtyFour, { ['a'.repeat(64)]: 1 }])
      for (const url of urls) assert.equal((await admin.patch(url, { attributes })).statusCode, 200)
    const noPermission = await signedInPerson(app(), { permissions: ['users:read', 'roles:read'] })
    for (const url of urls) assert.equal((await noPermission.patch(url, { attributes: {} })).statusCode, 403)
  })
})
