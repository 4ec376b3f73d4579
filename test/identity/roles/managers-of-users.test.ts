import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { onMainEngine } from '../../support/engines.ts'
import { sentMails } from '../../support/mail.ts'
import { type SignedInPerson, signedInPerson } from '../../support/people.ts'
import {
  nextNumber,
  app,
  admin,
  startManagers,
  managerWith,
  newRole,
  give,
  stateOf,
  refusesGain,
  allows,
} from './managers.ts'

onMainEngine('managers with one permission', (engine) => {
  startManagers(engine)

  describe('users:write', () => {
    const manager = () => managerWith('users:read', 'users:write')
    const urlOf = ({ user }: SignedInPerson) => `/api/admin/users/${user.id}`

    test('changes neither the address nor the name of a person who has more, and sends no reset to an unconfirmed one', async () => {
      const person = await manager()
      const withAttributes = await signedInPerson(app)
      await give(withAttributes, await newRole({ attributes: { level: 9 } }))
      const ownAttributes = await signedInPerson(app)
      await admin.patch(urlOf(ownAttributes), { attributes: { tenant: 'x' } })
      const opens = await signedInPerson(app, { principals: [`unix${nextNumber()}`] })
      const stronger = await signedInPerson(app, { permissions: ['users:delete'] })
      for (const other of [withAttributes, ownAttributes, opens, stronger]) {
        const url = urlOf(other)
        const before = await stateOf(url)
        for (const change of [
          { email: `x${nextNumber()}@example.com` },
          { email_verified: true },
          { preferredUsername: `n${nextNumber()}` },
        ])
          assert.equal((await person.patch(url, change)).statusCode, 403, JSON.stringify(change))
        assert.equal((await person.post(`${url}/password-reset`)).statusCode, 403)
        assert.equal(await stateOf(url), before)
      }
      await admin.patch(urlOf(withAttributes), { email_verified: true })
      await allows('a reset to a confirmed address', person.post(`${urlOf(withAttributes)}/password-reset`))
      await allows('the shown name', person.patch(urlOf(withAttributes), { displayName: 'Other' }))
      await admin.patch(urlOf(stronger), { email_verified: true })
      assert.equal((await person.post(`${urlOf(stronger)}/password-reset`)).statusCode, 403)
      const plain = await signedInPerson(app)
      await allows('the address of others', person.patch(urlOf(plain), { email: `y${nextNumber()}@example.com` }))
    })

    test('changes nothing that applications call its holder', async () => {
      const person = await manager()
      const url = urlOf(person)
      await refusesGain('attributes', url, () => person.patch(url, { attributes: { level: 9 } }))
      await refusesGain('the username', url, () => person.patch(url, { preferredUsername: `boss${nextNumber()}` }))
      for (const by of [person, admin]) {
        const own = urlOf(by)
        const before = await stateOf(own)
        for (const change of [{ email: `z${nextNumber()}@example.com` }, { email_verified: true }])
          assert.equal((await by.patch(own, change)).statusCode, 409, JSON.stringify(change))
        assert.equal(await stateOf(own), before)
      }
      await allows(
        'as it is',
        person.patch(url, { email: person.user.email, email_verified: false, displayName: 'Me' }),
      )
    })

    test('gives a second account no role, and no permission', async () => {
      const person = await manager()
      const role = await newRole()
      const made = await person.post('/api/admin/users', {
        email: `second${nextNumber()}@example.com`,
        roleIds: [role.id],
      })
      assert.equal(made.statusCode, 403, made.body)
    })

    test('tells the old address that somebody has changed it, and only a confirmed one the new address', async () => {
      const person = await manager()
      for (const confirmed of [true, false]) {
        const other = await signedInPerson(app)
        await admin.patch(urlOf(other), { email_verified: confirmed })
        const email = `moved${nextNumber()}@example.com`
        const sent = (await sentMails(app)).length
        await allows('moving', person.patch(urlOf(other), { email }))
        const told = (await sentMails(app)).slice(sent).filter(({ to }) => to === other.user.email)
        assert.equal(told.length, 1)
        for (const { text } of told) assert.equal(text.includes(email), confirmed, text)
      }
    })
  })

  describe('users:lifecycle', () => {
    test('removes no passkey of a person with attributes that they lack, and signs them out', async () => {
      const person = await managerWith('users:read', 'users:lifecycle')
      const other = await signedInPerson(app)
      await admin.patch(`/api/admin/users/${other.user.id}`, { attributes: { level: 9 } })
      const url = `/api/admin/users/${other.user.id}`
      assert.equal((await person.delete(`${url}/passkeys/00000000-0000-4000-8000-000000000000`)).statusCode, 403)
      await allows('signing out', person.post(`${url}/sign-out`))
      await allows('disabling', person.post(`${url}/lifecycle`, { action: 'disable' }))
    })
  })
})
