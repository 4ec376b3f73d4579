import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { isRevoked, readKrl } from '../../openssh/read-krl.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { anonymous } from '../../support/people.ts'
import { assertWithin } from '../../support/speed.ts'

const COUNT = 200_000

/** Every serial but each tenth, made inside the database: what a large installation has after many years. */
const revokeMany = ({ services, clock }: TestApp) =>
  services.db.transaction((trx) =>
    sql`
    insert into ssh_certificates (id, serial, user_id, saved_key_id, key_id, principals, fingerprint,
      valid_after, valid_before, latest_expiry, revoked_at, revoke_reason, created_at)
    with recursive counted (n) as (select 1 union all select n + 1 from counted where n < ${COUNT})
    select 'certificate ' || n, n, 'usr_gone', 'gone', 'gone', '[]', 'none', ${clock.now()},
      ${clock.now() + 3_600_000} + n % 1000, ${clock.now() + 3_601_000}, ${clock.now()}, null, ${clock.now()}
    from counted where n % 10 <> 0`.execute(trx),
  )

/** Milliseconds of processor time, so that a busy machine does not count against us. */
function processorTime(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

test('a list of many revocations is read and written without holding up others for 20 ms', async (t) => {
  const app = await startApp(t)
  await revokeMany(app)
  const host = anonymous(app)
  await host.get('/ssh/ca.pub')
  for (const query of ['?format=krl', '?format=raw', '', '?format=krl&includeExpired=true']) {
    let latest = processorTime()
    let longest = 0
    const turn = (): void => {
      const now = processorTime()
      longest = Math.max(longest, now - latest)
      latest = now
      waiting = setImmediate(turn)
    }
    let waiting = setImmediate(turn)
    const began = processorTime()
    const response = await host.get(`/ssh/krl${query}`)
    clearImmediate(waiting)
    t.diagnostic(
      `${query || 'json'}: ${(processorTime() - began).toFixed()} ms, at most ${longest.toFixed(1)} at a time`,
    )
    assert.equal(response.statusCode, 200)
    assertWithin(20, longest, `one turn of ${query}`)
    if (!query.startsWith('?format=krl')) continue
    const krl = readKrl(response.rawPayload)
    const { blob } = app.services.sshCa
    const asked = [1n, 9n, 10n, 11n, BigInt(COUNT) - 1n, BigInt(COUNT)]
    assert.deepEqual(
      asked.map((serial) => isRevoked(krl, blob, serial)),
      [true, true, false, true, true, false],
    )
  }
})
