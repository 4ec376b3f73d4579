import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { listUsersFor, type UserListRequest } from '../../../src/identity/manage-users/list-users.ts'
import { findUserDetails } from '../../../src/identity/manage-users/user-details-store.ts'
import { createUser } from '../../../src/identity/users/create-user.ts'
import { MAX_ROWS_EXAMINED } from '../../../src/platform/http/cursor.ts'
import { sharedApp } from '../../support/app.ts'
import { onEachEngine } from '../../support/engines.ts'
import { signedInPerson } from '../../support/people.ts'

/** More than one page examines when it has to check each row. */
const USERS = MAX_ROWS_EXAMINED + 100
const SMALL_ROLE = 'small'
/** Has more members than are listed one by one. */
const LARGE_ROLE = 'large'
const LARGE_ROLE_MEMBERS = 1001

/** Five users have signed in at the same millisecond each; every fourth has never been here. */
const LATEST = 1_000_000

const idOf = (index: number) => `usr_${String(index).padStart(5, '0')}`

const lastLogin = (index: number) => (index % 4 === 0 ? null : LATEST - Math.floor(index / 5))

const rowOf = (index: number) => ({
  id: idOf(index),
  email: `person${index}@example.com`,
  email_verified: 1,
  password_hash: null,
  display_name: index === 0 ? 'The very first' : null,
  given_name: null,
  family_name: null,
  preferred_username: `person${index}`,
  avatar_version: null,
  disabled_at: index % 100 === 0 ? 1 : null,
  created_at: Math.floor(index / 3),
  last_login_at: lastLogin(index),
})

onEachEngine('the list of users', (engine) => {
  const shared = sharedApp({ engine })
  const db = () => shared().services.db

  /** Adds users with these numbers. */
  async function addUsers(from: number, to: number): Promise<void> {
    const users = Array.from({ length: to - from }, (_, offset) => rowOf(from + offset))
    for (let start = 0; start < users.length; start += 500) {
      await db().transaction((trx) =>
        trx
          .insertInto('users')
          .values(users.slice(start, start + 500))
          .execute(),
      )
    }
  }

  // Users with a higher number are newer. Three share each millisecond, and every hundredth is disabled.
  before(async () => {
    await addUsers(0, USERS)
    const roles = [SMALL_ROLE, LARGE_ROLE, 'empty'].map((id) => ({
      id,
      name: id,
      description: '',
      principals: '[]',
      built_in: 0,
      created_at: 1,
    }))
    await db().transaction((trx) => trx.insertInto('roles').values(roles).execute())
    const members = Array.from({ length: LARGE_ROLE_MEMBERS }, (_, index) => ({
      user_id: idOf(index),
      role_id: LARGE_ROLE,
    }))
    for (const index of [5, 50, 2550]) members.push({ user_id: idOf(index), role_id: SMALL_ROLE })
    await db().transaction((trx) => trx.insertInto('user_roles').values(members).execute())
  })

  const list = (filter: Omit<UserListRequest, 'actorId'>) =>
    listUsersFor(shared().services, { ...filter, actorId: 'usr_nobody' })

  /** Follows the cursors to the end. */
  async function collect(
    filter: Omit<UserListRequest, 'actorId' | 'limit' | 'cursor'>,
    limit: number,
  ): Promise<{ ids: string[]; pages: number }> {
    const ids: string[] = []
    let cursor: string | undefined
    for (let pages = 1; ; pages++) {
      const page = await list({ ...filter, limit, ...(cursor === undefined ? {} : { cursor }) })
      assert.ok(page.users.length <= limit, `${page.users.length} of ${limit}`)
      ids.push(...page.users.map(({ id }) => id))
      if (page.nextCursor === null) return { ids, pages }
      cursor = page.nextCursor
    }
  }
  const newestFirst = (indexes: number[]) => indexes.toSorted((a, b) => b - a).map(idOf)
  const all = Array.from({ length: USERS }, (_, index) => index)

  test('contains every user once, newest first, including those of the same millisecond', async () => {
    const { ids } = await collect({}, 100)
    assert.deepEqual(ids, newestFirst(all))
  })

  test('examines a bounded number of rows for a page, and finds the oldest user on the next page', async () => {
    const first = await list({ q: 'very first', limit: 20 })
    assert.deepEqual(first.users, [])
    assert.notEqual(first.nextCursor, null)
    const { ids, pages } = await collect({ q: 'very first' }, 20)
    assert.deepEqual(ids, [idOf(0)])
    assert.equal(pages, 2)
  })

  test('puts the exact match of a search first, and lists it only once', async () => {
    for (const q of ['person1', 'PERSON1', 'person1@example.com']) {
      const page = await list({ q, limit: 10 })
      assert.equal(page.users[0]?.id, idOf(1), q)
    }
    const { ids } = await collect({ q: 'person1' }, 10)
    const expected = all.filter((index) => index !== 1 && String(index).startsWith('1'))
    assert.deepEqual(ids, [idOf(1), ...newestFirst(expected)])
  })

  test('finds a user by the complete id, but not by a part of it', async () => {
    assert.deepEqual((await collect({ q: idOf(7) }, 10)).ids, [idOf(7)])
    assert.deepEqual((await collect({ q: 'usr_0000' }, 10)).ids, [])
  })

  test('can be filtered by status', async () => {
    const disabled = all.filter((index) => index % 100 === 0)
    assert.deepEqual((await collect({ status: 'disabled' }, 10)).ids, newestFirst(disabled))
    const active = all.filter((index) => index % 100 !== 0)
    assert.deepEqual((await collect({ status: 'active' }, 100)).ids, newestFirst(active))
  })

  test('can be filtered by role, with few members, many or none', async () => {
    assert.deepEqual((await collect({ role: SMALL_ROLE }, 2)).ids, newestFirst([5, 50, 2550]))
    assert.deepEqual((await collect({ role: LARGE_ROLE }, 100)).ids, newestFirst(all.slice(0, LARGE_ROLE_MEMBERS)))
    assert.deepEqual(await list({ role: 'empty' }), { users: [], nextCursor: null, total: 0, totalIsMore: false })
    assert.deepEqual(await list({ role: 'none' }), { users: [], nextCursor: null, total: 0, totalIsMore: false })
  })

  test('contains only users that match every filter', async () => {
    const filter = { q: 'person', status: 'disabled', role: LARGE_ROLE } as const
    const expected = all.slice(0, LARGE_ROLE_MEMBERS).filter((index) => index % 100 === 0)
    assert.deepEqual((await collect(filter, 10)).ids, newestFirst(expected))
    assert.deepEqual((await collect({ q: 'person5', status: 'disabled', role: SMALL_ROLE }, 10)).ids, [])
  })

  const byText = (a: string, b: string) => (a < b ? -1 : 1)
  const loginOrder = (indexes: number[], sign: 1 | -1) => {
    const bySign = (a: number, b: number) => sign * (a - b)
    const never = indexes.filter((index) => lastLogin(index) === null).toSorted(bySign)
    const others = indexes.filter((index) => lastLogin(index) !== null)
    const ordered = others.toSorted((a, b) => sign * ((lastLogin(a) ?? 0) - (lastLogin(b) ?? 0)) || bySign(a, b))
    return [...never, ...ordered].map(idOf)
  }

  test('can be sorted by email, in both directions', async () => {
    const emails = all.map((index) => `person${index}@example.com`).toSorted(byText)
    const ids = emails.map((email) => idOf(Number(/\d+/.exec(email)?.[0])))
    if (engine === 'sqlite') {
      assert.deepEqual((await collect({ sort: 'email' }, 100)).ids, ids)
      assert.deepEqual((await collect({ sort: '-email' }, 100)).ids, ids.toReversed())
    } else {
      // The order of punctuation depends on the collation of the database.
      const ascending = (await collect({ sort: 'email' }, 100)).ids
      assert.deepEqual(ascending.toSorted(byText), ids.toSorted(byText))
      assert.deepEqual((await collect({ sort: '-email' }, 100)).ids, ascending.toReversed())
    }
  })

  test('can be sorted by creation, oldest first', async () => {
    assert.deepEqual((await collect({ sort: 'createdAt' }, 100)).ids, newestFirst(all).toReversed())
  })

  test('sorted by the last sign-in, begins in both directions with those who never signed in', async () => {
    for (const limit of [100, 33]) {
      const few = all.filter((index) => [5, 50, 2550].includes(index))
      assert.deepEqual((await collect({ sort: 'lastLoginAt', role: SMALL_ROLE }, 1)).ids, loginOrder(few, 1))
      assert.deepEqual((await collect({ sort: 'lastLoginAt' }, limit)).ids, loginOrder(all, 1))
      assert.deepEqual((await collect({ sort: '-lastLoginAt' }, limit)).ids, loginOrder(all, -1))
    }
    // A page that ends exactly with the last one who never signed in.
    const never = all.filter((index) => lastLogin(index) === null).length
    assert.equal(never % 130, 0)
    assert.deepEqual((await collect({ sort: '-lastLoginAt' }, 130)).ids, loginOrder(all, -1))
  })

  test('has the same users in every order under every filter', async () => {
    for (const filter of [
      { q: 'person1' },
      { status: 'disabled' },
      { status: 'invited' },
      { role: LARGE_ROLE },
    ] as const) {
      const expected = (await collect(filter, 100)).ids.toSorted(byText)
      for (const sort of ['email', '-email', 'createdAt', 'lastLoginAt', '-lastLoginAt'] as const) {
        const { ids } = await collect({ ...filter, sort }, 100)
        assert.deepEqual(ids.toSorted(byText), expected, `${JSON.stringify(filter)} ${sort}`)
      }
    }
  })

  test('continues at the same place while users are added', async () => {
    for (const sort of ['email', '-createdAt', 'lastLoginAt'] as const) {
      const start = await list({ sort, limit: 10 })
      const expected = (await list({ sort, limit: 20 })).users.slice(10)
      const extra = { email: `aaa${sort}@example.com`, passwordHash: null }
      const { id } = await createUser(shared().services, db(), extra)
      const next = await list({ sort, limit: 10, ...(start.nextCursor ? { cursor: start.nextCursor } : {}) })
      const found = next.users.filter((user) => user.id !== id)
      assert.deepEqual(found, expected.slice(0, found.length), sort)
      await db().transaction((trx) => trx.deleteFrom('users').where('id', '=', id).execute())
    }
  })

  test('can be filtered by those who were never here, and by planned actions', async () => {
    const never = all.filter((index) => index % 4 === 0)
    assert.deepEqual((await collect({ status: 'invited', q: 'person10' }, 100)).ids, [
      ...newestFirst(never.filter((index) => String(index).startsWith('10'))),
    ])
    const admin = await signedInPerson(shared(), { email: 'admin@example.com', admin: true })
    const ids = [idOf(77), idOf(78)]
    for (const id of ids)
      await admin.post(`/api/admin/users/${id}/lifecycle`, {
        action: 'disable',
        executeAt: shared().clock.now() + 3_600_000,
      })
    const answer = (await admin.get('/api/admin/users?status=scheduled&sort=createdAt')).json()
    assert.deepEqual([answer.users.map(({ id }: { id: string }) => id), answer.total], [ids, 2])
    const reader = await signedInPerson(shared(), { email: 'reader@example.com', permissions: ['users:read'] })
    assert.equal((await reader.get('/api/admin/users?status=scheduled')).statusCode, 403)
    const permissions = ['users:read', 'users:lifecycle'] as const
    const both = await signedInPerson(shared(), { email: 'both@example.com', permissions: [...permissions] })
    assert.equal((await both.get('/api/admin/users?status=scheduled')).statusCode, 200)
    for (const { user } of [admin, reader, both])
      await db().transaction((trx) => trx.deleteFrom('users').where('id', '=', user.id).execute())
  })

  test('says how many users match, whatever the page', async () => {
    const totalOf = async (filter: Parameters<typeof list>[0]) => {
      const { total, totalIsMore } = await list({ ...filter, limit: 3 })
      assert.equal(totalIsMore, false)
      return total
    }
    assert.equal(await totalOf({}), USERS)
    assert.equal(await totalOf({ q: 'person1' }), all.filter((index) => String(index).startsWith('1')).length)
    assert.equal(await totalOf({ status: 'disabled' }), 26)
    assert.equal(await totalOf({ status: 'active' }), USERS - 26)
    assert.equal(await totalOf({ status: 'invited' }), USERS / 4)
    assert.equal(await totalOf({ role: LARGE_ROLE }), LARGE_ROLE_MEMBERS)
    assert.equal(await totalOf({ role: SMALL_ROLE, q: 'person5' }), 2)
    assert.equal(await totalOf({ role: LARGE_ROLE, status: 'disabled' }), 11)
  })

  test('refuses an order, a status and a cursor that there are not', async () => {
    const reader = await signedInPerson(shared(), { email: 'reader2@example.com', permissions: ['users:read'] })
    for (const query of ['sort=name', 'sort=--email', 'status=gone', 'cursor=nonsense', 'roleId=x'])
      assert.equal((await reader.get(`/api/admin/users?${query}`)).statusCode, 400, query)
    await db().transaction((trx) => trx.deleteFrom('users').where('id', '=', reader.user.id).execute())
  })

  test('has no details of a user who does not exist', async () => {
    assert.equal(await findUserDetails(db().read, 'usr_nobody', 0), undefined)
  })

  test('counts up to 10,000, and says when there are more', async () => {
    await addUsers(USERS, 10_000)
    assert.deepEqual(pick(await list({})), [10_000, false])
    await addUsers(10_000, 10_001)
    assert.deepEqual(pick(await list({})), [10_000, true])
    assert.deepEqual(pick(await list({ q: 'person' })), [10_000, true])
    assert.deepEqual(pick(await list({ status: 'active' })), [10_001 - 101, false])
  })
  const pick = ({ total, totalIsMore }: { total: number; totalIsMore: boolean }) => [total, totalIsMore]
})
