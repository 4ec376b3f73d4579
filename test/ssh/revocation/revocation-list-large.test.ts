import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { raiseKrlVersion } from '../../../src/ssh/revocation/revocation-store.ts'
import { isRevoked, readKrl } from '../../platform/openssh/read-krl.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { anonymous } from '../../support/people.ts'
import { assertWithin } from '../../support/speed.ts'
import { processorTime, watchEventLoop } from './event-loop.ts'

const COUNT = 200_000

/** Revokes all serials but every tenth with one statement, as many as a large installation has after years. */
const revokeMany = ({ services, clock }: TestApp) =>
  services.db.transaction(async (trx) => {
    await sql`
    insert into ssh_certificates (id, serial, user_id, saved_key_id, key_id, principals, fingerprint,
      valid_after, valid_before, latest_expiry, revoked_at, revoke_reason, created_at)
    with recursive counted (n) as (select 1 union all select n + 1 from counted where n < ${COUNT})
    select 'certificate ' || n, n, 'usr_gone', 'gone', 'gone', '[]', 'none', ${clock.now()},
      ${clock.now() + 3_600_000} + n % 1000, ${clock.now() + 3_601_000}, ${clock.now()}, null, ${clock.now()}
    from counted where n % 10 <> 0`.execute(trx)
    await raiseKrlVersion(trx)
  })

test('a list of many revocations is read and built without blocking the event loop for 20 ms', async (t) => {
  const app = await startApp(t)
  const host = anonymous(app)
  // The first request to a route compiles its schema.
  await host.get('/ssh/krl')
  await revokeMany(app)
  for (const query of ['?format=krl', '?format=raw', '', '?format=krl&includeExpired=true']) {
    const stopWatching = watchEventLoop()
    const began = processorTime()
    const response = await host.get(`/ssh/krl${query}`)
    const longest = stopWatching()
    t.diagnostic(
      `${query || 'json'}: ${(processorTime() - began).toFixed()} ms, at most ${longest.toFixed(1)} at a time`,
    )
    assert.equal(response.statusCode, 200)
    assertWithin(20, longest, `one tick of ${query}`)
    if (!query.startsWith('?format=krl')) continue
    const krl = readKrl(response.rawPayload)
    const { blob } = app.services.sshCa
    const serials = [1n, 9n, 10n, 11n, BigInt(COUNT) - 1n, BigInt(COUNT)]
    assert.deepEqual(
      serials.map((serial) => isRevoked(krl, blob, serial)),
      [true, true, false, true, true, false],
    )
  }
})
