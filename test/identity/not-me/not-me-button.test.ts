import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sharedApp } from '../../support/app.ts'
import { onEachEngine } from '../../support/engines.ts'
import { anonymous, cookieOf, type Person, signedInPerson, signIn } from '../../support/people.ts'
import { confirmedPerson, DAY, move, newEmail, PASSWORD, tokenFor } from '../account/moved-address.ts'
import { login, newAuthenticator, register } from '../passkeys/ceremonies.ts'
import { livesOn, notificationOf, notMeToken, passwordWorks, preview, undoneBy } from './disowned.ts'

onEachEngine('“this was not me” about a notification', (engine) => {
  const shared = sharedApp({ engine })
  const app = () => shared()
  const undo = (person: Person, id: string, body: object = { currentPassword: PASSWORD }) =>
    person.post(`/api/notifications/${id}/not-me`, body)

  test('undoes what the link would, and ends the session that said so as well', async () => {
    const who = await confirmedPerson(app())
    const theirs = newAuthenticator()
    await register(who, theirs, {}, 'Theirs')
    const { id } = await notificationOf(who, 'security.passkey_added')
    const answer = await undo(who, id)
    assert.deepEqual(undoneBy(answer), {
      success: true,
      about: 'security.passkey_added',
      ends: { sessions: 1, apps: 0, appPasswords: 0 },
      removes: [{ kind: 'passkey', name: 'Theirs', count: 1 }],
      clearsPassword: true,
    })
    assert.equal(cookieOf(answer), '')
    assert.equal(await livesOn(who), false)
    assert.equal((await login(anonymous(app()), theirs)).statusCode, 401)
    assert.equal(await passwordWorks(app(), who, PASSWORD), false)
    await tokenFor(app(), who.user.email, '/reset-password')
    // The link in the mail finds that nothing is left.
    const token = await notMeToken(app(), who.user.email, /passkey/)
    assert.deepEqual(undoneBy(await preview(app(), token)).removes, [])
  })

  test('needs the password: a session left open is not enough', async () => {
    const who = await confirmedPerson(app())
    await register(who, newAuthenticator())
    const { id } = await notificationOf(who, 'security.passkey_added')
    assert.equal((await undo(who, id, {})).statusCode, 400)
    assert.deepEqual((await undo(who, id, { currentPassword: 'a wrong one' })).json().code, 'wrong_password')
    assert.equal((await undo(anonymous(app()), id)).statusCode, 401)
    assert.equal(await livesOn(who), true)
  })

  test('needs a passkey of the last ten minutes from somebody without a password', async () => {
    const who = await signedInPerson(app())
    const own = newAuthenticator()
    await register(who, own)
    const { id } = await notificationOf(who, 'security.passkey_added')
    assert.deepEqual((await undo(who, id, {})).json().code, 'fresh_sign_in_needed')
    const fresh = anonymous(app())
    fresh.cookie = cookieOf(await login(fresh, own)) ?? ''
    assert.equal((await undo(fresh, id, {})).statusCode, 200)
  })

  test('is for one’s own notifications about security, once, and for seven days', async () => {
    const who = await confirmedPerson(app())
    await register(who, newAuthenticator())
    const { id } = await notificationOf(who, 'security.passkey_added')
    const other = await confirmedPerson(app())
    assert.equal((await undo(other, id)).statusCode, 404)
    const admin = await signedInPerson(app(), { admin: true, password: PASSWORD })
    assert.equal((await undo(who, id)).statusCode, 200)
    const told = await notificationOf(admin, 'user.not_me')
    assert.deepEqual([told.data['userId'], told.data['actorId']], [who.user.id, who.user.id])
    assert.equal((await undo(admin, told.id)).json().reason, 'nothing_to_undo')

    await register(other, newAuthenticator())
    const late = await notificationOf(other, 'security.passkey_added')
    const later = await signIn(app(), other.user)
    app().clock.advance(7 * DAY)
    assert.equal((await undo(later, late.id)).json().reason, 'too_late_to_undo')
  })

  test('is refused a second time, also by another session of the same moment', async () => {
    const who = await signedInPerson(app())
    const own = newAuthenticator()
    await register(who, own, {}, 'Own')
    await register(who, newAuthenticator(), {}, 'Theirs')
    const { id } = await notificationOf(who, 'security.passkey_added')
    const sessions = [anonymous(app()), anonymous(app())]
    for (const each of sessions) each.cookie = cookieOf(await login(each, own)) ?? ''
    const answers = await Promise.all(sessions.map((each) => undo(each, id, {})))
    assert.deepEqual(
      answers.map(({ statusCode }) => statusCode).toSorted((a, b) => a - b),
      [200, 401],
    )
    const again = anonymous(app())
    again.cookie = cookieOf(await login(again, own)) ?? ''
    assert.equal((await undo(again, id, {})).json().reason, 'undone_already')
  })

  test('restores an address that was changed', async () => {
    const who = await confirmedPerson(app())
    const token = await move(app(), who, who.user.email, newEmail())
    const { id } = await notificationOf(who, 'security.email_changed')
    assert.equal(undoneBy(await undo(who, id)).removes[0]?.kind, 'email')
    const again = await signIn(app(), who.user)
    assert.equal((await again.get('/api/account/profile')).json().email, who.user.email)
    assert.equal((await preview(app(), token)).statusCode, 400)
  })
})
