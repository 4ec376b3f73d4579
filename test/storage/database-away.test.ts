import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../support/app.ts'
import { startCuttableProxy } from '../support/cuttable-proxy.ts'
import { createStorage } from '../support/engines.ts'
import { anonymous, signedInPerson } from '../support/people.ts'
import { assertWithin } from '../support/speed.ts'

test('while PostgreSQL is unavailable requests answer 503 with Retry-After, and they work again when it is back', async (t) => {
  const storage = await createStorage('postgres')
  t.after(storage.remove)
  const line = await startCuttableProxy(t, storage.databaseUrl)
  const app = await startApp(t, {
    engine: 'postgres',
    timeoutFactor: 1,
    storage: { ...storage, databaseUrl: line.url },
  })
  const person = await signedInPerson(app)
  assert.equal((await person.get('/api/auth/me')).statusCode, 200)

  await line.cut()
  const started = performance.now()
  const away = await Promise.all([
    person.get('/api/auth/me'),
    person.patch('/api/account/profile', { displayName: 'Lost' }),
    anonymous(app).get('/readyz'),
    anonymous(app).get('/ssh/krl'),
    anonymous(app).get('/oauth/userinfo', undefined, { authorization: `Bearer at_${'x'.repeat(43)}` }),
  ])
  for (const response of away) {
    assert.equal(response.statusCode, 503, response.body)
    assert.ok(Number(response.headers['retry-after']) > 0)
  }
  assertWithin(5000, performance.now() - started, 'the last refusal')
  for (const url of ['/healthz', '/.well-known/openid-configuration', '/.well-known/jwks.json', '/ssh/ca.pub']) {
    assert.equal((await anonymous(app).get(url)).statusCode, 200, `${url} needs no database`)
  }

  await line.restore()
  assert.equal((await anonymous(app).get('/readyz')).statusCode, 200)
  const back = await person.get('/api/account/profile')
  assert.equal(back.statusCode, 200)
  assert.equal(back.json().displayName, null, 'a request that answered 503 changed nothing')
})

test('replicas receive signals again after their listening connection was lost', async (t) => {
  const storage = await createStorage('postgres')
  t.after(storage.remove)
  const line = await startCuttableProxy(t, storage.databaseUrl)
  const one = await startApp(t, {
    engine: 'postgres',
    timeoutFactor: 1,
    storage: { ...storage, databaseUrl: line.url },
  })
  const two = await startApp(t, { engine: 'postgres', storage })
  const resynced = new Promise<void>((resolve) => {
    const stop = one.services.signals.on('resync', () => {
      stop()
      resolve()
    })
  })
  await line.cut()
  await line.restore()
  await resynced
  const received = new Promise<{ userIds: string[] }>((resolve) => {
    const stop = one.services.signals.on('notifications', (payload) => {
      stop()
      resolve(payload)
    })
  })
  await two.services.db.transaction((trx) =>
    two.services.signals.emit(trx, 'notifications', { userIds: ['usr_somebody'] }),
  )
  assert.deepEqual(await received, { userIds: ['usr_somebody'] })
})
