import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Permission } from '../../../src/vocabulary/permissions.ts'
import { sharedApp } from '../../support/app.ts'
import { onEachEngine } from '../../support/engines.ts'
import { lastMailTo, sentMails } from '../../support/mail.ts'
import { signedInPerson, type SignedInPerson } from '../../support/people.ts'

const URL = '/api/admin/users/batch'
const IMPORT = '/api/admin/users/import'
let count = 0

interface Result {
  id?: string
  email?: string
  outcome: string
  error?: string
  code?: string
}

onEachEngine('many users at once', (engine) => {
  const shared = sharedApp({ engine })
  const results = async (caller: SignedInPerson, url: string, body: object): Promise<Result[]> => {
    const answer = await caller.post(url, body)
    assert.equal(answer.statusCode, 200, answer.body)
    return answer.json<{ results: Result[] }>().results
  }
  const outcomes = async (caller: SignedInPerson, url: string, body: object) =>
    (await results(caller, url, body)).map(({ outcome, code }) => [outcome, code].filter(Boolean).join(' '))
  const withPermissions = (...permissions: Permission[]) => signedInPerson(shared(), { permissions })
  const isDisabled = async (admin: SignedInPerson, { user }: SignedInPerson) =>
    (await admin.get(`/api/admin/users/${user.id}`)).json().user.disabled_at !== null

  test('are disabled each on its own, and none is left out', async () => {
    const admin = await signedInPerson(shared(), { admin: true })
    const caller = await withPermissions('users:lifecycle')
    const [person, already, stronger] = [
      await signedInPerson(shared()),
      await signedInPerson(shared()),
      await withPermissions('users:delete'),
    ]
    await admin.post(`/api/admin/users/${already.user.id}/lifecycle`, { action: 'disable' })
    const ids = [person.user.id, already.user.id, stronger.user.id, 'usr_nobody', caller.user.id, person.user.id]
    const all = await results(caller, URL, { ids, action: 'disable', reason: 'Project ended.' })
    assert.deepEqual(
      all.map(({ id, outcome, code }) => [id, outcome, code]),
      [
        [person.user.id, 'done', undefined],
        [already.user.id, 'unchanged', undefined],
        [stronger.user.id, 'refused', 'forbidden'],
        ['usr_nobody', 'refused', 'not_found'],
        [caller.user.id, 'refused', 'conflict'],
        [person.user.id, 'unchanged', undefined],
      ],
    )
    assert.match(all[2]?.error ?? '', /holds more/)
    assert.equal(await isDisabled(admin, person), true)
    assert.equal(await isDisabled(admin, stronger), false)
    const { actions } = (await admin.get(`/api/admin/users/${person.user.id}/lifecycle`)).json()
    assert.deepEqual([actions.length, actions[0].reason], [1, 'Project ended.'])
    assert.deepEqual(await outcomes(caller, URL, { ids: [person.user.id], action: 'enable' }), ['done'])
    assert.equal(await isDisabled(admin, person), false)
  })

  test('are disabled later with executeAt', async () => {
    const caller = await withPermissions('users:lifecycle')
    const person = await signedInPerson(shared())
    const executeAt = shared().clock.now() + 3_600_000
    const ids = [person.user.id]
    assert.deepEqual(await outcomes(caller, URL, { ids, action: 'disable', executeAt }), ['done'])
    const { actions } = (await caller.get(`/api/admin/users/${person.user.id}/lifecycle`)).json()
    assert.deepEqual([actions[0].status, actions[0].executeAt], ['pending', executeAt])
    assert.equal((await caller.post(URL, { ids, action: 'disable', executeAt: 1 })).statusCode, 400)
  })

  test('get a role, or are invited again', async () => {
    const admin = await signedInPerson(shared(), { admin: true })
    const role = (await admin.post('/api/admin/roles', { name: `Batch ${++count}` })).json().role.id
    const [one, two] = [await signedInPerson(shared()), await signedInPerson(shared())]
    await admin.post(`/api/admin/users/${one.user.id}/roles`, { roleId: role })
    const ids = [one.user.id, two.user.id]
    const caller = await withPermissions('roles:assign')
    assert.deepEqual(await outcomes(caller, URL, { ids, action: 'assign_role', roleId: role }), ['unchanged', 'done'])
    const admins = { ids, action: 'assign_role', roleId: '00000000-0000-4000-8000-000000000001' }
    assert.deepEqual(await outcomes(caller, URL, admins), ['refused forbidden', 'refused forbidden'])

    const email = `invited.twice${++count}@example.com`
    const invited = (await admin.post('/api/admin/users', { email })).json().user.id
    const { token } = await lastMailTo(shared(), email, '/invitation')
    const { db, now } = shared().services
    await db.transaction((trx) =>
      trx.updateTable('users').set({ last_login_at: now() }).where('id', '=', one.user.id).execute(),
    )
    const body = { ids: [invited, one.user.id], action: 'invite' }
    assert.deepEqual(await outcomes(admin, URL, body), ['done', 'refused conflict'])
    assert.notEqual((await lastMailTo(shared(), email, '/invitation')).token, token)
  })

  test('a dry run says what would happen, and changes and sends nothing', async () => {
    const admin = await signedInPerson(shared(), { admin: true })
    const person = await signedInPerson(shared())
    const ids = [person.user.id, admin.user.id]
    const dry = await outcomes(admin, URL, { ids, action: 'disable', dryRun: true })
    assert.deepEqual(dry, ['done', 'refused conflict'])
    assert.equal((await person.get('/api/auth/me')).statusCode, 200)
    assert.deepEqual((await admin.get(`/api/admin/users/${person.user.id}/lifecycle`)).json().actions, [])
    const email = `dry${++count}@example.com`
    assert.deepEqual(await outcomes(admin, IMPORT, { rows: [{ email }], dryRun: true }), ['done'])
    assert.equal((await admin.get(`/api/admin/users?q=${email}`)).json().total, 0)
    assert.ok(!(await sentMails(shared())).some(({ to }) => to === email))
  })

  test('need the permission of the single act, and a request that makes sense', async () => {
    const ids = [(await signedInPerson(shared())).user.id]
    const reader = await withPermissions('users:read')
    for (const action of ['disable', 'enable', 'invite'])
      assert.equal((await reader.post(URL, { ids, action })).statusCode, 403, action)
    assert.equal((await reader.post(URL, { ids, action: 'assign_role', roleId: 'x' })).statusCode, 403)
    assert.equal((await reader.post(IMPORT, { rows: [{ email: 'a@example.com' }] })).statusCode, 403)
    const admin = await signedInPerson(shared(), { admin: true })
    for (const body of [
      { ids: [], action: 'disable' },
      { ids: Array.from({ length: 201 }, () => 'x'), action: 'disable' },
      { ids, action: 'delete' },
      { ids, action: 'assign_role' },
      { ids, action: 'invite', roleId: 'x' },
      { ids, action: 'invite', executeAt: shared().clock.now() + 1000 },
      { ids, action: 'assign_role', roleId: 'x', reason: 'y' },
      { ids, action: 'disable', discreet: true },
    ])
      assert.equal((await admin.post(URL, body)).statusCode, 400, JSON.stringify(body).slice(0, 80))
  })

  test('are imported each on its own, with names of roles', async () => {
    const admin = await signedInPerson(shared(), { admin: true })
    const n = ++count
    const name = `Team ${n}`
    await admin.post('/api/admin/roles', { name })
    const taken = (await signedInPerson(shared())).user.email
    const rows = [
      {
        email: `Import${n}@example.com`,
        displayName: 'Imported',
        preferredUsername: `import-${n}`,
        roles: [name.toUpperCase()],
      },
      { email: `import${n}@example.com` },
      { email: taken },
      { email: 'not an address' },
      { email: `other${n}@example.com`, roles: ['No such role'] },
      { email: `third${n}@example.com`, preferredUsername: 'root' },
      { email: `fourth${n}@example.com`, preferredUsername: 'Not A Username' },
    ]
    const all = await results(admin, IMPORT, { rows })
    assert.deepEqual(
      all.map(({ email, outcome, code }) => [email, outcome, code]),
      [
        [rows[0]?.email, 'done', undefined],
        [rows[1]?.email, 'unchanged', undefined],
        [taken, 'unchanged', undefined],
        ['not an address', 'refused', 'invalid_input'],
        [rows[4]?.email, 'refused', 'not_found'],
        [rows[5]?.email, 'refused', all[5]?.code],
        [rows[6]?.email, 'refused', 'invalid_input'],
      ],
    )
    const [user] = (await admin.get(`/api/admin/users?q=import${n}@example.com`)).json().users
    assert.deepEqual([user.displayName, user.preferredUsername], ['Imported', `import-${n}`])
    assert.ok(user.roles.some((role: { name: string }) => role.name === name))
    await lastMailTo(shared(), `import${n}@example.com`, '/invitation')
  })

  test('a value that can’t be stored refuses its own row of an import, and a repeated address is no reason to leave a row out', async () => {
    const admin = await signedInPerson(shared(), { admin: true })
    const n = ++count
    const email = `again${n}@example.com`
    const rows = [
      { email: '' },
      { email: `${'x'.repeat(300)}@example.com` },
      { email: `name${n}@example.com`, displayName: 'two\nlines' },
      { email: `long${n}@example.com`, displayName: 'x'.repeat(101) },
      { email: `empty${n}@example.com`, displayName: ' ' },
      { email: `user${n}@example.com`, preferredUsername: '' },
      { email: `role${n}@example.com`, roles: [''] },
      { email, preferredUsername: 'Not A Username' },
      { email, displayName: '  Ada ' },
      { email: email.toUpperCase() },
      { email: `first${n}@example.com`, preferredUsername: `same-${n}` },
      { email: `second${n}@example.com`, preferredUsername: `same-${n}` },
    ]
    const expected = [
      ...Array.from({ length: 6 }, () => 'refused invalid_input'),
      'refused not_found',
      'refused invalid_input',
      'done',
      'unchanged',
      'done',
      'refused conflict',
    ]
    assert.deepEqual(await outcomes(admin, IMPORT, { rows, dryRun: true }), expected)
    assert.deepEqual(await outcomes(admin, IMPORT, { rows }), expected)
    const { users, total } = (await admin.get(`/api/admin/users?q=${n}@example.com&sort=email`)).json()
    assert.equal(users.find((user: { email: string }) => user.email === email)?.displayName, 'Ada')
    assert.ok(total >= 1)
    for (const body of [{ rows: [{ email: 1 }] }, { rows: [{ email, other: 'x' }] }, { rows: [{ displayName: 'x' }] }])
      assert.equal((await admin.post(IMPORT, body)).statusCode, 400, JSON.stringify(body))
  })

  test('the list is exported as CSV with everybody who matches, safe to open in a spreadsheet', async () => {
    const admin = await signedInPerson(shared(), { admin: true })
    const n = ++count
    const { role } = (await admin.post('/api/admin/roles', { name: `Exported ${n}` })).json<{ role: { id: string } }>()
    const rows = Array.from({ length: 3 }, (_, index) => ({
      email: `export${index}.${n}@example.com`,
      displayName: index === 0 ? '=HYPERLINK("x")' : `Person ${index}`,
      roles: [`Exported ${n}`],
    }))
    assert.deepEqual(await outcomes(admin, IMPORT, { rows }), ['done', 'done', 'done'])
    const answer = await admin.get(`/api/admin/users?role=${role.id}&sort=email&format=csv`)
    assert.equal(answer.headers['content-type'], 'text/csv; charset=utf-8')
    assert.equal(answer.headers['content-disposition'], 'attachment; filename="users.csv"')
    const lines = answer.body.split('\r\n')
    assert.match(lines[0] ?? '', /^email,displayName,preferredUsername,roles,/)
    assert.equal(lines.length, 5)
    assert.ok((lines[1] ?? '').startsWith(`export0.${n}@example.com,"'=HYPERLINK(""x"")",`), lines[1] ?? '')
    assert.ok(lines[3]?.includes(`,Exported ${n},`))
    const reader = await withPermissions('users:read')
    assert.equal((await reader.get('/api/admin/users?status=scheduled&format=csv')).statusCode, 403)
    const one = (await admin.get('/api/admin/users?limit=1', undefined, { accept: 'text/csv' })).body
    assert.equal(one.trimEnd().split('\r\n').length, 2)
  })

  test('a refused row of an import repeats no more of the name of a role than such a name can have', async () => {
    const admin = await signedInPerson(shared(), { admin: true })
    const rows = [{ email: 'long-role@example.com', roles: ['x'.repeat(10_000)] }]
    const { results } = (await admin.post(IMPORT, { rows })).json()
    assert.deepEqual(
      [results[0].outcome, results[0].reason, results[0].values],
      ['refused', 'no_role_of_this_name', { name: 'x'.repeat(64) }],
    )
  })

  test('an import with roles needs roles:assign, and has a thousand rows and one megabyte at most', async () => {
    const n = ++count
    const admin = await signedInPerson(shared(), { admin: true })
    await admin.post('/api/admin/roles', { name: `Guests ${n}` })
    const writer = await withPermissions('users:write')
    const rows = [{ email: `with${n}@example.com`, roles: [`Guests ${n}`] }, { email: `without${n}@example.com` }]
    assert.deepEqual(await outcomes(writer, IMPORT, { rows }), ['refused forbidden', 'done'])
    const many = Array.from({ length: 1001 }, (_, index) => ({ email: `x${index}@example.com` }))
    assert.equal((await writer.post(IMPORT, { rows: many })).statusCode, 400)
    const large = { rows: [{ email: 'x@example.com', displayName: 'x'.repeat(1024 * 1024) }] }
    assert.equal((await writer.post(IMPORT, large)).statusCode, 413)
  })
})
