import assert from 'node:assert/strict'
import { test } from 'node:test'
import { issue, saveKey } from '../../ssh/public-keys.ts'
import { sharedApp, type TestApp } from '../../support/app.ts'
import { getTokens, isLive, registerApplication } from '../../support/application.ts'
import { onMainEngine } from '../../support/engines.ts'
import { lastMailTo, sentMails } from '../../support/mail.ts'
import { type Person, signedInPerson, type SignedInPerson, signIn } from '../../support/people.ts'
import { enrol, login } from '../passkeys/ceremonies.ts'

const PARTS = [
  'sessions',
  'passkeys',
  'sshKeys',
  'certificates',
  'sshSessions',
  'apps',
  'appPasswords',
  'roles',
  'pendingActions',
]

const typesOf = async (person: Person): Promise<string[]> =>
  (await person.get('/api/notifications')).json().notifications.map(({ type }: { type: string }) => type)

/** The entries of the audit trail with this action about this target. */
const eventsOf = ({ services: { db } }: TestApp, action: string, targetId: string) =>
  db.read
    .selectFrom('audit_events')
    .select(['actor_id', 'data'])
    .where('action', '=', action)
    .where('target_id', '=', targetId)
    .execute()

onMainEngine('the access of a user', (engine) => {
  const shared = sharedApp({ engine })
  const accessOf = (caller: Person, { user }: SignedInPerson) => caller.get(`/api/admin/users/${user.id}/access`)

  test('is shown part by part as its owner sees it, without secrets', async () => {
    const admin = await signedInPerson(shared(), { admin: true })
    const person = await signedInPerson(shared(), { permissions: ['ssh:keys:manage', 'ssh:cert:issue'] })
    const key = await saveKey(person)
    const expired = await issue(person, key, 60)
    shared().clock.advance(61_000)
    const revoked = await issue(person, key)
    await admin.post(`/api/ssh/certs/${revoked.id}/revoke`, {})
    const valid = await issue(person, key)
    await getTokens(shared(), person, await registerApplication(shared()))
    const planned = { action: 'disable', executeAt: shared().clock.now() + 3_600_000 }
    await admin.post(`/api/admin/users/${person.user.id}/lifecycle`, planned)

    const answer = await accessOf(admin, person)
    assert.equal(answer.statusCode, 200)
    const access = answer.json()
    assert.deepEqual(Object.keys(access).toSorted(), PARTS.toSorted())
    const own = (await person.get('/api/auth/sessions')).json().sessions
    assert.deepEqual(access.sessions, [{ ...own[0], current: false }])
    assert.deepEqual(access.sshKeys, (await person.get('/api/ssh/keys')).json().keys)
    assert.deepEqual(access.apps, (await person.get('/api/account/oauth/grants')).json().grants)
    assert.deepEqual(access.roles, (await person.get('/api/auth/me')).json().roles)
    const certificateIds = access.certificates.map(({ id }: { id: string }) => id)
    assert.deepEqual(certificateIds, [valid.id])
    assert.ok(!certificateIds.includes(expired.id))
    assert.equal(access.pendingActions[0].executeAt, planned.executeAt)
    assert.doesNotMatch(answer.body, /hash|secret|public_key|token_/i)
  })

  test('shows the passkeys as their owner sees them', async () => {
    const admin = await signedInPerson(shared(), { admin: true })
    const { person, passkey } = await enrol(shared())
    assert.deepEqual((await accessOf(admin, person)).json().passkeys, [passkey])
  })

  test('is null in the parts that the caller may not see', async () => {
    const person = await signedInPerson(shared())
    const nullsFor = async (caller: SignedInPerson) => {
      const access = (await accessOf(caller, person)).json()
      return PARTS.filter((part) => access[part] === null)
    }
    const reader = await signedInPerson(shared(), { permissions: ['users:read'] })
    assert.deepEqual(await nullsFor(reader), ['sessions', 'sshKeys', 'certificates', 'sshSessions', 'pendingActions'])
    const lister = await signedInPerson(shared(), { permissions: ['users:read', 'ssh:cert:list'] })
    assert.deepEqual(await nullsFor(lister), ['sessions', 'pendingActions'])
    const ender = await signedInPerson(shared(), { permissions: ['users:read', 'users:lifecycle'] })
    assert.deepEqual(await nullsFor(ender), ['sshKeys', 'certificates', 'sshSessions'])
  })

  test('is refused without users:read, and for a user that does not exist', async () => {
    const person = await signedInPerson(shared())
    const ender = await signedInPerson(shared(), { permissions: ['users:lifecycle'] })
    const reader = await signedInPerson(shared(), { permissions: ['users:read'] })
    assert.equal((await accessOf(ender, person)).statusCode, 403)
    assert.equal((await reader.get('/api/admin/users/usr_nobody/access')).statusCode, 404)
  })

  test('POST …/sign-out ends every session and token, notifies the person and is in the audit trail', async () => {
    const admin = await signedInPerson(shared(), { permissions: ['users:lifecycle'] })
    const person = await signedInPerson(shared())
    const elsewhere = await signIn(shared(), person.user)
    const application = await registerApplication(shared())
    const tokens = await getTokens(shared(), person, application)
    const answer = await admin.post(`/api/admin/users/${person.user.id}/sign-out`)
    assert.equal(answer.statusCode, 200, answer.body)
    assert.deepEqual(answer.json(), { success: true })
    for (const each of [person, elsewhere]) assert.equal((await each.get('/api/auth/me')).statusCode, 401)
    assert.equal(await isLive(shared(), application, tokens.access_token), false)
    const again = await signIn(shared(), person.user)
    assert.ok((await typesOf(again)).includes('security.signed_out'))
    assert.equal((await again.get('/api/account/oauth/grants')).json().grants.length, 1)
    const [event] = await eventsOf(shared(), 'user.signed_out', person.user.id)
    assert.equal(event?.actor_id, admin.user.id)
    assert.deepEqual(JSON.parse(event?.data ?? ''), { ended: { sessions: 2, tokens: 1 } })
  })

  test('DELETE …/sessions/:sessionId ends that session of that person and no other', async () => {
    const admin = await signedInPerson(shared(), { permissions: ['users:lifecycle'] })
    const person = await signedInPerson(shared())
    const elsewhere = await signIn(shared(), person.user)
    const other = await signedInPerson(shared())
    const url = (userId: string, sessionId: string) => `/api/admin/users/${userId}/sessions/${sessionId}`
    assert.equal((await admin.delete(url(person.user.id, other.sessionId))).statusCode, 404)
    assert.equal((await other.get('/api/auth/me')).statusCode, 200)
    const answer = await admin.delete(url(person.user.id, elsewhere.sessionId))
    assert.deepEqual([answer.statusCode, answer.json()], [200, { success: true }])
    assert.equal((await elsewhere.get('/api/auth/me')).statusCode, 401)
    assert.equal((await person.get('/api/auth/me')).statusCode, 200)
    assert.equal((await admin.delete(url(person.user.id, elsewhere.sessionId))).statusCode, 404)
    const { notifications } = (await person.get('/api/notifications')).json()
    assert.equal(notifications[0].type, 'security.session_ended')
    assert.deepEqual(notifications[0].data, {
      sessionId: elsewhere.sessionId,
      ipAddress: '127.0.0.1',
      userAgent: 'test',
    })
    const [event] = await eventsOf(shared(), 'session.revoked', elsewhere.sessionId)
    assert.equal(event?.actor_id, admin.user.id)
    assert.deepEqual(JSON.parse(event?.data ?? ''), { userId: person.user.id })
  })

  test('DELETE …/passkeys/:passkeyId removes a passkey, also the only way to sign in', async () => {
    const admin = await signedInPerson(shared(), { permissions: ['users:lifecycle'] })
    const { person, authenticator, passkey, visitor } = await enrol(shared())
    const other = await signedInPerson(shared())
    assert.equal((await admin.delete(`/api/admin/users/${other.user.id}/passkeys/${passkey.id}`)).statusCode, 404)
    const answer = await admin.delete(`/api/admin/users/${person.user.id}/passkeys/${passkey.id}`)
    assert.deepEqual([answer.statusCode, answer.json()], [200, { success: true }])
    assert.equal((await login(visitor, authenticator)).statusCode, 401)
    assert.equal((await typesOf(person))[0], 'security.passkey_removed')
    const [event] = await eventsOf(shared(), 'passkey.removed', passkey.id)
    assert.equal(event?.actor_id, admin.user.id)
  })

  test('POST …/password-reset sends a link that works, and changes nothing before', async () => {
    const admin = await signedInPerson(shared(), { permissions: ['users:write'] })
    const person = await signedInPerson(shared(), { password: 'four unusual words here' })
    const answer = await admin.post(`/api/admin/users/${person.user.id}/password-reset`)
    assert.deepEqual([answer.statusCode, answer.json()], [200, { success: true }])
    assert.equal((await typesOf(person))[0], 'security.password_reset_sent')
    const [event] = await eventsOf(shared(), 'user.password_reset_sent', person.user.id)
    assert.equal(event?.actor_id, admin.user.id)
    const { token } = await lastMailTo(shared(), person.user.email, '/reset-password')
    const body = { token, newPassword: 'entirely new words now' }
    assert.equal((await person.post('/api/auth/password-reset/confirm', body)).statusCode, 200)
    assert.equal((await person.get('/api/auth/me')).statusCode, 401)
  })

  test('a reset link is refused for a disabled account', async () => {
    const admin = await signedInPerson(shared(), { admin: true })
    const person = await signedInPerson(shared())
    await admin.post(`/api/admin/users/${person.user.id}/lifecycle`, { action: 'disable' })
    assert.equal((await admin.post(`/api/admin/users/${person.user.id}/password-reset`)).statusCode, 409)
    assert.ok(!(await sentMails(shared())).some(({ to }) => to === person.user.email))
  })

  test('nobody ends the access of a person who holds more, and nothing changes', async () => {
    const caller = await signedInPerson(shared(), { permissions: ['users:lifecycle', 'users:write'] })
    const boss = await enrol(shared())
    const admin = await signedInPerson(shared(), { admin: true })
    const roles = (await admin.get('/api/admin/roles')).json().roles as { id: string; name: string }[]
    const roleId = roles.find(({ name }) => name === 'admin')?.id
    await admin.post(`/api/admin/users/${boss.person.user.id}/roles`, { roleId })
    const base = `/api/admin/users/${boss.person.user.id}`
    for (const answer of [
      await caller.post(`${base}/sign-out`),
      await caller.post(`${base}/password-reset`),
      await caller.delete(`${base}/sessions/${boss.person.sessionId}`),
      await caller.delete(`${base}/passkeys/${boss.passkey.id}`),
    ])
      assert.equal(answer.statusCode, 403)
    assert.equal((await boss.person.get('/api/auth/me')).statusCode, 200)
    assert.equal((await boss.person.get('/api/passkeys')).json().passkeys.length, 1)
    assert.ok(!(await sentMails(shared())).some(({ to }) => to === boss.person.user.email))
  })

  test('ending access needs its permission, and answers 404 for a user that does not exist', async () => {
    const person = await signedInPerson(shared())
    const reader = await signedInPerson(shared(), { permissions: ['users:read'] })
    const admin = await signedInPerson(shared(), { admin: true })
    for (const [caller, userId, status] of [
      [reader, person.user.id, 403],
      [admin, 'usr_nobody', 404],
    ] as const) {
      const base = `/api/admin/users/${userId}`
      assert.equal((await caller.post(`${base}/sign-out`)).statusCode, status)
      assert.equal((await caller.post(`${base}/password-reset`)).statusCode, status)
      assert.equal((await caller.delete(`${base}/sessions/${person.sessionId}`)).statusCode, status)
      assert.equal((await caller.delete(`${base}/passkeys/x`)).statusCode, status)
    }
  })
})
