import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Notification } from '../../../src/identity/notifications/notification-store.ts'
import { newId } from '../../../src/platform/ids.ts'
import type { NotificationType } from '../../../src/vocabulary/notification-types.ts'
import { sharedApp } from '../../support/app.ts'
import { onEachEngine } from '../../support/engines.ts'
import { anonymous, type SignedInPerson, signedInPerson } from '../../support/people.ts'
import { addNotification } from './add-notification.ts'

interface Page {
  notifications: Notification[]
  unreadCount: number
  nextCursor: string | null
}

onEachEngine('notifications', (engine) => {
  const shared = sharedApp({ engine })
  const list = async (person: SignedInPerson, query = '') =>
    (await person.get(`/api/notifications${query}`)).json<Page>()
  const namesOf = ({ notifications }: Page) => notifications.map(({ data }) => data['name'])

  test("GET /api/notifications lists the user's own notifications, newest first, with the unread count", async () => {
    const person = await signedInPerson(shared())
    const stranger = await signedInPerson(shared())
    await addNotification(shared(), person, 'first')
    await addNotification(shared(), stranger, 'not yours')
    await addNotification(shared(), person, 'second')
    const page = await list(person)
    assert.deepEqual(namesOf(page), ['second', 'first'])
    assert.equal(page.unreadCount, 2)
    assert.equal(page.nextCursor, null)
    const [newest] = page.notifications
    assert.deepEqual(
      { ...newest, id: '' },
      {
        id: '',
        type: 'oauth.grant_added',
        data: { client_id: 'x', name: 'second', scopes: [] },
        createdAt: shared().clock.now(),
        readAt: null,
        read: false,
      },
    )
  })

  test('pages have no gaps or duplicates while notifications arrive', async () => {
    const person = await signedInPerson(shared())
    for (let index = 0; index < 7; index++) await addNotification(shared(), person, `n${index}`)
    const first = await list(person, '?limit=3')
    await addNotification(shared(), person, 'late')
    const second = await list(person, `?limit=3&cursor=${first.nextCursor}`)
    const third = await list(person, `?limit=3&cursor=${second.nextCursor}`)
    assert.deepEqual([first, second, third].flatMap(namesOf), ['n6', 'n5', 'n4', 'n3', 'n2', 'n1', 'n0'])
    assert.equal(third.nextCursor, null)
    assert.equal((await person.get('/api/notifications?cursor=forged')).statusCode, 400)
    assert.equal((await person.get('/api/notifications?limit=201')).statusCode, 400)
  })

  test('PATCH /api/notifications/:id/read marks a notification read, and keeps the time of the first call', async () => {
    const person = await signedInPerson(shared())
    await addNotification(shared(), person, 'a')
    await addNotification(shared(), person, 'b')
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

  test("POST /api/notifications/read-all marks all of the user's own notifications and no others", async () => {
    const person = await signedInPerson(shared())
    const stranger = await signedInPerson(shared())
    for (const each of [person, person, stranger]) await addNotification(shared(), each, 'x')
    assert.deepEqual((await person.post('/api/notifications/read-all')).json(), { success: true, unreadCount: 0 })
    assert.deepEqual(
      (await list(person)).notifications.map(({ read }) => read),
      [true, true],
    )
    assert.equal((await list(stranger)).unreadCount, 1)
  })

  test("another user's notification answers 404 and stays unread", async () => {
    const person = await signedInPerson(shared())
    const stranger = await signedInPerson(shared(), { admin: true })
    await addNotification(shared(), person, 'mine')
    const [mine] = (await list(person)).notifications
    assert.equal((await stranger.patch(`/api/notifications/${mine?.id}/read`)).statusCode, 404)
    assert.equal((await person.patch('/api/notifications/nothing/read')).statusCode, 404)
    assert.equal((await list(person)).unreadCount, 1)
  })

  test('every route answers 401 without a session', async () => {
    const visitor = anonymous(shared())
    for (const response of [
      await visitor.get('/api/notifications'),
      await visitor.get('/api/notifications/stream'),
      await visitor.patch('/api/notifications/x/read'),
      await visitor.post('/api/notifications/read-all'),
    ]) {
      assert.equal(response.statusCode, 401)
    }
  })

  test('a hundred concurrent notifications are all stored, each with its own id', async () => {
    const person = await signedInPerson(shared())
    await Promise.all(Array.from({ length: 100 }, (_, index) => addNotification(shared(), person, String(index))))
    const { notifications } = await list(person, '?limit=100')
    assert.equal(new Set(notifications.map(({ id }) => id)).size, 100)
    assert.equal(new Set(notifications.map(({ data }) => data['name'])).size, 100)
  })

  test('a notification of a type that this version does not know is listed and marked read like any other', async () => {
    const person = await signedInPerson(shared())
    const { db } = shared().services
    // A replica of another version may store it.
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

  test('a later notification is listed as newer, even if the clock was ahead before', async () => {
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
    await addNotification(shared(), person, 'later')
    await addNotification(shared(), person, 'last')
    const page = await list(person)
    assert.deepEqual(namesOf(page), ['last', 'later', 'ahead', 'ahead'])
    assert.equal(page.notifications[1]?.id, 'ffffffff-ffff-7fff-bfff-000000010000')
  })
})
