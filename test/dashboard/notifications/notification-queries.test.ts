import assert from 'node:assert/strict'
import { beforeEach, describe, test } from 'node:test'
import { QueryClient } from '@tanstack/react-query'
import type { Notification } from '../../../dashboard/src/api/shapes.ts'
import {
  addArrived,
  notificationsQuery,
  showAsRead,
} from '../../../dashboard/src/notifications/notification-queries.ts'

const notification = (id: string, read = false): Notification => ({
  id,
  type: 'security.new_login',
  data: {},
  read,
  readAt: read ? 1 : null,
  createdAt: 1,
})

describe('the list of notifications', () => {
  let client: QueryClient
  /** Two pages, as they were loaded: each says how many are unread in all. */
  beforeEach(() => {
    client = new QueryClient()
    const page = (notifications: Notification[], nextCursor: string | null) => ({
      notifications,
      nextCursor,
      unreadCount: 2,
    })
    client.setQueryData(notificationsQuery.queryKey, {
      pages: [page([notification('4'), notification('3', true)], 'next'), page([notification('2')], null)],
      pageParams: ['', 'next'],
    })
  })
  const pages = () => client.getQueryData(notificationsQuery.queryKey)?.pages ?? []
  const listed = () => pages().flatMap((page) => page.notifications.map(({ id, read }) => (read ? id : `${id} new`)))
  const unread = () => pages()[0]?.unreadCount

  test('puts one that arrived in front and counts it', () => {
    addArrived(client, notification('5'))
    assert.deepEqual(listed(), ['5 new', '4 new', '3', '2 new'])
    assert.equal(unread(), 3)
  })

  test('does not count one that was read on another device before it arrived', () => {
    addArrived(client, notification('5', true))
    assert.deepEqual(listed(), ['5', '4 new', '3', '2 new'])
    assert.equal(unread(), 2)
  })

  test('leaves one alone that it has, on whichever page: the stream repeats after a break', () => {
    addArrived(client, notification('2'))
    addArrived(client, notification('4'))
    assert.deepEqual(listed(), ['4 new', '3', '2 new'])
    assert.equal(unread(), 2)
  })

  test('is not begun by one that arrives before it was loaded', () => {
    const fresh = new QueryClient()
    addArrived(fresh, notification('5'))
    assert.equal(fresh.getQueryData(notificationsQuery.queryKey), undefined)
  })

  test('shows one as read, and counts it once', () => {
    showAsRead(client, ({ id }) => id === '2')
    assert.deepEqual(listed(), ['4 new', '3', '2'])
    assert.equal(unread(), 1)
    showAsRead(client, ({ id }) => id === '2')
    assert.equal(unread(), 1)
  })

  test('shows all as read, and keeps the time at which others were', () => {
    showAsRead(client, () => true)
    assert.deepEqual(listed(), ['4', '3', '2'])
    assert.equal(unread(), 0)
    assert.equal(pages()[0]?.notifications[1]?.readAt, 1)
    assert.notEqual(pages()[0]?.notifications[0]?.readAt, null)
  })
})
