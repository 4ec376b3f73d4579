import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newId } from '../../src/ids.ts'
import type { Notification } from '../../src/notifications/notification.ts'
import { notify } from '../../src/notifications/notify.ts'
import type { NotificationType } from '../../src/vocabulary/notification-types.ts'
import { sharedApp, type TestApp } from '../support/app.ts'
import { onEachEngine } from '../support/engines.ts'
import { anonymous, type SignedInPerson, signedInPerson } from '../support/people.ts'

interface Page {
  notifications: Notification[]
  unreadCount: number
  nextCursor: string | null
}

const tell = async ({ services }: TestApp, { user }: SignedInPerson, name: string): Promise<void> => {
  await services.db.transaction((trx) =>
    notify(services, trx, user.id, 'security.passkey_added', { passkeyId: name, name }),
  )
}

onEachEngine('notifications', (engine) => {
  const shared = sharedApp({ engine })
  const list = async (person: SignedInPerson, query = '') =>
    (await person.get(`/api/notifications${query}`)).json<Page>()
  const namesOf = ({ notifications }: Page) => notifications.map(({ data }) => data['name'])

  test("GET /api/notifications lists one's own, newest first, with the unread count", async () => {
    const person = await signedInPerson(shared())
    const stranger = await signedInPerson(shared())
    await tell(shared(), person, 'first')
    await tell(shared(), stranger, 'not yours')
    await tell(shared(), person, 'second')
    const page = await list(person)
    assert.deepEqual(namesOf(page), ['second', 'first'])
    assert.equal(page.unreadCount, 2)
    assert.equal(page.nextCursor, null)
    const [newest] = page.notifications
    assert.deepEqual(
      { ...newest, id: '' },
      {
        id: '',
        type: 'security.passkey_added',
        data: { passkeyId: 'second', name: 'second' },
        createdAt: shared().clock.now(),
        readAt: null,
        read: false,
      },
    )
  })

  test('pages follow one another without a gap or a double while more arrive', async () => {
    const person = await signedInPerson(shared())
    for (let index = 0; index < 7; index++) await tell(shared(), person, `n${index}`)
    const first = await list(person, '?limit=3')
    await tell(shared(), person, 'late')
    const second = await list(person, `?limit=3&cursor=${first.nextCursor}`)
    const third = await list(person, `?limit=3&cursor=${second.nextCursor}`)
    assert.deepEqual([first, second, third].flatMap(namesOf), ['n6', 'n5', 'n4', 'n3', 'n2', 'n1', 'n0'])
    assert.equal(third.nextCursor, null)
    assert.equal((await person.get('/api/notifications?cursor=forged')).statusCode, 400)
    assert.equal((await person.get('/api/notifications?limit=201')).statusCode, 400)
  })

  test('PATCH /api/notifications/:id/read marks one, and the first time stands', async () => {
    const person = await signedInPerson(shared())
    await tell(shared(), person, 'a')
    await tell(shared(), person, 'b')
    const [b] = (await list(person)).notifications
    const readAt = shared().clock.now()
    const marked = await person.patch(`/api/notifications/${b?.id}/read`)
    assert.equal(marked.statusCode, 200)
    assert.deepEqual(marked.json(), { success: true, notification: { ...b, readAt, read: true }, unreadCount: 1 })
    shared().clock.advance(1000)
    const again = await person.patch(`/api/notifications/${b?.id}/read`)
    assert.equal(again.json<{ notification: Notification }>().notification.readAt, readAt)
    assert.deepEqual(namesOf(await list(person, '?unread=true')), ['a'])
  })

  test("POST /api/notifications/read-all marks one's own and nobody else's", async () => {
    const person = await signedInPerson(shared())
    const stranger = await signedInPerson(shared())
    for (const each of [person, person, stranger]) await tell(shared(), each, 'x')
    assert.deepEqual((await person.post('/api/notifications/read-all')).json(), { success: true, unreadCount: 0 })
    assert.deepEqual(
      (await list(person)).notifications.map(({ read }) => read),
      [true, true],
    )
    assert.equal((await list(stranger)).unreadCount, 1)
  })

  test("somebody else's notification is 404 and stays unread", async () => {
    const person = await signedInPerson(shared())
    const stranger = await signedInPerson(shared(), { admin: true })
    await tell(shared(), person, 'mine')
    const [mine] = (await list(person)).notifications
    assert.equal((await stranger.patch(`/api/notifications/${mine?.id}/read`)).statusCode, 404)
    assert.equal((await person.patch('/api/notifications/nothing/read')).statusCode, 404)
    assert.equal((await list(person)).unreadCount, 1)
  })

  test('everything here needs a session', async () => {
    const nobody = anonymous(shared())
    for (const response of [
      await nobody.get('/api/notifications'),
      await nobody.get('/api/notifications/stream'),
      await nobody.patch('/api/notifications/x/read'),
      await nobody.post('/api/notifications/read-all'),
    ]) {
      assert.equal(response.statusCode, 401)
    }
  })

  test('a hundred at once are all there, each with an id of its own', async () => {
    const person = await signedInPerson(shared())
    await Promise.all(Array.from({ length: 100 }, (_, index) => tell(shared(), person, String(index))))
    const { notifications } = await list(person, '?limit=100')
    assert.equal(new Set(notifications.map(({ id }) => id)).size, 100)
    assert.equal(new Set(notifications.map(({ data }) => data['name'])).size, 100)
  })

  test('one of a type that this version does not know is listed and marked read like any other', async () => {
    const person = await signedInPerson(shared())
    const { db } = shared().services
    // As a newer or an older replica stores it.
    const type = 'security.moon_phase_changed' as NotificationType
    const row = { id: newId(), user_id: person.user.id, type, data: '{"name":"odd"}', created_at: 1, read_at: null }
    await db.transaction((trx) => trx.insertInto('notifications').values(row).execute())
    const page = await list(person)
    assert.deepEqual(
      page.notifications.map((each) => [each.type, each.data]),
      [[type, { name: 'odd' }]],
    )
    const marked = await person.patch(`/api/notifications/${row.id}/read`)
    assert.equal(marked.statusCode, 200)
    assert.equal(marked.json().notification.type, type)
  })

  test('what comes later stands later, also when the clock was ahead before', async () => {
    const person = await signedInPerson(shared())
    const { db } = shared().services
    const type = 'security.passkey_added' as const
    const ahead = { type, data: '{"name":"ahead"}', created_at: shared().clock.now(), read_at: null }
    for (const id of ['ffffffff-ffff-7fff-bfff-00000000ffff', 'ffffffff-ffff-7fff-bfff-000000000000']) {
      await db.transaction((trx) =>
        trx
          .insertInto('notifications')
          .values({ id, user_id: person.user.id, ...ahead })
          .execute(),
      )
    }
    await tell(shared(), person, 'later')
    await tell(shared(), person, 'last')
    const page = await list(person)
    assert.deepEqual(namesOf(page), ['last', 'later', 'ahead', 'ahead'])
    assert.equal(page.notifications[1]?.id, 'ffffffff-ffff-7fff-bfff-000000010000')
  })
})
