import assert from 'node:assert/strict'
import { test } from 'node:test'
import { accountMayAct, refuseDisabled } from '../../../src/identity/users/account-state.ts'
import { startApp } from '../../support/app.ts'
import { onEachEngine } from '../../support/engines.ts'
import { signedInPerson } from '../../support/people.ts'

onEachEngine('whether an account may act', (engine) => {
  test('is decided in the same way in a query and on a loaded account, even if it was disabled at time 0', async (t) => {
    const app = await startApp(t, { engine })
    const { db } = app.services
    const active = await signedInPerson(app)
    for (const disabledAt of [0, 1, Date.now() + 1_000_000]) {
      const disabled = await signedInPerson(app)
      await db.transaction((trx) =>
        trx.updateTable('users').set({ disabled_at: disabledAt }).where('id', '=', disabled.user.id).execute(),
      )
      assert.throws(() => refuseDisabled({ disabledAt }), { code: 'account_disabled', status: 403 })
    }
    refuseDisabled({ disabledAt: null })
    const rows = await db.read.selectFrom('users').select('id').where(accountMayAct).execute()
    assert.deepEqual(
      rows.map(({ id }) => id),
      [active.user.id],
    )
  })
})
