import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { AuditEntry } from '../../../src/platform/audit/audit-entry.ts'
import { recordAlone, THE_SERVICE } from '../../../src/platform/audit/record-event.ts'
import type { AuditAction } from '../../../src/vocabulary/audit-actions.ts'
import { ADMIN_ROLE } from '../../../src/vocabulary/built-in-roles.ts'
import { sharedApp, startApp, type TestApp } from '../../support/app.ts'
import { onEachEngine } from '../../support/engines.ts'
import { anonymous, signedInPerson } from '../../support/people.ts'

const PASSWORD = 'correct horse battery staple'

interface Page {
  events: AuditEntry[]
  nextCursor: string | null
}

async function setUp(app: TestApp) {
  const admin = await signedInPerson(app, { admin: true })
  const list = async (query = '') => (await admin.get(`/api/admin/audit${query}`)).json<Page>()
  const actions = async (query = '') => (await list(query)).events.map(({ action }) => action)
  /** Accepts any string as the action, since another version may have recorded it. */
  const record = (action: string, rest: Partial<Parameters<typeof recordAlone>[1]> = {}) =>
    recordAlone(app.services, { action: action as AuditAction, outcome: 'success', actor: THE_SERVICE, ...rest })
  return { app, admin, list, actions, record }
}

onEachEngine('the audit trail', (engine) => {
  const shared = sharedApp({ engine })
  /** For tests that expect no entries but their own. */
  const setUpAlone = async (t: TestContext) => setUp(await startApp(t, { engine }))

  test('records who made each administrative change, to whom, when, and from which address', async () => {
    const { app, admin, list } = await setUp(shared())
    const made = await admin.post('/api/admin/users', { email: 'audited@example.com', password: PASSWORD })
    const userId: string = made.json().user.id
    const roleId: string = (await admin.post('/api/admin/roles', { name: 'Audited' })).json().role.id
    const user = `/api/admin/users/${userId}`
    const role = `/api/admin/roles/${roleId}`
    await admin.patch(user, { email: 'renamed@example.com' })
    await admin.post(`${role}/permissions`, { permissionId: 'users:read' })
    await admin.post(`${user}/roles`, { roleId })
    await admin.delete(`${user}/roles/${roleId}`)
    await admin.delete(`${role}/permissions/users:read`)
    await admin.patch(role, { description: 'x' })
    await admin.delete(role)
    const later = { action: 'disable', executeAt: app.clock.now() + 60_000 }
    const { lifecycleActionId } = (await admin.post(`${user}/lifecycle`, later)).json()
    await admin.delete(`${user}/lifecycle/${lifecycleActionId}`)
    await admin.post(`${user}/lifecycle`, { action: 'disable' })
    await admin.post(`${user}/lifecycle`, { action: 'enable' })
    await admin.delete(user)
    const {
      events: [deleted],
    } = await list('?action=user.deleted&limit=1')
    assert.equal(deleted?.targetName, null)
    const own = await list(`?target=${admin.user.id}`)
    assert.ok(own.events.every(({ targetName }) => targetName === admin.user.email))
    const { events } = await list(`?actor=${admin.user.id}`)
    const expected: [string, string][] = [
      ['user.created', userId],
      ['role.created', roleId],
      ['user.updated', userId],
      ['role.permission_granted', roleId],
      ['role.assigned', userId],
      ['role.unassigned', userId],
      ['role.permission_revoked', roleId],
      ['role.updated', roleId],
      ['role.deleted', roleId],
      ['lifecycle.scheduled', userId],
      ['lifecycle.cancelled', userId],
      ['user.disabled', userId],
      ['user.enabled', userId],
      ['user.deleted', userId],
    ]
    assert.deepEqual(
      events.map(({ action, targetId }) => `${action} ${targetId}`).toSorted(),
      expected.map((pair) => pair.join(' ')).toSorted(),
    )
    for (const event of events) {
      assert.equal(event.outcome, 'success')
      assert.equal(event.actorEmail, admin.user.email)
      assert.equal(event.ipAddress, '127.0.0.1')
      assert.equal(event.at, app.clock.now())
      assert.ok(event.requestId)
    }
    assert.ok(!JSON.stringify(events).includes(PASSWORD))
  })

  test('has no entry for a change that was refused', async (t) => {
    const { admin, actions } = await setUpAlone(t)
    const refused = [
      await admin.delete(`/api/admin/users/${admin.user.id}`),
      await admin.delete(`/api/admin/users/${admin.user.id}/roles/${ADMIN_ROLE}`),
      await admin.post('/api/admin/roles', { name: 'admin' }),
    ]
    assert.deepEqual(
      refused.map(({ statusCode }) => statusCode),
      [409, 409, 409],
    )
    assert.deepEqual(await actions(), [])
  })

  test('records sign-ins and failed sign-ins, without the password', async () => {
    const { app, admin, list } = await setUp(shared())
    await signedInPerson(app, { email: 'enters@example.com', password: PASSWORD })
    await anonymous(app).post('/api/auth/login', { email: 'enters@example.com', password: PASSWORD })
    await anonymous(app).post('/api/auth/login', { email: 'enters@example.com', password: 'a wrong password' })
    const { events } = await list('?action=session.*')
    assert.deepEqual(events.map(({ action, outcome }) => `${action} ${outcome}`).toSorted(), [
      'session.refused refused',
      'session.started success',
    ])
    const everything = (await admin.get('/api/admin/audit')).body
    assert.ok(!everything.includes(PASSWORD) && !everything.includes('a wrong password'))
  })

  test('can be filtered by action, group of actions, actor, target, outcome and time', async (t) => {
    const { app, actions, record } = await setUpAlone(t)
    const someone = { id: 'usr_someone', email: 'someone@example.com', source: null }
    await record('user.updated', { actor: someone, target: { type: 'user', id: 'usr_target' } })
    await record('user_xupdated')
    app.clock.advance(1000)
    await record('role.updated', { outcome: 'refused' })
    const now = app.clock.now()
    assert.deepEqual(await actions('?action=user.updated'), ['user.updated'])
    assert.deepEqual(await actions('?action=user.*'), ['user.updated'])
    assert.deepEqual(await actions('?action=user_*'), [])
    assert.deepEqual(await actions('?actor=usr_someone'), ['user.updated'])
    assert.deepEqual(await actions('?actor=Someone@Example.com'), ['user.updated'])
    assert.deepEqual(await actions('?target=usr_target'), ['user.updated'])
    assert.deepEqual(await actions('?outcome=refused'), ['role.updated'])
    assert.deepEqual(await actions(`?from=${now}`), ['role.updated'])
    assert.deepEqual(await actions(`?to=${now}&outcome=refused`), [])
    assert.deepEqual(await actions(`?from=${now - 1000}&to=${now}&actor=usr_someone&action=user.*`), ['user.updated'])
  })

  test('lists what a person did together with what was done to them, each once, page by page', async (t) => {
    const { app, actions, list, record } = await setUpAlone(t)
    const bob = { id: 'usr_bob', email: 'bob@example.com', source: null }
    const target = { type: 'user', id: 'usr_bob' }
    const steps: [string, object][] = [
      ['user.created', { target }],
      ['session.started', { actor: bob }],
      ['user.updated', { actor: bob, target }],
      ['role.created', {}],
      ['user.disabled', { target }],
    ]
    for (const [action, rest] of steps) {
      app.clock.advance(1000)
      await record(action, rest)
    }
    const all = ['user.disabled', 'user.updated', 'session.started', 'user.created']
    assert.deepEqual(await actions('?about=usr_bob'), all)
    assert.deepEqual(await actions('?about=usr_bob&action=user.*&outcome=success'), [all[0], all[1], all[3]])
    const seen: string[] = []
    for (let cursor: string | null = ''; cursor !== null;) {
      const page: Page = await list(`?about=usr_bob&limit=1${cursor && `&cursor=${encodeURIComponent(cursor)}`}`)
      seen.push(...page.events.map(({ action }) => action))
      cursor = page.nextCursor
    }
    assert.deepEqual(seen, all)
  })

  test('lists, filters and exports an action that this version does not know like any other', async (t) => {
    const { admin, actions, record } = await setUpAlone(t)
    // A replica of another version may store it.
    await record('teapot.boiled', { data: { degrees: 100 } })
    await record('user.updated')
    assert.deepEqual((await actions()).toSorted(), ['teapot.boiled', 'user.updated'])
    assert.deepEqual(await actions('?action=teapot.boiled'), ['teapot.boiled'])
    assert.deepEqual(await actions('?action=teapot.*'), ['teapot.boiled'])
    const csv = await admin.get('/api/admin/audit?format=csv')
    assert.match(csv.body, /,teapot\.boiled,success,/)
    assert.equal((await admin.get('/api/admin/overview')).statusCode, 200)
  })

  test('is paged newest first, without gaps or duplicates while entries are added', async (t) => {
    const { app, list, record } = await setUpAlone(t)
    for (let index = 0; index < 10; index++) {
      if (index % 4 === 0) app.clock.advance(1)
      await record(`event.${index}`)
    }
    const seen: string[] = []
    let cursor = ''
    for (;;) {
      const page = await list(`?limit=3${cursor}`)
      seen.push(...page.events.map(({ action }) => action))
      if (page.nextCursor === null) break
      cursor = `&cursor=${page.nextCursor}`
      app.clock.advance(1)
      await record('late')
    }
    assert.deepEqual(
      seen.toSorted(),
      Array.from({ length: 10 }, (_, index) => `event.${index}`),
    )
  })

  test('refuses invalid query parameters', async () => {
    const { admin } = await setUp(shared())
    for (const query of [
      '?cursor=x',
      '?limit=0',
      '?limit=201',
      '?format=xml',
      '?outcome=maybe',
      '?from=x',
      '?nope=1',
      '?about=usr_x&actor=usr_x',
    ]) {
      assert.equal((await admin.get(`/api/admin/audit${query}`)).statusCode, 400, query)
    }
  })

  test('is exported as CSV with all matching entries, safe to open in a spreadsheet', async () => {
    const { app, admin, record } = await setUp(shared())
    const source = (userAgent: string) => ({
      ipAddress: '192.0.2.1',
      userAgent,
      requestId: 'r',
      geolocation: { country: null, city: null, region: null },
    })
    const agents = ['=cmd()', '+1', '-1', '@x', '\tx', 'plain, with "quotes"', 'two\r\nlines']
    for (const agent of agents) {
      app.clock.advance(1)
      await record('csv.row', { actor: { ...THE_SERVICE, source: source(agent) } })
    }
    for (const response of [
      await admin.get('/api/admin/audit?format=csv&action=csv.row'),
      await admin.get('/api/admin/audit?action=csv.row', undefined, { accept: 'text/csv' }),
    ]) {
      assert.equal(response.statusCode, 200)
      assert.match(String(response.headers['content-type']), /^text\/csv; charset=utf-8/)
      assert.match(String(response.headers['content-disposition']), /attachment; filename="audit\.csv"/)
      const [header, ...rows] = response.body.split(/\r\n(?!lines)/).filter((line) => line !== '')
      assert.equal(
        header,
        'at,action,outcome,actorId,actorEmail,targetType,targetId,ipAddress,userAgent,requestId,data,id',
      )
      const cells = rows.map((row) => /,192\.0\.2\.1,(.*),r,\{\},/s.exec(row)?.[1]).toReversed()
      assert.deepEqual(cells, ["'=cmd()", "'+1", "'-1", "'@x", "'\tx", '"plain, with ""quotes"""', '"two\r\nlines"'])
    }
  })

  test('is exported as CSV without the page size of JSON, up to the limit in the query', async () => {
    const { admin, record } = await setUp(shared())
    await Promise.all(Array.from({ length: 620 }, () => record('many')))
    const all = await admin.get('/api/admin/audit?format=csv&action=many')
    assert.equal(all.body.trim().split('\r\n').length, 621)
    assert.equal(new Set(all.body.trim().split('\r\n')).size, 621)
    const some = await admin.get('/api/admin/audit?format=csv&action=many&limit=10')
    assert.equal(some.body.trim().split('\r\n').length, 11)
    const none = await admin.get('/api/admin/audit?format=csv&action=none')
    assert.equal(none.body.trim().split('\r\n').length, 1)
  })

  test('can’t be changed or deleted through the API', async () => {
    const { admin } = await setUp(shared())
    for (const method of ['post', 'put', 'patch', 'delete'] as const) {
      assert.equal((await admin[method]('/api/admin/audit')).statusCode, 405)
    }
  })
})
