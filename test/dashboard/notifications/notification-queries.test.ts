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
  /** Two loaded pages; each has the total number of unread notifications. */
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

  test('puts a new notification first and counts it as unread', () => {
    addArrived(client, notification('5'))
    assert.deepEqual(listed(), ['5 new', '4 new', '3', '2 new'])
    assert.equal(unread(), 3)
  })

  test('does not count a notification that was read on another device before it arrived', () => {
    addArrived(client, notification('5', true))
    assert.deepEqual(listed(), ['5', '4 new', '3', '2 new'])
    assert.equal(unread(), 2)
  })

  test('ignores a notification that is already on one of its pages, because the stream repeats some after a reconnect', () => {
    addArrived(client, notification('2'))
    addArrived(client, notification('4'))
    assert.deepEqual(listed(), ['4 new', '3', '2 new'])
    assert.equal(unread(), 2)
  })

  test('is not created by a notification that arrives before the list is loaded', () => {
    const fresh = new QueryClient()
    addArrived(fresh, notification('5'))
    assert.equal(fresh.getQueryData(notificationsQuery.queryKey), undefined)
  })

  test('shows a notification as read, and lowers the unread count once', () => {
    showAsRead(client, ({ id }) => id === '2')
    assert.deepEqual(listed(), ['4 new', '3', '2'])
    assert.equal(unread(), 1)
    showAsRead(client, ({ id }) => id === '2')
    assert.equal(unread(), 1)
  })

  test('shows all as read, and keeps the read time of those that were read before', () => {
    showAsRead(client, () => true)
    assert.deepEqual(listed(), ['4', '3', '2'])
    assert.equal(unread(), 0)
    assert.equal(pages()[0]?.notifications[1]?.readAt, 1)
    assert.notEqual(pages()[0]?.notifications[0]?.readAt, null)
  })
})
