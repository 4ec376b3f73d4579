import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { grow, run } from '../../bench/grow.ts'
import { expiredStatements } from '../../bench/growth.ts'
import { sweepExpired } from '../../src/operations/background/sweep-expired.ts'
import { MAX_ROWS_EXAMINED } from '../../src/platform/http/cursor.ts'
import { ADMIN_ROLE, USER_ROLE } from '../../src/vocabulary/built-in-roles.ts'
import { sharedApp } from '../support/app.ts'
import { onEachEngine } from '../support/engines.ts'
import { type SignedInPerson, signedInPerson } from '../support/people.ts'

const USERS = 2 * MAX_ROWS_EXAMINED + 500
const CERTIFICATES = USERS

onEachEngine('lists with more rows than one request examines', (engine) => {
  const shared = sharedApp({ engine })
  let admin: SignedInPerson
  before(async () => {
    const { storage, clock } = shared()
    admin = await signedInPerson(shared(), { admin: true, email: 'admin@example.com' })
    const now = clock.now()
    await grow(storage.databaseUrl, {
      users: USERS,
      tokens: 50,
      certificates: CERTIFICATES,
      now,
      heavyUserId: admin.user.id,
    })
  })

  type Item = { id: string; email?: string }
  /** All items, page by page, and the number of pages that had fewer items than the limit although more followed. */
  const collect = async (path: string, limit = 200) => {
    const items: Item[] = []
    let incomplete = 0
    for (let cursor: string | null = ''; cursor !== null;) {
      const answer = await admin.get(`${path}&limit=${limit}${cursor === '' ? '' : `&cursor=${cursor}`}`)
      assert.equal(answer.statusCode, 200, answer.body)
      const { nextCursor, ...rest } = answer.json<{ nextCursor: string | null }>()
      const page = Object.values(rest).find(Array.isArray) as Item[]
      assert.ok(page.length <= limit)
      if (nextCursor !== null && page.length < limit) incomplete++
      items.push(...page)
      cursor = nextCursor
    }
    assert.equal(new Set(items.map(({ id }) => id)).size, items.length, 'no item is listed twice')
    return { items, incomplete }
  }

  test('a search with few matches returns incomplete pages with a cursor, and all pages together contain every match', async () => {
    const { items, incomplete } = await collect('/api/admin/users?q=rown77')
    const expected = Array.from({ length: USERS }, (_, index) => `grown${index + 1}@example.com`)
    assert.deepEqual(
      items.map(({ email = '' }) => email).toSorted(),
      expected.filter((email) => email.includes('rown77')).toSorted(),
    )
    assert.ok(incomplete >= 2)
    assert.deepEqual((await collect('/api/admin/users?q=nobody')).items, [])
  })

  test('a user whose email, username or identifier equals the search term is listed first, and only once', async () => {
    const [oldest] = (await collect('/api/admin/users?q=grown1@example.com')).items
    assert.equal(oldest?.email, 'grown1@example.com')
    const [first, second] = (await collect('/api/admin/users?q=GROWN1', 20)).items
    assert.equal(first?.email, 'grown1@example.com')
    assert.match(second?.email ?? '', /^grown1\d+@/)
    assert.equal((await collect('/api/admin/users?q=grown1')).items.filter(({ id }) => id === first?.id).length, 1)
    assert.equal((await collect(`/api/admin/users?q=grown${USERS - 1}`, 1)).items.length, 1)
    const byId = (await admin.get(`/api/admin/users?q=${first?.id}`)).json<{ users: Item[] }>().users
    assert.deepEqual(
      byId.map(({ id }) => id),
      [first?.id],
    )
    assert.deepEqual((await collect('/api/admin/users?q=grown1@example.com&status=disabled')).items, [])
  })

  test('users can be filtered by role and status, for filters with many and with few matches', async () => {
    const count = async (query: string) => (await collect(`/api/admin/users?${query}`)).items.length
    assert.equal(await count(`role=${USER_ROLE}`), USERS + 1)
    assert.equal(await count(`role=${ADMIN_ROLE}`), 1)
    assert.equal(await count('role=none'), 0)
    const disabled = Math.floor(USERS / 100)
    assert.equal(await count('status=disabled'), disabled)
    assert.equal(await count('status=active'), USERS + 1 - disabled)
    assert.equal(await count(`status=disabled&role=${USER_ROLE}&q=grown`), disabled)
  })

  test('certificates can be filtered by state and user', async () => {
    const count = async (query: string) => (await collect(`/api/ssh/certs?${query}`)).items.length
    const revoked = Math.floor(CERTIFICATES / 50)
    const [valid, expired] = [await count('state=valid'), await count('state=expired')]
    assert.equal(await count('state=revoked'), revoked)
    assert.ok(valid > 0 && valid < 100)
    assert.equal(valid + expired + revoked, CERTIFICATES)
    assert.equal(await count(`user=${admin.user.id}`), CERTIFICATES / 10)
    assert.equal(await count(`user=${admin.user.id}&state=revoked`), revoked)
  })

  test('audit events can be filtered by conditions without an index', async () => {
    const count = async (query: string) => (await collect(`/api/admin/audit?${query}`)).items.length
    assert.equal(await count('action=session.*'), CERTIFICATES / 2)
    assert.equal(await count('outcome=refused'), CERTIFICATES / 4)
    assert.equal(await count('action=user.updated&outcome=refused'), 0)
    assert.equal(await count('actor=grown5@example.com'), 1)
  })

  test('the sweeper deletes all expired rows, also thousands of them, and no others', async () => {
    const { services, storage, clock } = shared()
    const countRows = async () => {
      const { tokens } = await services.db.read
        .selectFrom('oauth_access_tokens')
        .select((eb) => eb.fn.countAll<number>().as('tokens'))
        .executeTakeFirstOrThrow()
      return tokens
    }
    const kept = await countRows()
    await run(storage.databaseUrl, expiredStatements(3000, 2000, clock.now()))
    assert.equal(await countRows(), kept + 3000)
    assert.equal(await sweepExpired(services), 5000)
    assert.equal(await countRows(), kept)
  })
})
