import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sharedApp } from '../../support/app.ts'
import { onEachEngine } from '../../support/engines.ts'
import { untilLockWait } from '../../support/lock-waits.ts'
import { assertRefused, counterOf, enrol, login, loginOptions, verifyLogin } from './ceremonies.ts'

onEachEngine('a login with a passkey of a disabled account', (engine) => {
  const shared = sharedApp({ engine, config: { rateLimits: false } })

  const disable = (userId: string, at: number | null = shared().clock.now()) =>
    shared().services.db.transaction((trx) =>
      trx.updateTable('users').set({ disabled_at: at }).where('id', '=', userId).execute(),
    )

  test('answers 403 after the signature was verified and before the counter is checked', async () => {
    const { person, authenticator, passkey, visitor } = await enrol(shared(), { counter: 10 })
    await disable(person.user.id)
    for (const counter of [11, 10, 9]) {
      const response = await login(visitor, authenticator, { counter })
      assert.equal(response.statusCode, 403)
      assert.equal(response.body, '{"error":"Your account has been disabled."}')
      assert.equal(response.headers['set-cookie'], undefined)
    }
    assert.equal(await counterOf(shared(), passkey), 10)
    assertRefused(await login(visitor, authenticator, { counter: 12, signature: 'corrupt' }))
    assertRefused(await login(visitor, authenticator, { counter: 12, origin: 'https://evil.example' }))
    await disable(person.user.id, null)
    assert.equal((await login(visitor, authenticator, { counter: 11 })).statusCode, 200)
  })

  test('starts no session when the account is disabled concurrently', async () => {
    const { person, authenticator, visitor } = await enrol(shared())
    const options = await loginOptions(visitor)
    const response = authenticator.authenticate(options)
    const { db } = shared().services
    const attempt = await db.transaction(async (trx) => {
      await trx.updateTable('users').set({ disabled_at: 1 }).where('id', '=', person.user.id).execute()
      const attempted = verifyLogin(visitor, options.challengeId, response)
      // SQLite has one writer, so the attempt has not started; on PostgreSQL it runs until it waits for the account.
      if (engine === 'postgres') await untilLockWait(db.read)
      await trx.deleteFrom('sessions').where('user_id', '=', person.user.id).execute()
      return { attempted }
    })
    assert.equal((await attempt.attempted).statusCode, 403)
    const left = await db.read.selectFrom('sessions').select('id').where('user_id', '=', person.user.id).execute()
    assert.deepEqual(left, [])
  })
})
