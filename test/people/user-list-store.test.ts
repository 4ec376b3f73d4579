import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { decodeCursor, MAX_ROWS_EXAMINED } from '../../src/http/cursor.ts'
import { findUserDetails, listUsers, type UserFilter } from '../../src/people/user-list-store.ts'
import { sharedApp } from '../support/app.ts'
import { onEachEngine } from '../support/engines.ts'

/** More than one page examines when it has to check each row. */
const USERS = MAX_ROWS_EXAMINED + 100
const SMALL_ROLE = 'small'
/** Has more members than are listed one by one. */
const LARGE_ROLE = 'large'
const LARGE_ROLE_MEMBERS = 1001

const idOf = (index: number) => `usr_${String(index).padStart(5, '0')}`

onEachEngine('the list of users', (engine) => {
  const shared = sharedApp({ engine })
  const db = () => shared().services.db

  // Users with a higher number are newer. Three share each millisecond, and every hundredth is disabled.
  before(async () => {
    const users = Array.from({ length: USERS }, (_, index) => ({
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
      last_login_at: null,
    }))
    for (let start = 0; start < USERS; start += 500) {
      await db().transaction((trx) =>
        trx
          .insertInto('users')
          .values(users.slice(start, start + 500))
          .execute(),
      )
    }
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

  /** Follows the cursors to the end. */
  async function collect(filter: UserFilter, limit: number): Promise<{ ids: string[]; pages: number }> {
    const ids: string[] = []
    let cursor: string | undefined
    for (let pages = 1; ; pages++) {
      const page = await listUsers(db().read, filter, limit, decodeCursor(cursor))
      assert.ok(page.items.length <= limit, `${page.items.length} of ${limit}`)
      ids.push(...page.items.map(({ id }) => id))
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
    const first = await listUsers(db().read, { q: 'very first' }, 20, undefined)
    assert.deepEqual(first.items, [])
    assert.notEqual(first.nextCursor, null)
    const { ids, pages } = await collect({ q: 'very first' }, 20)
    assert.deepEqual(ids, [idOf(0)])
    assert.equal(pages, 2)
  })

  test('puts the exact match of a search first, and lists it only once', async () => {
    for (const q of ['person1', 'PERSON1', 'person1@example.com']) {
      const page = await listUsers(db().read, { q }, 10, undefined)
      assert.equal(page.items[0]?.id, idOf(1), q)
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
    assert.deepEqual((await collect({ roleId: SMALL_ROLE }, 2)).ids, newestFirst([5, 50, 2550]))
    assert.deepEqual((await collect({ roleId: LARGE_ROLE }, 100)).ids, newestFirst(all.slice(0, LARGE_ROLE_MEMBERS)))
    assert.deepEqual(await listUsers(db().read, { roleId: 'empty' }, 10, undefined), { items: [], nextCursor: null })
    assert.deepEqual(await listUsers(db().read, { roleId: 'none' }, 10, undefined), { items: [], nextCursor: null })
  })

  test('contains only users that match every filter', async () => {
    const filter = { q: 'person', status: 'disabled', roleId: LARGE_ROLE } as const
    const expected = all.slice(0, LARGE_ROLE_MEMBERS).filter((index) => index % 100 === 0)
    assert.deepEqual((await collect(filter, 10)).ids, newestFirst(expected))
    assert.deepEqual((await collect({ q: 'person5', status: 'disabled', roleId: SMALL_ROLE }, 10)).ids, [])
  })

  test('has no details of a user who does not exist', async () => {
    assert.equal(await findUserDetails(db().read, 'usr_nobody', 0), undefined)
  })
})
