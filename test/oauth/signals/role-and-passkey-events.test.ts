import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { publish } from '../../../src/identity/access-events.ts'
import { skipEscalationCheck } from '../../../src/identity/roles/checked-trx.ts'
import { addAssignment } from '../../../src/identity/roles/role-store.ts'
import { createUser } from '../../../src/identity/users/create-user.ts'
import { lockUser } from '../../../src/identity/users/lock-user.ts'
import { signalPlannedHolders } from '../../../src/oauth/signals/signal-roles-changed.ts'
import {
  newAuthenticator,
  register,
  registrationOptions,
  verifyRegistration,
} from '../../identity/passkeys/ceremonies.ts'
import { addApp } from '../../identity/second-step/authenticator-app.ts'
import { sharedApp } from '../../support/app.ts'
import { onEachEngine } from '../../support/engines.ts'
import type { SignedInPerson } from '../../support/people.ts'
import { type Configuration, consentTo, issSub, newAudience, newStream, readEvents, type Receiver } from './receiver.ts'

onEachEngine('what streams are told of roles and passkeys', (engine) => {
  const app = sharedApp({ engine })
  let receiver: Receiver
  let stream: Configuration
  let admin: SignedInPerson
  let person: SignedInPerson

  beforeEach(async () => {
    ;({ receiver, stream, admin, person } = await newAudience(app()))
  })
  const read = () => readEvents(app(), receiver, stream)

  test('the groups of a person whose roles change: given, renamed, taken, deleted', async () => {
    const role = async (name: string) =>
      (await admin.post('/api/admin/roles', { name })).json<{ role: { id: string } }>().role.id
    const url = `/api/admin/users/${person.user.id}/roles`
    const groups = async () => {
      await app().tick()
      return (await read()).map(({ name, subject, event }) => {
        assert.equal(name, 'token-claims-change')
        assert.deepEqual(subject, issSub(person))
        return event['claims']
      })
    }
    const suffix = `${engine} ${person.user.id}`
    const [editors, admins] = [await role(`editors ${suffix}`), await role(`admins ${suffix}`)]
    await admin.post(url, { roleId: editors })
    await admin.post(url, { roleId: editors })
    assert.deepEqual(await groups(), [{ groups: [`editors ${suffix}`] }], 'giving it again changes nothing')
    await admin.post(url, { roleId: admins })
    assert.deepEqual(await groups(), [{ groups: [`admins ${suffix}`, `editors ${suffix}`] }])
    await admin.patch(`/api/admin/roles/${editors}`, { name: `writers ${suffix}` })
    assert.deepEqual(await groups(), [{ groups: [`admins ${suffix}`, `writers ${suffix}`] }])
    await admin.patch(`/api/admin/roles/${editors}`, { description: 'Only this' })
    assert.deepEqual(await groups(), [])
    await admin.delete(`${url}/${admins}`)
    assert.deepEqual(await groups(), [{ groups: [`writers ${suffix}`] }])
    await admin.delete(`/api/admin/roles/${editors}`)
    assert.deepEqual(await groups(), [{ groups: [] }])
  })

  test('groups are told as the application is told them: by a mapping, and not without the scope', async () => {
    const made = await admin.post('/api/admin/roles', { name: `staff ${person.user.id}` })
    const { id } = made.json<{ role: { id: string } }>().role
    const mapped = await newStream(app(), {
      claims: [{ name: 'groups', in: ['userinfo'], whenRole: { roleId: id, then: ['inside'], else: ['outside'] } }],
    })
    const without = await newStream(app())
    for (const each of [mapped, without]) await consentTo(app(), person, each.receiver, 'openid')
    const url = `/api/admin/users/${person.user.id}/roles`
    await admin.post(url, { roleId: id })
    await admin.delete(`${url}/${id}`)
    const claims = async ({ receiver, stream }: typeof mapped) =>
      (await readEvents(app(), receiver, stream)).map(({ event }) => event['claims'])
    assert.deepEqual(await claims(mapped), [{ groups: ['inside'] }, { groups: ['outside'] }])
    assert.deepEqual(await claims(without), [])
  })

  test('a passkey that is added or removed, by its owner or an administrator, and what kind it is', async () => {
    const add = async (transports: string[]) => {
      const options = await registrationOptions(person)
      const response = newAuthenticator().register(options)
      const answer = await verifyRegistration(person, {
        ...response,
        response: { ...response.response, transports },
      })
      assert.equal(answer.statusCode, 200, answer.body)
      return answer.json<{ passkey: { id: string } }>().passkey.id
    }
    const platform = await add(['internal', 'hybrid'])
    const roaming = await add(['usb'])
    await person.delete(`/api/passkeys/${platform}`)
    await admin.delete(`/api/admin/users/${person.user.id}/passkeys/${roaming}`)
    const events = await read()
    assert.deepEqual(
      events.map(({ event: { credential_type: type, change_type: change, initiating_entity: by } }) => [
        type,
        change,
        by,
      ]),
      [
        ['fido2-platform', 'create', 'user'],
        ['fido2-roaming', 'create', 'user'],
        ['fido2-platform', 'delete', 'user'],
        ['fido2-roaming', 'delete', 'admin'],
      ],
    )
    for (const { name, subject } of events) assert.deepEqual([name, subject], ['credential-change', issSub(person)])
    for (const { event } of events) assert.equal('friendly_name' in event, false)
  })

  test('an authenticator app that is added or removed, by its owner or an administrator', async () => {
    await addApp(app(), person)
    await person.delete('/api/account/totp')
    await addApp(app(), person)
    await admin.delete(`/api/admin/users/${person.user.id}/totp`)
    const events = await read()
    assert.deepEqual(
      events.map(({ name, event }) => [
        name,
        event['credential_type'],
        event['change_type'],
        event['initiating_entity'],
      ]),
      [
        ['credential-change', 'app', 'create', 'user'],
        ['credential-change', 'app', 'delete', 'user'],
        ['credential-change', 'app', 'create', 'user'],
        ['credential-change', 'app', 'delete', 'admin'],
      ],
    )
  })

  test('the passkeys that go when their owner takes the account over, also where the grant goes too', async () => {
    const answer = await register(person, newAuthenticator())
    assert.equal(answer.statusCode, 200, answer.body)
    await read()
    const { services } = app()
    const { id: userId } = person.user
    await services.db.transaction(async (trx) => {
      await lockUser(trx, userId)
      await publish(services, trx, 'account_taken_over', { userId })
    })
    assert.deepEqual(
      (await read()).map(({ name, event }) => [name, event['change_type'], event['initiating_entity']]),
      [['credential-change', 'delete', 'user']],
    )
  })

  test('everybody who has a role that is renamed, in slices, each once although two replicas do it', async () => {
    const { services } = app()
    const { db } = services
    const made = await admin.post('/api/admin/roles', { name: `many ${person.user.id}` })
    const { id: roleId } = made.json<{ role: { id: string } }>().role
    const people = await Promise.all(
      Array.from({ length: 230 }, (_, n) =>
        createUser(services, db, { email: `many${n}.${person.user.id.slice(4, 12)}@example.com`, passwordHash: null }),
      ),
    )
    const granting = people.slice(0, 220).map(({ id }) => id)
    await db.transaction(async (trx) => {
      for (const { id } of people)
        await addAssignment(skipEscalationCheck(trx), { userId: id, roleId, now: app().clock.now() })
      for (const user_id of granting)
        await trx
          .insertInto('oauth_grants')
          .values({ user_id, client_id: receiver.clientId, scopes: '["groups"]', created_at: 1, updated_at: 1 })
          .execute()
    })
    await admin.patch(`/api/admin/roles/${roleId}`, { name: `all ${person.user.id}` })
    const stop = new AbortController().signal
    await Promise.all([signalPlannedHolders(services, stop), signalPlannedHolders(services, stop)])
    const told = await db.read
      .selectFrom('outbox_deliveries')
      .select(['person_id', 'type'])
      .where('receiver_id', '=', receiver.clientId)
      .execute()
    assert.deepEqual(told.map(({ person_id }) => person_id).toSorted(), granting.toSorted())
    assert.deepEqual(new Set(told.map(({ type }) => type)), new Set(['token-claims-change']))
    assert.deepEqual(await db.read.selectFrom('signal_role_changes').selectAll().execute(), [])
  })
})
