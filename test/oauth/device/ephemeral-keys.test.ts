import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newPublicKey, saveKey, signInCertificateUser } from '../../ssh/public-keys.ts'
import { sharedApp } from '../../support/app.ts'
import { onEachEngine } from '../../support/engines.ts'
import { HOUR } from './ssh-client-calls.ts'

onEachEngine('ephemeral keys', (engine) => {
  const app = sharedApp({ engine })
  const keysOf = async (person: Awaited<ReturnType<typeof signInCertificateUser>>) =>
    (await person.get('/api/ssh/keys')).json<{ keys: { id: string; ephemeral: boolean }[] }>().keys

  test('go after an hour without a certificate, while others stay', async () => {
    const person = await signInCertificateUser(app())
    const kept = await saveKey(person)
    const body = { name: 'short', publicKey: newPublicKey(), ephemeral: true }
    const { key } = (await person.post('/api/ssh/keys', body)).json<{ key: { id: string; ephemeral: boolean } }>()
    assert.equal(key.ephemeral, true)
    app().clock.advance(HOUR - 1)
    assert.equal((await keysOf(person)).length, 2)
    app().clock.advance(1)
    assert.deepEqual(
      (await keysOf(person)).map(({ id, ephemeral }) => [id, ephemeral]),
      [[kept, false]],
    )
    const late = await person.post('/api/ssh/certs/issue', { savedKeyId: key.id })
    assert.equal(late.statusCode, 404)
    await app().tick()
    const rows = await app().services.db.read.selectFrom('ssh_keys').select('id').where('id', '=', key.id).execute()
    assert.deepEqual(rows, [])
    assert.equal((await person.post('/api/ssh/keys', { ...body, ephemeral: false })).statusCode, 201)
  })

  test('go when their last certificate expires, sooner or later than an hour', async () => {
    const person = await signInCertificateUser(app())
    const save = async () => {
      const body = { name: 'short', publicKey: newPublicKey(), ephemeral: true }
      return (await person.post('/api/ssh/keys', body)).json<{ key: { id: string } }>().key.id
    }
    const [short, long] = [await save(), await save()]
    const issue = async (savedKeyId: string, ttlSeconds: number) =>
      assert.equal((await person.post('/api/ssh/certs/issue', { savedKeyId, ttlSeconds })).statusCode, 201)
    await issue(short, 300)
    await issue(long, 7200)
    await issue(long, 600)
    app().clock.advance(301_000)
    assert.deepEqual(
      (await keysOf(person)).map(({ id }) => id),
      [long],
    )
    app().clock.advance(6_800_000)
    assert.deepEqual(
      (await keysOf(person)).map(({ id }) => id),
      [long],
    )
    app().clock.advance(200_000)
    assert.deepEqual(await keysOf(person), [])
  })

  test('count towards the 100 keys of a person until they go', async () => {
    const person = await signInCertificateUser(app())
    const save = () => person.post('/api/ssh/keys', { name: 'k', publicKey: newPublicKey(), ephemeral: true })
    for (let each = 0; each < 100; each++) assert.equal((await save()).statusCode, 201)
    assert.equal((await save()).statusCode, 409)
    app().clock.advance(HOUR)
    assert.equal((await save()).statusCode, 201)
  })
})
