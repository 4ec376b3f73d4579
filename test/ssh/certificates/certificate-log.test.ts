import assert from 'node:assert/strict'
import { test } from 'node:test'
import { revokeAccess } from '../../../src/identity/lifecycle/revoke-access.ts'
import { sharedApp, type TestApp } from '../../support/app.ts'
import { onEachEngine } from '../../support/engines.ts'
import { anonymous, type SignedInPerson, signedInPerson } from '../../support/people.ts'
import { issue, saveKey, signInCertificateUser } from '../public-keys.ts'

const signInAuditor = (app: TestApp) => signedInPerson(app, { permissions: ['ssh:cert:list', 'ssh:cert:revoke'] })

async function list(person: SignedInPerson, query: string): Promise<{ serials: string[]; nextCursor: string | null }> {
  const response = await person.get(`/api/ssh/certs${query}`)
  if (response.statusCode !== 200) throw new Error(response.body)
  const { certificates, nextCursor } = response.json()
  return { serials: certificates.map(({ serial }: { serial: string }) => serial), nextCursor }
}

onEachEngine('the log of certificates', (engine) => {
  const shared = sharedApp({ engine })

  test('shows every field of a certificate, to auditors and to its owner', async () => {
    const app = shared()
    const [person, reader] = [await signInCertificateUser(app), await signInAuditor(app)]
    const issued = await issue(person, await saveKey(person), 600)
    const shown = {
      id: issued.id,
      serial: issued.serial,
      userId: person.user.id,
      keyId: issued.keyId,
      principals: issued.principals,
      fingerprint: issued.fingerprint,
      validAfter: issued.validAfter,
      validBefore: issued.validBefore,
      revokedAt: null,
      revokeReason: null,
      createdAt: app.clock.now(),
    }
    const expected = { certificates: [shown], nextCursor: null }
    assert.deepEqual((await reader.get(`/api/ssh/certs?serial=${issued.serial}`)).json(), expected)
    assert.deepEqual((await person.get('/api/ssh/certs/mine')).json(), expected)
  })

  test('can be filtered by user, serial and state, alone and combined', async () => {
    const app = shared()
    const [person, other, reader] = [
      await signInCertificateUser(app),
      await signInCertificateUser(app),
      await signInAuditor(app),
    ]
    const [key, otherKey] = [await saveKey(person), await saveKey(other)]
    const expired = await issue(person, key, 60)
    const both = await issue(person, key, 60)
    const [valid, revoked, foreign] = [await issue(person, key), await issue(person, key), await issue(other, otherKey)]
    for (const { id } of [revoked, both]) await reader.post(`/api/ssh/certs/${id}/revoke`, {})
    app.clock.advance(60_000)
    const byUser = `?user=${person.user.id}`
    const newestFirst = [revoked.serial, valid.serial, both.serial, expired.serial]
    assert.deepEqual((await list(reader, byUser)).serials, newestFirst)
    assert.deepEqual((await list(reader, `${byUser}&state=valid`)).serials, [valid.serial])
    assert.deepEqual((await list(reader, `${byUser}&state=expired`)).serials, [expired.serial])
    assert.deepEqual((await list(reader, `${byUser}&state=revoked`)).serials, [revoked.serial, both.serial])
    assert.deepEqual((await list(reader, `${byUser}&serial=${foreign.serial}`)).serials, [])
    assert.deepEqual((await list(reader, `?serial=${foreign.serial}&state=valid`)).serials, [foreign.serial])
    assert.deepEqual((await list(reader, '?user=usr_nobody')).serials, [])
    for (const serial of ['9223372036854775808', '18446744073709551615', '99999999999999999999']) {
      assert.deepEqual((await list(reader, `?serial=${serial}`)).serials, [], serial)
    }
    assert.deepEqual((await list(person, '/mine?state=valid')).serials, [valid.serial], 'only their own')
  })

  test('has pages that do not shift while certificates are added', async () => {
    const app = shared()
    const [person, reader] = [await signInCertificateUser(app), await signInAuditor(app)]
    const key = await saveKey(person)
    const serials: string[] = []
    for (let each = 0; each < 5; each++) serials.unshift((await issue(person, key)).serial)
    const first = await list(reader, `?user=${person.user.id}&limit=2`)
    await issue(person, key)
    const second = await list(reader, `?user=${person.user.id}&limit=2&cursor=${first.nextCursor}`)
    const third = await list(reader, `?user=${person.user.id}&limit=2&cursor=${second.nextCursor}`)
    assert.deepEqual([...first.serials, ...second.serials, ...third.serials], serials)
    assert.equal(third.nextCursor, null)
  })

  test('refuses unknown filters, and invalid limits, states, serials and cursors', async () => {
    const app = shared()
    const reader = await signInAuditor(app)
    const forged = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
    for (const query of [
      'state=live',
      'serial=0',
      'serial=-1',
      'serial=1e3',
      'serial=abc',
      'limit=0',
      'limit=201',
      'limit=x',
      'usr=1',
      'cursor=x',
      `cursor=${forged([0, "1' or 1=1"])}`,
      `cursor=${forged([0, '9'.repeat(19)])}`,
      `cursor=${forged([0, '-1'])}`,
    ]) {
      assert.equal((await reader.get(`/api/ssh/certs?${query}`)).statusCode, 400, query)
    }
  })

  test('records a revocation once, and keeps its first reason and time', async () => {
    const app = shared()
    const [person, reader] = [await signInCertificateUser(app), await signInAuditor(app)]
    const { id } = await issue(person, await saveKey(person))
    const at = app.clock.now()
    const first = await reader.post(`/api/ssh/certs/${id}/revoke`, { reason: 'laptop lost' })
    assert.equal(first.statusCode, 200)
    const { success, certificate } = first.json()
    assert.deepEqual([success, certificate.revokedAt, certificate.revokeReason], [true, at, 'laptop lost'])
    app.clock.advance(1000)
    const again = await reader.post(`/api/ssh/certs/${id}/revoke`, { reason: 'again' })
    assert.deepEqual([again.statusCode, again.json()], [200, first.json()])
    const events = await app.services.db.read
      .selectFrom('audit_events')
      .select(['actor_id', 'data'])
      .where('target_id', '=', id)
      .where('action', '=', 'ssh_certificate.revoked')
      .execute()
    assert.deepEqual(
      events.map(({ actor_id, data }) => [actor_id, JSON.parse(data).reason]),
      [[reader.user.id, 'laptop lost']],
    )
  })

  test('records exactly one of fifty concurrent revocations', async () => {
    const app = shared()
    const [person, reader] = [await signInCertificateUser(app), await signInAuditor(app)]
    const { id } = await issue(person, await saveKey(person))
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) => reader.post(`/api/ssh/certs/${id}/revoke`, { reason: `${index}` })),
    )
    const reasons = new Set(answers.map((answer) => answer.json().certificate.revokeReason))
    assert.equal(reasons.size, 1)
    const { count } = await app.services.db.read
      .selectFrom('audit_events')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .where('target_id', '=', id)
      .where('action', '=', 'ssh_certificate.revoked')
      .executeTakeFirstOrThrow()
    assert.equal(count, 1)
  })

  test('accepts a revocation with a reason of up to 500 characters, without a reason, and without a body', async () => {
    const app = shared()
    const [person, reader] = [await signInCertificateUser(app), await signInAuditor(app)]
    const key = await saveKey(person)
    const { id } = await issue(person, key)
    for (const body of [{ reason: 'x'.repeat(501) }, { reason: 5 }, { reason: null }, { why: 'typo' }, [], 'text']) {
      assert.equal((await reader.post(`/api/ssh/certs/${id}/revoke`, body)).statusCode, 400, JSON.stringify(body))
    }
    assert.equal((await reader.post(`/api/ssh/certs/${id}/revoke`)).statusCode, 200)
    const { certificate } = (await reader.post(`/api/ssh/certs/${(await issue(person, key)).id}/revoke`, {})).json()
    assert.equal(certificate.revokeReason, null)
    assert.equal((await reader.post('/api/ssh/certs/never/revoke', {})).statusCode, 404)
  })

  test('keeps the certificates of a deleted account, of which the valid ones are revoked', async () => {
    const app = shared()
    const [person, other, reader] = [
      await signInCertificateUser(app),
      await signInCertificateUser(app),
      await signInAuditor(app),
    ]
    const key = await saveKey(person)
    const [old, first] = [await issue(person, key, 60), await issue(person, key)]
    await reader.post(`/api/ssh/certs/${first.id}/revoke`, { reason: 'before' })
    const [second, foreign] = [await issue(person, key), await issue(other, await saveKey(other))]
    app.clock.advance(61_000)
    const { services } = app
    const count = await services.db.transaction(async (trx) => {
      const ended = await revokeAccess(services, trx, [person.user.id], { by: 'deleted' })
      await trx.deleteFrom('users').where('id', '=', person.user.id).execute()
      return ended.get(person.user.id)?.certificates
    })
    assert.equal(count, 1)
    const { certificates } = (await reader.get(`/api/ssh/certs?user=${person.user.id}`)).json()
    assert.deepEqual(
      certificates.map(({ serial, revokeReason }: Record<string, string>) => [serial, revokeReason]),
      [
        [second.serial, 'The account was deleted.'],
        [first.serial, 'before'],
        [old.serial, null],
      ],
    )
    assert.deepEqual((await list(reader, `?serial=${foreign.serial}&state=valid`)).serials, [foreign.serial])
    const { revoked } = (await reader.get('/ssh/krl')).json()
    assert.ok(revoked.some(({ serial }: { serial: string }) => serial === second.serial))
  })

  test('finds all valid certificates of an account to revoke, even before later ones that have expired', async () => {
    const app = shared()
    const [person, other] = [await signInCertificateUser(app), await signInCertificateUser(app)]
    const [key, otherKey] = [await saveKey(person), await saveKey(other)]
    await issue(person, key, 60)
    const [long, alsoLong] = [await issue(person, key, 3600), await issue(person, key, 3600)]
    await issue(person, key, 60)
    await issue(other, otherKey, 60)
    app.clock.advance(61_000)
    await issue(person, key, 60)
    app.clock.advance(61_000)
    const { services } = app
    const userIds = [person.user.id, other.user.id]
    const ended = await services.db.transaction((trx) => revokeAccess(services, trx, userIds, { by: 'disabled' }))
    assert.deepEqual(
      userIds.map((id) => ended.get(id)?.certificates),
      [2, 0],
    )
    const revoked = new Set((await anonymous(app).get('/ssh/krl?format=raw')).body.match(/\d+/g))
    assert.ok(revoked.has(long.serial) && revoked.has(alsoLong.serial))
  })

  test('shows no revocation whose transaction was rolled back', async () => {
    const app = shared()
    const person = await signInCertificateUser(app)
    const { serial } = await issue(person, await saveKey(person))
    const before = (await person.get('/ssh/krl')).headers['etag']
    const rolledBack = app.services.db.transaction(async (trx) => {
      await revokeAccess(app.services, trx, [person.user.id], { by: 'disabled' })
      throw new Error('rolledBack')
    })
    await assert.rejects(rolledBack, /rolledBack/)
    const after = await person.get('/ssh/krl')
    assert.equal(after.headers['etag'], before)
    assert.ok(!after.body.includes(`"${serial}"`))
  })
})
