import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { sql } from 'kysely'
import { beginPlannedDemands } from '../../../src/identity/manage-roles/plan-demand.ts'
import { lockAdministration } from '../../../src/identity/sessions/administer.ts'
import { sharedApp, startApp } from '../../support/app.ts'
import { onEachEngine } from '../../support/engines.ts'
import { signedInPerson, type SignedInPerson } from '../../support/people.ts'
import { until } from '../../support/replicas.ts'
import { addApp } from '../second-step/authenticator-app.ts'

const DAY = 24 * 3_600_000
const PASSWORD = 'four unusual words here'

onEachEngine('a demand of a role that begins later', (engine) => {
  const app = sharedApp({ engine })
  let admin: SignedInPerson
  let count = 0
  before(async () => {
    admin = await signedInPerson(app(), { admin: true })
    await signedInPerson(app(), { admin: true })
  })
  const newRole = async (settings: object = {}) => {
    const answer = await admin.post('/api/admin/roles', { name: `planned ${++count}`, ...settings })
    assert.equal(answer.statusCode, 201, answer.body)
    return answer.json<{ role: { id: string } }>().role.id
  }
  const plan = (id: string, requires: string, days: number, by = admin) =>
    by.patch(`/api/admin/roles/${id}`, { requiresNext: { requires, from: app().clock.now() + days * DAY } })
  const demandsOf = async (id: string) => {
    const { role } = (await admin.get(`/api/admin/roles/${id}`)).json<{
      role: { requires: string; requiresNext: { requires: string; from: number } | null }
    }>()
    return role
  }
  const holderOf = async (roleId: string) => {
    const person = await signedInPerson(app(), { password: PASSWORD })
    assert.equal((await admin.post(`/api/admin/users/${person.user.id}/roles`, { roleId })).statusCode, 200)
    return person
  }

  test('holds at its time, and not before; its seven days to set it up begin then', async () => {
    const id = await newRole()
    const person = await holderOf(id)
    const planned = await plan(id, 'second_step', 10)
    assert.equal(planned.statusCode, 200, planned.body)
    const from = app().clock.now() + 10 * DAY
    assert.deepEqual((await demandsOf(id)).requiresNext, { requires: 'second_step', from })
    const security = await person.get('/api/account/security')
    assert.deepEqual(
      [security.json().requires, security.json().requiresNext],
      ['none', { requires: 'second_step', from }],
    )
    app().clock.advance(10 * DAY - 60_000)
    await app().tick()
    const again = await signedInPerson(app())
    assert.equal((await demandsOf(id)).requires, 'none')
    assert.equal((await again.get('/api/account/profile')).statusCode, 200)
    app().clock.advance(60_000)
    await app().tick()
    admin = await signedInPerson(app(), { admin: true })
    const { requires, requiresNext } = await demandsOf(id)
    assert.deepEqual([requires, requiresNext], ['second_step', null])
    const late = await holderOf(id)
    assert.equal((await late.get('/api/account/profile')).json().code, 'setup_needed')
    const events = (await admin.get(`/api/admin/audit?action=role.updated&target=${id}`)).json<{
      events: { actorId: string | null; data: Record<string, unknown> }[]
    }>().events
    assert.deepEqual([events[0]?.actorId, events[0]?.data['requires']], [null, 'second_step'])
  })

  test('has to be more than now, in the future, and within a year', async () => {
    const id = await newRole({ requires: 'second_step' })
    const refused = async (requires: string, days: number) => {
      const answer = await plan(id, requires, days)
      return [answer.statusCode, answer.json().issues?.[0]?.path]
    }
    assert.deepEqual(await refused('second_step', 1), [400, 'requiresNext'])
    assert.deepEqual(await refused('none', 1), [400, 'requiresNext'])
    assert.deepEqual(await refused('passkey', 0), [400, 'requiresNext'])
    assert.deepEqual(await refused('passkey', -1), [400, 'requiresNext'])
    assert.deepEqual(await refused('passkey', 400), [400, 'requiresNext'])
    assert.equal((await demandsOf(id)).requiresNext, null)
  })

  test('goes when the role demands as much at once, and stays when it demands less than that', async () => {
    const id = await newRole()
    await plan(id, 'passkey', 5)
    await admin.patch(`/api/admin/roles/${id}`, { requires: 'second_step' })
    assert.equal((await demandsOf(id)).requiresNext?.requires, 'passkey')
    await admin.patch(`/api/admin/roles/${id}`, { requires: 'passkey' })
    assert.equal((await demandsOf(id)).requiresNext, null)
    const other = await newRole()
    await plan(other, 'passkey', 5)
    await admin.patch(`/api/admin/roles/${other}`, { requiresNext: null })
    assert.equal((await demandsOf(other)).requiresNext, null)
  })

  test('a holder whose session has what it asks for notices nothing', async () => {
    const id = await newRole()
    const person = await holderOf(id)
    const { code } = await addApp(app(), person)
    const proved = await person.post('/api/auth/fresh', { password: PASSWORD, code: code() })
    assert.equal(proved.statusCode, 200, proved.body)
    await plan(id, 'second_step', 1)
    app().clock.advance(DAY)
    await app().tick()
    assert.equal((await person.get('/api/account/profile')).statusCode, 200)
  })
})

onEachEngine('a planned demand and a sign-in that is not fresh', (engine) => {
  test('is not cancelled, weakened or put off by it, and may be brought forward', async (t) => {
    const app = await startApp(t, { engine })
    const admin = await signedInPerson(app, { admin: true })
    await signedInPerson(app, { admin: true })
    await admin.patch('/api/admin/settings', { freshSignIn: true })
    const { role } = (await admin.post('/api/admin/roles', { name: 'guarded' })).json()
    const from = app.clock.now() + 30 * DAY
    const change = async (requiresNext: object | null) =>
      (await admin.patch(`/api/admin/roles/${role.id}`, { requiresNext })).json().code ?? 'done'
    assert.equal(await change({ requires: 'passkey', from }), 'done')
    app.clock.advance(11 * 60_000)
    for (const weaker of [null, { requires: 'second_step', from }, { requires: 'passkey', from: from + 1 }])
      assert.equal(await change(weaker), 'fresh_sign_in_needed')
    assert.equal(await change({ requires: 'passkey', from: from - DAY }), 'done')
  })

  test('begins after a change that is under way, and not when that has taken it back', async (t) => {
    const app = await startApp(t, { engine })
    const { services, clock } = app
    const admin = await signedInPerson(app, { admin: true })
    await signedInPerson(app, { admin: true })
    const { role } = (await admin.post('/api/admin/roles', { name: 'guarded' })).json()
    const requiresNext = { requires: 'second_step', from: clock.now() + DAY }
    assert.equal((await admin.patch(`/api/admin/roles/${role.id}`, { requiresNext })).statusCode, 200)
    clock.advance(DAY)
    const [locked, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const change = services.db.transaction(async (trx) => {
      await lockAdministration(trx)
      locked.resolve()
      await goOn.promise
      const taken = { requires_next: null, requires_from: null }
      await trx.updateTable('roles').set(taken).where('id', '=', role.id).execute()
    })
    await locked.promise
    const begun = beginPlannedDemands(services)
    if (engine === 'postgres')
      await until(async () => {
        const { rows } = await sql`select 1 from pg_locks where not granted`.execute(services.db.read)
        return rows.length > 0
      }, 10_000)
    goOn.resolve()
    await Promise.all([change, begun])
    const read = (await admin.get(`/api/admin/roles/${role.id}`)).json()
    assert.deepEqual([read.role.requires, read.role.requiresNext], ['none', null])
  })

  test('is refused where it would lock the last administrator out', async (t) => {
    const app = await startApp(t, { engine })
    const admin = await signedInPerson(app, { admin: true })
    const { roles } = (await admin.get('/api/admin/roles')).json<{ roles: { id: string; name: string }[] }>()
    const id = roles.find(({ name }) => name === 'admin')?.id
    const requiresNext = { requires: 'passkey', from: app.clock.now() + DAY }
    assert.equal((await admin.patch(`/api/admin/roles/${id}`, { requiresNext })).statusCode, 409)
  })
})
