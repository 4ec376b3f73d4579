import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { startApp } from '../../support/app.ts'
import { issue, saveKey, signInCertificateManager, signInCertificateUser } from '../public-keys.ts'

for (const table of ['users', 'ssh_keys'] as const) {
  test(`while a row of ${table} is locked, only requests of its owner wait`, async (t) => {
    const app = await startApp(t, { engine: 'postgres' })
    const [blocked, other] = [await signInCertificateUser(app), await signInCertificateUser(app)]
    const keys = [await saveKey(blocked), await saveKey(other)]
    const database = new pg.Client(app.storage.databaseUrl)
    await database.connect()
    try {
      await database.query('begin')
      const id = table === 'users' ? blocked.user.id : keys[0]
      await database.query(`select id from ${table} where id = $1 for update`, [id])
      let answered = 0
      // More requests than there are connections.
      const waiting = Array.from({ length: 15 }, async () => {
        const { statusCode } = await blocked.post('/api/ssh/certs/issue', { savedKeyId: keys[0] })
        answered++
        return statusCode
      })
      for (let round = 0; round < 5; round++) await issue(other, keys[1]!)
      assert.equal(answered, 0)
      await database.query('rollback')
      assert.deepEqual(await Promise.all(waiting), Array(15).fill(201))
    } finally {
      await database.end()
    }
  })
}

test('five hundred concurrent certificates from two replicas have five hundred serials', async (t) => {
  const one = await startApp(t, { engine: 'postgres' })
  const two = await startApp(t, { engine: 'postgres', storage: one.storage })
  const people = await Promise.all([signInCertificateUser(one), signInCertificateUser(two)])
  const keys = await Promise.all(people.map((person) => saveKey(person)))
  const issued = await Promise.all(
    Array.from({ length: 500 }, (_, index) => issue(people[index % 2]!, keys[index % 2]!)),
  )
  const serials = issued.map(({ serial }) => Number(serial)).toSorted((a, b) => a - b)
  assert.deepEqual(
    serials,
    Array.from({ length: 500 }, (_, index) => index + 1),
  )
})

test('serials beyond Number.MAX_SAFE_INTEGER stay exact', async (t) => {
  for (const engine of ['sqlite', 'postgres'] as const) {
    const app = await startApp(t, { engine })
    await app.services.db.transaction((trx) =>
      trx
        .updateTable('counters')
        .set({ value: 2n ** 62n })
        .where('name', '=', 'ssh_serial')
        .execute(),
    )
    const person = await signInCertificateManager(app)
    const { serial, id } = await issue(person, await saveKey(person))
    assert.equal(serial, String(2n ** 62n + 1n))
    const { certificates } = (await person.get(`/api/ssh/certs?serial=${serial}`)).json()
    assert.equal(certificates[0].serial, serial)
    await person.post(`/api/ssh/certs/${id}/revoke`, {})
    assert.equal((await person.get('/ssh/krl?format=raw')).body, `serial: ${serial}\n`)
  }
})
