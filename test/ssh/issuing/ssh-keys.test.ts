import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fingerprint, parsePublicKey } from '../../../src/platform/openssh/public-key.ts'
import { string } from '../../../src/platform/openssh/wire.ts'
import { sharedApp } from '../../support/app.ts'
import { onEachEngine } from '../../support/engines.ts'
import { anonymous, signedInPerson } from '../../support/people.ts'
import { issue, newPublicKey, saveKey, signInCertificateUser } from '../public-keys.ts'

const line = (label: string, ...fields: Uint8Array[]): string =>
  `${label} ${Buffer.concat([string(label), ...fields.map(string)]).toString('base64')}`

onEachEngine('SSH keys', (engine) => {
  const shared = sharedApp({ engine })

  test('the last use of a key is updated at most once a minute, and never by a request of another user', async () => {
    const app = shared()
    const [person, stranger] = [await signInCertificateUser(app), await signInCertificateUser(app)]
    const key = await saveKey(person)
    const lastUse = async () => (await person.get('/api/ssh/keys')).json().keys[0].lastUsedAt
    assert.equal((await stranger.post('/api/ssh/certs/issue', { savedKeyId: key })).statusCode, 404)
    assert.equal(await lastUse(), null)
    const first = app.clock.now()
    await issue(person, key)
    app.clock.advance(59_999)
    await issue(person, key)
    assert.equal(await lastUse(), first)
    app.clock.advance(1)
    await issue(person, key)
    assert.equal(await lastUse(), first + 60_000)
  })

  test('a saved key is listed with its fingerprint, and as it was saved', async () => {
    const app = shared()
    const person = await signInCertificateUser(app)
    const publicKey = newPublicKey('ada@laptop')
    const saved = await person.post('/api/ssh/keys', { name: 'My laptop', publicKey: `${publicKey}\n` })
    assert.equal(saved.statusCode, 201)
    const { key } = saved.json()
    assert.deepEqual(key, {
      id: key.id,
      name: 'My laptop',
      publicKey,
      fingerprint: fingerprint(parsePublicKey(publicKey).blob),
      createdAt: app.clock.now(),
      lastUsedAt: null,
      ephemeral: false,
    })
    assert.deepEqual((await person.get('/api/ssh/keys')).json(), { keys: [key] })
  })

  test('a request without a session answers 401, and one without the permission 403, even with an invalid body', async () => {
    const app = shared()
    const visitor = anonymous(app)
    const other = await signedInPerson(app, { permissions: ['ssh:cert:issue'] })
    for (const [method, url] of [
      ['get', '/api/ssh/keys'],
      ['post', '/api/ssh/keys'],
      ['delete', '/api/ssh/keys/x'],
    ] as const) {
      const body = method === 'post' ? { wrong: true } : undefined
      assert.equal((await visitor[method](url, body)).statusCode, 401, url)
      assert.equal((await other[method](url, body)).statusCode, 403, url)
    }
  })

  test('a key belongs to one user, and saving it again answers 409', async () => {
    const app = shared()
    const [first, second] = [await signInCertificateUser(app), await signInCertificateUser(app)]
    const publicKey = newPublicKey()
    await saveKey(first, publicKey)
    assert.equal((await first.post('/api/ssh/keys', { name: 'again', publicKey })).statusCode, 409)
    const refused = await second.post('/api/ssh/keys', { name: 'mine', publicKey: `${publicKey} other comment` })
    assert.equal(refused.statusCode, 409)
    assert.equal(refused.json().code, 'conflict')
  })

  test('of twenty users who save the same key concurrently, exactly one succeeds', async () => {
    const app = shared()
    const people = await Promise.all(Array.from({ length: 20 }, () => signInCertificateUser(app)))
    const publicKey = newPublicKey()
    const answers = await Promise.all(people.map((each) => each.post('/api/ssh/keys', { name: 'race', publicKey })))
    const statuses = answers.map(({ statusCode }) => statusCode).toSorted((a, b) => a - b)
    assert.deepEqual(statuses, [201, ...Array.from({ length: 19 }, () => 409)])
  })

  test('only complete Ed25519 public keys are accepted, and a refusal has an explanation', async () => {
    const app = shared()
    const person = await signInCertificateUser(app)
    const valid = newPublicKey()
    const encoded = valid.split(' ')[1] ?? ''
    const blob = Buffer.from(encoded, 'base64')
    const [exponent, modulus] = [Buffer.from([1, 0, 1]), Buffer.alloc(256, 5)]
    const refused: Record<string, string> = {
      'ssh-rsa': line('ssh-rsa', exponent, modulus),
      ecdsa: line('ecdsa-sha2-nistp256', Buffer.from('nistp256'), Buffer.alloc(65, 4)),
      'a security key of a web site': line(
        'sk-ssh-ed25519@openssh.com',
        Buffer.alloc(32, 1),
        Buffer.from('web.example'),
      ),
      'a security key on another curve': line(
        'sk-ecdsa-sha2-nistp256@openssh.com',
        Buffer.alloc(65, 4),
        Buffer.from('ssh:'),
      ),
      dss: line('ssh-dss', modulus, modulus, modulus, modulus),
      'a certificate': line('ssh-ed25519-cert-v01@openssh.com', Buffer.alloc(32), Buffer.alloc(32)),
      '31 bytes': line('ssh-ed25519', Buffer.alloc(31, 1)),
      '33 bytes': line('ssh-ed25519', Buffer.alloc(33, 1)),
      'trailing bytes': `ssh-ed25519 ${Buffer.concat([blob, Buffer.from([0])]).toString('base64')}`,
      'a label that differs from the blob': `ssh-ed25519 ${line('ssh-rsa', exponent, modulus).split(' ')[1]}`,
      'a blob that differs from the label': `ssh-rsa ${encoded}`,
      'a private key':
        '-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAA\n-----END OPENSSH PRIVATE KEY-----',
      options: `command="id" ${valid}`,
      'two lines': `${valid}\n${newPublicKey()}`,
      'loose base64': valid.replace(encoded, `${encoded.slice(0, 10)}*${encoded.slice(10)}`),
      'no key': 'ssh-ed25519',
      words: 'not a key at all',
    }
    for (const [name, publicKey] of Object.entries(refused)) {
      const response = await person.post('/api/ssh/keys', { name: name, publicKey })
      assert.equal(response.statusCode, 400, name)
      const { error, issues } = response.json()
      assert.match(error, /^[A-Z].*\.$/s, name)
      assert.equal(issues[0].path, 'publicKey', name)
      assert.doesNotMatch(response.body, /b3BlbnNzaC1rZXktdjEAAAAA/)
    }
    assert.deepEqual((await person.get('/api/ssh/keys')).json(), { keys: [] })
  })

  test('a name must be one line of 1 to 100 characters, and unknown fields are refused', async () => {
    const app = shared()
    const person = await signInCertificateUser(app)
    const publicKey = newPublicKey()
    for (const body of [
      { name: '', publicKey },
      { name: '   ', publicKey },
      { name: 'modulus\nlines', publicKey },
      { name: 'x'.repeat(101), publicKey },
      { name: 'laptop' },
      { publicKey },
      { name: 'laptop', publicKey: 5 },
      { name: 'laptop', publicKey: 'x'.repeat(20_000) },
      { name: 'laptop', publicKey, userId: 'usr_other' },
    ]) {
      assert.equal((await person.post('/api/ssh/keys', body)).statusCode, 400, JSON.stringify(body).slice(0, 80))
    }
  })

  test('a user can save at most a hundred keys', async () => {
    const app = shared()
    const person = await signInCertificateUser(app)
    await app.services.db.transaction((trx) =>
      trx
        .insertInto('ssh_keys')
        .values(
          Array.from({ length: 99 }, (_, index) => ({
            id: `${person.user.id}-${index}`,
            user_id: person.user.id,
            name: 'key',
            public_key: 'unread',
            fingerprint: `${person.user.id}-${index}`,
            created_at: 1,
            last_used_at: null,
          })),
        )
        .execute(),
    )
    await saveKey(person)
    assert.equal((await person.post('/api/ssh/keys', { name: 'more', publicKey: newPublicKey() })).statusCode, 409)
  })

  test('a deleted key can be saved again, also by another user, and the deletion is recorded', async () => {
    const app = shared()
    const [person, other] = [await signInCertificateUser(app), await signInCertificateUser(app)]
    const publicKey = newPublicKey()
    const id = await saveKey(person, publicKey)
    assert.equal((await other.delete(`/api/ssh/keys/${id}`)).statusCode, 404, 'it belongs to another user')
    assert.deepEqual((await person.delete(`/api/ssh/keys/${id}`)).json(), { success: true })
    assert.equal((await person.delete(`/api/ssh/keys/${id}`)).statusCode, 404)
    await saveKey(other, publicKey)
    const events = await app.services.db.read
      .selectFrom('audit_events')
      .select(['action', 'actor_id'])
      .where('target_id', '=', id)
      .orderBy('action')
      .execute()
    assert.deepEqual(
      events.map(({ action, actor_id }) => [action, actor_id]),
      [
        ['ssh_key.added', person.user.id],
        ['ssh_key.removed', person.user.id],
      ],
    )
  })

  test('deleting a key revokes its certificates that are still valid, and no others', async () => {
    const app = shared()
    const person = await signInCertificateUser(app)
    const [lost, kept] = [await saveKey(person), await saveKey(person)]
    const expired = await issue(person, lost, 60)
    app.clock.advance(61_000)
    const [valid, other] = [await issue(person, lost), await issue(person, kept)]
    await person.delete(`/api/ssh/keys/${lost}`)
    const rows = await app.services.db.read
      .selectFrom('ssh_certificates')
      .select(['id', 'revoked_at', 'revoke_reason'])
      .where('user_id', '=', person.user.id)
      .execute()
    const found = Object.fromEntries(rows.map((row) => [row.id, [row.revoked_at, row.revoke_reason]]))
    assert.deepEqual(found, {
      [expired.id]: [null, null],
      [valid.id]: [app.clock.now(), 'The key was deleted.'],
      [other.id]: [null, null],
    })
    const { revoked } = (await anonymous(app).get('/ssh/krl')).json()
    assert.deepEqual(
      revoked.filter((each: { serial: string }) => [valid.serial, other.serial, expired.serial].includes(each.serial)),
      [{ serial: valid.serial, revokedAt: app.clock.now() / 1000 }],
    )
  })

  test('a certificate that is requested while its key is deleted is refused or revoked', async () => {
    const app = shared()
    const person = await signInCertificateUser(app)
    const id = await saveKey(person)
    const body = { savedKeyId: id }
    const answers = await Promise.all([
      ...Array.from({ length: 10 }, () => person.post('/api/ssh/certs/issue', body)),
      person.delete(`/api/ssh/keys/${id}`),
      ...Array.from({ length: 40 }, () => person.post('/api/ssh/certs/issue', body)),
    ])
    for (const { statusCode } of answers) assert.ok([200, 201, 404].includes(statusCode), String(statusCode))
    const live = await app.services.db.read
      .selectFrom('ssh_certificates')
      .select('id')
      .where('saved_key_id', '=', id)
      .where('revoked_at', 'is', null)
      .execute()
    assert.deepEqual(live, [])
  })
})
