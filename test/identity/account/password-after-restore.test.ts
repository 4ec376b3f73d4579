import assert from 'node:assert/strict'
import { test } from 'node:test'
import { issueEmailToken } from '../../../src/identity/sign-in/email-tokens.ts'
import { TRUSTING } from '../../proxy/visits.ts'
import { issue, saveKey } from '../../ssh/public-keys.ts'
import { sharedApp } from '../../support/app.ts'
import { getTokens, registerApplication } from '../../support/application.ts'
import { onEachEngine } from '../../support/engines.ts'
import { anonymous, cookieOf, signedInPerson, signIn } from '../../support/people.ts'
import { enrol, login, newAuthenticator, register } from '../passkeys/ceremonies.ts'
import {
  PASSWORD,
  NEW_PASSWORD,
  DAY,
  newEmail,
  confirmedPerson,
  tokenFor,
  confirm,
  revert,
  reset,
  access,
  move,
  idsOf,
} from './moved-address.ts'

onEachEngine('the link to set a password after an address was taken back', (engine) => {
  const shared = sharedApp({ engine, config: TRUSTING })
  const app = () => shared()

  /** An account with two passkeys, an SSH key and a grant of long ago, whose owner has just taken the address back. */
  async function restored() {
    const who = await confirmedPerson(app())
    const application = await registerApplication(app())
    const [own, foreign] = [newAuthenticator(), newAuthenticator()]
    await register(who, own)
    app().clock.advance(1000)
    await register(who, foreign)
    const key = await saveKey(who)
    await getTokens(app(), who, application)
    app().clock.advance(20 * DAY)
    const asking = await signIn(app(), who.user)
    const certificate = await issue(asking, key)
    const link = await move(app(), asking, who.user.email, newEmail())
    assert.equal((await revert(app(), link)).statusCode, 200)
    const token = await tokenFor(app(), who.user.email, '/reset-password')
    return { who, application, own, foreign, key, certificate, token }
  }

  test('lists what is left, without secrets', async () => {
    const { token, key, application } = await restored()
    const answer = await access(app(), token)
    assert.equal(answer.statusCode, 200, answer.body)
    const { left } = answer.json()
    assert.deepEqual(Object.keys(left).toSorted(), ['apps', 'passkeys', 'sshKeys'])
    assert.equal(left.passkeys.length, 2)
    assert.deepEqual(idsOf(left.sshKeys), [key])
    assert.equal(left.apps[0].client_id, application.clientId)
    assert.doesNotMatch(answer.body, /public_key|password_hash|token_hash/)
    assert.match(String(answer.headers['cache-control']), /no-store/)
  })

  test('removes what is not kept, with what was added since the list was shown', async () => {
    const { who, token, own, foreign, certificate } = await restored()
    const { left } = (await access(app(), token)).json()
    const [first] = left.passkeys
    // The thief still has an older passkey, and adds another one before the owner has decided.
    const thief = anonymous(app())
    thief.cookie = cookieOf(await login(thief, foreign)) ?? ''
    const added = newAuthenticator()
    await register(thief, added)
    const keep = { passkeys: [first.id, 'gone-meanwhile'], sshKeys: [], apps: [] }
    const answer = await reset(app(), { token, newPassword: NEW_PASSWORD, keep })
    assert.equal(answer.statusCode, 200, answer.body)
    assert.equal((await login(anonymous(app()), own)).statusCode, 200)
    for (const gone of [foreign, added]) assert.equal((await login(anonymous(app()), gone)).statusCode, 401)
    assert.equal((await thief.get('/api/auth/me')).statusCode, 401)
    const again = await signIn(app(), who.user)
    assert.deepEqual(idsOf((await again.get('/api/passkeys')).json().passkeys), [first.id])
    assert.deepEqual((await again.get('/api/ssh/keys')).json().keys, [])
    assert.deepEqual((await again.get('/api/account/oauth/grants')).json().grants, [])
    const { certificates } = (await again.get('/api/ssh/certs/mine')).json()
    assert.notEqual(certificates.find(({ id }: { id: string }) => id === certificate.id).revokedAt, null)
    const admin = await signedInPerson(app(), { admin: true })
    const { events } = (await admin.get(`/api/admin/audit?target=${who.user.id}&action=user.password_reset`)).json()
    assert.deepEqual(events[0].data.removed, { passkeys: 2, sshKeys: 1, certificates: 1, grants: 1, appPasswords: 0 })
    assert.equal((await access(app(), token)).json().code, 'invalid_token')
  })

  test('leaves everything when nothing was decided, and a later link lists it still if this one was not used', async () => {
    const { who, token, own, foreign } = await restored()
    app().clock.advance(2 * 3_600_000)
    assert.equal((await access(app(), token)).json().code, 'invalid_token')
    await anonymous(app()).post('/api/auth/password-reset', { email: who.user.email })
    const newer = await tokenFor(app(), who.user.email, '/reset-password')
    assert.notEqual(newer, token)
    assert.equal((await access(app(), newer)).json().left.passkeys.length, 2)
    assert.equal((await reset(app(), { token: newer, newPassword: NEW_PASSWORD })).statusCode, 200)
    for (const kept of [own, foreign]) assert.equal((await login(anonymous(app()), kept)).statusCode, 200)
  })

  test('asks again with the next link, when the password was set by a caller that sends no decision', async () => {
    const { who, token, own } = await restored()
    assert.equal((await reset(app(), { token, newPassword: 'set without a decision' })).statusCode, 200)
    await anonymous(app()).post('/api/auth/password-reset', { email: who.user.email })
    const next = await tokenFor(app(), who.user.email, '/reset-password')
    const { left } = (await access(app(), next)).json()
    assert.deepEqual([left.passkeys.length, left.sshKeys.length, left.apps.length], [2, 1, 1])
    const keep = { passkeys: [], sshKeys: [], apps: [] }
    assert.equal((await reset(app(), { token: next, newPassword: NEW_PASSWORD, keep })).statusCode, 200)
    assert.equal((await login(anonymous(app()), own)).statusCode, 401)
    // The decision ends it.
    await anonymous(app()).post('/api/auth/password-reset', { email: who.user.email })
    const last = await tokenFor(app(), who.user.email, '/reset-password')
    assert.deepEqual((await access(app(), last)).json(), { removesAll: false, left: null })
  })

  test('nobody moves or deletes an account whose address was taken back, before its owner has set a password', async () => {
    const { who, token, foreign } = await restored()
    const { email } = who.user
    const thief = anonymous(app())
    thief.cookie = cookieOf(await login(thief, foreign)) ?? ''
    const to = newEmail()
    const isRefused = (answer: { statusCode: number; json: () => { code: string; error: string } }) => {
      assert.deepEqual([answer.statusCode, answer.json().code], [403, 'forbidden'])
      assert.match(answer.json().error, /First set a password/)
    }
    isRefused(await thief.post('/api/account/email', { email: to }))
    isRefused(await thief.delete('/api/account', { email }))
    // A link of before the address was taken back, as a replica of an earlier version may have sent one.
    const { services } = app()
    const change = { otherEmail: to, accessSince: 0 }
    const link = await services.db.transaction((trx) =>
      issueEmailToken(services, trx, 'email_change', { id: who.user.id, email }, change),
    )
    isRefused(await thief.post('/api/account/email/confirm', { token: link }))

    const keep = { passkeys: [], sshKeys: [], apps: [] }
    assert.equal((await reset(app(), { token, newPassword: NEW_PASSWORD, keep })).statusCode, 200)
    assert.equal((await login(anonymous(app()), foreign)).statusCode, 401)
    const owner = await signIn(app(), who.user)
    const asked = await owner.post('/api/account/email', { email: to, currentPassword: NEW_PASSWORD })
    assert.equal(asked.statusCode, 200, asked.body)
    assert.equal((await confirm(app(), owner, to)).statusCode, 200)
    const deleted = await owner.delete('/api/account', { email: to, currentPassword: NEW_PASSWORD })
    assert.equal(deleted.statusCode, 200, deleted.body)
  })

  test('of an ordinary reset lists nothing and removes nothing, and one that does not exist is refused', async () => {
    const { person, authenticator } = await enrol(app())
    await anonymous(app()).post('/api/auth/password-reset', { email: person.user.email })
    const token = await tokenFor(app(), person.user.email, '/reset-password')
    assert.deepEqual((await access(app(), token)).json(), { removesAll: false, left: null })
    const keep = { passkeys: [], sshKeys: [], apps: [] }
    const refused = await reset(app(), { token, newPassword: NEW_PASSWORD, keep })
    assert.deepEqual([refused.statusCode, refused.json().issues[0].path], [400, 'keep'])
    assert.equal((await login(anonymous(app()), authenticator)).statusCode, 200)
    assert.equal((await reset(app(), { token, newPassword: NEW_PASSWORD })).statusCode, 200)
    for (const bad of [token, 'pr_nothing', 'er_nothing']) {
      assert.equal((await access(app(), bad)).json().code, 'invalid_token')
    }
    const wrong = { token: 'pr_x', newPassword: NEW_PASSWORD, keep: { passkeys: ['x'] } }
    assert.equal((await reset(app(), wrong)).statusCode, 400)
  })

  test('of an account that was never confirmed says beforehand that everything goes', async () => {
    const email = newEmail()
    const stranger = anonymous(app())
    const registered = await stranger.post('/api/auth/register', { email, password: PASSWORD })
    stranger.cookie = cookieOf(registered) ?? ''
    const authenticator = newAuthenticator()
    await register(stranger, authenticator)
    await anonymous(app()).post('/api/auth/password-reset', { email })
    const token = await tokenFor(app(), email, '/reset-password')
    assert.deepEqual((await access(app(), token)).json(), { removesAll: true, left: null })
    assert.equal((await reset(app(), { token, newPassword: NEW_PASSWORD })).statusCode, 200)
    assert.equal((await login(anonymous(app()), authenticator)).statusCode, 401)
  })
})
