import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, symlinkSync, unlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { markSeen } from '../../../src/identity/sign-in/device-store.ts'
import { sweepExpired } from '../../../src/operations/background/sweep-expired.ts'
import { startApp } from '../../support/app.ts'
import { onEachEngine } from '../../support/engines.ts'
import { signedInPerson } from '../../support/people.ts'

const DAY = 24 * 3_600_000

onEachEngine('what is kept, and for how long', (engine) => {
  test('lifecycle actions that ended are deleted after 400 days, those that did not never', async (t) => {
    const app = await startApp(t, { engine })
    const {
      user: { id },
    } = await signedInPerson(app)
    const now = app.clock.now()
    const old = now - 400 * DAY
    const rows = (['pending', 'running', 'completed', 'cancelled', 'failed'] as const).flatMap((status) =>
      [old, old + 1].map((at, index) => ({
        id: `${status}-${index}`,
        user_id: id,
        action: 'disable' as const,
        status,
        execute_at: at,
        requested_by: null,
        claimed_at: null,
        finished_at: status === 'pending' || status === 'running' ? null : at,
        failure_reason: null,
        created_at: at - 1,
      })),
    )
    await app.services.db.transaction((trx) => trx.insertInto('lifecycle_actions').values(rows).execute())
    assert.equal(await sweepExpired(app.services), 3)
    const left = await app.services.db.read.selectFrom('lifecycle_actions').select('id').orderBy('id').execute()
    assert.deepEqual(
      left.map((row) => row.id),
      ['cancelled-1', 'completed-1', 'failed-1', 'pending-0', 'pending-1', 'running-0', 'running-1'],
    )
  })

  test('of an account the 100 newest browsers and networks are remembered', async (t) => {
    const app = await startApp(t, { engine })
    const { db } = app.services
    const [
      {
        user: { id },
      },
      other,
    ] = [await signedInPerson(app), await signedInPerson(app)]
    const seen = (network: number, userId = id) =>
      db.transaction((trx) =>
        markSeen(
          trx,
          userId,
          {
            ipAddress: `10.0.${network}.1`,
            userAgent: 'Browser',
            geolocation: { country: null, city: null, region: null },
            requestId: 'request',
          },
          app.clock.now() + network,
        ),
      )
    await seen(1, other.user.id)
    for (let network = 1; network <= 120; network++) assert.equal(await seen(network), network > 1)
    const count = async (userId: string) =>
      (await db.read.selectFrom('known_devices').select('device_hash').where('user_id', '=', userId).execute()).length
    assert.equal(await count(id), 100)
    assert.equal(await count(other.user.id), 2)
    assert.equal(await seen(120), false)
    assert.equal(await seen(1), true, 'forgotten, so it is new again')
  })
})

test('mail in the outbox is deleted after 30 days, and not where there is a mail server', async (t) => {
  for (const smtpUrl of [undefined, 'smtp://127.0.0.1:1']) {
    const app = await startApp(t, { config: { smtpUrl } })
    const folder = join(app.storage.dataDir, 'outbox')
    mkdirSync(folder, { recursive: true })
    for (const [name, days] of [
      ['old.eml', 30],
      ['new.eml', 29],
      ['old.txt', 30],
    ] as const) {
      writeFileSync(join(folder, name), '')
      const at = (app.clock.now() - days * DAY) / 1000 - 1
      utimesSync(join(folder, name), at, at)
    }
    // It is in the list of the folder, and not there any more when it is looked at.
    symlinkSync(join(folder, 'nothing'), join(folder, 'gone.eml'))
    await app.tick()
    assert.doesNotMatch(app.logged(), /Background work failed/)
    unlinkSync(join(folder, 'gone.eml'))
    const left = readdirSync(folder).toSorted()
    assert.deepEqual(left, smtpUrl === undefined ? ['new.eml', 'old.txt'] : ['new.eml', 'old.eml', 'old.txt'])
  }
})
