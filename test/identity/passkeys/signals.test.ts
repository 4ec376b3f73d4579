import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sharedApp } from '../../support/app.ts'
import { onMainEngine } from '../../support/engines.ts'
import { anonymous, type Person, signedInPerson } from '../../support/people.ts'
import { assertRefused, enrol, login, loginOptions, newAuthenticator, register, verifyLogin } from './ceremonies.ts'

const signalsOf = async (person: Person): Promise<unknown> => {
  const answer = await person.get('/api/passkeys/signals')
  assert.equal(answer.statusCode, 200, answer.body)
  return answer.json()
}

onMainEngine('what a browser is told of passkeys', (engine) => {
  const shared = sharedApp({ engine, config: { rateLimits: false } })

  test('are the credentials and names of the person who is signed in, as they are now, for a passkey as for the signals', async () => {
    const person = await signedInPerson(shared(), { email: 'ann@example.com', password: 'correct horse battery' })
    await enrol(shared())
    const userId = Buffer.from(person.user.id).toString('base64url')
    const nothing = {
      rpId: 'localhost',
      userId,
      allAcceptedCredentialIds: [],
      name: 'ann@example.com',
      displayName: 'ann@example.com',
      mayCreate: false,
    }
    assert.deepEqual(await signalsOf(person), nothing)

    const added = await register(person, newAuthenticator())
    const { passkey } = added.json<{ passkey: { id: string; credentialId: string } }>()
    const allAcceptedCredentialIds = [passkey.credentialId]
    assert.deepEqual(await signalsOf(person), { ...nothing, allAcceptedCredentialIds })
    assert.equal((await person.patch('/api/account/profile', { displayName: 'Ann' })).statusCode, 200)
    assert.deepEqual(await signalsOf(person), { ...nothing, allAcceptedCredentialIds, displayName: 'Ann' })
    const { user } = (await person.post('/api/passkeys/register/options')).json<{ user: object }>()
    assert.deepEqual(user, { id: userId, name: 'ann@example.com', displayName: 'Ann' })
    assert.equal((await person.delete(`/api/passkeys/${passkey.id}`)).statusCode, 200)
    assert.deepEqual(await signalsOf(person), { ...nothing, displayName: 'Ann' })
    assert.equal((await anonymous(shared()).get('/api/passkeys/signals')).statusCode, 401)
  })

  test('is that nobody here has a passkey that was removed, by the answer to a sign-in with it', async () => {
    const { person, authenticator, passkey, visitor } = await enrol(shared())
    await register(person, newAuthenticator())
    assert.equal((await person.delete(`/api/passkeys/${passkey.id}`)).statusCode, 200)
    assertRefused(await login(visitor, authenticator), 'passkey_not_known')
  })

  test('is nothing of a passkey that somebody has, also of a disabled account, or that was made elsewhere, or without a challenge', async () => {
    const admin = await signedInPerson(shared(), { admin: true })
    const { person, authenticator, visitor } = await enrol(shared())
    assertRefused(await login(visitor, authenticator, { signature: 'corrupt' }))
    assertRefused(await login(visitor, authenticator, { userHandle: Buffer.from(admin.user.id).toString('base64url') }))
    const disabled = await admin.post(`/api/admin/users/${person.user.id}/lifecycle`, { action: 'disable' })
    assert.equal(disabled.statusCode, 200, disabled.body)
    assertRefused(await login(visitor, authenticator, { signature: 'corrupt' }))

    const removed = newAuthenticator()
    const other = await signedInPerson(shared())
    removed.register((await other.post('/api/passkeys/register/options')).json())
    // Another service of the same RP id.
    for (const userHandle of ['AQID', Buffer.from('12345678901234567890123456').toString('base64url')]) {
      assertRefused(await login(visitor, removed, { userHandle }))
    }
    const options = await loginOptions(visitor)
    const response = removed.authenticate(options)
    assertRefused(await verifyLogin(visitor, crypto.randomUUID(), response))
    assertRefused(await verifyLogin(visitor, options.challengeId, response), 'passkey_not_known')
    // The challenge is used up: another answer costs another one, and counts as a failure.
    assertRefused(await verifyLogin(visitor, options.challengeId, response))
  })
})
