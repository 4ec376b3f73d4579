import assert from 'node:assert/strict'
import { test } from 'node:test'
import { revokeAccess } from '../../../src/identity/lifecycle/revoke-access.ts'
import { openAuthority } from '../../../src/platform/openssh/certificate.ts'
import { parsePublicKey } from '../../../src/platform/openssh/public-key.ts'
import { USER_ROLE } from '../../../src/vocabulary/built-in-roles.ts'
import { parseCertificateLine, readCertificate } from '../../platform/openssh/read-certificate.ts'
import { sharedApp, type TestApp } from '../../support/app.ts'
import { sendWithDelayedBody } from '../../support/delayed-body.ts'
import { MAIN_ENGINE, onEachEngine } from '../../support/engines.ts'
import { anonymous, type SignedInPerson, signedInPerson, signIn } from '../../support/people.ts'
import { issue, newPublicKey, saveKey, signInCertificateUser } from '../public-keys.ts'

onEachEngine('SSH certificates', (engine) => {
  const shared = sharedApp({ engine })

  test('each of many concurrent requests gets its own answer', async () => {
    const app = shared()
    const people = await Promise.all([signInCertificateUser(app), signInCertificateUser(app)])
    const keys = await Promise.all(people.map((person) => saveKey(person)))
    const { blob } = openAuthority(app.services.sshCa.privateKey)
    const request = async (index: number) => {
      const [own, isForeign] = [index % 2, index % 7 === 0]
      const savedKeyId = keys[isForeign ? 1 - own : own]
      const response = await people[own]!.post('/api/ssh/certs/issue', { savedKeyId })
      assert.equal(response.statusCode, isForeign ? 404 : 201, `${index}: ${response.body}`)
      if (isForeign) return
      const issued = response.json()
      const { serial, keyId } = readCertificate(parseCertificateLine(issued.certificate), blob)
      assert.deepEqual([String(serial), keyId], [issued.serial, issued.keyId])
      assert.ok(keyId.includes(people[own]!.user.id))
    }
    // More than SQLite commits together, and ten times the connections to PostgreSQL.
    const count = engine === 'sqlite' ? 600 : 100
    await Promise.all(Array.from({ length: count }, (_, index) => request(index)))
  })

  test("another user's key answers 404 even while its owner gets a certificate for it", async () => {
    const app = shared()
    const [owner, other] = [await signInCertificateUser(app), await signInCertificateUser(app)]
    const savedKeyId = await saveKey(owner)
    const answers = await Promise.all(
      [other, owner, other, owner].map((person) => person.post('/api/ssh/certs/issue', { savedKeyId })),
    )
    assert.deepEqual(
      answers.map(({ statusCode }) => statusCode),
      [404, 201, 404, 201],
    )
  })

  test('a certificate that is requested while its account is disabled is refused or revoked', async () => {
    const app = shared()
    for (let round = 0; round < 3; round++) {
      const person = await signInCertificateUser(app)
      const savedKeyId = await saveKey(person)
      const request = () => person.post('/api/ssh/certs/issue', { savedKeyId })
      const answers = await Promise.all([
        ...Array.from({ length: 25 }, request),
        disableAccount(app, person.user.id, round % 2 === 0),
        ...Array.from({ length: 25 }, request),
      ])
      for (const answer of answers) {
        if (answer) assert.ok([201, 401, 403].includes(answer.statusCode), answer.body)
      }
      const live = await app.services.db.read
        .selectFrom('ssh_certificates')
        .select('id')
        .where('user_id', '=', person.user.id)
        .where('revoked_at', 'is', null)
        .execute()
      assert.deepEqual(live, [])
    }
  })

  // The rest is the same on every engine.
  if (engine !== MAIN_ENGINE) return

  test('a certificate has the answered values and the saved key', async () => {
    const app = shared()
    const person = await signInCertificateUser(app, ['deploy', 'backup'])
    const publicKey = newPublicKey('ada@laptop')
    const issued = await issue(person, await saveKey(person, publicKey), 3600)
    const { blob } = openAuthority(app.services.sshCa.privateKey)
    const read = readCertificate(parseCertificateLine(issued.certificate), blob)
    const seconds = app.clock.now() / 1000
    assert.deepEqual(read.key, parsePublicKey(publicKey).key)
    assert.equal(String(read.serial), issued.serial)
    assert.equal(read.keyId, issued.keyId)
    assert.deepEqual(read.principals, [person.user.preferredUsername, 'backup', 'deploy'])
    assert.deepEqual(issued.principals, read.principals)
    assert.deepEqual([issued.validAfter, issued.validBefore], [seconds - 60, seconds + 3600])
    assert.deepEqual([read.validAfter, read.validBefore], [BigInt(seconds - 60), BigInt(seconds + 3600)])
    assert.deepEqual([...read.extensions.keys()], ['permit-agent-forwarding', 'permit-port-forwarding', 'permit-pty'])
    assert.equal(read.criticalOptions.size, 0)
    assert.match(issued.keyId, new RegExp(`${person.user.id}.*${issued.id}`))
    assert.ok(issued.certificate.endsWith(' ada@laptop'))
  })

  test('without ttlSeconds a certificate has the configured lifetime', async () => {
    const app = shared()
    const person = await signInCertificateUser(app)
    const { validBefore } = await issue(person, await saveKey(person))
    assert.equal(validBefore, app.clock.now() / 1000 + 28_800)
  })

  test('ttlSeconds must be an integer from 60 to the maximum', async () => {
    const app = shared()
    const person = await signInCertificateUser(app)
    const savedKeyId = await saveKey(person)
    for (const ttlSeconds of [0, -1, 1.5, '3600', 1e18, null, 59, 86_401, true, [3600], {}]) {
      const response = await person.post('/api/ssh/certs/issue', { savedKeyId, ttlSeconds })
      assert.equal(response.statusCode, 400, JSON.stringify(ttlSeconds))
    }
    for (const ttlSeconds of [60, 86_400]) await issue(person, savedKeyId, ttlSeconds)
    for (const body of [{}, { savedKeyId: 5 }, { savedKeyId, principals: [] }, { savedKeyId: '' }]) {
      assert.equal((await person.post('/api/ssh/certs/issue', body)).statusCode, 400, JSON.stringify(body))
    }
  })

  test("another user's key, a deleted one and an unknown one answer 404", async () => {
    const app = shared()
    const [person, other] = [await signInCertificateUser(app), await signInCertificateUser(app)]
    const [foreign, deleted] = [await saveKey(other), await saveKey(person)]
    await person.delete(`/api/ssh/keys/${deleted}`)
    for (const savedKeyId of [foreign, deleted, 'never']) {
      const response = await person.post('/api/ssh/certs/issue', { savedKeyId })
      assert.equal(response.statusCode, 404)
      assert.deepEqual(response.json(), {
        error: 'You have no such key.',
        code: 'not_found',
        reason: 'no_such_ssh_key',
      })
    }
  })

  test('a request without a session answers 401, and one without the permission 403, before any other check', async () => {
    const app = shared()
    const visitor = anonymous(app)
    const other = await signedInPerson(app, { permissions: ['ssh:keys:manage'] })
    for (const [method, url] of [
      ['get', '/api/ssh/principals'],
      ['post', '/api/ssh/certs/issue'],
      ['get', '/api/ssh/certs?state=wrong'],
      ['get', '/api/ssh/certs/mine?state=wrong'],
      ['post', '/api/ssh/certs/never/revoke'],
    ] as const) {
      const body = method === 'post' ? { wrong: true } : undefined
      assert.equal((await visitor[method](url, body)).statusCode, 401, url)
      assert.equal((await other[method](url, body)).statusCode, 403, url)
    }
  })

  test('issuing a certificate notifies the user, updates the last use of the key, and is recorded', async () => {
    const app = shared()
    const person = await signInCertificateUser(app)
    const savedKeyId = await saveKey(person)
    const { id, serial, keyId } = await issue(person, savedKeyId)
    const { db } = app.services
    const notifications = await db.read
      .selectFrom('notifications')
      .selectAll()
      .where('user_id', '=', person.user.id)
      .where('type', '!=', 'security.ssh_key_added')
      .execute()
    assert.deepEqual(
      notifications.map(({ type, data }) => [type, JSON.parse(data)]),
      [['ssh.cert_issued', { certificateId: id, serial, keyId }]],
    )
    const { keys } = (await person.get('/api/ssh/keys')).json()
    assert.equal(keys[0].lastUsedAt, app.clock.now())
    const event = await db.read
      .selectFrom('audit_events')
      .selectAll()
      .where('target_id', '=', id)
      .executeTakeFirstOrThrow()
    assert.deepEqual([event.action, event.actor_id], ['ssh_certificate.issued', person.user.id])
  })

  test('a disabled user gets no certificate', async () => {
    const app = shared()
    const person = await signInCertificateUser(app)
    const savedKeyId = await saveKey(person)
    await app.services.db.transaction((trx) =>
      trx.updateTable('users').set({ disabled_at: app.clock.now() }).where('id', '=', person.user.id).execute(),
    )
    assert.equal((await person.post('/api/ssh/certs/issue', { savedKeyId })).statusCode, 401)
  })

  test('a request whose session, account, permission or key ends before its body arrives gets no certificate', async () => {
    const app = shared()
    const admin = await signedInPerson(app, { admin: true })
    const cases: [number, (person: SignedInPerson) => Promise<unknown>][] = [
      [401, async ({ user, sessionId }) => (await signIn(app, user)).post(`/api/auth/sessions/${sessionId}/revoke`)],
      [401, ({ user }) => admin.post(`/api/admin/users/${user.id}/lifecycle`, { action: 'disable' })],
      [401, ({ user }) => admin.delete(`/api/admin/users/${user.id}`)],
      [403, async ({ user }) => admin.delete(`/api/admin/users/${user.id}/roles/${await ownRoleOf(app, user.id)}`)],
      [404, async (person) => person.delete(`/api/ssh/keys/${await onlyKeyOf(person)}`)],
    ]
    for (const [status, end] of cases) {
      const person = await signInCertificateUser(app)
      const body = { savedKeyId: await saveKey(person) }
      const answer = await sendWithDelayedBody(app, person, { url: '/api/ssh/certs/issue', body }, async () => {
        const ended = (await end(person)) as { statusCode: number; body: string }
        assert.equal(ended.statusCode, 200, ended.body)
      })
      assert.equal(answer.statusCode, status, answer.body)
      const issued = await app.services.db.read
        .selectFrom('ssh_certificates')
        .select('id')
        .where('user_id', '=', person.user.id)
        .execute()
      assert.deepEqual(issued, [])
    }
  })

  test('a damaged saved key is an error for its owner only', async () => {
    const app = shared()
    const people = await Promise.all(Array.from({ length: 6 }, () => signInCertificateUser(app)))
    const keys = await Promise.all(people.map((person) => saveKey(person)))
    await app.services.db.transaction((trx) =>
      trx.updateTable('ssh_keys').set({ public_key: 'ssh-ed25519 AAAA damaged' }).where('id', '=', keys[2]!).execute(),
    )
    const answers = await Promise.all(
      people.map((person, index) => person.post('/api/ssh/certs/issue', { savedKeyId: keys[index] })),
    )
    assert.deepEqual(
      answers.map(({ statusCode }) => statusCode),
      [201, 201, 409, 201, 201, 201],
    )
    assert.match(answers[2]!.json<{ error: string }>().error, /can’t be read.*Delete it/)
    assert.equal((await people[2]!.delete(`/api/ssh/keys/${keys[2]}`)).statusCode, 200)
  })
})

const ownRoleOf = async ({ services }: TestApp, userId: string): Promise<string> => {
  const { role_id } = await services.db.read
    .selectFrom('user_roles')
    .select('role_id')
    .where('user_id', '=', userId)
    .where('role_id', '!=', USER_ROLE)
    .executeTakeFirstOrThrow()
  return role_id
}

const onlyKeyOf = async (person: SignedInPerson): Promise<string> =>
  (await person.get('/api/ssh/keys')).json<{ keys: { id: string }[] }>().keys[0]!.id

/** Disables an account as the lifecycle does, in either order of the two steps. */
const disableAccount = ({ services, clock }: TestApp, userId: string, revokeFirst: boolean): Promise<undefined> =>
  services.db.transaction(async (trx) => {
    if (revokeFirst) await revokeAccess(services, trx, [userId], { by: 'disabled' })
    await trx.updateTable('users').set({ disabled_at: clock.now() }).where('id', '=', userId).execute()
    if (!revokeFirst) await revokeAccess(services, trx, [userId], { by: 'disabled' })
    return undefined
  })
