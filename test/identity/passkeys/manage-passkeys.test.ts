import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sharedApp } from '../../support/app.ts'
import { onEachEngine } from '../../support/engines.ts'
import { anonymous, signedInPerson } from '../../support/people.ts'
import { enrol, newAuthenticator, register, tally } from './ceremonies.ts'

onEachEngine('passkeys of an account', (engine) => {
  const shared = sharedApp({ engine })

  const notificationsOf = async (userId: string): Promise<string[]> => {
    const rows = await shared()
      .services.db.read.selectFrom('notifications')
      .select('type')
      .where('user_id', '=', userId)
      .orderBy('id')
      .execute()
    return rows.map(({ type }) => type)
  }

  test('need a session', async () => {
    const visitor = anonymous(shared())
    assert.equal((await visitor.get('/api/passkeys')).statusCode, 401)
    assert.equal((await visitor.patch('/api/passkeys/x', { name: '' })).statusCode, 401)
    assert.equal((await visitor.delete('/api/passkeys/x')).statusCode, 401)
  })

  test('are listed for their owner only, oldest first, without their keys', async () => {
    const { person, passkey } = await enrol(shared())
    shared().clock.advance(1000)
    const second = (await register(person, newAuthenticator(), {}, 'Second')).json().passkey
    await enrol(shared())
    const list = (await person.get('/api/passkeys')).json()
    assert.deepEqual(list, { passkeys: [passkey, second] })
    assert.deepEqual(Object.keys(list.passkeys[0]), [
      'id',
      'credentialId',
      'name',
      'transports',
      'deviceType',
      'backedUp',
      'aaguid',
      'createdAt',
      'lastUsedAt',
    ])
  })

  test('can be renamed by their owner', async () => {
    const { person, passkey } = await enrol(shared())
    const response = await person.patch(`/api/passkeys/${passkey.id}`, { name: ' Ann’s phone ' })
    assert.equal(response.statusCode, 200)
    assert.deepEqual(response.json(), { passkey: { ...passkey, name: 'Ann’s phone' } })
    assert.equal((await person.get('/api/passkeys')).json().passkeys[0].name, 'Ann’s phone')
    const { action, actor_id } = await shared()
      .services.db.read.selectFrom('audit_events')
      .select(['action', 'actor_id'])
      .where('target_id', '=', passkey.id)
      .where('action', '!=', 'passkey.added')
      .executeTakeFirstOrThrow()
    assert.deepEqual([action, actor_id], ['passkey.renamed', person.user.id])
  })

  test('have a name of 1 to 100 characters in one line without markup', async () => {
    const { person, passkey } = await enrol(shared())
    const url = `/api/passkeys/${passkey.id}`
    for (const name of ['', ' ', 'x'.repeat(101), 'a\tb', 'a\r\nb', '<script>alert(1)</script>', '\u0085']) {
      const response = await person.patch(url, { name })
      assert.equal(response.statusCode, 400, JSON.stringify(name))
      assert.equal(response.json().issues[0].path, 'name')
    }
    for (const body of [{}, { name: 7 }, { name: null }, { name: ['a'] }, { name: 'a', counter: 0 }]) {
      assert.equal((await person.patch(url, body)).statusCode, 400, JSON.stringify(body))
    }
    assert.equal((await person.get('/api/passkeys')).json().passkeys[0].name, 'Passkey')
    assert.equal((await person.patch(url, { name: 'x'.repeat(100) })).statusCode, 200)
  })

  test('of another user answer 404', async () => {
    const { person, passkey } = await enrol(shared())
    const other = await signedInPerson(shared(), { password: 'correct horse battery' })
    const renamed = await other.patch(`/api/passkeys/${passkey.id}`, { name: 'Mine' })
    const removed = await other.delete(`/api/passkeys/${passkey.id}`)
    const unknown = await other.delete(`/api/passkeys/${crypto.randomUUID()}`)
    assert.deepEqual([renamed.statusCode, removed.statusCode, unknown.statusCode], [404, 404, 404])
    assert.equal(removed.body, unknown.body)
    assert.deepEqual((await person.get('/api/passkeys')).json().passkeys, [passkey])
  })

  test('can be removed by their owner, who is notified', async () => {
    const { person, passkey } = await enrol(shared())
    await register(person, newAuthenticator())
    const response = await person.delete(`/api/passkeys/${passkey.id}`)
    assert.equal(response.statusCode, 200)
    assert.deepEqual(response.json(), { success: true })
    assert.equal((await person.delete(`/api/passkeys/${passkey.id}`)).statusCode, 404)
    assert.deepEqual(await notificationsOf(person.user.id), [
      'security.passkey_added',
      'security.passkey_added',
      'security.passkey_removed',
    ])
    const events = await shared()
      .services.db.read.selectFrom('audit_events')
      .select('action')
      .where('target_id', '=', passkey.id)
      .where('action', '=', 'passkey.removed')
      .execute()
    assert.equal(events.length, 1)
  })

  test('can’t be removed if only one is left and the account has no password', async () => {
    const { person, passkey } = await enrol(shared())
    const response = await person.delete(`/api/passkeys/${passkey.id}`)
    assert.equal(response.statusCode, 409)
    assert.equal(response.json().code, 'conflict')
    assert.equal((await person.get('/api/passkeys')).json().passkeys.length, 1)
    assert.deepEqual(await notificationsOf(person.user.id), ['security.passkey_added'])
  })

  test('can all be removed from an account with a password', async () => {
    const person = await signedInPerson(shared(), { password: 'correct horse battery' })
    const { passkey } = (await register(person, newAuthenticator())).json()
    assert.equal((await person.delete(`/api/passkeys/${passkey.id}`)).statusCode, 200)
    assert.deepEqual((await person.get('/api/passkeys')).json(), { passkeys: [] })
  })

  test('that are all removed concurrently leave one', async () => {
    for (let round = 0; round < 5; round++) {
      const { person, passkey } = await enrol(shared())
      const ids = [passkey.id]
      for (let more = 0; more < 4; more++) ids.push((await register(person, newAuthenticator())).json().passkey.id)
      const responses = await Promise.all(ids.map((id) => person.delete(`/api/passkeys/${id}`)))
      assert.deepEqual(tally(responses), { 200: 4, 409: 1 })
      assert.equal((await person.get('/api/passkeys')).json().passkeys.length, 1)
    }
  })

  test('can’t be changed by a page of another origin', async () => {
    const { person, passkey } = await enrol(shared())
    const evil = { origin: 'https://evil.example' }
    assert.equal((await person.patch(`/api/passkeys/${passkey.id}`, { name: 'x' }, evil)).statusCode, 403)
    assert.equal((await person.delete(`/api/passkeys/${passkey.id}`, undefined, evil)).statusCode, 403)
  })
})
