import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deleteSshKeysOfUser } from '../../../src/ssh/issuing/ssh-key-store.ts'
import { issue, newPublicKey, saveKey, signInCertificateUser } from '../../ssh/public-keys.ts'
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

  test('that are given up count no more and get nothing more, while their certificates stay valid and can be revoked', async () => {
    const person = await signInCertificateUser(app())
    const saveEphemeral = async (publicKey = newPublicKey()) => {
      const answer = await person.post('/api/ssh/keys', { name: 'short', publicKey, ephemeral: true })
      return answer.json<{ key: { id: string } }>().key.id
    }
    const revoked = async () => {
      const answer = await person.get('/api/ssh/certs/mine')
      return answer
        .json<{ certificates: { revokedAt: number | null }[] }>()
        .certificates.map(({ revokedAt }) => revokedAt !== null)
    }
    const giveUp = async (id: string) => (await person.delete(`/api/ssh/keys/${id}?certificates=keep`)).statusCode
    const publicKey = newPublicKey()
    const [id, other] = [await saveEphemeral(publicKey), await saveEphemeral()]
    await issue(person, id)
    await issue(person, other)
    for (let each = 2; each < 100; each++) assert.notEqual(await saveEphemeral(), undefined)
    assert.deepEqual([await giveUp(id), await giveUp(other), await giveUp(id)], [200, 200, 404])
    assert.equal((await keysOf(person)).length, 98)
    assert.notEqual(await saveEphemeral(), undefined, 'there is room for another one')
    assert.deepEqual(await revoked(), [false, false])
    assert.equal((await person.post('/api/ssh/certs/issue', { savedKeyId: id })).statusCode, 404)
    assert.equal((await person.post('/api/ssh/keys', { name: 'again', publicKey })).statusCode, 409)

    const stranger = await signInCertificateUser(app())
    assert.equal((await stranger.delete(`/api/ssh/keys/${id}`)).statusCode, 404)
    assert.equal((await person.delete(`/api/ssh/keys/${id}`)).statusCode, 200)
    assert.equal((await revoked()).filter(Boolean).length, 1)
    // What takes all keys of a person back finds those that were given up as well.
    const except = (await keysOf(person)).map((key) => key.id)
    const deleted = app().services.db.transaction((trx) => deleteSshKeysOfUser(trx, person.user.id, { except }))
    assert.deepEqual(await deleted, [other])
  })

  test('alone can be given up: a key that stays is deleted with its certificates or not at all', async () => {
    const person = await signInCertificateUser(app())
    const [kept, foreign] = [await saveKey(person), await signInCertificateUser(app())]
    await issue(person, kept)
    assert.equal((await person.delete(`/api/ssh/keys/${kept}?certificates=keep`)).statusCode, 404)
    assert.equal((await foreign.delete(`/api/ssh/keys/${kept}?certificates=keep`)).statusCode, 404)
    assert.equal((await person.delete(`/api/ssh/keys/${kept}?certificates=all`)).statusCode, 400)
    assert.equal((await keysOf(person)).length, 1)
  })
})
