import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { openAuthority } from '../../../src/platform/openssh/certificate.ts'
import { parsePublicKey } from '../../../src/platform/openssh/public-key.ts'
import { isRevoked, readKrl } from '../../platform/openssh/read-krl.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { onEachEngine } from '../../support/engines.ts'
import { anonymous } from '../../support/people.ts'
import { issue, saveKey, signInCertificateManager } from '../public-keys.ts'

const rename = ({ services: { db } }: TestApp, from: string, to: string) =>
  db.transaction((trx) => sql`alter table ${sql.table(from)} rename to ${sql.table(to)}`.execute(trx))

onEachEngine('the revocation list', (engine) => {
  test('without revocations is empty in every format, and a valid KRL', async (t) => {
    const host = anonymous(await startApp(t, { engine }))
    assert.deepEqual((await host.get('/ssh/krl')).json(), { revoked: [] })
    assert.equal((await host.get('/ssh/krl?format=raw')).body, '')
    assert.deepEqual(readKrl((await host.get('/ssh/krl?format=krl')).rawPayload).scopes, [])
  })

  test('has each revocation immediately, in every format with its media type', async (t) => {
    const app = await startApp(t, { engine })
    const [person, host] = [await signInCertificateManager(app), anonymous(app)]
    const key = await saveKey(person)
    const [first, second, third] = [await issue(person, key), await issue(person, key), await issue(person, key)]
    await person.post(`/api/ssh/certs/${first.id}/revoke`, { reason: 'lost' })
    app.clock.advance(5_500)
    await person.post(`/api/ssh/certs/${third.id}/revoke`, {})
    const seconds = Math.floor(app.clock.now() / 1000)
    const entries = [
      { serial: first.serial, revokedAt: seconds - 5 },
      { serial: third.serial, revokedAt: seconds },
    ]

    const json = await host.get('/ssh/krl')
    assert.match(String(json.headers['content-type']), /^application\/json/)
    assert.deepEqual(json.json(), { revoked: entries })

    const raw = await host.get('/ssh/krl?format=raw')
    assert.equal(raw.headers['content-type'], 'text/plain; charset=utf-8')
    assert.equal(raw.body, `serial: ${first.serial}\nserial: ${third.serial}\n`)

    const { blob } = openAuthority(app.services.sshCa.privateKey)
    const stranger = Buffer.from(blob).fill(7, blob.length - 32)
    for (const [url, headers] of [
      ['/ssh/krl?format=krl', {}],
      ['/ssh/krl?format=binary', {}],
      ['/ssh/krl', { accept: 'application/octet-stream' }],
      ['/ssh/krl', { accept: 'text/html, application/octet-stream;q=0.9, application/json;q=0.5' }],
      ['/ssh/krl?format=krl&wildcard=true', {}],
    ] as const) {
      const response = await host.get(url, undefined, headers)
      assert.equal(response.headers['content-type'], 'application/octet-stream', url)
      const krl = readKrl(response.rawPayload)
      const answers = [first, second, third].map(({ serial }) => isRevoked(krl, blob, BigInt(serial)))
      assert.deepEqual(answers, [true, false, true], url)
      assert.equal(isRevoked(krl, stranger, BigInt(first.serial)), url.includes('wildcard'), url)
    }
    for (const accept of [
      '*/*',
      'application/json',
      'application/octet-stream;q=0',
      'application/json, application/octet-stream;q=0.1',
    ]) {
      assert.deepEqual((await host.get('/ssh/krl', undefined, { accept })).json(), { revoked: entries }, accept)
    }
    const formatWins = await host.get('/ssh/krl?format=raw', undefined, { accept: 'application/octet-stream' })
    assert.equal(formatWins.body, raw.body)
  })

  test('leaves out certificates from the second they expire, unless expired ones are requested', async (t) => {
    const app = await startApp(t, { engine })
    const [person, host] = [await signInCertificateManager(app), anonymous(app)]
    const key = await saveKey(person)
    const [short, long] = [await issue(person, key, 60), await issue(person, key, 3600)]
    for (const { id } of [short, long]) await person.post(`/api/ssh/certs/${id}/revoke`, {})
    const listed = async (query = '') => (await host.get(`/ssh/krl?format=raw${query}`)).body.match(/\d+/g)
    app.clock.advance(59_999)
    assert.deepEqual(await listed(), [short.serial, long.serial])
    app.clock.advance(1)
    assert.deepEqual(await listed(), [long.serial])
    assert.deepEqual(await listed('&includeExpired=false'), [long.serial])
    assert.deepEqual(await listed('&includeExpired=true'), [short.serial, long.serial])
    const withExpired = await host.get('/ssh/krl?format=krl&includeExpired=true')
    const { blob } = openAuthority(app.services.sshCa.privateKey)
    assert.ok(isRevoked(readKrl(withExpired.rawPayload), blob, BigInt(short.serial)))
    app.clock.advance(-60_000)
    assert.deepEqual(await listed(), [short.serial, long.serial], 'after the clock was set back')
    app.clock.advance(4_000_000)
    assert.equal(await listed(), null)
  })

  test('has an ETag that changes only with the list', async (t) => {
    const app = await startApp(t, { engine })
    const [person, host] = [await signInCertificateManager(app), anonymous(app)]
    const { id } = await issue(person, await saveKey(person), 600)
    for (const query of ['', '?format=raw', '?format=krl', '?format=krl&wildcard=true', '?includeExpired=true']) {
      const tagged = async (tag?: string) =>
        host.get(`/ssh/krl${query}`, undefined, tag === undefined ? {} : { 'if-none-match': tag })
      const before = await tagged()
      const etag = String(before.headers['etag'])
      assert.equal(before.headers['cache-control'], 'no-cache')
      assert.match(String(before.headers['vary']), /Accept/)
      app.clock.advance(5_000)
      const same = await tagged(`"other", ${etag}`)
      assert.deepEqual([same.statusCode, same.body, same.headers['etag']], [304, '', etag])
      assert.equal((await tagged('*')).statusCode, 304)
      assert.equal((await tagged('"other"')).statusCode, 200)
    }
    const tags = await Promise.all(
      ['', '?format=raw', '?format=krl', '?format=krl&wildcard=true'].map(
        async (query) => (await host.get(`/ssh/krl${query}`)).headers['etag'],
      ),
    )
    assert.equal(new Set(tags).size, 4)
    const etag = String((await host.get('/ssh/krl')).headers['etag'])
    await person.post(`/api/ssh/certs/${id}/revoke`, {})
    const changed = await host.get('/ssh/krl', undefined, { 'if-none-match': etag })
    assert.equal(changed.statusCode, 200)
    app.clock.advance(600_000)
    const expired = await host.get('/ssh/krl', undefined, { 'if-none-match': String(changed.headers['etag']) })
    assert.deepEqual([expired.statusCode, expired.json()], [200, { revoked: [] }])
  })

  test('is built once for all requests while nothing changes', async (t) => {
    const app = await startApp(t, { engine })
    const [person, host] = [await signInCertificateManager(app), anonymous(app)]
    const { id } = await issue(person, await saveKey(person))
    await person.post(`/api/ssh/certs/${id}/revoke`, {})
    const answers = await Promise.all(Array.from({ length: 50 }, () => host.get('/ssh/krl?format=krl')))
    assert.equal(new Set(answers.map(({ rawPayload }) => rawPayload.toString('hex'))).size, 1)
    app.clock.advance(10_000)
    const later = await host.get('/ssh/krl?format=krl')
    assert.deepEqual(later.rawPayload, answers[0]?.rawPayload, 'not even its time of generation has changed')
  })

  test('is an error, and not a list, when the revocations can’t be read', async (t) => {
    const app = await startApp(t, { engine })
    const [person, host] = [await signInCertificateManager(app), anonymous(app)]
    const { id } = await issue(person, await saveKey(person))
    await person.post(`/api/ssh/certs/${id}/revoke`, {})
    const known = await host.get('/ssh/krl?format=krl')
    assert.equal(known.statusCode, 200)
    await rename(app, 'ssh_certificates', 'away')
    await app.services.db.transaction((trx) =>
      trx.updateTable('counters').set({ value: 99n }).where('name', '=', 'krl_version').execute(),
    )
    const tag = { 'if-none-match': String(known.headers['etag']) }
    for (const query of ['', '?format=raw', '?format=krl', '?format=krl&includeExpired=true']) {
      const response = await host.get(`/ssh/krl${query}`, undefined, tag)
      assert.equal(response.statusCode, 503, query)
      assert.equal(response.json().code, 'unavailable')
      assert.ok(response.headers['retry-after'])
    }
    await rename(app, 'away', 'ssh_certificates')
    assert.equal((await host.get('/ssh/krl?format=krl')).statusCode, 200)
    await rename(app, 'counters', 'gone')
    assert.equal((await host.get('/ssh/krl?format=krl', undefined, tag)).statusCode, 503)
    await rename(app, 'gone', 'counters')
  })

  test('has any number of revocations, which are read page by page', async (t) => {
    const app = await startApp(t, { engine })
    const { db } = app.services
    const count = 5_000
    for (let from = 1; from <= count; from += 500) {
      const rows = Array.from({ length: 500 }, (_, index) => revokedRow(from + index, app.clock.now()))
      await db.transaction((trx) => trx.insertInto('ssh_certificates').values(rows).execute())
    }
    const { body } = await anonymous(app).get('/ssh/krl?format=raw')
    const serials = body
      .match(/\d+/g)
      ?.map(Number)
      .toSorted((a, b) => a - b)
    assert.deepEqual(
      serials,
      Array.from({ length: count }, (_, index) => index + 1),
    )
  })
})

/** Many rows expire in the same millisecond, so that a page can end between them. */
const revokedRow = (serial: number, now: number) => ({
  id: `certificate ${serial}`,
  serial: BigInt(serial),
  user_id: 'usr_gone',
  saved_key_id: 'gone',
  key_id: `serial ${serial}`,
  principals: '["ada"]',
  fingerprint: 'SHA256:none',
  valid_after: now,
  valid_before: now + 1000 * (1 + (serial % 3)),
  latest_expiry: now + 3000,
  revoked_at: now,
  revoke_reason: null,
  created_at: now,
})

test('a revocation on one replica is in the list of every other one immediately', async (t) => {
  const one = await startApp(t, { engine: 'postgres' })
  const two = await startApp(t, { engine: 'postgres', storage: one.storage, clock: one.clock })
  const person = await signInCertificateManager(one)
  const key = await saveKey(person)
  for (let round = 0; round < 5; round++) {
    const { id, serial } = await issue(person, key)
    await person.post(`/api/ssh/certs/${id}/revoke`, {})
    const [here, there] = [await anonymous(one).get('/ssh/krl'), await anonymous(two).get('/ssh/krl')]
    assert.ok(here.body.includes(`"serial":"${serial}"`))
    assert.equal(there.body, here.body)
    assert.equal(there.headers['etag'], here.headers['etag'])
  }
})

test('an unknown format and an invalid boolean answer 400', async (t) => {
  const host = anonymous(await startApp(t))
  for (const query of [
    'format=xml',
    'format=',
    'format=KRL',
    'format=krl&format=raw',
    'includeExpired=maybe',
    'includeExpired=',
    'format=krl&wildcard=2',
  ]) {
    const response = await host.get(`/ssh/krl?${query}`)
    assert.equal(response.statusCode, 400, query)
    assert.equal(response.json().code, 'invalid_input', query)
  }
})

test('the CA key is one OpenSSH line that any origin may read, with an ETag', async (t) => {
  const app = await startApp(t)
  const host = anonymous(app)
  const response = await host.get('/ssh/ca.pub')
  assert.equal(response.headers['content-type'], 'text/plain; charset=utf-8')
  assert.equal(response.headers['access-control-allow-origin'], '*')
  assert.match(response.body, /^ssh-ed25519 \S+ ssh-ca@localhost\n$/)
  assert.deepEqual(parsePublicKey(response.body).blob, openAuthority(app.services.sshCa.privateKey).blob)
  const again = await host.get('/ssh/ca.pub', undefined, { 'if-none-match': String(response.headers['etag']) })
  assert.deepEqual([again.statusCode, again.body], [304, ''])
  const krl = await host.get('/ssh/krl', undefined, { origin: 'https://elsewhere.example' })
  assert.equal(krl.headers['access-control-allow-origin'], '*')
  assert.equal(krl.headers['access-control-allow-credentials'], undefined)
})

test('the CA key and the revocation list are the same after a restart', async (t) => {
  const first = await startApp(t)
  const person = await signInCertificateManager(first)
  const { id } = await issue(person, await saveKey(person))
  await person.post(`/api/ssh/certs/${id}/revoke`, {})
  const before = [(await person.get('/ssh/ca.pub')).body, (await person.get('/ssh/krl')).headers['etag']]
  await first.close()
  const host = anonymous(await startApp(t, { storage: first.storage, clock: first.clock }))
  assert.deepEqual([(await host.get('/ssh/ca.pub')).body, (await host.get('/ssh/krl')).headers['etag']], before)
})
